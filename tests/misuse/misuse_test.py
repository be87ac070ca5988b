#!/usr/bin/env python3
"""Bad input to the library: one clear line that says what is wrong, an exit code that is not 0, nothing left behind.

    misuse_test.py WEFTRUN PROBE NAME    runs one case in all its variants
    misuse_test.py --list                prints the names
"""

import os
import re
import subprocess
import sys
import time
import uuid

LIMIT = 2.0  # seconds within which the job must be over

UNMAPPED = {"WEFT_MAP_PEERS": "0"}
CHECK = {"WEFT_CHECK": "1"}
TWO_HOSTS = {"WEFT_HOST_NAME": "a,b"}

# name -> (environment, what the line must say); "all but rank 0" stands for an assignment that rank 0 does not have
CASES = {
    "tables-name": ({}, r"'gather'.*'scatter'|'scatter'.*'gather'"),
    "tables-index": ({}, r"handler tables differ.*index [67].*index [67]"),
    "tables-length": ({}, r"handler tables differ.*\b[12] handlers.*\b[12] on rank"),
    "finalize-meets-barrier": ({},
                               r"rank [01] calls weft_(barrier|finalize); rank [01] calls "
                               r"weft_(barrier|finalize); all ranks"),
    "finalize-meets-barrier:unmapped": (UNMAPPED, r"rank [01] calls weft_(barrier|finalize); rank [01] calls weft_"),
    "register-meets-finalize": ({},
                                r"rank [01] calls weft_(am_register|finalize); rank [01] calls "
                                r"weft_(am_register|finalize)"),
    "register-meets-barrier": ({},
                               r"rank [01] calls weft_(am_register|barrier); rank [01] calls "
                               r"weft_(am_register|barrier)"),
    "broadcast-meets-barrier": (CHECK,
                                r"rank 0 calls weft_barrier; rank 1 calls weft_broadcast; each waits for the other; "
                                r"all"),
    "broadcast-meets-barrier:unmapped": (CHECK | UNMAPPED,
                                         r"rank 0 calls weft_barrier; rank 1 calls weft_broadcast; each"),
    "broadcast-meets-split-barrier": (CHECK, r"rank 0 calls weft_broadcast; rank 1 calls weft_barrier_wait; each"),
    "broadcast-meets-team-barrier": (CHECK, r"rank 0 calls weft_team_barrier; rank 1 calls weft_broadcast; each"),
    "collectives-cross": (CHECK, r"rank 0 calls weft_broadcast; rank 1 calls weft_gather_all; each"),
    "broadcast-meets-register": (CHECK, r"rank 0 calls weft_am_register; rank 1 calls weft_broadcast; each waits"),
    "free-by-one": (CHECK, r"rank 0 calls weft_finalize for weft_team_free; rank 1 calls weft_finalize; each waits"),
    "other-teams": (CHECK, r"rank 0 calls weft_gather_all; rank 1 calls weft_gather_all on another team; each waits"),
    "broadcast-meets-finalize": (CHECK, r"rank 0 calls weft_broadcast; rank 1 calls weft_finalize; each waits"),
    "handle-meets-barrier": (CHECK,
                             r"rank 0 calls weft_barrier; rank 1 calls weft_handle_wait for weft_broadcast_nb; each "
                             r"waits"),
    "handle-meets-barrier:unmapped": (CHECK | UNMAPPED,
                                      r"rank 0 calls weft_barrier; rank 1 calls weft_handle_wait for weft_br"),
    "handle-meets-broadcast": (CHECK,
                               r"rank 0 calls weft_handle_wait for weft_broadcast_nb; rank 1 calls weft_gather_all; "
                               r"each"),
    "buffer-freed": (CHECK,
                     r"weft_put: the caller's buffer, at offset \d+ of its own segment, is not allocated: it never "
                     r"was, or"),
    "buffer-too-small": (CHECK,
                         r"weft_get: the caller's buffer, 128 bytes at offset \d+ of its own segment, reaches past the "
                         r"end of the 64"),
    "buffer-overlaps": (CHECK, r"weft_put: the caller's buffer overlaps the 16 bytes at offset \d+ of rank \d"),
    "put-outside": (CHECK, r"weft_put.*8 bytes at offset \d+ of rank \d.*outside"),
    "get-outside": (CHECK, r"weft_get.*1 bytes at offset \d+ of rank \d.*outside"),
    "memset-outside": (CHECK, r"weft_memset.*16 bytes at offset \d+ of rank \d.*outside"),
    "put-outside:two-hosts": (TWO_HOSTS, r"weft_put.*8 bytes at offset \d+ of rank \d lie outside its segment of"),
    "get-outside:unmapped": (UNMAPPED, r"weft_get.*1 bytes at offset \d+ of rank \d.*outside"),
    "signal-outside": ({}, r"weft_put_signal: 8 bytes at offset \d+ of rank \d lie outside"),
    "strided-outside:unmapped": (UNMAPPED, r"weft_put_strided: 8 bytes at offset \d+ of rank \d lie outside"),
    "message-outside": ({}, r"weft_am_request_long: 8 bytes at offset \d+ of rank \d lie outside"),
    "no-room": ({}, r"weft_exchange: no room in the segment for the \d+ bytes .*; raise WEFT_SEGMENT_SIZE"),
    "no-such-rank": (CHECK, r"weft_put.*no rank 2.*0 to 1"),
    "no-such-rank:unmapped": (UNMAPPED, r"weft_put.*no rank 2.*0 to 1"),
    "no-such-rank:two-hosts": (TWO_HOSTS, r"weft_put.*no rank 2.*0 to 1"),
    "wait-twice": (CHECK, r"weft_handle_wait: handle 0x[0-9a-f]+ was waited for already"),
    "wait-twice:unmapped": (UNMAPPED, r"weft_handle_wait: handle 0x[0-9a-f]+ was waited for already"),
    "never-issued": ({}, r"handle 0x1234500000007 was waited for already, or never issued"),
    "before-init-exit": ({}, r"exited with code 7 before weft_init; ending the job"),
    "after-finalize-exit": ({}, r"exited with code 7"),
    "init-twice": ({}, r"weft_init was called twice; a process joins a job only once"),
    "init-again": ({}, r"weft_init was called again; a process joins a job only once"),
    "put-in-handler": (CHECK, r"weft_put was called in the active-message handler 'bad handler'"),
    "post-in-handler": (CHECK, r"weft_semaphore_post was called in the active-message handler 'bad handler'"),
    "barrier-in-handler": (CHECK, r"weft_barrier was called in the active-message handler 'bad handler'"),
    "poll-in-handler": (CHECK, r"weft_poll was called in the active-message handler 'bad handler'"),
    "reply-twice": ({}, r"weft_am_reply_short: the request has been replied to already"),
    "reply-to-reply": ({}, r"a reply's handler may not reply"),
    "no-such-handler": ({}, r"handler 99 .*rank [01].*no such handler"),
    "nine-arguments": ({}, r"9 arguments; the most is 8"),
    "too-large-medium": ({}, r"weft_am_request_medium: a medium payload of \d+ bytes; the most is \d+"),
    "notify-twice": ({}, r"notify and wait must alternate|notify was called twice"),
    "finalize-in-barrier": ({}, r"weft_finalize was called between weft_barrier_notify and weft_barrier_wait"),
    "wait-without-notify": ({}, r"without a notify|must alternate"),
    "commit-outside": ({},
                       r"weft_segment_commit: \d+ bytes at offset \d+ reach past the end of the segment, which has "
                       r"\d+"),
    "free-unknown": ({}, r"weft_free: nothing was allocated at offset \d+"),
    "free-symmetric-twice": ({}, r"weft_free_symmetric: nothing was allocated at offset \d+"),
    "misaligned-atomic": ({}, r"weft_atomic: offset \d+ is not aligned to 8 bytes"),
    "operation-not-in-domain": ({},
                                r"weft_atomic: WEFT_ATOMIC_INC is not one of the operations that the domain was "
                                r"created for, which are WEFT_ATOMIC_ADD; WEFT_BACKTRACE"),
    "domain-of-another-type": (CHECK, r"weft_atomic_fetch_add64: the domain is of WEFT_U32; it must be of WEFT_U64 or"),
    "domain-of-another-type:unmapped": (UNMAPPED, r"weft_atomic_fetch_add64: the domain is of WEFT_U32; it must be of"),
    "destroyed-domain": (CHECK,
                         r"weft_atomic_fetch_add64: the atomic domain 0x[0-9a-f]+ was destroyed, or never created"),
    "no-such-operations": ({}, r"weft_atomic_domain_create: WEFT_F64 does not have the operations WEFT_ATOMIC_XOR$"),
    "no-operand": ({}, r"weft_atomic: WEFT_ATOMIC_ADD needs its operand, which is NULL"),
    "no-compare": ({}, r"weft_atomic: WEFT_ATOMIC_CSWAP needs its compare, which is NULL"),
    "no-result": ({}, r"weft_atomic: WEFT_ATOMIC_GET needs its result, which is NULL"),
    "list-misaligned": ({}, r"weft_atomic_indexed: offset \d+, number 2 of the list, is not aligned to 8 bytes"),
    "list-outside": ({}, r"weft_atomic_indexed: \d+.* of rank \d"),
    "list-outside:unmapped": (UNMAPPED, r"weft_atomic_indexed: \d+.* of rank \d"),
    "list-fetches": ({}, r"weft_atomic_indexed: WEFT_ATOMIC_SWAP fetches, which this function does not"),
    "list-null": ({}, r"weft_atomic_indexed_nbi: the list of offsets is NULL"),
    "list-no-operands": ({}, r"weft_atomic_indexed: the list of operands is NULL"),
    "different-domains": (CHECK,
                          r"symmetric call 2 differs: rank \d calls weft_atomic_domain_create\(WEFT_U64, WEFT_\w+.*; "
                          r"rank \d calls weft_atomic_domain_create\(WEFT_U64, WEFT_"),
    "different-domains-destroyed": (CHECK,
                                    r"symmetric call 4 differs: rank \d calls weft_atomic_domain_destroy\(a domain of "
                                    r"WEFT_\w+.*; rank \d calls weft_atomic_domain_destroy"),
    "commit-twice": ({},
                     r"weft_am_commit: there is no prepared message in the buffer; it was sent or cancelled already"),
    "commit-after-cancel": ({}, r"weft_am_commit: there is no prepared message in the buffer"),
    "unknown-flags-put": (CHECK,
                          r"weft_put_nb: flags 0x40 have bits that this function does not know; it knows "
                          r"WEFT_IMMEDIATE and WEFT_STREAM"),
    "unknown-flags-message": (CHECK, r"weft_am_request_short: flags 0x4 have bits"),
    "unknown-flags-barrier": (CHECK,
                              r"weft_barrier_notify: flags 0x2 have bits that this function does not know; it knows "
                              r"WEFT_BARRIER_ANONYMOUS"),
    "refused-vector": ({},
                       r"weft_put_vector: the remote parts are 64 bytes, the local ones 48; they must add up to the "
                       r"same"),
    "refused-strided": ({}, r"weft_put_strided: 17 dimensions; the most is 16"),
    "refused-vector-sum": ({}, r"weft_put_vector: the remote parts add up to more bytes than any memory has$"),
    "refused-indexed-sum": ({}, r"weft_get_indexed: the local parts add up to more bytes than any memory has$"),
    "refused-strided-sum": ({}, r"weft_put_strided: the block has more bytes than any memory$"),
    "refused-reduction": ({},
                          r"weft_reduce_all: 1 block of \d{20} elements of 8 bytes are more than any memory holds$"),
    "refused-gather": ({}, r"weft_gather_all: 2 blocks of \d+ bytes are more than any memory holds$"),
    "control-area": (CHECK, r"weft_put: 8 bytes at offset 0 of rank \d lie in the runtime's own memory"),
    "never-allocated": (CHECK, r"weft_put: 8 bytes at offset \d+ of rank \d are not allocated"),
    "past-the-end": (CHECK,
                     r"weft_put: 8 bytes at offset \d+ of rank \d reach past the end of the 4096 bytes allocated at"),
    "freed-symmetric": (CHECK,
                        r"weft_put: 8 bytes at offset \d+ of rank \d are not allocated: they never were, or have been"),
    "freed-symmetric:unmapped": (CHECK | UNMAPPED, r"weft_put: 8 bytes at offset \d+ of rank \d are not allocated"),
    "freed-local": (CHECK, r"weft_get: 8 bytes at offset \d+ of rank \d are not allocated"),
    "symmetric-sizes": (CHECK,
                        r"symmetric call 2 differs: rank \d calls weft_alloc_symmetric\([12]00 .*; "
                        r"rank \d calls weft_alloc_symmetric\([12]00 "),
    "symmetric-one-rank": (CHECK,
                           r"rank \d has made [12] calls for symmetric memory and atomic domains, rank \d [12]; all "
                           r"ranks"),
    "symmetric-one-rank:unmapped": (CHECK | UNMAPPED,
                                    r"rank \d has made [12] calls for symmetric memory and atomic domains, rank \d "
                                    r"[12]"),
    "symmetric-order": (CHECK,
                        r"symmetric call 2 differs: rank \d calls weft_(alloc|free)_symmetric.*; "
                        r"rank \d calls weft_(alloc|free)_symmetric"),
    "handle-never-waited-for": (CHECK, r"weft_finalize: 1 handle was never waited for; the first is of weft_put_nb"),
    "region-never-ended": ({}, r"weft_finalize: weft_region_begin was called without weft_region_end after it"),
    "barrier-in-message": (CHECK, r"weft_barrier was called between weft_am_prepare_medium and weft_am_commit or"),
    "second-thread": (CHECK, r"rank \d: error: weft_put was called by a thread that did not call weft_init_thread"),
    "no-such-signal-op": (CHECK, r"weft_put_signal: 5 is no weft_signal_op_t"),
    "message-to-nobody": ({}, r"weft_am_request_short: there is no rank \d; the job has ranks 0 to \d"),
    "misaligned-any-signal": (CHECK, r"weft_signal_wait_any: the signal word at offset \d+ is not aligned"),
    "wait-for-none": ({}, r"weft_signal_wait_any: `count` is 0, and nothing would end the wait"),
    "no-such-compare-of-any": ({}, r"weft_signal_wait_any: 9 is no weft_compare_t"),
    "misaligned-signal": (CHECK, r"signal word at offset \d+ is not aligned"),
    "nested-region": ({}, r"weft_region_begin was called again before weft_region_end"),
    "nbi-wait-in-region": ({}, r"weft_nbi_wait was called between weft_region_begin and weft_region_end"),
    "exhausted": ({}, r"segment is full: \d+ bytes .*asked for, \d+ of \d+ are left; raise WEFT_SEGMENT_SIZE"),
    "collective-sizes": (CHECK,
                         r"different collectives: rank 0 calls weft_broadcast of 8 bytes.*; rank 1 calls "
                         r"weft_broadcast of 16.*; WEFT_BACKTRACE=1 shows where$"),
    "collective-sizes:traced": (CHECK | {"WEFT_BACKTRACE": "1"},
                                r"rank 0: error: the members .* rank 1 calls weft_broadcast of 16 bytes with root 0\n"
                                r"\S*(libweft|misuse_probe)"),
    "collective-roots": (CHECK,
                         r"rank 0 calls weft_broadcast of 8 bytes with root 0; rank 1 calls .* with root 1"),
    "collective-reductions": (CHECK,
                              r"rank 0 calls weft_reduce_all .* by WEFT_REDUCE_\w+ on WEFT_\w+; rank 1 calls "
                              r"weft_reduce_all .* by WEFT_REDUCE_\w+ on WEFT_\w+"),
    "collective-operations": (CHECK,
                              r"rank 0 calls weft_broadcast of 8 bytes with root 0; rank 1 calls weft_gather of 8 "
                              r"bytes with root 0"),
    "collective-commutes": (CHECK,
                            r"rank 0 calls weft_reduce_all of 8 bytes by a function on elements of 8 bytes; rank 1 "
                            r"calls .*, not commutative"),
    "collective-flags": (CHECK,
                         r"rank 0 calls weft_broadcast of 8 bytes with root 0; rank 1 calls weft_broadcast of 8 bytes "
                         r"with root 0, WEFT_IN_ALLSYNC, WEFT_OUT_ALLSYNC; WEFT_BACKTRACE"),
    "collective-exclusive": (CHECK,
                             r"rank 0 calls weft_prefix_exclusive of 8 bytes by WEFT_REDUCE_ADD on WEFT_U64; rank 1 "
                             r"calls weft_prefix of .* on WEFT_U64; WEFT_BACKTRACE"),
    "call-in-reduction": (CHECK, r"weft_poll was called in the function of a reduction, which only combines elements"),
    "team-calls": (CHECK, r"rank 0 calls weft_team_split; rank 1 calls weft_team_split_stride"),
    "team-calls-host": (CHECK, r"rank 0 calls weft_team_split; rank 1 calls weft_team_split_host; WEFT_BACKTRACE"),
    "team-strides": (CHECK,
                     r"rank 0 calls weft_team_split_stride with count 2 and stride 1; rank 1 calls "
                     r"weft_team_split_stride with count 1 and stride 2"),
    "team-free-meets-barrier": (CHECK, r"rank 0 calls weft_team_free; rank 1 calls weft_team_barrier_nb"),
    "no-handle-collective": ({}, r"weft_broadcast_nb: the pointer to the handle is NULL"),
    "no-handle-barrier": ({}, r"weft_team_barrier_nb: the pointer to the handle is NULL"),
    "no-handle-put": (CHECK, r"weft_put_nb: the pointer to the handle is NULL"),
    "no-handle-put:unmapped": (UNMAPPED, r"weft_put_nb: the pointer to the handle is NULL"),
    "no-handle-stream": ({}, r"weft_put_nb: the pointer to the handle is NULL"),
    "no-handle-memset": ({}, r"weft_memset_nb: the pointer to the handle is NULL"),
    "no-handle-region": ({}, r"weft_region_end: the pointer to the handle is NULL"),
    "flags-contradict": ({}, r"weft_broadcast: the flags WEFT_IN_NOSYNC and WEFT_IN_ALLSYNC contradict each other"),
    "flags-of-puts": ({},
                      r"weft_broadcast: the flags have WEFT_IMMEDIATE and 0x8000; collectives take one of "
                      r"WEFT_IN_NOSYNC, "),
    "bad-list-outside": ({}, r"weft_team_from_list: there is no member 9 in a team of 2, whose members are 0 to 1$"),
    "bad-list-twice": ({}, r"weft_team_from_list: rank 1 is listed twice$"),
    "bad-list-differs": ({}, r"rank 0: error: weft_team_from_list: the lists of the parent's members differ$"),
    "bad-pair-outside": ({}, r"weft_team_pair: there is no member 2 in a team of 2, whose members are 0 to 1$"),
    "freed-team-collective": ({}, r"weft_broadcast: team 0x[0-9a-f]+ was freed, or never was a team"),
    "collective-no-permutation": (CHECK,
                                  r"weft_permute: rank 0 and rank 1 both send to rank 0; each member sends to "
                                  r"another"),
    "collective-no-source": (CHECK, r"weft_reduce_all: the source is NULL"),
    "collective-no-destination": (CHECK, r"rank 0: error: weft_gather: the destination is NULL"),
    "collective-no-place-gather": ({},
                                   r"weft_gather: WEFT_IN_PLACE as the source is for the root alone, which is rank 1; "
                                   r"this is rank 0"),
    "collective-no-place-reduce": ({},
                                   r"weft_reduce: WEFT_IN_PLACE as the source is for the root alone, which is rank 1; "
                                   r"this is rank 0"),
    "collective-no-place-scatter": ({},
                                    r"weft_scatter: WEFT_IN_PLACE as the destination is for the root alone, which is "
                                    r"rank 1"),
    "collective-no-place-permute": ({}, r"weft_permute: the source cannot be WEFT_IN_PLACE"),
    "collective-no-place-broadcast": ({}, r"weft_broadcast: the source cannot be WEFT_IN_PLACE"),
    "collective-no-place-broadcast-elsewhere": ({}, r"weft_broadcast: the source cannot be WEFT_IN_PLACE"),
    "collective-no-place-broadcast-to": ({}, r"weft_broadcast: the destination cannot be WEFT_IN_PLACE"),
    "collective-no-place-gather-to": ({}, r"weft_gather: the destination cannot be WEFT_IN_PLACE"),
    "collective-no-place-reduce-all": ({}, r"weft_reduce_all: the destination cannot be WEFT_IN_PLACE"),
    "no-such-compare": ({}, r"weft_signal_wait: 9 is no weft_compare_t"),
    "free-of-symmetric": ({}, r"weft_free: offset \d+ lies in symmetric memory; weft_free_symmetric frees that"),
    "freed-team": ({}, r"weft_team_size: team 0x[0-9a-f]+ was freed, or never was a team"),
    "no-team": ({}, r"weft_team_rank: team 0 was freed, or never was a team \(it is WEFT_TEAM_NONE\)"),
    "world-freed": ({}, r"weft_team_free: WEFT_TEAM_WORLD is not freed"),
    "pair-sizes": ({}, r"weft_exchange_v: rank 1 sends 4 bytes to rank 0, which expects 8"),
    "block-sizes-gather": ({}, r"weft_gather_v: rank 1 sends 4 bytes to rank 0, which expects 8"),
    "block-sizes-scatter": ({}, r"weft_scatter_v: rank 0 sends 8 bytes to rank 1, which expects 4"),
    "block-sizes-gather:check": (CHECK, r"weft_gather_v: rank 1 sends 4 bytes to rank 0, which expects 8"),
    "block-sizes-scatter:check": (CHECK, r"weft_scatter_v: rank 0 sends 8 bytes to rank 1, which expects 4"),
    "block-sizes-gather:unmapped": (UNMAPPED, r"weft_gather_v: rank 1 sends 4 bytes to rank 0, which expects 8"),
    "block-sizes-scatter:unmapped": (UNMAPPED, r"weft_scatter_v: rank 0 sends 8 bytes to rank 1, which expects 4"),
    "block-sizes-gather:two-hosts": (TWO_HOSTS, r"weft_gather_v: rank 1 sends 4 bytes to rank 0, which expects 8"),
    "block-sizes-scatter:two-hosts": (TWO_HOSTS, r"weft_scatter_v: rank 0 sends 8 bytes to rank 1, which expects 4"),
    "sizes-apart-gather": ({}, r"weft_gather_v: rank 1 sends 100000 bytes to rank 0, which expects 8"),
    "sizes-apart-gather-large": ({}, r"weft_gather_v: rank 1 sends 8 bytes to rank 0, which expects 100000"),
    "sizes-apart-scatter": ({}, r"weft_scatter_v: rank 0 sends 8 bytes to rank 1, which expects 100000"),
    "sizes-apart-scatter-large": ({}, r"weft_scatter_v: rank 0 sends 100000 bytes to rank 1, which expects 8"),
    "sizes-apart-gather:unmapped": (UNMAPPED, r"weft_gather_v: rank 1 sends 100000 bytes to rank 0, which expects 8"),
    "sizes-apart-gather-large:unmapped": (UNMAPPED,
                                          r"weft_gather_v: rank 1 sends 8 bytes to rank 0, which expects 100000"),
    "sizes-apart-scatter:unmapped": (UNMAPPED, r"weft_scatter_v: rank 0 sends 8 bytes to rank 1, which expects 100000"),
    "sizes-apart-scatter-large:unmapped": (UNMAPPED,
                                           r"weft_scatter_v: rank 0 sends 100000 bytes to rank 1, which expects 8"),
    "block-sizes-own": ({}, r"weft_gather_all_v: rank 1 sends 4 bytes to rank 1, which expects 8"),
    "block-sizes-lists": (CHECK, r"weft_gather_all_v: rank 1 sends 8 bytes to rank 0, which expects 9"),
    "block-sizes-lists:unmapped": (UNMAPPED | CHECK,
                                   r"weft_gather_all_v: rank 1 sends 8 bytes to rank 0, which expects 9"),
    "collective-no-bytes": (CHECK, r"weft_gather_v: the destination is NULL"),
    "collective-no-list-destination": (CHECK, r"weft_gather_v: the destination is NULL"),
    "collective-no-list-source": (CHECK, r"weft_scatter_v: the source is NULL"),
    "collective-no-place-gather-v": ({}, r"weft_gather_v: WEFT_IN_PLACE as the source is for the root alone"),
    "collective-no-place-scatter-v": ({}, r"weft_scatter_v: WEFT_IN_PLACE as the destination is for the root alone"),
    "collective-no-place-gather-all-v": ({}, r"weft_gather_all_v: the destination cannot be WEFT_IN_PLACE"),
    "refused-gather-v-sum": ({}, r"weft_gather_v: the destination sizes of members 0 to 1 are together more than any"),
    "refused-gather-v-wrap": ({},
                              r"weft_gather_v: the destination of member 0, 18446744073709551615 bytes at offset 0"),
    "refused-gather-v-own": ({}, r"weft_gather_v: 1 block of 18446744073709551615 bytes are more than any memory"),
    "refused-gather-v-root": ({}, r"weft_gather_v: there is no member 2 in a team of 2"),
    "refused-scatter-v-offset": ({}, r"weft_scatter_v: the source of member 1, 8 bytes at offset 18446744073709551611"),
    "refused-scatter-v-root": ({}, r"weft_scatter_v: there is no member 2 in a team of 2"),
    "refused-gather-all-v-sum": ({}, r"weft_gather_all_v: the destination of member 0, 18446744073709551615 bytes"),
    "refused-gather-all-v-flags": ({}, r"weft_gather_all_v: the flags .* contradict each other"),
    "refused-exchange-v-sum": ({}, r"weft_exchange_v: the source of member 0, 18446744073709551615 bytes at offset 0"),
    "reverse-roots": (CHECK,
                      r"a team of 2 call different collectives: member 0 \(rank 1\) calls weft_broadcast of 8 bytes "
                      r"with root 0 \(rank 1\); member 1 \(rank 0\) calls .* with root 1 \(rank 0\); WEFT_BACKTRACE"),
    "reverse-teams": (CHECK,
                      r": member 0 \(rank 1\) calls weft_team_split_host; member 1 \(rank 0\) calls weft_team_split; "
                      r"WEFT_B"),
    "reverse-receivers": (CHECK,
                          r"weft_permute: member 0 \(rank 1\) and member 1 \(rank 0\) both send to member 1 "
                          r"\(rank 0\); each"),
    "reverse-place": ({},
                      r"rank 1: error: weft_gather: .* for the root alone, which is member 1 \(rank 0\); this is "
                      r"member 0 \(rank 1\)"),
    "reverse-sizes": ({},
                      r"weft_gather_v: member 1 \(rank 0\) sends 4 bytes to member 0 \(rank 1\), which expects 8"),
    "reverse-own-size": ({},
                         r"rank 0: error: weft_gather_all_v: member 1 \(rank 0\) sends 4 bytes to member 1 \(rank 0\), "
                         r"which expects 8"),
    "reverse-list": ({}, r"weft_team_from_list: member 1 \(rank 0\) is listed twice$"),
    "reverse-pair": ({},
                     r"rank 1: error: weft_team_pair: member 0 \(rank 1\) names member 1 \(rank 0\), which names "
                     r"member 1 \(rank 0\)$"),
    "death-in-collective": ({}, r"rank 1\b.*signal 9"),
    "death-in-collective:unmapped": (UNMAPPED, r"rank 1\b.*signal 9"),
    "abort": ({}, r"aborted: the sky fell"),
    "abort-without-reason": ({}, r"aborted: no reason given$"),
    "exit-256": ({}, r"weft_exit: there is no exit code 256; they are 0 to 255"),
    "large-value-got": ({}, r"weft_get_value: a value of 16 bytes; the most is 8"),
    "large-value-put": ({}, r"weft_put_value: a value of 9 bytes; the most is 8"),
    "uncommitted-message": ({}, r"weft_finalize: a message of weft_am_prepare_medium was neither committed"),
    "uncommitted-message:two-hosts": (TWO_HOSTS,
                                      r"weft_finalize: a message of weft_am_prepare_medium was neither committed"),
    "domain-destroyed-twice": ({},
                               r"weft_atomic_domain_destroy: the atomic domain 0x[0-9a-f]+ was destroyed, or never"),
    "exit-nine": ({}, r"rank 1\b.*\b9\b|weft_exit\(9\)"),
    "nothing:unknown-conduit": ({"WEFT_CONDUIT": "carrier-pigeon"}, r"no conduit 'carrier-pigeon'.*smp"),
    "nothing:start-fails": ({"WEFT_CONDUIT": "carrier-pigeon"}, r"exited with code 1 in weft_init; ending the job"),
    "nothing:bad-fault": ({"WEFT_FAULT": "refuse=2"}, r"WEFT_FAULT is 'refuse=2', expected for example refuse=0.1"),
    "nothing:bad-fault-hold": ({"WEFT_FAULT": "delay=0.5,hold=1"},
                               r"WEFT_FAULT is 'delay=0.5,hold=1', expected for example"),
    "nothing:bad-fault-key": ({"WEFT_FAULT": "explode=0.5"}, r"WEFT_FAULT is 'explode=0.5', expected for example"),
    "nothing:bad-fault-seed": ({"WEFT_FAULT": "refuse=0.5,seed=-1"},
                               r"WEFT_FAULT is 'refuse=0.5,seed=-1', expected for example"),
    "nothing:bad-segment-size": ({"WEFT_SEGMENT_SIZE": "lots"},
                                 r"WEFT_SEGMENT_SIZE is 'lots', which is not a number of bytes"),
    "nothing:tiny-segment": ({"WEFT_SEGMENT_SIZE": "10K"},
                             r"WEFT_SEGMENT_SIZE is 10240 bytes; a segment needs at least 1M"),
    "nothing:bad-slots": ({"WEFT_AM_SLOTS": "7"}, r"WEFT_AM_SLOTS is 7, which is not a power of two from 8 to 4096"),
    "nothing:bad-log": ({"WEFT_LOG": "chatty"}, r"WEFT_LOG is 'chatty', expected error, warning, info or debug"),
    "nothing:bad-trace": ({"WEFT_TRACE": "/no/such/folder/trace"}, r"/no/such/folder/trace.*WEFT_TRACE"),
    "nothing:bad-flag": ({"WEFT_CHECK": "maybe"}, r"WEFT_CHECK is 'maybe', which is not 0 or 1"),
    "nothing:negative-time": ({"WEFT_SPIN_US": "-5"},
                              r"WEFT_SPIN_US is -5, which is neither a number of microseconds nor -1"),
    "nothing:bad-tune": ({"WEFT_TUNE": "onlin"}, r"WEFT_TUNE is 'onlin', expected off or online"),
    "nothing:bad-tune-budget": ({"WEFT_TUNE_BUDGET": "-3"},
                                r"WEFT_TUNE_BUDGET is -3, which is no part of the run time in percent"),
    "nothing:large-tune-budget": ({"WEFT_TUNE_BUDGET": "200"},
                                  r"WEFT_TUNE_BUDGET is 200, which is no part of the run time in percent"),
    "nothing:differing-check": ({"all but rank 0": "WEFT_CHECK=1"},
                                r"WEFT_CHECK is '0', the default, on rank 0 and '1' on rank 1; all ranks must have the "
                                r"same: set it"),
    "nothing:differing-conduit": ({"all but rank 0": "WEFT_CONDUIT=self"},
                                  r"WEFT_CONDUIT is 'auto', the default, on rank 0 and 'self' on rank 1; all ranks"),
    "nothing:differing-segment": ({"all but rank 0": "WEFT_SEGMENT_SIZE=65M"},
                                  r"WEFT_SEGMENT_SIZE is '64M' on rank 0 and '65M' on rank 1; all ranks"),
    "nothing:differing-algorithms": ({"all but rank 0": "WEFT_COLL=reduce=tree,broadcast=tree,reduce_all=doubling,"
                                                        "gather=flat,scatter=flat"},
                                     r"WEFT_COLL is not set on rank 0 and "
                                     r"'reduce=tree,broadcast=tree,.*\.\.\.\([0-9a-f]{8}\)' on rank 1"),
    "nothing:differing-table": ({"WEFT_TUNE_FILE": "/dev/null", "all but rank 0": "WEFT_TUNE_FILE=/no/such/table"},
                                r"WEFT_TUNE_FILE is '/dev/null \(not a file\)' on rank 0 and '/no/such/table \(cannot "
                                r"be read\)' on rank 1"),
    "nothing:bad-algorithm": ({"WEFT_COLL": "reduce_all=quantum"},
                              r"WEFT_COLL has 'reduce_all=quantum': reduce_all has no algorithm 'quantum'; it has \w+, "
                              r"\w+"),
    "nothing:bad-algorithm-start": ({"WEFT_COLL": "reduce_all=quantum"},
                                    r"exited with code 1 in weft_init; ending the job"),
    "nothing:bad-operation": ({"WEFT_COLL": "redouble=flat"},
                              r"WEFT_COLL has 'redouble=flat': there is no operation 'redouble'; there are barrier, "
                              r"broadcast, "),
    "nothing:misspelt-operation": ({"WEFT_COLL": "brodcast=tree"},
                                   r"there is no operation 'brodcast', did you mean broadcast\?"),
    "nothing:radix-of-none": ({"WEFT_COLL": "reduce_all=shared:2"},
                              r"'reduce_all=shared:2': shared has no radix; write reduce_all=shared"),
    "nothing:segment-of-none": ({"WEFT_COLL": "broadcast=tree:4:4096"},
                                r"tree has no segment; write broadcast=tree\[:radix\]"),
    "nothing:segment-of-none-0": ({"WEFT_COLL": "broadcast=tree:4:0"}, r"tree has no segment; write broadcast=tree"),
    "nothing:radix-of-chain": ({"WEFT_COLL": "reduce=chain:2:4K"},
                               r"chain has no radix; write reduce=chain\[:0:segment\]"),
    "nothing:no-segment": ({"WEFT_COLL": "broadcast=pipeline:2:0"}, r"the segment of pipeline is at least 1"),
    "nothing:too-many-fields": ({"WEFT_COLL": "broadcast=pipeline:2:4K:8"},
                                r"':8' is too much; write broadcast=pipeline\[:radix\[:segment\]\]"),
    "nothing:small-radix": ({"WEFT_COLL": "reduce=tree:0"},
                            r"WEFT_COLL has 'reduce=tree:0': the radix of tree is at least \d"),
    "nothing:bad-radix": ({"WEFT_COLL": "reduce=tree:4x"}, r"WEFT_COLL has 'reduce=tree:4x': '4x' is no radix"),
    "nothing:huge-segment": ({"WEFT_SEGMENT_SIZE": "100T"}, r"cannot (map|reserve) \d+ TiB .*lower WEFT_SEGMENT_SIZE"),
}
# Outside a job a call ends its process with a line, and inline functions are no exception.
OUTSIDE = {"put": "weft_put", "barrier": "weft_barrier", "team-split": "weft_team_split", "team-size": "weft_team_size",
           "alloc": "weft_alloc", "nbi-wait": "weft_nbi_wait", "flush": "weft_flush", "flush-all": "weft_flush_all",
           "poll": "weft_poll", "finalize": "weft_finalize"}
