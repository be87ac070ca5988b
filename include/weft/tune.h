/**
 * @file
 * Which algorithm serves a collective: to look at it and to set it. weft-tune is made of these functions; programs need
 * none of them.
 *
 * An operation is named as its function without "weft_": "reduce_all", "broadcast", ... Sizes are those of weft/coll.h
 * in bytes; a choice is made per size class, of half an octave. Reductions are judged with 8-byte elements that
 * commute. docs/COLLECTIVES.md has the algorithms and how one is chosen.
 *
 * Threads: as collectives.
 */
#ifndef WEFT_TUNE_H
#define WEFT_TUNE_H

#include <weft/team.h>
#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Why a candidate is the choice. */
enum {
  WEFT_CHOICE_MODEL = 1, /**< the least predicted time */
  WEFT_CHOICE_TABLE,     /**< the least time that the table of WEFT_TUNE_FILE has for this size, or for the nearest */
  WEFT_CHOICE_FORCED,    /**< WEFT_COLL */
  WEFT_CHOICE_SET        /**< weft_tune_set() */
};

/** One way to do a collective. */
typedef struct weft_candidate {
  const char* algorithm;  /**< constant; docs/COLLECTIVES.md lists them */
  uint32_t radix;         /**< 0: has none */
  uint64_t segment;       /**< bytes; 0: not cut */
  double predicted_ns;    /**< by the model */
  double measured_ns;     /**< by the table that WEFT_TUNE_FILE names; 0: not there */
  int chosen;             /**< 1 if it is the choice now */
  int reason;             /**< of the choice: WEFT_CHOICE_..., else 0 */
  uint64_t measured_size; /**< WEFT_CHOICE_TABLE: bytes of the measurement that decided, of the nearest size within two
                               octaves; else 0 */
} weft_candidate_t;

/** The candidate as WEFT_COLL has it: "flat", "tree:4", "pipeline:2:65536". As snprintf. Any thread, at any time.
 * @param candidate  what to name
 * @param[out] name  the name; may be NULL if `room` is 0
 * @param room       characters to write at most, with the terminating 0
 * @return how many the whole name has without the terminating 0
 * @since 0.1 */
size_t weft_candidate_name(const weft_candidate_t* candidate, char* name, size_t room);

/** The candidates for an operation of this size on a team. Not collective.
 *
 * A choice with a radix or segment that none of them has, as WEFT_COLL may name, comes last.
 * @param team        on which
 * @param operation   its name
 * @param size        bytes
 * @param[out] list   the candidates; may be NULL if `room` is 0
 * @param room        how many are written at most
 * @param[out] count  how many there are
 * @return WEFT_OK, or WEFT_ERR_INVALID for an operation that does not exist
 * @since 0.1 */
int weft_tune_candidates(weft_team_t team, const char* operation, size_t size, weft_candidate_t* list, size_t room,
                         size_t* count);

/** Makes a candidate the choice for the size's class. Collective: all members make the same call, with no collective of
 * the team under way.
 * @param team       on which
 * @param operation  its name
 * @param size       bytes
 * @param candidate  the choice, or NULL to have it chosen anew
 * @return WEFT_OK, or WEFT_ERR_INVALID for an operation or candidate that does not exist
 * @since 0.1 */
int weft_tune_set(weft_team_t team, const char* operation, size_t size, const weft_candidate_t* candidate);

/** The kind of machine, as a table that is measured here names it: conduit, the number of hosts if there are several,
 * mapped or not, whether ranks outnumber processors. Not collective.
 * @return a text that is constant for the job
 * @since 0.1 */
const char* weft_tune_machine(void);

#ifdef __cplusplus
}
#endif
#endif
