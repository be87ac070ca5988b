// Random bytes and random frames for everything in conduit ip that reads from the network: ip_fuzz [SECONDS [SEED]].
//
// Each case is a seed. Either a handshake, from either end, hears a message that was changed; or a rank with operations
// under way hears frames, good ones and such that were changed, in random pieces, on its connection or as datagrams,
// whose headers and seals are changed as well. AddressSanitizer watches: segment and
// destinations are blocks of their own. A seed given runs that case alone when SECONDS is 0.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "conduit/ip/handshake.hpp"
#include "conduit/ip/traffic.hpp"

namespace {

using namespace weft::conduit;
using namespace weft::conduit::ip;
using Random = std::mt19937_64;
using Text = std::vector<std::byte>;

constexpr size_t segment_size = 4096;

struct Counts {
  uint64_t cases = 0, joined = 0, refused_handshakes = 0, frames_taken = 0, refused_connections = 0;
  uint64_t datagrams = 0, acknowledged = 0;
};

[[noreturn]] void fail(uint64_t seed, const char* what) {
  std::fprintf(stderr, "ip_fuzz: %s (ip_fuzz 0 %llu)\n", what, static_cast<unsigned long long>(seed));
  std::abort();
}

// ---- Handshakes ----

void change(std::span<std::byte> bytes, Random& random) {
  for (uint64_t i = random() % 4; i > 0 && !bytes.empty(); --i)
    bytes[random() % bytes.size()] ^= std::byte{static_cast<uint8_t>(1u << random() % 8)};
}

Text taken_from(Handshake& end) {
  const Bytes output = end.output();
  Text text(output.begin(), output.end());
  end.sent(text.size());
  return text;
}

void give(Handshake& end, const Text& text, Random& random) {
  for (size_t at = 0; at < text.size() && end.step() == Handshake::Step::more && !end.room().empty();) {
    const size_t part = std::min({text.size() - at, end.room().size(), size_t{1 + random() % 64}});
    std::copy_n(text.begin() + static_cast<std::ptrdiff_t>(at), part, end.room().begin());
    end.received(part);
    at += part;
  }
}

// The two ends of a job shake hands, and somebody changes a message or not. They join only if nobody did.
void shake_hands(uint64_t seed, Random& random, Counts& counts) {
  const Credentials one = {.key = key_of(bytes_of("secret")), .rank = 1, .size = 4};
  const Credentials other = {.key = one.key, .rank = 2, .size = 4};
  Nonce nonces[2];
  for (Nonce& nonce : nonces)
    for (std::byte& byte : nonce) byte = std::byte{static_cast<uint8_t>(random())};
  Handshake call = Handshake::call(one, 2, nonces[0]), answer = Handshake::answer(other, nonces[1]);
  bool changed = false;
  for (int message = 0; message < 4; ++message) {
    Handshake& from = message % 2 == 0 ? call : answer;
    Handshake& to = message % 2 == 0 ? answer : call;
    if (from.step() == Handshake::Step::asks) from.decide(static_cast<Verdict>(random() % 3));
    Text text = taken_from(from);
    const Text before = text;
    if (random() % 4 == 0) change(text, random);
    if (random() % 16 == 0) text.resize(random() % (text.size() + 1));
    changed |= text != before;
    give(to, text, random);
  }
  const bool joined = call.step() == Handshake::Step::over && answer.step() == Handshake::Step::over;
  if (joined && changed) fail(seed, "a changed handshake was believed");
  if (!joined && !changed) fail(seed, "a good handshake was refused");
  ++(joined ? counts.joined : counts.refused_handshakes);
}

// ---- Frames ----

uint64_t number(Random& random) {
  static constexpr uint64_t edges[] = {0, 1, 4, 8, segment_size, transfer_max, uint64_t{1} << 32, uint64_t{1} << 63};
  switch (random() % 32) {
    case 0:
      return random();
    case 1:
      return edges[random() % std::size(edges)] - random() % 3;
    case 2:
      return random() % segment_size;
    default:
      return random() % (segment_size / 16) * 8;
  }
}

// Words and a size that some kind could have; often those of this kind.
Front random_front(Random& random) {
  static constexpr uint8_t usual_words[] = {0, 1, 2, 0, 3, 4, 1, 4, 2, 2, 4, 2, 2, 4};
  const uint64_t kind = random() % std::size(usual_words);
  Front front;
  front.header.kind = static_cast<FrameKind>(random() % 64 == 0 ? random() : kind);
  front.header.words = static_cast<uint8_t>(random() % 32 == 0 ? random() : usual_words[kind]);
  front.header.handler = static_cast<uint16_t>(random());
  if (random() % 8 == 0) front.header.answers = static_cast<uint16_t>(random() % 8 == 0 ? random() : random() % 3);
  if (random() % 64 == 0) front.header.credits = static_cast<uint16_t>(random() % 2 == 0 ? random() : 1);
  const bool carries = kind == 1 || kind == 3 || kind == 7 || kind >= 8;
  front.header.size = !carries || random() % 4 == 0 ? 0 : random() % 32 == 0 ? number(random) : random() % 600;
  for (uint64_t& word : front.words) word = number(random);
  const auto long_kind = front.header.kind == FrameKind::request_long || front.header.kind == FrameKind::reply_long;
  if (long_kind && random() % 4 != 0) front.words[1] = front.header.size;
  if (front.header.kind == FrameKind::atomic && random() % 8 != 0) front.words[1] = random() % 6 | random() % 13 << 8;
  if ((front.header.kind == FrameKind::signal || front.header.kind == FrameKind::fill) && random() % 8 != 0)
    front.words[front.header.kind == FrameKind::signal ? 3 : 2] = random() % 2;
  return front;
}

Text random_stream(Random& random) {
  Text stream;
  for (uint64_t frames = 1 + random() % 8; frames > 0; --frames) {
    const Front front = random_front(random);
    const auto* bytes = reinterpret_cast<const std::byte*>(&front);
    stream.insert(stream.end(), bytes, bytes + std::min(front.bytes(), sizeof front));
    if (front.header.size <= 2 * payload_max) stream.resize(stream.size() + front.header.size, std::byte{0x5a});
  }
  if (random() % 8 == 0) change(stream, random);
  if (random() % 8 == 0) stream.resize(random() % (stream.size() + 1));
  return stream;
}

// Operations for the answers to be of. The vectors hold what is exactly theirs.
struct UnderWay {
  Completion completion;
  std::vector<Text> memory;