CASES |= {f"{when}-{call}": ({}, rf"{function} was called before weft_init or after weft_finalize$")
          for when in ("before-init", "after-finalize") for call, function in OUTSIDE.items()}
CODES = {"before-init-exit": 7, "after-finalize-exit": 7, "reverse-list": 4, "reverse-pair": 4, "exit-nine": 9,
         "abort": 134, "abort-without-reason": 134, "exit-256": 1, "refused-vector-sum": 4,
         "refused-indexed-sum": 4, "refused-strided-sum": 4, "refused-reduction": 4, "refused-gather": 4,
         "exhausted": 3, "no-such-operations": 4, "refused-vector": 4,
         "refused-strided": 4, "flags-contradict": 4, "flags-of-puts": 4, "bad-list-outside": 4,
         "bad-list-twice": 4, "bad-list-differs": 4, "bad-pair-outside": 4}
CODES |= {name: 4 for name in CASES if name.startswith("refused-") and "-v-" in name}

# Ranks as threads are ended by one of them; the rest is the same. These cases are about processes.
NOT_AS_THREADS = {"init-twice", "init-again", "death-in-collective", "death-in-collective:unmapped",
                  "second-thread", "nothing:start-fails", "nothing:bad-algorithm-start"}
NOT_AS_THREADS |= {name for name in CASES if "differing" in name or name.startswith("before-init-")}


