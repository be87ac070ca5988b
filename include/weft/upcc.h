/* What upcc includes before every UPC source file: the runtime's interface, the record of how this unit is compiled,
 * and helpers of the C that upcc generates. Programs do not include it. */
#ifndef WEFT_UPCC_H
#define WEFT_UPCC_H

#include <weft/upcrt.h>

#ifdef UPCR_THREADS
UPCR_UNIT(UPCR_THREADS, __BASE_FILE__);
#else
UPCR_UNIT(0, __BASE_FILE__);
#endif

/* Tells upcc which compiler preprocessed the file: the two spell sections differently. */
#if defined(__clang__)
typedef int upcc_for_clang;
#endif

/* Offset of a static shared object in every segment. */
UPCR_INLINE uint64_t upcc_offset(const char* object) {
  return UPCR_STATIC_BASE + (uint64_t)(object - __start_upc_shared) * UPCR_STATIC_SCALE;
}

#endif
