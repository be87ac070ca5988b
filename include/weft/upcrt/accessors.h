/**
 * @file
 * Accessors: reading and writing shared objects, as upcc emits it.
 *
 * For each basic type there are four functions, of which int's are
 *
 * @code
 *   int upcc_get_int(upcr_pts_t p, const char* file, int line);
 *   int upcc_put_int(upcr_pts_t p, int value, const char* file, int line);
 *   int upcc_get_strict_int(upcr_pts_t p, const char* file, int line);
 *   int upcc_put_strict_int(upcr_pts_t p, int value, const char* file, int line);
 * @endcode
 *
 * `file` and `line` are the place in the UPC source (UPCR_HERE), which WEFT_CHECK=1 names for a null, freed or wild
 * pointer. A put returns the value written. Relaxed accesses are volatile where they go to memory: a loop that waits
 * for another thread looks each time. In loops with a bound, and for other types, upcc emits the same as text
 * (upcc/lower/lower_access.cpp), which the C compiler may join and vectorise.
 */
#ifndef WEFT_UPCRT_ACCESSORS_H
#define WEFT_UPCRT_ACCESSORS_H

#include <weft/upcrt/access.h>

#pragma GCC system_header

/** @cond The functions described above. */
#ifdef __cplusplus
#define UPCC_VOLATILE /* structures cannot be copied so */
#else
#define UPCC_VOLATILE volatile
#endif
#define UPCC_INLINE UPCR_INLINE __attribute__((artificial))
#define UPCC_ACCESSORS(T, name)                                                             \
  UPCC_INLINE T upcc_get_##name(upcr_pts_t p, const char* file, int line) {                 \
    T slow;                                                                                 \
    if (upcr_direct()) return *(UPCC_VOLATILE T*)(void*)upcr_at(p);                         \
    if (upcr_is_plainly_mine(p)) return *(UPCC_VOLATILE T*)(void*)upcr_self_at(p.offset);   \
    upcr_get_slow((void*)&slow, p, sizeof(T), file, line);                                  \
    return slow;                                                                            \
  }                                                                                         \
  UPCC_INLINE T upcc_put_##name(upcr_pts_t p, T value, const char* file, int line) {        \
    if (upcr_direct()) {                                                                    \
      *(UPCC_VOLATILE T*)(void*)upcr_at(p) = value;                                         \
    } else if (upcr_is_plainly_mine(p)) {                                                   \
      *(UPCC_VOLATILE T*)(void*)upcr_self_at(p.offset) = value;                             \
    } else {                                                                                \
      T slow = value;                                                                       \
      upcr_put_slow(p, (const void*)&slow, sizeof(T), file, line);                          \
    }                                                                                       \
    return value;                                                                           \
  }                                                                                         \
  UPCC_INLINE T upcc_get_strict_##name(upcr_pts_t p, const char* file, int line) {          \
    T value;                                                                                \
    if (upcr_direct())                                                                      \
      upcr_strict_read((void*)&value, upcr_at(p), sizeof(T));                               \
    else                                                                                    \
      upcr_get_strict_slow((void*)&value, p, sizeof(T), file, line);                        \
    return value;                                                                           \
  }                                                                                         \
  UPCC_INLINE T upcc_put_strict_##name(upcr_pts_t p, T value, const char* file, int line) { \
    if (upcr_direct())                                                                      \
      upcr_strict_write(upcr_at(p), (const void*)&value, sizeof(T));                        \
    else                                                                                    \
      upcr_put_strict_slow(p, (const void*)&value, sizeof(T), file, line);                  \
    return value;                                                                           \
  }
#ifdef __cplusplus
typedef bool upcc_bool_t;
#else
typedef _Bool upcc_bool_t;
#endif
UPCC_ACCESSORS(upcc_bool_t, bool)
UPCC_ACCESSORS(char, char)
UPCC_ACCESSORS(signed char, schar)
UPCC_ACCESSORS(unsigned char, uchar)
UPCC_ACCESSORS(short, short)
UPCC_ACCESSORS(unsigned short, ushort)
UPCC_ACCESSORS(int, int)
UPCC_ACCESSORS(unsigned int, uint)
UPCC_ACCESSORS(long, long)
UPCC_ACCESSORS(unsigned long, ulong)
UPCC_ACCESSORS(long long, longlong)
UPCC_ACCESSORS(unsigned long long, ulonglong)
UPCC_ACCESSORS(float, float)
UPCC_ACCESSORS(double, double)
UPCC_ACCESSORS(long double, longdouble)
UPCC_ACCESSORS(upcr_pts_t, pts)

/** @endcond */

/** Where the value of a structure can be read, padding included.
 * @param p       the structure
 * @param buffer  room for a copy
 * @param size    bytes of the structure
 * @param file    of the source, for messages; UPCR_HERE gives both
 * @param line    in it
 * @return the structure itself where it is mapped, else the buffer with a copy
 * @since 0.1 */
UPCC_INLINE void* upcc_get_whole(upcr_pts_t p, void* buffer, unsigned long size, const char* file, int line) {
  if (upcr_direct()) return (void*)upcr_at(p);
  upcr_get_slow(buffer, p, size, file, line);
  return buffer;
}
/** The same, strict: always a copy.
 * @param p       the structure
 * @param buffer  room for a copy
 * @param size    bytes of the structure
 * @param file    of the source, for messages; UPCR_HERE gives both
 * @param line    in it
 * @return the buffer
 * @since 0.1 */
UPCC_INLINE void* upcc_get_strict_whole(upcr_pts_t p, void* buffer, unsigned long size, const char* file, int line) {
  if (upcr_direct())
    upcr_strict_read(buffer, upcr_at(p), size);
  else
    upcr_get_strict_slow(buffer, p, size, file, line);
  return buffer;
}

#endif
