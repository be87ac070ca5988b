/**
 * @file
 * Dense linear algebra on block-cyclic matrices: libweft-linalg (link weft-linalg; CMake: weft::linalg).
 *
 * A matrix is cut into blocks of row_block x column_block elements, which are dealt over a grid of ranks as ScaLAPACK
 * does: block (I, J) lies on grid row (I + first_row) mod rows and grid column (J + first_column) mod columns. Each
 * rank stores its blocks as one column-major array in its segment. Indices count from 0 and are 64 bits wide.
 *
 * Functions that take a grid or a matrix are collective over the grid's ranks unless they say "local". All ranks call
 * them with the same arguments, in the same order, and get the same results. A call begins when all have called: it
 * sees what a rank wrote to its part before. Its results are complete when it returns. A rank may have no block of a
 * matrix.
 *
 * Elements that are no number (NaN) or infinite are not looked for. They come out as BLAS and LAPACK make them, and a
 * factorisation may give info 0: whether a result is good, only its elements or a residual tell.
 *
 * Local work is done by the BLAS and LAPACK that Debian's alternatives choose (libblas.so.3, liblapack.so.3). If that
 * is OpenBLAS, and neither OPENBLAS_NUM_THREADS nor OMP_NUM_THREADS is set, each rank uses its share of the host's
 * processors, at least one thread.
 *
 * **Returns**
 * - WEFT_OK.
 * - WEFT_ERR_INVALID, on all ranks, after one line that names function, argument, value and constraint. NULL for a
 *   pointer that is needed is invalid, too, and so is a grid or a matrix that was freed. Results are as they were. With
 *   WEFT_CHECK=1 that is also for what differs between the ranks: the function, sizes and other numbers, alpha and beta
 *   (no two of them that are no number differ), the matrix of an operand. Else, layouts of new matrices excepted, these
 *   give wrong results, or ranks that wait for each other.
 * - WEFT_ERR_NO_MEMORY, on all ranks, after one line with the bytes needed. Nothing has been changed then, except by
 *   solves and triangular solves: they take workspace as they go, and leave B undefined.
 *
 * A function that returns no status ends the job, with a line and exit code 1, if its grid or matrix is NULL or was
 * freed, or if an index is not one of this rank's part. So does each function that is called before weft_init() or
 * after weft_finalize(). With WEFT_CHECK=1 a collective function does so if all its grids and matrices are: it cannot
 * tell the other ranks. The library knows the last 256 grids and matrices that a process has freed. A call with an
 * older one may crash.
 *
 * **Threads**: one thread of a rank at a time calls functions on one grid. Not in handlers.
 *
 * docs/LINALG.md is the guide. Sources: ScaLAPACK's users' guide (layouts, descriptors); Krishnan and Nieplocha, SRUMMA
 * (IPDPS 2004); van de Geijn and Watts, SUMMA (1997); Zheng et al., UPC at scale (2010).
 */
#ifndef WEFT_LINALG_H
#define WEFT_LINALG_H