  void begin(Traffic& traffic, Random& random) {
    for (uint64_t i = random() % 6; i > 0; --i) {
      Text& local = memory.emplace_back(8 * (1 + random() % 40));
      const uint64_t kind = random() % 3;
      if (kind == 0) traffic.put(1, 0, local.data(), local.size(), &completion);
      if (kind == 1) traffic.get(local.data(), 1, 0, local.size(), &completion);
      if (kind != 2) continue;
      local.resize(8);
      traffic.atomic(1, 0, {.type = AtomicType::u64, .op = AtomicOp::add, .operand = 1, .result = local.data()},
                     &completion);
    }
  }
};

// Reads every byte of what was delivered.
void deliver_all(Traffic& traffic, uint64_t seed, Counts& counts) {
  while (Arrival* arrival = traffic.next_arrival()) {
    unsigned sum = 0;
    if (am_kind(arrival->kind) != AmKind::short_)
      for (size_t i = 0; i < arrival->size; ++i) sum += static_cast<unsigned>(arrival->payload[i]);
    if (sum == ~0u || arrival->arg_count > am_max_args) fail(seed, "a message has too many arguments");
    ++counts.frames_taken;
    traffic.delivered(arrival);
  }
}

void hear_frames(uint64_t seed, Random& random, Counts& counts) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0) fail(seed, "there is no socket");
  const std::unique_ptr<std::byte[]> segment(new std::byte[segment_size]());
  UnderWay operations;
  Traffic traffic(0, 2, {.bounce_size = 0, .strict = random() % 2 == 0});
  traffic.set_segment(segment.get(), segment_size);
  traffic.join(1, Channel(Socket(ends[0])));
  operations.begin(traffic, random);
  const Text stream = random_stream(random);
  const uint64_t at_most = random() % 2 == 0 ? 1 + random() % 40 : 100000;
  for (size_t at = 0; at < stream.size() && traffic.failure().text.empty();) {
    const size_t part = std::min(stream.size() - at, size_t{1 + random() % at_most});
    const ssize_t sent = ::send(ends[1], stream.data() + at, part, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) at += static_cast<size_t>(sent);
    traffic.progress();
    deliver_all(traffic, seed, counts);
    std::byte drain[4096];
    while (::recv(ends[1], drain, sizeof drain, MSG_DONTWAIT) > 0)
      counts.frames_taken += traffic.failure().text.empty();
  }
  counts.refused_connections += !traffic.failure().text.empty();
  ::close(ends[1]);
}

// ---- Datagrams ----

// The other end of the rank's datagrams, which has the keys and says what it likes.
class Speaker {
 public:
  Speaker(Traffic& traffic, const Interface& interface, int connection)
      : connection_(Socket(connection), true),
        seals_(std::move(*connection_.seals())),
        sending_(send_datagrams_to(interface, traffic.links().place())) {}

  int connection() const { return connection_.descriptor(); }

