/* Translation units: static shared objects, initialisers, and what a unit was compiled for.
 *
 * Static shared objects. Each is a symbol in the linker section `upc_shared`, which takes no room in the file and is
 * never read or written: it only assigns places. 64 bytes of each thread's segment stand behind one byte of it, so
 *   offset in every segment = UPCR_STATIC_BASE + 64 * (address of the symbol - start of the section)
 * which the compiled code computes with two address constants: no table, no relocation at start, any number of
 * translation units and archives. An object that is no array lives on thread 0.
 *
 * Initialisers. A unit may have one function that runs on every thread, after the shared objects of all units have
 * their memory (zero) and before main on any thread: it initialises shared objects, and private pointers with shared
 * addresses. */
#ifndef WEFT_UPCRT_UNIT_H
#define WEFT_UPCRT_UNIT_H

#include <weft/upcrt/pts.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Version of this binary interface, and where static shared objects start in every segment. */
#define UPCR_ABI 3
#define UPCR_STATIC_BASE ((uint64_t)65536)
#define UPCR_STATIC_SCALE 64

/* What a unit was compiled for. The numbers come first: upcrun reads them from the file of the program. */
typedef struct upcr_unit {
  uint32_t magic; /* UPCR_UNIT_MAGIC */
  uint16_t abi;
  uint16_t pthreads;
  uint64_t threads; /* static THREADS, or 0 */
  const char* file; /* the UPC source */
  uint64_t reserved;
} upcr_unit_t;
#define UPCR_UNIT_MAGIC ((uint32_t)0x55435057)

/* What a unit declares a shared object to be. Of those with external linkage all units must say the same. */
typedef struct upcr_object {
  const char* name;
  const char* file;
  int line;
  int external;          /* linkage */
  uint64_t block;        /* in elements; 0: indefinite */
  uint64_t element_size; /* bytes, of the ultimate element */
  uint64_t bytes;        /* of each thread's memory; 0: an incomplete array */
} upcr_object_t;

typedef void (*upcr_initialiser_t)(void);

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

/* Once per unit, at file scope: UPCR_UNIT(static THREADS or 0, "source.upc"); */
#define UPCR_UNIT(static_threads, source)                                                                           \
  UPCR_SHARED_STATIC(upcr_shared_anchor, 1, 1) /* so that the section exists */                                     \
  static const upcr_unit_t upcr_this_unit __attribute__((used, section("upc_config"), aligned(8))) = {              \
      UPCR_UNIT_MAGIC, UPCR_ABI, UPCR_PTHREADS, (static_threads), (source), 0};                                     \
  extern const upcr_program_t upcr_program __attribute__((weak, visibility("default")));                            \
  const upcr_program_t upcr_program = {__start_upc_config, __stop_upc_config, __start_upc_init,    __stop_upc_init, \
                                       __start_upc_shared, __stop_upc_shared, __start_upc_objects, __stop_upc_objects}

/* At most once per unit, at file scope: UPCR_INITIALISER(function); function is void (void). */
#define UPCR_INITIALISER(function)                                                                               \
  static const upcr_initialiser_t upcr_this_initialiser __attribute__((used, section("upc_init"), aligned(8))) = \
      function

/* Defines a static shared object. bytes: the most that any thread has of it (for dynamic THREADS with blocks of B
 * elements that is ceil(elements / THREADS / B) * B * element_size with the THREADS factor cancelled); alignment: in
 * bytes, at most 4096. UPCR_SHARED has external linkage, UPCR_SHARED_STATIC internal; declare the first in other units
 * with UPCR_SHARED_EXTERN(name);. Followed by no semicolon. `name` has no meaning but through UPCR_STATIC. The linker
 * knows the object by another name, so that a private object of this name is never taken for it. */
#define UPCR_SHARED_UNITS(bytes) ((bytes) == 0 ? 1 : ((bytes) + UPCR_STATIC_SCALE - 1) / UPCR_STATIC_SCALE)
#define UPCR_SHARED_ALIGN(alignment) \
  ((alignment) <= UPCR_STATIC_SCALE ? 1 : (alignment) / UPCR_STATIC_SCALE)
#define UPCR_SHARED_SYMBOL(name) __asm__("upc_shared." #name)
#define UPCR_SHARED_EXTERN(name) extern char name[] UPCR_SHARED_SYMBOL(name) __attribute__((visibility("hidden")))
#if defined(__clang__)
#define UPCR_SHARED_OBJECT(storage, name, symbol, bytes, alignment, visible)                           \
  _Pragma("clang section bss=\"upc_shared\"") storage char name[UPCR_SHARED_UNITS(bytes)] symbol       \
      __attribute__((used, aligned(UPCR_SHARED_ALIGN(alignment)) visible)) = {0};                      \
  _Pragma("clang section bss=\"\"")
#else
/* The comment sign hides the flags that gcc appends, which would make room in the file. */
#define UPCR_SHARED_OBJECT(storage, name, symbol, bytes, alignment, visible)                     \
  storage char name[UPCR_SHARED_UNITS(bytes)] symbol                                             \
      __attribute__((used, section("upc_shared,\"aw\",@nobits#"),                                \
                     aligned(UPCR_SHARED_ALIGN(alignment)) visible)) = {0};
#endif
#define UPCR_COMMA_HIDDEN , visibility("hidden")
#define UPCR_SHARED(name, bytes, alignment) \
  UPCR_SHARED_OBJECT(, name, UPCR_SHARED_SYMBOL(name), bytes, alignment, UPCR_COMMA_HIDDEN)
#define UPCR_SHARED_STATIC(name, bytes, alignment) UPCR_SHARED_OBJECT(static, name, , bytes, alignment, )

/* Its offset in every segment, and the pointer to its first element. */
#define UPCR_STATIC_OFFSET(name) (UPCR_STATIC_BASE + ((uint64_t)((name)-__start_upc_shared) * UPCR_STATIC_SCALE))
#define UPCR_STATIC(name) upcr_make(UPCR_STATIC_OFFSET(name), 0, 0)

/* For initialisers: gives the elements of a shared array their values; every thread sets its own. `image` holds the
 * first `count` elements in array order. */
void upcr_initialise(upcr_pts_t array, const void* image, uint64_t count, uint64_t block, uint64_t element_size);

/* The program's main, which the compiler defines: calls the UPC main and returns its result. Visible to the runtime's
 * library whatever -fvisibility= says. */
__attribute__((visibility("default"))) int upcr_user_main(int argc, char** argv, char** environment);

/* What exit() is in units compiled with --pthreads: C's exit() would end the process that the other threads are in, or,
 * in some C libraries, wait for a second thread that calls it. With 0, of several threads of one process: ends the
 * calling thread as its return from the UPC main would. Else C's exit(). */
void upcr_exit(int code) __attribute__((noreturn));

/* For programs whose main is not UPC: joins the job, as main of a UPC program does before it calls upcr_user_main(),
 * and leaves it with the implicit barrier. Collective. upcr_start() exits on failure. */
void upcr_start(int* argc, char*** argv);
void upcr_finish(void);

#if defined(__cplusplus)
}
#endif
#endif
