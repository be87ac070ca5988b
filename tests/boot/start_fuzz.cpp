// Random and changed texts for everything that reads what a launcher, its agents and other ranks say while a job
// starts: start_fuzz [SECONDS [SEED]]. Conduit ip's own connections are tests/conduit/ip_fuzz.cpp's.
//
// Each case is a seed: an agent's greeting and frames; lines of PMI-1 that a server hears, or a client; or what ranks
// tell each other by way of the launcher. AddressSanitizer watches. A seed given runs that case alone if SECONDS is 0.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "boot/boot.hpp"
#include "boot/hosts.hpp"
#include "boot/secret.hpp"
#include "conduit/ip/agreement.hpp"
#include "core/job_settings.hpp"
#include "frames.hpp"
#include "pmi_server.hpp"

namespace {

using namespace weft;
using Random = std::mt19937_64;

constexpr uint32_t ranks = 3;

struct Counts {
  uint64_t cases = 0, understood = 0, refused = 0;
};

[[noreturn]] void fail(uint64_t seed, const char* what) {
  std::fprintf(stderr, "start_fuzz: %s (start_fuzz 0 %llu)\n", what, static_cast<unsigned long long>(seed));
  std::abort();
}

void note(bool understood, Counts& counts) { ++(understood ? counts.understood : counts.refused); }

// ---- Texts ----

template <size_t count>
std::string one_of(const std::array<const char*, count>& texts, Random& random) {
  return texts[random() % count];
}

// As it was in half of the cases.
std::string maybe_changed(std::string text, Random& random) {
  static constexpr std::array edges = {
      "",  " ", "=",  "\n", "@", "/",  ",",  ";",   ":",          "-1",
      "[", "]", "%s", "-",  "0", "::", "n ", "cmd", "4294967296", "18446744073709551616"};
  if (random() % 2 == 0) return text;
  for (uint64_t i = 1 + random() % 3; i > 0; --i) {
    const size_t at = random() % (text.size() + 1);
    switch (random() % 5) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
        break;
      case 1:
        text.insert(at, one_of(edges, random));
        break;
      case 2:
        text.erase(at, 1 + random() % 8);
        break;
      case 3:
        text.insert(at, text.substr(0, random() % (text.size() + 1)));
        break;
      default:
        text.insert(at, std::string(random() % 64 == 0 ? 3000 : random() % 20, static_cast<char>(random())));
    }
  }
  return text;
}

template <class Take>
void in_pieces(const std::string& text, Random& random, Take take) {
  const uint64_t at_most = random() % 2 == 0 ? 1 + random() % 20 : 100000;
  for (size_t at = 0; at < text.size();) {
    const size_t part = std::min(text.size() - at, size_t{1 + random() % at_most});
    take(std::string_view(text).substr(at, part));
    at += part;
  }
}

// ---- Agents ----

std::vector<std::string> random_strings(Random& random) {
  std::vector<std::string> strings(random() % 5);
  for (std::string& each : strings) each.assign(random() % 30, static_cast<char>(random()));
  return strings;
}

void hear_agent(uint64_t seed, Random& random, Counts& counts) {
  using namespace weftrun;
  Setup setup{"/tmp", "/bin/true", random_strings(random), random_strings(random), 3, 1, true, 1000};
  setup.arguments.emplace_back("program");
  const std::string good = greeting() + "\n" + encode(FrameType::setup, 0, setup.encode()) +
                           encode(FrameType::failed, 7, pack(random_strings(random))) +
                           encode(FrameType::ended, 9, number_text(random()));
  const std::string stream = maybe_changed(good, random);
  FrameReader reader;
  bool greeted = false;
  size_t frames = 0;
  in_pieces(stream, random, [&](std::string_view piece) {
    reader.append(piece);
    if (!greeted) {
      const std::optional<std::string> line = reader.next_line();
      greeted = line.has_value();
      if (line) (void)compare_greeting(*line);
    }
    while (greeted) {
      const std::optional<Frame> frame = reader.next();
      if (!frame) break;
      ++frames;
      (void)unpack(frame->payload);
      (void)number_of(frame->payload);
      const std::optional<Setup> decoded = Setup::decode(frame->payload);
      if (stream == good && frame->type == FrameType::setup && (!decoded || decoded->encode() != setup.encode()))
        fail(seed, "a setup was not understood");
    }
  });
  if (stream == good && frames != 3) fail(seed, "good frames were not understood");
  note(frames == 3, counts);
}

