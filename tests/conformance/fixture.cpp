#include "conformance/fixture.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#include "boot/thread_job.hpp"
#include "support/run_tests.hpp"
#ifdef WEFT_HAVE_SIM
#include "boot/sim_job.hpp"
#include "sim/make_network.hpp"
#endif

namespace conformance {
namespace {

constexpr uint16_t arrival_handler = first_internal_handler;
constexpr uint16_t release_handler = first_internal_handler + 1;

RankId thread_ranks = 0;             // 0: ranks are processes
std::unique_ptr<Peer> process_peer;  // theirs

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "conformance: %s\n", what);
  _exit(1);
}

// A rank that stops in the middle of a test would leave the others waiting.
class ExitOnFatalFailure : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.fatally_failed()) return;
    std::fflush(nullptr);
    _exit(1);
  }
};

bool is_simulated() {
  const char* const conduit = std::getenv("WEFT_CONDUIT");
  return conduit != nullptr && std::string_view(conduit) == "sim";
}

#ifdef WEFT_HAVE_SIM
void run_simulated(const std::function<void(Peer&)>& body) {
  std::unique_ptr<weft::sim::Simulation> simulation;
  const auto network = [](weft::sim::Calendar& calendar, std::unique_ptr<weft::sim::Network>& made) {
    const char* const platform = std::getenv("WEFT_SIM_PLATFORM");
    return weft::sim::make_network(platform != nullptr ? platform : "flat", {.ranks = thread_ranks, .map = ""},
                                   calendar, made);
  };
  weft::sim::Simulation::Plan plan = {.ranks = thread_ranks};
  const char* const faults = std::getenv("WEFT_SIM_FAULT");
  if (const std::string wrong = weft::sim::parse_faults(faults != nullptr ? faults : "", plan.faults); !wrong.empty())
    give_up(wrong.c_str());
  if (!weft::sim::Simulation::make(plan, network, simulation).ok()) give_up("no simulation");
  simulation->on_deadlock([](const std::string& who) { give_up(("deadlock: " + who).c_str()); });
  weft::boot::SimJob job(*simulation, nullptr);
  for (RankId rank = 0; rank < thread_ranks; ++rank)
    simulation->start(rank, [&, rank] {
      Peer peer(job.boot(rank), false);
      body(peer);
      peer.finish();
    });
  simulation->wait_for_others();
}
#else
void run_simulated(const std::function<void(Peer&)>&) { give_up("this build has no simulation"); }
#endif

void run_as_threads(const std::function<void(Peer&)>& body, bool threads_multiple) {
  if (is_simulated()) return run_simulated(body);
  weft::boot::ThreadJob job(thread_ranks, nullptr);
  std::vector<std::thread> threads;
  for (RankId rank = 0; rank < thread_ranks; ++rank)
    threads.emplace_back([&, rank] {
      Peer peer(job.boot(rank), threads_multiple);
      body(peer);
      peer.finish();
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

Peer::Peer(std::unique_ptr<weft::boot::Boot> boot, bool threads_multiple) : boot_(std::move(boot)) {
  weft::base::Settings settings;
  if (!weft::base::read_settings(settings).ok()) give_up("bad settings");
  Environment environment;
  environment.boot = boot_.get();
  environment.sink = this;
  environment.threads_multiple = threads_multiple;
  if (!make(environment, settings, conduit_, &conduit_name_).ok()) give_up("no conduit");
  peers_mapped_ = settings.map_peers;
  simulated_ = conduit_name_ == "sim";
  // Every byte is the byte before it, and the first is zero.
  const std::byte* segment = conduit_->segment();
  const size_t looked_at = std::min<size_t>(conduit_->segment_size(), 4 << 20);
  segment_was_zero_ = segment[0] == std::byte{0} && std::memcmp(segment, segment + 1, looked_at - 1) == 0;
  // Nobody writes before everybody has looked.
  barrier();
}

int Peer::progress() {
  const int handled = conduit_->poll();
  if (handled == 0 && !simulated_) sched_yield();  // simulated ranks have one thread
  return handled;
}

void Peer::wait_until(const std::function<bool()>& done) {
  while (!done()) progress();
}

void Peer::send(RankId to, const AmMessage& message, AmClass message_class) {
  if (insist([&] { return conduit_->am_send(to, message_class, message); }) != Result::done)
    give_up("am_send returned `posted`");
}

void Peer::deliver(const AmDelivery& message) {
  if (message.handler == arrival_handler)
    ++arrivals_;
  else if (message.handler == release_handler)
    ++releases_;
  else if (on_message)
    on_message(message);
}

void Peer::barrier() {
  ++barriers_;
  if (rank() == 0) {
    wait_until([&] { return arrivals_ >= barriers_ * (size() - 1); });
    for (RankId other = 1; other < size(); ++other) send(other, {.handler = release_handler});
  } else {
    send(0, {.handler = arrival_handler});
    wait_until([&] { return releases_ >= barriers_; });
  }
}

void Peer::barrier_without_polling() {
  if (!boot_->fence().ok()) give_up("the launcher's fence failed");
}

// Rank 0 gets a last message from each of the others when it waits for nothing any more: when it has heard from them
// all what they owe it for its own, and looks for messages in finalize() alone.
void Peer::send_late() {
  if (rank() == 0)
    wait_until([&] { return arrivals_ == (barriers_ + 1) * (size() - 1); });
  else
    send(0, {.handler = arrival_handler});
  barrier_without_polling();
  if (rank() != 0) send(0, {.handler = arrival_handler});
  barrier_without_polling();
}

void Peer::finish() {
  barrier();
  for (RankId quiet = 0; quiet < 2 * size();) quiet = conduit_->poll() == 0 ? quiet + 1 : 0;
  barrier();
  send_late();
  if (!conduit_->finalize().ok()) give_up("finalize failed");
  conduit_.reset();
  if (!boot_->finalize().ok()) give_up("the way into the job did not end");
}

bool ranks_are_threads() { return thread_ranks != 0; }

void on_every_peer(const std::function<void(Peer&)>& body) {
  if (ranks_are_threads()) return run_as_threads(body, false);
  process_peer->barrier();
  body(*process_peer);
  process_peer->barrier();
  process_peer->on_message = nullptr;
}

void on_every_peer_of_threads(const std::function<void(Peer&)>& body) {
  if (is_simulated()) GTEST_SKIP() << "simulated ranks have no threads of their own";
  if (!ranks_are_threads()) GTEST_SKIP() << "the conduit of this process was made for one thread";
  run_as_threads(body, true);
}

}  // namespace conformance

int main(int argc, char** argv) {
  using namespace conformance;
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new ExitOnFatalFailure);
  if (const char* text = std::getenv("TEST_THREAD_RANKS")) {
    thread_ranks = static_cast<RankId>(std::strtoul(text, nullptr, 10));
    return weft_test::run_tests();
  }
  std::unique_ptr<weft::boot::Boot> boot;
  if (!weft::boot::connect(boot).ok()) return 1;
  process_peer = std::make_unique<Peer>(std::move(boot), false);
  const int failed = weft_test::run_tests();
  process_peer->finish();
  return failed;
}
