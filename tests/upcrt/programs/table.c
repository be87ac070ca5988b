/* A second unit, linked from an archive. */
#include <weft/upcrt.h>
#include <weft/upcrt/accessors.h>

#ifndef UPCR_THREADS
#define THREADS_OF_UNIT 0
#else
#define THREADS_OF_UNIT UPCR_THREADS
#endif
UPCR_UNIT(THREADS_OF_UNIT, "table.upc");
UPCR_SHARED(table, 10 * sizeof(int), sizeof(int))
UPCR_SHARED_STATIC(flag, 4, 4) /* static: another object than the first unit's flag */
upcr_pts_t private_pointer;
upcr_pts_t table_entry(int i);
upcr_pts_t table_entry(int i) { return upcr_add(UPCR_STATIC(table), i, 1, sizeof(int)); }
static void initialise(void) {
  static const int image[] = {0, 1, 4, 9};
  upcr_initialise(UPCR_STATIC(table), image, 4, 1, sizeof(int));
  if (upcr_mythread() == 0) upcc_put_int(UPCR_STATIC(flag), 5, UPCR_HERE);
  private_pointer = table_entry(2);
}
UPCR_INITIALISER(initialise);