  // The first is good and tells the rank that its own arrive.
  void say(Random& random, bool first) {
    const Text frames = first ? Text() : random_stream(random);
    Text datagram(sizeof(DatagramHeader) + frames.size() + Seal::tag_size);
    if (datagram.size() > datagram_max && random() % 8 != 0) return;
    DatagramHeader header;
    header.source = 1;
    header.number = number_++;
    header.sequence = sequence_;
    header.acknowledged = 1;
    if (!first) spoil(header, random);
    if (!frames.empty() && random() % 8 != 0) ++sequence_;
    std::memcpy(datagram.data(), &header, sizeof header);
    std::ranges::copy(frames, datagram.begin() + sizeof header);
    seals_.sending.close(datagram, sizeof header, header.number);
    if (!first && random() % 8 == 0) change(datagram, random);
    if (!first && random() % 16 == 0) datagram.resize(random() % (datagram.size() + 1));
    (void)::send(sending_.get(), datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  // The frame by which the connection brings a datagram.
  void say_again(Random& random) {
    const Text frames = random_stream(random);
    const Front front(FrameKind::again, {sequence_ - random() % 2 + (random() % 16 == 0 ? number(random) : 0)},
                      frames.size());
    ++sequence_;
    Text both(reinterpret_cast<const std::byte*>(&front), reinterpret_cast<const std::byte*>(&front) + front.bytes());
    both.insert(both.end(), frames.begin(), frames.end());
    (void)::send(connection(), both.data(), both.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }

 private:
  void spoil(DatagramHeader& header, Random& random) {
    if (random() % 8 == 0) header.sequence += random() % 4 - 1;
    if (random() % 32 == 0) header.sequence = number(random);
    if (random() % 16 == 0) header.acknowledged = random() % 2 == 0 ? number(random) : random() % 3;
    if (random() % 8 == 0) header.stream = random() % 2 == 0 ? number(random) : 0;
    if (random() % 32 == 0) header.source = static_cast<RankId>(random() % 4);
    if (random() % 64 == 0) header.magic[random() % 4] ^= 1;
  }

  Channel connection_;
  Channel::Seals seals_;
  Socket sending_;
  uint64_t number_ = 0, sequence_ = 1;
};

void hear_datagrams(uint64_t seed, Random& random, Counts& counts) {
  static const Interface interface = [] {
    const std::vector<Interface> all = interfaces_here();
    return *std::ranges::find_if(all, &Interface::loopback);
  }();
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0) fail(seed, "there is no socket");
  const std::unique_ptr<std::byte[]> segment(new std::byte[segment_size]());
  UnderWay operations;
  Traffic traffic(0, 2, {.strict = random() % 2 == 0, .datagrams = true});
  if (!traffic.open(interface, {}).ok()) fail(seed, "the rank cannot listen");
  Socket heard;
  Address place;
  if (!listen_on(interface, {}, heard, place).ok()) fail(seed, "there is no place to answer to");
  heard = receive_datagrams_at(place);
  const Credentials credentials = {.rank = 0, .size = 2};
  traffic.links().start(credentials, {traffic.links().place(), place});
  traffic.set_segment(segment.get(), segment_size);
  Speaker speaker(traffic, interface, ends[1]);
  traffic.join(1, Channel(Socket(ends[0])));
  traffic.progress();  // makes the rank's end
  speaker.say(random, true);
  for (uint64_t i = 2 + random() % 10; i > 0 && traffic.failure().text.empty(); --i) {
    traffic.look_around();  // so that it looks at all there is
    traffic.progress();
    if (i % 4 == 0) operations.begin(traffic, random);
    deliver_all(traffic, seed, counts);
    if (random() % 6 == 0)
      speaker.say_again(random);
    else
      speaker.say(random, false);
    ++counts.datagrams;
    std::byte drain[4096];
    while (::recv(speaker.connection(), drain, sizeof drain, MSG_DONTWAIT) > 0) {
    }
    while (heard && ::recv(heard.get(), drain, sizeof drain, MSG_DONTWAIT) > 0) ++counts.acknowledged;
  }
  counts.refused_connections += !traffic.failure().text.empty();
}

void run_case(uint64_t seed, Counts& counts) {
  Random random(seed);
  ++counts.cases;
  switch (random() % 8) {
    case 0:
    case 1:
      return shake_hands(seed, random, counts);
    case 2:
    case 3:
      return hear_datagrams(seed, random, counts);
    default:
      return hear_frames(seed, random, counts);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 3;
  uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : std::random_device{}();
  std::printf("ip_fuzz: seeds from %llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  if (!open_crypto().ok()) return 1;
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  Counts counts;
  do run_case(seed++, counts);
  while (Clock::now() < end);
  std::printf(
      "%llu cases; handshakes: %llu joined, %llu refused; connections: %llu refused, %llu events of others; "
      "%llu datagrams, %llu answers\n",
      static_cast<unsigned long long>(counts.cases), static_cast<unsigned long long>(counts.joined),
      static_cast<unsigned long long>(counts.refused_handshakes),
      static_cast<unsigned long long>(counts.refused_connections), static_cast<unsigned long long>(counts.frames_taken),
      static_cast<unsigned long long>(counts.datagrams), static_cast<unsigned long long>(counts.acknowledged));
  const bool met_all = counts.joined != 0 && counts.refused_handshakes != 0 && counts.refused_connections != 0 &&
                       counts.frames_taken != 0 && counts.datagrams != 0 && counts.acknowledged != 0;
  return met_all || seconds < 1 ? 0 : 1;
}
