// The public functions about grids and matrices; those that compute stand beside their algorithms.
#include <climits>
#include <cstring>
#include <new>

#include "linalg/arguments.hpp"
#include "linalg/blas.hpp"
#include "linalg/copy.hpp"
#include "linalg/fetch.hpp"

using namespace weft::la;

namespace {

template <class T>
void copy_local(const Matrix& matrix, const void* from, int64_t from_leading, void* to, int64_t to_leading) {
  copy_block(WEFT_LA_NONE, matrix.local_rows(), matrix.local_columns(), static_cast<const T*>(from), from_leading,
             static_cast<T*>(to), to_leading);
}

void copy_local(const Matrix& matrix, const void* from, int64_t from_leading, void* to, int64_t to_leading) {
  with_type(matrix.layout.type, [&]<class T>() { copy_local<T>(matrix, from, from_leading, to, to_leading); });
}

// Of a function that only this rank calls, so that nobody else speaks.
int check_matrix(const char* function, const Matrix* matrix) {
  needs_job(function);
  const Given what = given(matrix);
  return what == Given::usable ? static_cast<int>(WEFT_OK) : refuse(true, function, "matrix %s", problem(what));
}

int check_array(const char* function, const Matrix* matrix, const void* array, int64_t leading) {
  if (int status = check_matrix(function, matrix); status != WEFT_OK) return status;
  if (matrix->local_rows() == 0 || matrix->local_columns() == 0) return WEFT_OK;
  if (array == nullptr) return refuse(true, function, "array is NULL");
  if (leading < matrix->local_rows())
    return refuse(true, function, "leading is %lld; this rank's part has %lld rows", static_cast<long long>(leading),
                  static_cast<long long>(matrix->local_rows()));
  return WEFT_OK;
}

// The root's array is its own affair, but all must know of a mistake.
int check_root(const char* function, const Matrix* matrix, uint32_t root, const void* array, int64_t leading) {
  Arguments arguments(function);
  arguments.matrix("matrix", matrix).alike("root", root);
  if (arguments.status() != WEFT_OK) return arguments.status();
  const Grid& grid = matrix->grid;
  if (root >= grid.size()) arguments.fail("root is %u; the grid has %u ranks", root, grid.size());
  if (arguments.status() != WEFT_OK) return arguments.status();
  int mine = WEFT_OK;
  if (weft_team_rank(grid.all) == root && matrix->layout.rows != 0 && matrix->layout.columns != 0) {
    if (array == nullptr) {
      mine = refuse(true, function, "array is NULL on the root");
    } else if (leading < matrix->layout.rows) {
      mine = refuse(true, function, "leading is %lld; the matrix has %lld rows", static_cast<long long>(leading),
                    static_cast<long long>(matrix->layout.rows));
    }
  }
  return grid.largest(-mine) == 0 ? static_cast<int>(WEFT_OK) : static_cast<int>(WEFT_ERR_INVALID);
}

// Of a function that has no status to return: what it cannot use ends the job.
template <class Object>
const Object& use(const char* function, const char* name, const Object* object) {
  needs_job(function);
  if (const Given what = given(object); what != Given::usable) end_job(function, "%s %s", name, problem(what));
  return *object;
}

const Grid& use_grid(const char* function, const Grid* grid) { return use(function, "grid", grid); }
const Matrix& use_matrix(const char* function, const Matrix* matrix) { return use(function, "matrix", matrix); }

// An index that a part has not would have its global one behind the matrix's last.
int64_t global_index(const char* function, const Axis& axis, uint32_t part, int64_t local, const char* what) {
  if (local >= 0 && local < axis.extent) {
    const int64_t global = axis.global(part, local);
    if (global < axis.extent) return global;
  }
  end_job(function, "local is %lld; this rank's part has %lld %s, from 0", static_cast<long long>(local),
          static_cast<long long>(axis.extent_on(part)), what);
}

}  // namespace

