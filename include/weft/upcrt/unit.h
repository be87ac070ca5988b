/**
 * @file
 * Translation units: static shared objects, initialisers, and what a unit was compiled for.
 *
 * Static shared objects. Each is a symbol in the linker section `upc_shared`, which takes no room in the file and is
 * never read or written: it only assigns places. 64 bytes of each thread's segment stand behind one byte of it, so
 *
 *     offset in every segment = UPCR_STATIC_BASE + 64 * (address of the symbol - start of the section)
 *
 * which the compiled code computes with two address constants: no table, no relocation at start, any number of
 * translation units and archives. An object that is no array lives on thread 0.
 *
 * Initialisers. A unit may have one function that runs on every thread, after the shared objects of all units have
 * their memory (zero) and before main on any thread: it initialises shared objects, and private pointers with shared
 * addresses.
 */
#ifndef WEFT_UPCRT_UNIT_H
#define WEFT_UPCRT_UNIT_H

#include <weft/upcrt/pts.h>

#if defined(__cplusplus)
extern "C" {
#endif

/** Version of this binary interface. */
#define UPCR_ABI 6
/** Bytes of every segment behind one byte of the section. */
#define UPCR_STATIC_SCALE 64

/** What a unit was compiled for. The numbers come first: upcrun reads them from the file of the program. */
typedef struct upcr_unit {
  uint32_t magic;    /**< UPCR_UNIT_MAGIC */
  uint16_t abi;      /**< UPCR_ABI */
  uint16_t pthreads; /**< UPCR_PTHREADS */
  uint64_t threads;  /**< static THREADS, or 0 */
  const char* file;  /**< the UPC source */
  uint64_t reserved; /**< 0 */
} upcr_unit_t;
/** What marks the record of a unit. */
#define UPCR_UNIT_MAGIC ((uint32_t)0x55435057)

/** What a unit declares a shared object to be. Of those with external linkage all units must say the same. */
typedef struct upcr_object {
  const char* name; /**< in the UPC source */
  const char* file; /**< where it is declared */
  int line;         /**< where it is declared */
  int external;     /**< linkage */
  uint64_t block;   /**< in elements; 0: indefinite */
  const char* type; /**< as messages show it */
  uint64_t type_id; /**< equal for types that are the same to all units; 0: incomplete */
  uint64_t bytes;   /**< of each thread's memory; 0: an incomplete array */
} upcr_object_t;

/** An initialiser of a unit. */
typedef void (*upcr_initialiser_t)(void);

/** @cond what UPCR_UNIT makes */
/* The sections of the linked program. One copy survives linking. */
typedef struct upcr_program {
  const upcr_unit_t *units, *units_end;
  const upcr_initialiser_t *initialisers, *initialisers_end;
  const char *shared, *shared_end;
  const upcr_object_t *objects, *objects_end; /* null if there are none */
} upcr_program_t;

#define UPCR_SECTION_EDGE __attribute__((visibility("hidden")))
extern const char __start_upc_shared[] UPCR_SECTION_EDGE;
extern const char __stop_upc_shared[] UPCR_SECTION_EDGE;
extern const upcr_unit_t __start_upc_config[] UPCR_SECTION_EDGE;
extern const upcr_unit_t __stop_upc_config[] UPCR_SECTION_EDGE;
extern const upcr_initialiser_t __start_upc_init[] UPCR_SECTION_EDGE __attribute__((weak)); /* may be absent */
extern const upcr_initialiser_t __stop_upc_init[] UPCR_SECTION_EDGE __attribute__((weak));
extern const upcr_object_t __start_upc_objects[] UPCR_SECTION_EDGE __attribute__((weak)); /* may be absent */
extern const upcr_object_t __stop_upc_objects[] UPCR_SECTION_EDGE __attribute__((weak));

/** @endcond */

/** Once per unit, at file scope: UPCR_UNIT(static THREADS or 0, "source.upc"); */
#define UPCR_UNIT(static_threads, source)                                                                           \
  UPCR_SHARED_STATIC(upcr_shared_anchor, 1, 1) /* so that the section exists */                                     \
  static const upcr_unit_t upcr_this_unit __attribute__((used, section("upc_config"), aligned(8))) = {              \
      UPCR_UNIT_MAGIC, UPCR_ABI, UPCR_PTHREADS, (static_threads), (source), 0};                                     \
  extern const upcr_program_t upcr_program __attribute__((weak, visibility("default")));                            \
  const upcr_program_t upcr_program = {__start_upc_config, __stop_upc_config, __start_upc_init,    __stop_upc_init, \
                                       __start_upc_shared, __stop_upc_shared, __start_upc_objects, __stop_upc_objects}

/** At most once per unit, at file scope: UPCR_INITIALISER(function); function is void (void). */
#define UPCR_INITIALISER(function)                                                                               \
  static const upcr_initialiser_t upcr_this_initialiser __attribute__((used, section("upc_init"), aligned(8))) = \
      function

/** @cond what UPCR_SHARED is made of */
#define UPCR_SHARED_UNITS(bytes) ((bytes) == 0 ? 1 : ((bytes) + UPCR_STATIC_SCALE - 1) / UPCR_STATIC_SCALE)
#define UPCR_SHARED_ALIGN(alignment) ((alignment) <= UPCR_STATIC_SCALE ? 1 : (alignment) / UPCR_STATIC_SCALE)
#define UPCR_SHARED_SYMBOL(name) __asm__("upc_shared." #name)
/** @endcond */
/** Declares an object of UPCR_SHARED in another unit. */
#define UPCR_SHARED_EXTERN(name) extern char name[] UPCR_SHARED_SYMBOL(name) __attribute__((visibility("hidden")))
/** @cond what UPCR_SHARED is made of */
#if defined(__clang__)
#define UPCR_SHARED_OBJECT(storage, name, symbol, bytes, alignment, visible)                     \
  _Pragma("clang section bss=\"upc_shared\"") storage char name[UPCR_SHARED_UNITS(bytes)] symbol \
      __attribute__((used, aligned(UPCR_SHARED_ALIGN(alignment)) visible)) = {0};                \
  _Pragma("clang section bss=\"\"")
#else
/* The comment sign hides the flags that gcc appends, which would make room in the file. */
#define UPCR_SHARED_OBJECT(storage, name, symbol, bytes, alignment, visible) \
  storage char name[UPCR_SHARED_UNITS(bytes)] symbol __attribute__((         \
      used, section("upc_shared,\"aw\",@nobits#"), aligned(UPCR_SHARED_ALIGN(alignment)) visible)) = {0};
#endif
#define UPCR_COMMA_HIDDEN , visibility("hidden")
/** @endcond */
/** Defines a static shared object with external linkage. Followed by no semicolon.
 *
 * `bytes` is the most that any thread has of it (for dynamic THREADS with blocks of B elements that is ceil(elements /
 * THREADS / B) * B * element_size with the THREADS factor cancelled); `alignment` is in bytes, at most 4096. `name` has
 * no meaning but through UPCR_STATIC. The linker knows the object by another name, so that a private object of this
 * name is never taken for it. */
#define UPCR_SHARED(name, bytes, alignment) \
  UPCR_SHARED_OBJECT(, name, UPCR_SHARED_SYMBOL(name), bytes, alignment, UPCR_COMMA_HIDDEN)
/** UPCR_SHARED with internal linkage. */
#define UPCR_SHARED_STATIC(name, bytes, alignment) UPCR_SHARED_OBJECT(static, name, , bytes, alignment, )

/** The offset of an object of UPCR_SHARED in every segment. */
#define UPCR_STATIC_OFFSET(name) (UPCR_STATIC_BASE + ((uint64_t)((name)-__start_upc_shared) * UPCR_STATIC_SCALE))
/** The pointer to the first element of an object of UPCR_SHARED. */
#define UPCR_STATIC(name) upcr_make(UPCR_STATIC_OFFSET(name), 0, 0)

/** For initialisers: gives the elements of a shared array their values; every thread sets its own.
 * @param array         the pointer to its first element
 * @param image         the first elements in array order
 * @param count         how many
 * @param block         elements of a block; 0 is indefinite
 * @param element_size  bytes of an element
 * @since 0.1 */
void upcr_initialise(upcr_pts_t array, const void* image, uint64_t count, uint64_t block, uint64_t element_size);

/** The program's main, which the compiler defines: calls the UPC main. Visible to the runtime's library whatever
 * `-fvisibility` says.
 * @param argc         as main
 * @param argv         as main
 * @param environment  as main
 * @return what the UPC main returned
 * @since 0.1 */
__attribute__((visibility("default"))) int upcr_user_main(int argc, char** argv, char** environment);

/** What exit() is in units compiled with --pthreads: C's exit() would end the process that the other threads are in,
 * or, in some C libraries, wait for a second thread that calls it.
 *
 * With 0, of several threads of one process: ends the calling thread as its return from the UPC main would. Else C's
 * exit().
 * @param code  as exit()
 * @since 0.2 */
void upcr_exit(int code) __attribute__((noreturn));

/** For programs whose main is not UPC: joins the job, as main of a UPC program does before it calls upcr_user_main().
 * Collective. Exits on failure.
 * @param argc  that of main
 * @param argv  that of main
 * @since 0.1 */
void upcr_start(int* argc, char*** argv);
/** For programs whose main is not UPC: leaves the job with the implicit barrier. Collective.
 * @since 0.1 */
void upcr_finish(void);

#if defined(__cplusplus)
}
#endif
#endif