def processes_with(marker):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environ:
                if marker.encode() in environ.read() and int(pid) != os.getpid():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def fail(what, output):
    print(f"FAILED: {what}\n--- output ---\n{output}")
    sys.exit(1)


def run(weftrun, probe, name, as_threads):
    settings, pattern = CASES[name]
    marker = f"MISUSE_TEST_{uuid.uuid4().hex}"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("WEFT_")}
    environment.update({"WEFT_SEGMENT_SIZE": "64M", **settings, marker: "1"})
    others = environment.pop("all but rank 0", None)
    differing = ["sh", "-c", '[ "$PMI_RANK" = 0 ] || export "$0"; exec "$@"', others] if others else []
    command = [weftrun, "-n", "2"] + (["--ranks-as=threads"] if as_threads else []) + differing
    command += [probe, name.partition(":")[0]]
    before = set(os.listdir("/dev/shm"))
    start = time.monotonic()
    try:
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=300)
    except subprocess.TimeoutExpired as expired:
        fail(f"{name}: the job did not end", (expired.stderr or b"").decode())
    took = time.monotonic() - start
    said = done.stderr
    traced = "WEFT_BACKTRACE" in settings
    lines = re.findall(pattern, said) if traced else [line for line in said.splitlines() if re.search(pattern, line)]
    if not lines:
        fail(f"{name}: no line says /{pattern}/", said)
    # Each rank that made the mistake may say so once, and the launcher may say whom it ended.
    if len(lines) > 2 or (len(said.splitlines()) > 4 and not traced):
        fail(f"{name}: the reason drowns in lines", said)
    expected = CODES.get(name.partition(":")[0])
    if done.returncode == 0 or (expected is not None and done.returncode != expected):
        fail(f"{name}: exit code {done.returncode}, expected {expected or 'not 0'}", said)
    if done.returncode < 0:
        fail(f"{name}: the launcher died of signal {-done.returncode}", said)
    if took > LIMIT * float(os.environ.get("TEST_SLOWNESS", "1")):
        fail(f"{name}: took {took:.1f} s", said)
    if left := processes_with(marker):
        fail(f"{name}: processes {left} are left", said)
    if left := set(os.listdir("/dev/shm")) - before:
        ours = [entry for entry in left if "weft" in entry]
        if ours:
            fail(f"{name}: {ours} are left in /dev/shm", said)


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(CASES))
        return
    weftrun, probe, name = sys.argv[1:]
    run(weftrun, probe, name, as_threads=False)
    if name not in NOT_AS_THREADS:
        run(weftrun, probe, name, as_threads=True)


main()