// ---- PMI-1 ----

std::string value_text(Random& random) { return std::string(random() % 8 == 0 ? 1023 : random() % 40, 'v'); }

std::string random_request(Random& random) {
  static constexpr std::array requests = {"cmd=init pmi_version=1 pmi_subversion=1",
                                          "cmd=get_maxes",
                                          "cmd=get_my_kvsname",
                                          "cmd=get_appnum",
                                          "cmd=get_universe_size",
                                          "cmd=get kvsname=space key=k-1",
                                          "cmd=barrier_in",
                                          "cmd=finalize",
                                          "cmd=abort exitcode=3 logged=1"};
  const std::string number = std::to_string(random() % 4);
  switch (random() % 3) {
    case 0:
      return "cmd=put kvsname=space key=k-" + number + " value=" + value_text(random);
    case 1:
      return "cmd=weft_get_all kvsname=space key=k first=" + number;
    default:
      return one_of(requests, random);
  }
}

void serve_pmi(uint64_t seed, Random& random, Counts& counts) {
  weftrun::PmiServer server(ranks, "space");
  const auto hear = [&](uint32_t rank, const std::string& text) {
    bool over = false;
    in_pieces(text, random, [&](std::string_view piece) { over = over || server.receive(rank, piece).has_value(); });
    for (const auto& reply : server.take_replies()) {
      const std::string_view line(reply.line.data(), reply.line.size() - 1);
      if (reply.rank >= ranks || reply.line.back() != '\n' || reply.line.size() > boot::pmi_line_max ||
          !boot::PmiMessage::parse(line))
        fail(seed, "a reply that nobody understands");
    }
    return over;
  };
  bool over = false;
  for (uint32_t rank = 0; rank < ranks && !over; ++rank)
    over = hear(rank, maybe_changed("cmd=init pmi_version=1 pmi_subversion=1\n", random));
  for (uint64_t i = random() % 20; i > 0 && !over; --i)
    over = hear(static_cast<uint32_t>(random() % ranks), maybe_changed(random_request(random) + "\n", random));
  note(!over, counts);
}

void ask_pmi(uint64_t seed, Random& random, Counts& counts) {
  const std::string pages = random() % 8 == 0 ? "" : " weft_get_all=1";
  const std::vector<std::string> replies = {
      "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0",
      "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024" + pages,
      "cmd=my_kvsname kvsname=space",
      "cmd=put_result rc=0 msg=success",
      "cmd=barrier_out",
      "cmd=weft_values rc=0 values=" + boot::pmi_encode("zero") + "," + boot::pmi_encode("one"),
      "cmd=weft_values rc=0 values=" + boot::pmi_encode(value_text(random).substr(0, 500)),
      "cmd=get_result rc=0 msg=success value=" + boot::pmi_encode("two")};
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) fail(seed, "there is no socket");
  std::string all;
  for (const std::string& reply : replies) all += maybe_changed(reply + "\n", random);
  if (::send(ends[0], all.data(), all.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(all.size()))
    fail(seed, "the socket is full");
  ::shutdown(ends[0], SHUT_WR);
  ::setenv("PMI_FD", std::to_string(ends[1]).c_str(), 1);
  ::setenv("PMI_RANK", "1", 1);
  ::setenv("PMI_SIZE", std::to_string(ranks).c_str(), 1);
  std::unique_ptr<boot::Boot> client;
  bool understood = boot::connect(client).ok();
  if (understood) {
    std::vector<std::string> values;
    std::string value;
    understood = client->put("k", "v").ok() && client->fence().ok() && client->get_all("k", values).ok();
    if (understood && values.size() != ranks) fail(seed, "the values are not as many as the ranks");
    understood = understood && client->get(2, "k", value).ok();
  }
  ::close(ends[0]);
  ::close(ends[1]);
  note(understood, counts);
}

// ---- What ranks tell each other ----

