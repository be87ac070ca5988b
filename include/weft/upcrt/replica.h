/**
 * @file
 * Replicas: arrays that loops read again and again, copied to private memory in the order of their elements.
 *
 * Once a loop has read as many elements of an array as it has, a copy of all of it costs less than what the rest of the
 * reads would: finding an element of an array that lies on several threads takes a division, and where memory is not
 * mapped a message for some of them. The copy lives until the loop ends, in which nothing orders accesses or writes the
 * array; so a thread never reads what it would not be allowed to (UPC 5.1.2.3). Of arrays that are copied elsewhere
 * than on one host the thread remembers whether that paid, and copies them before the loop's next run.
 *
 * A replica is of the thread of the operating system that runs the loop. Those of loops in each other end in reverse.
 */
#ifndef WEFT_UPCRT_REPLICA_H
#define WEFT_UPCRT_REPLICA_H

#include <weft/upcrt/pts.h>

#if defined(__cplusplus)
extern "C" {
#endif

#ifndef UPCR_FEWEST_READS
/** Reads of an array before a loop asks whether they are enough; tests define it to be less. */
#define UPCR_FEWEST_READS 256
#endif

/** An array that a loop reads. */
typedef struct upcr_replica {
  const void* at;            /**< where its first element is in the copy, or NULL */
  uint64_t reads;            /**< of elements so far */
  uint64_t enough;           /**< how many it takes before upcr_replica_fill() is asked */
  upcr_pts_t array;          /**< its first element */
  uint64_t elements;         /**< how many it has; 0: those of the allocated memory that begins there */
  uint64_t block;            /**< elements of a block; 0 is indefinite */
  uint64_t element_size;     /**< bytes of an element */
  const upcr_pts_t* written; /**< pointers to objects that the loop may write; in none of them lies the array */
  int written_count;         /**< how many */
  int line;                  /**< of the source, for messages */
  const char* file;          /**< the same; NULL where all memory is mapped */
} upcr_replica_t;

/** An array that has no copy.
 * @param array          see upcr_replica_t, as all of them
 * @param elements       of it, or 0
 * @param block          elements of a block
 * @param element_size   bytes
 * @param written        what the loop may write
 * @param written_count  how many
 * @param file           of the source; UPCR_HERE gives both
 * @param line           in it
 * @return the replica
 * @since 0.2 */
UPCR_INLINE upcr_replica_t upcr_replica_on(upcr_pts_t array, uint64_t elements, uint64_t block, uint64_t element_size,
                                           const upcr_pts_t* written, int written_count, const char* file, int line) {
  upcr_replica_t replica;
  replica.at = NULL;
  replica.reads = 0;
  replica.enough = UPCR_FEWEST_READS;
  replica.array = array;
  replica.elements = elements;
  replica.block = block;
  replica.element_size = element_size;
  replica.written = written;
  replica.written_count = written_count;
  replica.line = line;
  replica.file = file;
  return replica;
}

/** Copies the array if the loop has read enough of it, and if it is known and no larger than UPC_CACHE.
 * @param replica  which `reads` has counted for
 * @since 0.2 */
void upcr_replica_fill(upcr_replica_t* replica);

/** Copies the array before the loop if that has paid in an earlier run.
 * @param replica  new
 * @since 0.2 */
void upcr_replica_recall(upcr_replica_t* replica);

/** Where the copy is now.
 * @param replica  of the loop
 * @return the first element in it, or NULL
 * @since 0.2 */
UPCR_INLINE const void* upcr_replica_at(upcr_replica_t* replica) {
  if (!UPCR_LIKELY(replica->reads < replica->enough)) upcr_replica_fill(replica);
  return replica->at;
}

/** @cond what upcr_replica_end() calls */
void upcr_replica_release(upcr_replica_t* replica);
/** @endcond */
/** The loop has ended.
 * @param replica  of it
 * @since 0.2 */
UPCR_INLINE void upcr_replica_end(upcr_replica_t* replica) {
  if (replica->at != NULL) upcr_replica_release(replica);
}

#if defined(__cplusplus)
}
#endif
#endif
