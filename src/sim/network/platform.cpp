#include "sim/network/platform.hpp"

namespace weft::sim {
namespace {

// Far from what 64 bits of picoseconds, or femtoseconds per byte, hold.
constexpr double longest = 1e12;                // ns: 1,000 s
constexpr double fastest = 1e15;                // bytes or operations per second
constexpr double largest = 1024.0 * (1 << 30);  // bytes

// clang-format off
constexpr Field table[] = {
    {"processor", "send_overhead", Unit::time, 0, longest, nullptr, false, &Platform::send_overhead,
     "processor time to send a message"},
    {"processor", "receive_overhead", Unit::time, 0, longest, nullptr, false, &Platform::receive_overhead,
     "processor time to take in a message"},
    {"processor", "send_rate", Unit::rate, 0, fastest, "0 B/s", false, &Platform::send_rate,
     "bytes that the sending processor moves itself, beside the overhead; 0: it moves none"},
    {"processor", "receive_rate", Unit::rate, 0, fastest, "0 B/s", false, &Platform::receive_rate,
     "the same of the receiving processor"},
    {"processor", "flop_rate", Unit::speed, 0, fastest, "0 flop/s", false, &Platform::flop_rate,
     "floating-point operations of one core in Fourier transforms, for --sim-compute model; 0: not known"},
    {"node", "cores", Unit::count, 1, 65536, nullptr, false, &Platform::cores,
     "ranks that a node takes"},
    {"node", "memory_rate", Unit::rate, 1000, fastest, nullptr, false, &Platform::memory_rate,
     "copies between ranks of a node, all together"},
    {"node", "memory_latency", Unit::time, 0, longest, nullptr, false, &Platform::memory_latency,
     "time of a message between ranks of a node, without overheads and copy"},
    {"node", "send_overhead", Unit::time, 0, longest, "0 ns", false, &Platform::node_send,
     "processor time to send a message to a rank of the node, its bytes included; 0: the processor's"},
    {"node", "receive_overhead", Unit::time, 0, longest, "0 ns", false, &Platform::node_receive,
     "the same to take one in; 0: the processor's"},
    {"node", "registration", Unit::time, 0, longest, "0 ns", false, &Platform::registration,
     "time to register memory with the interface"},
    {"node", "registration_crowded", Unit::time, 0, longest, "0 ns", false, &Platform::registration_crowded,
     "the same while other ranks of the node wait to do so; they do it one by one"},
    {"interface", "latency", Unit::time, 0, longest, nullptr, false, &Platform::interface_latency,
     "what the interfaces of both nodes add to each message"},
    {"interface", "message_gap", Unit::time, 0, longest, nullptr, false, &Platform::message_gap,
     "time that an interface is taken by a message, beside its bytes"},
    {"interface", "injection_rate", Unit::rate, 1000, fastest, nullptr, false, &Platform::injection_rate,
     "from a node into the network"},
    {"interface", "ejection_rate", Unit::rate, 1000, fastest, nullptr, false, &Platform::ejection_rate,
     "from the network into a node"},
    {"interface", "slots", Unit::count, 1, 65536, nullptr, false, &Platform::slots,
     "long messages that a node sends at once; others wait their turn"},
    {"interface", "slots_from", Unit::size, 0, largest, "512 B", false, &Platform::slots_from,
     "only messages above this size need a slot"},
    {"interface", "window", Unit::size, 0, largest, "0 B", false, &Platform::window,
     "bytes of one message that are under way at most; 0: twice what fills the longest route, 4 chunks at least"},
    {"interface", "strict_ranks", Unit::count, 0, 65536, "0", false, &Platform::strict_ranks,
     "with strict ordering, more sending ranks of a node than this slow the interface down; 0: they never do"},
    {"interface", "strict_factor", Unit::factor, 1, 1000, "1", false, &Platform::strict_factor,
     "how many times slower it is when all cores send"},
    {"interface", "relaxed_factor", Unit::factor, 1, 1000, "1", false, &Platform::relaxed_factor,
     "how many times faster it injects with relaxed ordering, messages from relaxed_from to relaxed_to"},
    {"interface", "relaxed_from", Unit::size, 0, largest, "0 B", false, &Platform::relaxed_from,
     "the least size of these"},
    {"interface", "relaxed_to", Unit::size, 0, largest, "0 B", false, &Platform::relaxed_to,
     "the largest size of these"},
    {"interface", "put_share", Unit::factor, 0.01, 1, "1", false, &Platform::put_share,
     "part of injection_rate that what is sent reaches; what others fetch reaches all of it"},
    {"link", "rate", Unit::rate, 1000, fastest, nullptr, true, &Platform::link_rate,
     "payload of a link, each way; by dimension, by level from the nodes up, or local and global"},
    {"link", "latency", Unit::time, 0, longest, nullptr, true, &Platform::link_latency,
     "time of a message's first byte through a link and the router behind it"},
    {"link", "contention", Unit::factor, 0.01, 1, "1", false, &Platform::contention,
     "part of its rate that a link reaches while messages of several nodes wait for it"},
    {"link", "burst", Unit::size, 0, largest, "0 B", false, &Platform::burst,
     "so much passes at once after a pause; the pause makes room for more at the link's rate (a token bucket)"},
    {"link", "chunk", Unit::size, 16384, 65536, "32 KiB", false, &Platform::chunk,
     "longer messages share links in pieces of this size"},
    {"two_sided", "eager_limit", Unit::size, 0, largest, "16 KiB", false, &Platform::two_sided_eager,
     "of an MPI library: longer messages are announced, and their data is asked for"},
    {"two_sided", "send_overhead", Unit::time, 0, longest, "0 ns", false, &Platform::two_sided_send,
     "its processor time to send a message; 0: the processor's"},
    {"two_sided", "receive_overhead", Unit::time, 0, longest, "0 ns", false, &Platform::two_sided_receive,
     "its processor time to take in a message, without looking for its receive; 0: the processor's"},
    {"two_sided", "match", Unit::time, 0, longest, "10 ns", false, &Platform::two_sided_match,
     "for each posted receive, or message that came unexpected, that it looks at"},
    {"two_sided", "match_crowd", Unit::factor, 0, 1000, "0", false, &Platform::two_sided_crowd,
     "part of match that each other rank of the node adds, as they share caches and memory"},
    {"two_sided", "copy_rate", Unit::rate, 0, fastest, "0 B/s", false, &Platform::two_sided_copy,
     "of a copy to or from its buffers, on each side of short messages; 0: the node's memory_rate"},
    {"collectives", "barrier_latency", Unit::time, 0, longest, "0 ns", false, &Platform::barrier_latency,
     "of a network for barriers alone, from the last node's coming until all know; 0: there is none"},
    {"collectives", "tree_latency", Unit::time, 0, longest, "0 ns", false, &Platform::tree_latency,
     "of a network for broadcasts and reductions, one way through all of it"},
    {"collectives", "tree_rate", Unit::rate, 0, fastest, "0 B/s", false, &Platform::tree_rate,
     "of its links; 0: there is none"},
};
// clang-format on

}  // namespace

std::string called(const Platform& platform) {
  return "platform " + platform.name + (platform.origin.empty() ? "" : " (" + platform.origin + ")");
}

std::span<const Field> fields() { return table; }

}  // namespace weft::sim