extern "C" {

int weft_la_grid_create(weft_team_t team, uint32_t rows, uint32_t columns, weft_la_grid_t** grid) {
  Arguments arguments("weft_la_grid_create", true);
  arguments.team(team).not_null("grid", grid).alike("rows", rows).alike("columns", columns);
  const uint32_t members = weft_team_size(team);
  const Shape shape = choose_shape(members, rows, columns);
  if (shape.rows == 0) arguments.fail("rows x columns is %u x %u; the team has %u members", rows, columns, members);
  if (arguments.status() != WEFT_OK) return arguments.status();
  if (int status = make_grid(team, shape, arguments.function(), grid); status != WEFT_OK || *grid == nullptr)
    return status;
  int64_t& last = last_grid_number();
  last = (*grid)->number = (*grid)->largest(last) + 1;
  return WEFT_OK;
}

int weft_la_grid_free(weft_la_grid_t* grid) {
  if (grid == nullptr) return WEFT_OK;
  Arguments arguments("weft_la_grid_free");
  arguments.grid(grid);
  if (arguments.status() != WEFT_OK) return arguments.status();
  if (grid->matrices != 0)
    arguments.fail("the grid still has matrices, %lld; free them first", static_cast<long long>(grid->matrices));
  if (arguments.status() != WEFT_OK) return arguments.status();
  grid->barrier();
  retire(grid);
  return WEFT_OK;
}

uint32_t weft_la_grid_rows(const weft_la_grid_t* grid) { return use_grid("weft_la_grid_rows", grid).rows; }
uint32_t weft_la_grid_columns(const weft_la_grid_t* grid) { return use_grid("weft_la_grid_columns", grid).columns; }
uint32_t weft_la_grid_row(const weft_la_grid_t* grid) { return use_grid("weft_la_grid_row", grid).row; }
uint32_t weft_la_grid_column(const weft_la_grid_t* grid) { return use_grid("weft_la_grid_column", grid).column; }

size_t weft_la_matrix_bytes(const weft_la_grid_t* grid, const weft_la_layout_t* layout) {
  if (grid == nullptr) return 0;
  use_grid("weft_la_matrix_bytes", grid);
  if (layout == nullptr || !layout_problem(*layout, grid->rows, grid->columns).empty()) return 0;
  return part_bytes(*layout, *grid, grid->row, grid->column);
}

int weft_la_matrix_create(weft_la_grid_t* grid, const weft_la_layout_t* layout, weft_la_matrix_t** matrix) {
  Arguments arguments("weft_la_matrix_create");
  arguments.grid(grid).not_null("layout", layout).not_null("matrix", matrix);
  const weft_la_layout_t shape = layout != nullptr ? *layout : weft_la_layout_t{};
  arguments.alike_type("layout.type", number_of(shape.type)).alike("layout.rows", shape.rows);
  arguments.alike("layout.columns", shape.columns).alike("layout.row_block", shape.row_block);
  arguments.alike("layout.column_block", shape.column_block).alike("layout.first_row", shape.first_row);
  arguments.alike("layout.first_column", shape.first_column);
  if (arguments.status() != WEFT_OK) return arguments.status();
  if (const std::string problem = layout_problem(*layout, grid->rows, grid->columns); !problem.empty()) {
    arguments.fail("%s", problem.c_str());
    return arguments.status();
  }
  Matrix* made = nullptr;
  if (int status = create_matrix(*grid, *layout, "weft_la_matrix_create", &made); status != WEFT_OK) return status;
  if (const size_t bytes = part_bytes(*layout, *grid, grid->row, grid->column); bytes != 0) {
    weft_segment_commit(made->memory.offset(), bytes);
    std::memset(made->data<char>(), 0, bytes);
  }
  made->number = ++grid->created;
  *matrix = made;
  return WEFT_OK;
}

int weft_la_matrix_free(weft_la_matrix_t* matrix) {
  if (matrix == nullptr) return WEFT_OK;
  Arguments arguments("weft_la_matrix_free");
  arguments.matrix("matrix", matrix);
  if (arguments.status() != WEFT_OK) return arguments.status();
  matrix->grid.barrier();  // nobody reads it any more
  --matrix->grid.matrices;
  retire(matrix);
  return WEFT_OK;
}

weft_la_layout_t weft_la_matrix_layout(const weft_la_matrix_t* matrix) {
  return use_matrix("weft_la_matrix_layout", matrix).layout;
}

weft_la_local_t weft_la_matrix_local(const weft_la_matrix_t* matrix) {
  const Matrix& m = use_matrix("weft_la_matrix_local", matrix);
  return {m.data<void>(), m.local_rows(), m.local_columns(), m.leading()};
}

int64_t weft_la_global_row(const weft_la_matrix_t* matrix, int64_t local) {
  const Matrix& m = use_matrix("weft_la_global_row", matrix);
  return global_index("weft_la_global_row", m.rows, m.grid.row, local, "rows");
}
int64_t weft_la_global_column(const weft_la_matrix_t* matrix, int64_t local) {
  const Matrix& m = use_matrix("weft_la_global_column", matrix);
  return global_index("weft_la_global_column", m.columns, m.grid.column, local, "columns");
}

int weft_la_fill(weft_la_matrix_t* matrix, weft_la_element_t element, void* argument) {
  if (int status = check_matrix("weft_la_fill", matrix); status != WEFT_OK) return status;
  if (element == nullptr) return refuse(true, "weft_la_fill", "element is NULL");
  const size_t size = size_of(matrix->layout.type);
  for (int64_t j = 0; j < matrix->local_columns(); ++j) {
    char* column = matrix->data<char>() + static_cast<size_t>(j * matrix->leading()) * size;
    const int64_t global_column = matrix->columns.global(matrix->grid.column, j);
    for (int64_t i = 0; i < matrix->local_rows(); ++i, column += size)
      element(matrix->rows.global(matrix->grid.row, i), global_column, column, argument);
  }
  return WEFT_OK;
}

int weft_la_layout_from_scalapack(const int descriptor[9], weft_la_type_t type, weft_la_layout_t* layout) {
  constexpr const char* function = "weft_la_layout_from_scalapack";
  if (descriptor == nullptr) return refuse(true, function, "descriptor is NULL");
  if (layout == nullptr) return refuse(true, function, "layout is NULL");
  if (descriptor[0] != 1) return refuse(true, function, "DTYPE is %d; that of a dense matrix is 1", descriptor[0]);
  const int rsrc = descriptor[6], csrc = descriptor[7];
  if (rsrc < 0) return refuse(true, function, "RSRC is %d; it is at least 0", rsrc);
  if (csrc < 0) return refuse(true, function, "CSRC is %d; it is at least 0", csrc);
  const weft_la_layout_t result = {type,
                                   descriptor[2],
                                   descriptor[3],
                                   descriptor[4],
                                   descriptor[5],
                                   static_cast<uint32_t>(rsrc),
                                   static_cast<uint32_t>(csrc)};
  const std::string problem = layout_problem(result, UINT16_MAX, UINT16_MAX);
  if (!problem.empty()) return refuse(true, function, "%s", problem.c_str());
  *layout = result;
  return WEFT_OK;
}

int weft_la_layout_to_scalapack(const weft_la_layout_t* layout, int context, int leading, int descriptor[9]) {
  constexpr const char* function = "weft_la_layout_to_scalapack";
  if (layout == nullptr) return refuse(true, function, "layout is NULL");
  if (descriptor == nullptr) return refuse(true, function, "descriptor is NULL");
  const struct {
    const char* name;
    int64_t value;
  } fields[] = {{"layout.rows", layout->rows},           {"layout.columns", layout->columns},
                {"layout.row_block", layout->row_block}, {"layout.column_block", layout->column_block},
                {"layout.first_row", layout->first_row}, {"layout.first_column", layout->first_column}};
  if (leading < 1) return refuse(true, function, "leading is %d; ScaLAPACK's LLD is at least 1", leading);
  int result[9] = {1, context};
  int* next = result + 2;
  for (const auto& field : fields) {
    if (field.value < 0 || field.value > INT_MAX)
      return refuse(true, function, "%s is %lld; ScaLAPACK's descriptor holds 0 to %d", field.name,
                    static_cast<long long>(field.value), INT_MAX);
    *next++ = static_cast<int>(field.value);
  }
  *next = leading;
  std::copy(std::begin(result), std::end(result), descriptor);
  return WEFT_OK;
}

int weft_la_import(weft_la_matrix_t* matrix, const void* array, int64_t leading) {
  if (int status = check_array("weft_la_import", matrix, array, leading); status != WEFT_OK) return status;
  copy_local(*matrix, array, leading, matrix->data<void>(), matrix->leading());
  return WEFT_OK;
}

int weft_la_export(const weft_la_matrix_t* matrix, void* array, int64_t leading) {
  if (int status = check_array("weft_la_export", matrix, array, leading); status != WEFT_OK) return status;
  copy_local(*matrix, matrix->data<void>(), matrix->leading(), array, leading);
  return WEFT_OK;
}

int weft_la_gather(const weft_la_matrix_t* matrix, uint32_t root, void* array, int64_t leading) {
  if (int status = check_root("weft_la_gather", matrix, root, array, leading); status != WEFT_OK) return status;
  matrix->grid.barrier();
  if (weft_team_rank(matrix->grid.all) == root)
    with_type(matrix->layout.type, [&]<class T>() {
      Fetch<T>(*matrix, {{0, matrix->layout.rows}}, {{0, matrix->layout.columns}}, WEFT_LA_NONE, static_cast<T*>(array),
               leading);
    });
  matrix->grid.barrier();
  return WEFT_OK;
}

int weft_la_scatter(weft_la_matrix_t* matrix, uint32_t root, const void* array, int64_t leading) {
  if (int status = check_root("weft_la_scatter", matrix, root, array, leading); status != WEFT_OK) return status;
  Matrix* whole = nullptr;
  const weft_la_layout_t& layout = matrix->layout;
  const int status =
      create_on_member(matrix->grid, layout.type, layout.rows, layout.columns, root, "weft_la_scatter", &whole);
  if (status != WEFT_OK) return status;
  const TemporaryMatrix owner(whole);
  if (weft_team_rank(matrix->grid.all) == root) weft_la_import(whole, array, leading);
  copy_part(WEFT_LA_NONE, matrix->layout.rows, matrix->layout.columns, weft_la_whole(whole), weft_la_whole(matrix));
  return WEFT_OK;
}

}  // extern "C"