/// A job in which this rank hears what the others would not say.
class Liars final : public boot::Boot {
 public:
  explicit Liars(Random& random) : random_(random) {}
  uint32_t rank() const override { return 1; }
  uint32_t size() const override { return ranks; }
  const char* name() const override { return "liars"; }
  Status put(std::string_view key, std::string_view value) override {
    if (key == "host-id") mine_ = value;
    return {};
  }
  Status fence() override { return {}; }
  Status get(uint32_t rank, std::string_view key, std::string& value) override {
    if (key == "host-id") value = rank == 1 ? mine_ : maybe_changed(mine_, random_);
    if (key == "secret") value = maybe_changed("0123456789abcdef0123456789abcdef", random_);
    if (key == "settings") value = maybe_changed("WEFT_CHECK=1;WEFT_COLL=reduce=tree", random_);
    return {};
  }
  Status finalize() override { return {}; }
  [[noreturn]] void abort(int, std::string_view) override { std::abort(); }

 private:
  Random& random_;
  std::string mine_;
};

void hear_ranks(uint64_t seed, Random& random, Counts& counts) {
  using namespace conduit::ip;
  static constexpr std::array listings = {
      "2 0.2.0 h1 b/1 67108864 f 10.0.0.1:4000/24@10 10.0.2.1:4000/24@100",
      "2 0.2.0 h2 b/2 67108864 f 10.0.0.2:4000/24@10 10.0.1.2:4001/24@100 [fd00::1]:4002/64@0s",
      "2 0.2.0 h3 b/3 4096 n0123456789abcdef 10.0.0.3:4000/24@10 10.0.1.3:4001/24@100"};
  Liars boot(random);
  boot::Secret secret;
  const bool shared = boot::Secret::share(boot, secret).ok();
  boot::Hosts hosts;
  std::vector<std::string> words;
  const bool met = boot::Hosts::collect(boot, "", hosts, "word", &words).ok();
  if (met && (hosts.count() > ranks || (!words.empty() && words.size() != ranks))) fail(seed, "more hosts than ranks");
  const bool alike = met && core::compare_job_settings(boot, words).ok();
  std::vector<Listing> all(ranks);
  bool legible = met;
  for (Listing& each : all) legible = Listing::decode(maybe_changed(one_of(listings, random), random), each) && legible;
  std::string why;
  std::vector<std::vector<size_t>> rails;
  const Shared shared_places = shared_addresses(all);
  if (legible) rails = agree_on_interfaces(all, shared_places, why);
  if (const auto clash = clash_in(rails, all, shared_places); clash && clash->other >= ranks)
    fail(seed, "a clash alone");
  if (!rails.empty()) (void)faster_networks(rails, all, shared_places);
  for (const std::vector<size_t>& rail : rails)
    for (uint32_t rank = 0; rank < ranks; ++rank)
      if (rail.size() != ranks || rail[rank] >= all[rank].places.size()) fail(seed, "an interface that is not there");
  for (uint32_t me = 0; !rails.empty() && me < ranks; ++me) {
    const std::vector<Pair> pairs = pairs_of(all, shared_places, rails.front(), me);
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      const Pair back = pairs_of(all, shared_places, rails.front(), rank)[me];
      if (pairs[rank].mine != back.its || pairs[rank].its != back.mine) fail(seed, "two ranks that do not meet");
      if (pairs[rank].its >= all[rank].places.size()) fail(seed, "an interface that is not there");
    }
  }
  note(shared && alike && legible && why.empty(), counts);
}

void run_case(uint64_t seed, Counts& counts) {
  Random random(seed);
  const base::KeepErrors quiet;
  ++counts.cases;
  constexpr std::array kinds = {hear_agent, serve_pmi, ask_pmi, hear_ranks};
  kinds[random() % kinds.size()](seed, random, counts);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 3;
  uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : std::random_device{}();
  std::printf("start_fuzz: seeds from %llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  Counts counts;
  do run_case(seed++, counts);
  while (Clock::now() < end);
  std::printf("%llu cases: %llu understood, %llu refused\n", static_cast<unsigned long long>(counts.cases),
              static_cast<unsigned long long>(counts.understood), static_cast<unsigned long long>(counts.refused));
  return (counts.understood != 0 && counts.refused != 0) || seconds < 1 ? 0 : 1;
}
