// The one table of settings. A line defines a setting completely: the parser, weft-info, the man page and the checks
// all read it. SETTING(field, type, environment variable, default, category, scope, help).
//
// Types: size (bytes, suffixes K M G T), count, real, flag (0 or 1, and words for them), text, file (a path).
// Scope: job (all ranks must have the same value; of a file the same contents) or rank (each may have its own).
SETTING(conduit, text, "WEFT_CONDUIT", "auto", "start", job,
        "Transport: smp (ranks of one host share memory), ofi (libfabric), node (smp within hosts, ofi between them), "
        "ip (TCP, each connection authenticated), node-ip (smp within hosts, ip between them), mpi (any MPI library), "
        "self (a job of one rank) or sim (simulated ranks, weftrun --sim). auto: smp if all ranks are on one host, "
        "else node-ip, or node where libfabric reaches hardware of its own or a setting asks for it.")
SETTING(host_name, text, "WEFT_HOST_NAME", "", "start", rank,
        "Name of this rank's host, for tests; ranks with the same one count as sharing a host. Several with commas "
        "are dealt to the ranks in turn. Empty: host name, boot id and network namespace tell.")
SETTING(segment_size, size, "WEFT_SEGMENT_SIZE", "0", "memory", job,
        "Bytes of address space reserved for each rank's segment; memory is used only where touched. 0: twice the "
        "host's memory, less if many ranks share the host; half the memory, shared by the host's ranks, on networks "
        "that pin it.")
SETTING(huge_pages, flag, "WEFT_HUGE_PAGES", "1", "memory", rank,
        "Back memory given to weft_segment_commit() with huge pages.")
SETTING(map_peers, flag, "WEFT_MAP_PEERS", "1", "smp", job,
        "Access peers' segments by load and store. 0 sends everything as active messages, as between hosts; for tests.")
SETTING(am_slots, count, "WEFT_AM_SLOTS", "0", "smp", rank,
        "Active-message slots per pair of ranks and direction; a power of two from 8 to 4096. 0: 256, less when more "
        "than 16 ranks share the host.")
SETTING(
    ofi_provider, text, "WEFT_OFI_PROVIDER", "", "network", job,
    "libfabric provider, by libfabric's name, in capitals or not. Empty: the first that is there of cxi, opx, psm3, "
    "efa, verbs;ofi_rxm, net (where no rank sleeps: one per host, WEFT_PROGRESS=poll), tcp;ofi_rxm, udp;ofi_rxd.")
SETTING(
    net_interface, text, "WEFT_NET_INTERFACE", "", "network", rank,
    "Network interface, by name (eth0), address or network (10.0.0.0/24, fd00::/64: the first address in it), to whose "
    "address sockets are bound (not to the device); several with commas share the traffic. Empty: loopback if all "
    "ranks are on one host, else the first other one, and with conduit ip those on further networks that all hosts are "
    "on.")
SETTING(
    ip_port_range, text, "WEFT_IP_PORT_RANGE", "", "network", rank,
    "Ports on which ranks of conduit ip listen, by TCP and UDP: LOW-HIGH, as 20000-20999. A host needs one for each of "
    "its ranks. Empty: the kernel chooses, among its ephemeral ports.")
SETTING(
    ip_security, text, "WEFT_IP_SECURITY", "auth", "network", job,
    "What conduit ip does against strangers: auth (each connection proves the job's secret), encrypt (so it does, and "
    "data is encrypted by TLS 1.3) or off (nothing). With encrypt a job over several hosts uses no other conduit.")
SETTING(
    secret_file, file, "WEFT_SECRET_FILE", "", "network", rank,
    "File of 32 to 4096 random bytes, readable by its owner alone and alike on all hosts, that conduit ip makes the "
    "job's key from. Empty: the key is made from what rank 0 draws and the launcher carries, which others than "
    "weftrun carry unencrypted.")
SETTING(ip_datagrams, text, "WEFT_IP_DATAGRAMS", "auto", "network", job,
        "Conduit ip sends what is small as datagrams (UDP), which answer sooner, to the first 64 peers that take them: "
        "1 always, 0 never (all goes by TCP), auto unless the ranks of a host outnumber its processors or "
        "WEFT_SPIN_US=0.")
SETTING(order, text, "WEFT_ORDER", "default", "network", job,
        "Order of operations of one rank on another: strict (as issued), default (none promised; the network's own is "
        "used where it saves a wait) or relaxed (none, nor asked of the network).")
SETTING(progress, text, "WEFT_PROGRESS", "poll", "network", job,
        "poll: one-sided operations of others are served while this rank calls Weft. thread: also by a thread that "
        "sleeps when idle.")
SETTING(register_local, flag, "WEFT_REGISTER_LOCAL", "0", "network", rank,
        "Register memory outside the segment with the network also where it asks for no such thing; for tests.")
SETTING(net_wait, text, "WEFT_NET_WAIT", "auto", "network", job,
        "1: sleep until the network has something. 0: sleep for 100 us at a time; on tcp a round trip is some 2 us "
        "shorter then, because libfabric need not keep the descriptor that wakes; on net always so. auto: 0 for a "
        "rank that is alone on its host and has no progress thread.")
SETTING(bounce_size, size, "WEFT_BOUNCE_SIZE", "2K", "network", rank,
        "Puts up to this many bytes are copied, so that their source can be reused at once; at most 16288.")
SETTING(pin_limit, size, "WEFT_PIN_LIMIT", "256M", "network", rank,
        "Bytes of memory outside the segment that may stay registered with the network after use, where it needs "
        "that. 0: registrations end with their operation.")
SETTING(mpi, text, "WEFT_MPI", "", "network", job,
        "MPI library of conduit mpi: openmpi, mpich or the path of a plugin. Empty: the one that the program has "
        "loaded, else the launcher's.")
