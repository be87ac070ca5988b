// The one table of settings. A line defines a setting completely: the parser, weft-info, the man page and the checks
// all read it. SETTING(field, type, environment variable, default, category, help).
//
// Types: size (bytes, suffixes K M G T), count, real, flag (0 or 1), text.
SETTING(conduit, text, "WEFT_CONDUIT", "smp", "start", "Transport: smp (ranks of one host share memory) or self (a job of one rank).")
SETTING(segment_size, size, "WEFT_SEGMENT_SIZE", "0", "memory",
        "Bytes of address space reserved for each rank's segment; memory is used only where touched. 0: as much as the "
        "host has memory, less if many ranks share the host.")
SETTING(huge_pages, flag, "WEFT_HUGE_PAGES", "1", "memory",
        "Back memory given to weft_segment_commit() with huge pages.")
SETTING(map_peers, flag, "WEFT_MAP_PEERS", "1", "smp",
        "Access peers' segments by load and store. 0 sends everything as active messages, as between hosts; for tests.")
SETTING(am_slots, count, "WEFT_AM_SLOTS", "0", "smp",
        "Active-message slots per pair of ranks and direction; a power of two from 8 to 4096. 0: 256, less when more than "
        "16 ranks share the host.")
SETTING(spin_us, real, "WEFT_SPIN_US", "-1", "waiting",
        "Microseconds a waiting rank polls before it yields the processor. -1: 50, or 0 when ranks outnumber the "
        "processors.")
SETTING(yield_us, real, "WEFT_YIELD_US", "-1", "waiting",
        "Microseconds a waiting rank yields between polls before it sleeps. -1: 500.")
SETTING(stats, flag, "WEFT_STATS", "0", "watching", "Print messages, bytes and waits per operation when the job ends.")
SETTING(trace, text, "WEFT_TRACE", "", "watching", "Write a timeline of all ranks to this file (Chrome JSON, Perfetto).")
SETTING(check, flag, "WEFT_CHECK", "0", "watching", "Check bounds, lifetimes and misuse in every call.")
SETTING(fault, text, "WEFT_FAULT", "", "watching",
        "Inject faults, for tests: refuse=P,delay=P,reorder=P,seed=N with probabilities from 0 to 1.")
SETTING(backtrace, flag, "WEFT_BACKTRACE", "0", "watching", "Print a backtrace when a rank aborts or crashes.")
SETTING(log, text, "WEFT_LOG", "warning", "watching", "Least level of log lines shown: error, warning, info or debug.")