#include <weft/team.h>
#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @name Grids
 * @{ */

/** Ranks in rows and columns. */
typedef struct weft_la_grid weft_la_grid_t;

/** Makes a grid of the first rows * columns members of a team, numbered row by row. Collective over the team.
 *
 * @param team     any team.
 * @param rows     of the grid; 0: chosen, with `columns` or from its value.
 * @param columns  of the grid; 0: chosen. If both are 0: all members, as nearly square as their number allows,
 *                 with at least as many rows as columns.
 * @param grid     where the grid goes; on members outside it NULL goes there, and they take no part in what follows.
 * @return WEFT_OK; WEFT_ERR_INVALID, on all members, if the team has fewer members than that, or its members give
 *   other rows or columns, without WEFT_CHECK=1, too; WEFT_ERR_NO_MEMORY.
 * @since 0.2 */
int weft_la_grid_create(weft_team_t team, uint32_t rows, uint32_t columns, weft_la_grid_t** grid);

/** Frees a grid, after its matrices. Collective.
 * @param grid  the grid; NULL is ignored
 * @return WEFT_OK; WEFT_ERR_INVALID if a matrix of the grid is not freed (the grid can still be used then), or the grid
 *   was freed before
 * @since 0.2 */
int weft_la_grid_free(weft_la_grid_t* grid);

/** The number of rows of a grid. Local.
 * @param grid  the grid
 * @return rows
 * @since 0.2 */
uint32_t weft_la_grid_rows(const weft_la_grid_t* grid);
/** The number of columns of a grid. Local.
 * @param grid  the grid
 * @return columns
 * @since 0.2 */
uint32_t weft_la_grid_columns(const weft_la_grid_t* grid);
/** The row of a grid that this rank is in. Local.
 * @param grid  the grid
 * @return the row, from 0
 * @since 0.2 */
uint32_t weft_la_grid_row(const weft_la_grid_t* grid);
/** The column of a grid that this rank is in. Local.
 * @param grid  the grid
 * @return the column, from 0
 * @since 0.2 */
uint32_t weft_la_grid_column(const weft_la_grid_t* grid);

/** @} */
/** @name Matrices
 * @{ */

/** The type of an element, by BLAS's letters. */
typedef enum weft_la_type {
  WEFT_LA_S = 0, /**< float */
  WEFT_LA_D = 1, /**< double */
  WEFT_LA_C = 2, /**< float complex: two floats */
  WEFT_LA_Z = 3  /**< double complex: two doubles */
} weft_la_type_t;

/** Shape of a matrix and how its blocks are dealt. */
typedef struct weft_la_layout {
  weft_la_type_t type;   /**< of its elements */
  int64_t rows;          /**< of the matrix, from 0 */
  int64_t columns;       /**< of the matrix, from 0 */
  int64_t row_block;     /**< rows of a block, from 1; the last ones of a matrix may be smaller */
  int64_t column_block;  /**< columns of a block, likewise */
  uint32_t first_row;    /**< grid row of the first block */
  uint32_t first_column; /**< grid column of the first block */
} weft_la_layout_t;

/** A distributed matrix. */
typedef struct weft_la_matrix weft_la_matrix_t;

/** A rank's own part of a matrix: its blocks in the order of the matrix, column-major. */
typedef struct weft_la_local {
  void* data;      /**< in this rank's segment; NULL if rows or columns is 0 */
  int64_t rows;    /**< here; 0 where a rank has no block */
  int64_t columns; /**< likewise */
  int64_t leading; /**< elements from one column to the next */
} weft_la_local_t;

/** Bytes that a matrix takes on this rank. Local.
 * @param grid    where it would be
 * @param layout  its shape
 * @return bytes; 0 for a layout that is not valid, and where grid is NULL: on a rank outside it
 * @since 0.2 */
size_t weft_la_matrix_bytes(const weft_la_grid_t* grid, const weft_la_layout_t* layout);

/** Makes a matrix of zeros.
 *
 * @param grid    lives until the matrix is freed.
 * @param layout  read before the call returns.
 * @param matrix  where the matrix goes.
 * @return WEFT_OK, WEFT_ERR_INVALID; WEFT_ERR_NO_MEMORY if a rank's segment, or the memory that a host has free for its
 *   ranks, is smaller than the matrix: nothing has been touched then.
 * @since 0.2 */
int weft_la_matrix_create(weft_la_grid_t* grid, const weft_la_layout_t* layout, weft_la_matrix_t** matrix);

/** Frees a matrix. Collective.
 * @param matrix  the matrix; NULL is ignored
 * @return WEFT_OK; WEFT_ERR_INVALID if it was freed before
 * @since 0.2 */
int weft_la_matrix_free(weft_la_matrix_t* matrix);

/** The layout of a matrix. Local.
 * @param matrix  the matrix
 * @return what it was made with
 * @since 0.2 */
weft_la_layout_t weft_la_matrix_layout(const weft_la_matrix_t* matrix);
/** This rank's part of a matrix, which may be read and written between calls on the matrix. Local.
 * @param matrix  the matrix
 * @return where the part is, and its shape; valid until the matrix is freed
 * @since 0.2 */
weft_la_local_t weft_la_matrix_local(const weft_la_matrix_t* matrix);

/** The row of the matrix that a row of this rank's part is. Local.
 * @param matrix  the matrix
 * @param local   row of the part, from 0; less than its number of rows
 * @return the row, from 0
 * @since 0.2 */
int64_t weft_la_global_row(const weft_la_matrix_t* matrix, int64_t local);
/** The column of the matrix that a column of this rank's part is. Local.
 * @param matrix  the matrix
 * @param local   column of the part, from 0; less than its number of columns
 * @return the column, from 0
 * @since 0.2 */
int64_t weft_la_global_column(const weft_la_matrix_t* matrix, int64_t local);

/** Gives an element its value: writes it to `element`, which has the matrix's type. */
typedef void (*weft_la_element_t)(int64_t row, int64_t column, void* element, void* argument);

/** Sets each element of this rank's part by a function. Local.
 * @param matrix    the matrix
 * @param element   called once for each element, one after the other
 * @param argument  handed to it
 * @return WEFT_OK; WEFT_ERR_INVALID for a matrix that is NULL or was freed, or a NULL function
 * @since 0.2 */
int weft_la_fill(weft_la_matrix_t* matrix, weft_la_element_t element, void* argument);

/** The layout of a ScaLAPACK descriptor, for the same grid in row-major order. Local.
 * @param descriptor   DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD; CTXT and LLD are the program's own and not read
 * @param type         of an element: descriptors do not say
 * @param[out] layout  the layout
 * @return WEFT_OK; WEFT_ERR_INVALID, after a line, for a DTYPE that is not 1
 * @since 0.2 */
int weft_la_layout_from_scalapack(const int descriptor[9], weft_la_type_t type, weft_la_layout_t* layout);
/** The ScaLAPACK descriptor of a layout, for the same grid in row-major order. Local.
 * @param layout           the layout
 * @param context          CTXT of the descriptor
 * @param leading          LLD of the descriptor, from 1
 * @param[out] descriptor  DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD
 * @return WEFT_OK; WEFT_ERR_INVALID, after a line, for sizes that an int does not hold, and for an LLD below 1
 * @since 0.2 */
int weft_la_layout_to_scalapack(const weft_la_layout_t* layout, int context, int leading, int descriptor[9]);

/** Copies this rank's part from a ScaLAPACK program's own local array of the same layout. Local.
 * @param matrix   the matrix
 * @param array    the array, column-major
 * @param leading  elements from one column of `array` to the next; at least the part's rows
 * @return WEFT_OK; WEFT_ERR_INVALID
 * @since 0.2 */
int weft_la_import(weft_la_matrix_t* matrix, const void* array, int64_t leading);
/** Copies this rank's part to a ScaLAPACK program's own local array of the same layout. Local.
 * @copydetails weft_la_import */
int weft_la_export(const weft_la_matrix_t* matrix, void* array, int64_t leading);

/** Copies the whole matrix to a column-major array of one rank.
 * @param matrix   the matrix
 * @param root     that rank's number in the grid, row by row
 * @param array    the matrix's columns, `leading` elements apart; used on the root only
 * @param leading  at least the matrix's rows
 * @return WEFT_OK; WEFT_ERR_INVALID
 * @since 0.2 */
int weft_la_gather(const weft_la_matrix_t* matrix, uint32_t root, void* array, int64_t leading);
/** Copies the whole matrix from a column-major array of one rank.
 * @copydetails weft_la_gather */
int weft_la_scatter(weft_la_matrix_t* matrix, uint32_t root, const void* array, int64_t leading);

/** @} */
/** @name Operations
 * @{ */

/** What is done to an operand first. */
typedef enum weft_la_op {
  WEFT_LA_NONE = 0,      /**< nothing */
  WEFT_LA_TRANSPOSE = 1, /**< it is transposed */
  WEFT_LA_CONJUGATE = 2  /**< it is transposed and conjugated; for real types as WEFT_LA_TRANSPOSE */
} weft_la_op_t;
/** A half of a square matrix, with the diagonal. */
typedef enum weft_la_triangle { WEFT_LA_LOWER = 0, WEFT_LA_UPPER = 1 } weft_la_triangle_t;
/** On which side of the unknown the triangular matrix stands. */
typedef enum weft_la_side { WEFT_LA_LEFT = 0, WEFT_LA_RIGHT = 1 } weft_la_side_t;
/** Whether a triangular matrix's diagonal is read (WEFT_LA_GENERAL) or known to be 1. */
typedef enum weft_la_diagonal { WEFT_LA_GENERAL = 0, WEFT_LA_UNIT = 1 } weft_la_diagonal_t;

/** Where in a matrix an operand starts: its first row and column. The function's sizes say how far it reaches. */
typedef struct weft_la_part {
  weft_la_matrix_t* matrix; /**< the matrix */
  int64_t row;              /**< its first row, from 0 */
  int64_t column;           /**< its first column, from 0 */
} weft_la_part_t;

/** The part that starts where its matrix does.
 * @param matrix  the matrix
 * @return the part
 * @since 0.2 */
static inline weft_la_part_t weft_la_whole(weft_la_matrix_t* matrix) {
  weft_la_part_t part = {matrix, 0, 0};
  return part;
}

/** B = op(A), between any two layouts of one type: on one grid, or on two grids of the same ranks.
 *
 * @param op       of A.
 * @param rows     of B's part.
 * @param columns  of B's part.
 * @param a        where A starts.
 * @param b        where B starts. It must not overlap A.
 * @return WEFT_OK; WEFT_ERR_INVALID; WEFT_ERR_NO_MEMORY.
 * @since 0.2 */
int weft_la_copy(weft_la_op_t op, int64_t rows, int64_t columns, weft_la_part_t a, weft_la_part_t b);

/** How matrices are multiplied. All give the same result but for rounding. */
typedef enum weft_la_variant {
  WEFT_LA_AUTO = 0, /**< with up to 32 columns of C, and an eighth of its rows and of k, A stays where it is and C is
                         the sum of what the ranks have; else PULL if all ranks of the grid map each other's
                         memory, else BROADCAST */
  WEFT_LA_PULL = 1, /**< each rank reads what it needs, in place where it can */
  WEFT_LA_BROADCAST = 2, /**< SUMMA over non-blocking broadcasts in grid rows and columns, with lookahead */
  WEFT_LA_BLOCKING = 3,  /**< SUMMA over blocking broadcasts */
  WEFT_LA_FLAT = 4       /**< SUMMA whose owners put each panel to each rank that needs it */
} weft_la_variant_t;

/** C = alpha op(A) op(B) + beta C.
 *
 * Layouts need not fit together, but BROADCAST, BLOCKING and FLAT first copy an operand whose rows (A) or columns (B)
 * are not dealt as those of C, or that is transposed. Memory beside that: about 32 MiB for a panel of each operand.
 *
 * @param op_a     of A.
 * @param op_b     of B.
 * @param m        rows of C.
 * @param n        columns of C.
 * @param k        columns of op(A).
 * @param alpha    one element of the matrices' type. 0: A and B are not read.
 * @param a        where A starts. All three are on one grid, of one type.
 * @param b        where B starts.
 * @param beta     one element of the matrices' type. 0: C need not be set.
 * @param c        where C starts. It overlaps neither A nor B.
 * @param variant  how.
 * @return WEFT_OK; WEFT_ERR_INVALID; WEFT_ERR_NO_MEMORY.
 * @since 0.2 */
int weft_la_gemm(weft_la_op_t op_a, weft_la_op_t op_b, int64_t m, int64_t n, int64_t k, const void* alpha,
                 weft_la_part_t a, weft_la_part_t b, const void* beta, weft_la_part_t c, weft_la_variant_t variant);

/** Solves op(A) X = alpha B (left) or X op(A) = alpha B (right) for X, which replaces B.
 *
 * @param side      of A.
 * @param triangle  of A that is read; A has m (left) or n (right) rows and columns.
 * @param op        of A.
 * @param diagonal  WEFT_LA_UNIT: A's diagonal is 1 and not read.
 * @param m         rows of B.
 * @param n         columns of B.
 * @param alpha     one element of the matrices' type.
 * @param a         where A starts.
 * @param b         where B starts. It must not overlap A.
 * @return WEFT_OK; WEFT_ERR_INVALID; WEFT_ERR_NO_MEMORY.
 * @since 0.2 */
int weft_la_trsm(weft_la_side_t side, weft_la_triangle_t triangle, weft_la_op_t op, weft_la_diagonal_t diagonal,
                 int64_t m, int64_t n, const void* alpha, weft_la_part_t a, weft_la_part_t b);

/** Cholesky factorisation of a symmetric (Hermitian) positive definite matrix: A = L L^H, or U^H U.
 *
 * The factor replaces the triangle of A that is read; the other triangle is neither read nor written. In place and
 * without copies where the triangle is the lower one, blocks are square and the part starts at a block's corner;
 * otherwise a copy of the part is factored and copied back.
 *
 * @param triangle  of A that is read, and written.
 * @param n     rows and columns of the part.
 * @param a     where A starts.
 * @param info  0; or, with result WEFT_OK, k > 0 if the leading minor of order k is not positive definite: the part's
 *              triangle is undefined then. The same on all ranks.
 * @return WEFT_OK; WEFT_ERR_INVALID; WEFT_ERR_NO_MEMORY.
 * @since 0.2 */
int weft_la_potrf(weft_la_triangle_t triangle, int64_t n, weft_la_part_t a, int64_t* info);

/** Solves A X = B by the factor that weft_la_potrf() left.
 * @param triangle  where the factor is.
 * @param n         rows and columns of A.
 * @param columns   of B.
 * @param a         where the factor starts.
 * @param b         where B starts; X replaces it. It must not overlap A.
 * @return WEFT_OK; WEFT_ERR_INVALID; WEFT_ERR_NO_MEMORY.
 * @since 0.2 */
int weft_la_potrs(weft_la_triangle_t triangle, int64_t n, int64_t columns, weft_la_part_t a, weft_la_part_t b);

/** Factors A and solves A X = B: weft_la_potrf() and, if *info is 0, weft_la_potrs().
 * @param triangle  of A that is read, and replaced by the factor.
 * @param n         rows and columns of A.
 * @param columns   of B.
 * @param a         where A starts.
 * @param b         where B starts; X replaces it. It must not overlap A.
 * @param info      as weft_la_potrf().
 * @return WEFT_OK; WEFT_ERR_INVALID; WEFT_ERR_NO_MEMORY.
 * @since 0.2 */
int weft_la_posv(weft_la_triangle_t triangle, int64_t n, int64_t columns, weft_la_part_t a, weft_la_part_t b,
                 int64_t* info);

/** LU factorisation with partial pivoting: A = P L U, with a unit lower L and an upper U that replace A.
 *
 * Ranks work on whole block columns, in turn. A rank factors its next panel before it applies the panel before to the
 * rest of its columns. The part is factored where it lies if the grid has one row, column blocks of 32 to 256, and the
 * part begins with a block. Else a copy with blocks of at most 128 is factored, which takes as much memory as the part
 * and, between hosts, the time to send most of it twice. Between hosts a rank has memory for two panels, too.
 *
 * @param m       rows of the part.
 * @param n       columns of the part.
 * @param a       where A starts.
 * @param pivots  min(m, n) entries, the same on all ranks: row i of the part was exchanged with row pivots[i], i or a
 *                later one, counted from 0. NULL will do if there are none.
 * @param info    0; or, with result WEFT_OK, k > 0 if U(k, k), counted from 1, is zero, and no such before it: the
 *                factorisation is complete, but cannot be solved with.
 * @return WEFT_OK; WEFT_ERR_INVALID; WEFT_ERR_NO_MEMORY.
 * @since 0.2 */
int weft_la_getrf(int64_t m, int64_t n, weft_la_part_t a, int64_t* pivots, int64_t* info);

/** Solves op(A) X = B by what weft_la_getrf() left. If its info was not 0, U has a zero on its diagonal, by which this
 * divides: X has infinite elements, or such that are no number, and the result is WEFT_OK.
 * @param op       of A.
 * @param n        rows and columns of A.
 * @param columns  of B.
 * @param a        where L and U start.
 * @param pivots   as weft_la_getrf() gave them.
 * @param b        where B starts; X replaces it. It must not overlap A.
 * @return WEFT_OK; WEFT_ERR_INVALID, for a pivot outside the matrix too; WEFT_ERR_NO_MEMORY.
 * @since 0.2 */
int weft_la_getrs(weft_la_op_t op, int64_t n, int64_t columns, weft_la_part_t a, const int64_t* pivots,
                  weft_la_part_t b);

/** Factors A and solves A X = B: weft_la_getrf() and, if *info is 0, weft_la_getrs().
 * @param n        rows and columns of A.
 * @param columns  of B.
 * @param a        where A starts; L and U replace it.
 * @param pivots   as weft_la_getrf().
 * @param b        where B starts; X replaces it. It must not overlap A.
 * @param info     as weft_la_getrf().
 * @return WEFT_OK; WEFT_ERR_INVALID; WEFT_ERR_NO_MEMORY.
 * @since 0.2 */
int weft_la_gesv(int64_t n, int64_t columns, weft_la_part_t a, int64_t* pivots, weft_la_part_t b, int64_t* info);

/** @} */

#ifdef __cplusplus
}
#endif
#endif