SETTING(spin_us, real, "WEFT_SPIN_US", "-1", "waiting", rank,
        "Microseconds a waiting rank polls before it yields the processor. -1: 50, or 0 when ranks outnumber the "
        "processors or those it waits for are seen to share its own.")
SETTING(yield_us, real, "WEFT_YIELD_US", "-1", "waiting", rank,
        "Microseconds a waiting rank yields between polls before it sleeps. -1: 500.")
SETTING(tune_file, file, "WEFT_TUNE_FILE", "", "collectives", job,
        "Table of measured times of collectives, written by weft-tune, to choose algorithms by. Empty: the model "
        "chooses.")
SETTING(tune, text, "WEFT_TUNE", "off", "collectives", job,
        "off, or online: refine the choice of collectives' algorithms while the program runs.")
SETTING(tune_budget, real, "WEFT_TUNE_BUDGET", "1", "collectives", job,
        "Percent of the run time that WEFT_TUNE=online may cost.")
SETTING(
    coll, text, "WEFT_COLL", "", "collectives", job,
    "Algorithms to use where they fit, as operation=algorithm[:radix[:segment]],...; for experiments and tests. A "
    "number left out is the smallest to choose from; of several entries for an operation the first that fits counts.")
SETTING(sim_platform, text, "WEFT_SIM_PLATFORM", "flat", "simulation", job,
        "Machine of simulated jobs, which weftrun --sim sets: a name that weft-sim platforms lists, or a file.")
SETTING(sim_map, text, "WEFT_SIM_MAP", "", "simulation", job,
        "Places of simulated ranks, as the platforms' page says: xyzt, txyz or a file. Empty: the platform's.")
SETTING(sim_ranks_per_host, count, "WEFT_SIM_RANKS_PER_HOST", "0", "simulation", job,
        "Ranks of a simulated host, 1 or more. Left out: as many as the platform's nodes have cores.")
SETTING(sim_seed, count, "WEFT_SIM_SEED", "1", "simulation", job,
        "Decides what a simulated network leaves to chance. The same seed gives the same times.")
SETTING(sim_fault, text, "WEFT_SIM_FAULT", "", "simulation", job,
        "Faults of a simulated job: delay=P:T, drop=P, retry=P, reorder, schedule, slow=h3:4, cut=h3@T, dead=h7@T, "
        "only=FIRST-LAST, seed=N, with commas between them; docs/SIMULATION.md explains them.")
SETTING(sim_compute, text, "WEFT_SIM_COMPUTE", "free", "simulation", job,
        "Virtual time that ranks' own computation takes in simulated jobs: free (none), measured (the processor time "
        "that it takes here, times WEFT_SIM_SPEED) or model (what the program says by weft_sim_compute()).")
SETTING(sim_speed, real, "WEFT_SIM_SPEED", "1", "simulation", job,
        "With WEFT_SIM_COMPUTE=measured: how many times as long computation takes on the simulated machine as here.")
SETTING(
    sim_data, text, "WEFT_SIM_DATA", "exact", "simulation", job,
    "exact: a transfer reads its source when it has left and changes the target when it arrives. early: data is "
    "copied when a transfer begins, which is faster and right for programs that synchronise as they should. none: as "
    "exact, but arrays that the program names by weft_sim_drop_data() have no data.")
SETTING(sim_share, flag, "WEFT_SIM_SHARE", "0", "simulation", job,
        "Ranks of one simulated host access each other's segments by load and store, in 10 ns a call. 0: they send "
        "messages, which take what the platform says.")
SETTING(sim_stack, size, "WEFT_SIM_STACK", "1M", "simulation", job,
        "Bytes of address space for the stack of each simulated rank; memory is used only where touched.")
SETTING(sim_watch, real, "WEFT_SIM_WATCH", "10", "simulation", job,
        "Seconds after which a simulated rank that computes without calling Weft is named, since all others wait for "
        "it. After ten times as much processor time the job ends. 0: never.")
SETTING(scalapack_from, count, "WEFT_SCALAPACK_FROM", "0", "linalg", job,
        "Least size of a problem that libweft-scalapack solves itself: of the three of a product, or the order of a "
        "matrix. Smaller ones go to the program's ScaLAPACK. 0: 256.")
SETTING(stats, flag, "WEFT_STATS", "0", "watching", job,
        "Print what each rank has sent, its barriers and the waits longer than a few looks per function, when the job "
        "ends, also when it fails; and the sums over all ranks.")
SETTING(trace, text, "WEFT_TRACE", "", "watching", job,
        "Write a timeline of all ranks to this file (Chrome JSON, Perfetto).")
SETTING(sim_links, text, "WEFT_SIM_LINKS", "", "watching", job,
        "At the end of a simulated job, write to this file what went through each link of the network (JSON, for "
        "weft-sim-links).")
SETTING(check, flag, "WEFT_CHECK", "0", "watching", job,
        "Check every call of a program for mistakes, and end the job with a line that names the call; "
        "docs/SETTINGS.md lists what is checked.")
SETTING(fault, text, "WEFT_FAULT", "", "watching", job,
        "Inject faults, for tests: refuse=P,delay=P,hold=P,reorder=P,seed=N with probabilities from 0 to 1: an "
        "operation is "
        "refused, is delayed until the rank polls, stays so at each poll (0.5), is done out of order.")
SETTING(backtrace, flag, "WEFT_BACKTRACE", "0", "watching", rank,
        "Print a backtrace when a rank aborts, crashes or is ended by a signal, with the call it waits in.")
SETTING(log, text, "WEFT_LOG", "warning", "watching", rank,
        "Least level of log lines shown: error, warning, info (what the job runs on, by rank 0) or debug (the same by "
        "every rank).")
