// Runs tests on the conduits of a job, below everything else of Weft: a test gets a Conduit and what arrived on it.
//
//   TEST_THREAD_RANKS=3 conformance_test     each test makes the conduits of 3 ranks that are threads
//   weftrun -n 3 conformance_test            one conduit per process, which the tests share
//
// WEFT_CONDUIT, WEFT_MAP_PEERS, WEFT_STATS, WEFT_TRACE and WEFT_FAULT choose the conduit and its decorators.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "boot/boot.hpp"
#include "conduit/conduit.hpp"

namespace conformance {

using namespace weft::conduit;

/// Numbers of handlers that the fixture itself uses; tests take lower ones.
inline constexpr uint16_t first_internal_handler = 200;

/// One rank of the job: its conduit, and handlers that a test sets.
class Peer final : public AmSink {
 public:
  Peer(std::unique_ptr<weft::boot::Boot> boot, bool threads_multiple);

  Conduit& conduit() { return *conduit_; }
  RankId rank() const { return conduit_->rank(); }
  RankId size() const { return conduit_->size(); }
  RankId next() const { return (rank() + 1) % size(); }
  RankId previous() const { return (rank() + size() - 1) % size(); }
  /// As WEFT_CONDUIT would name it.
  const std::string& conduit_name() const { return conduit_name_; }
  /// Setting WEFT_MAP_PEERS.
  bool peers_mapped() const { return peers_mapped_; }
  bool segment_was_zero() const { return segment_was_zero_; }

  /// Runs for every message that arrives, in poll().
  std::function<void(const AmDelivery&)> on_message;

  /// One poll; yields the processor if nothing happened.
  int progress();
  void wait_until(const std::function<bool()>& done);
  /// Every rank has come here; all messages sent before are delivered, if the test waited for its own.
  void barrier();
  /// The same without the conduit: no rank polls meanwhile.
  void barrier_without_polling();

  /// Repeats an attempt until it is not declined.
  template <class Attempt>
  Result insist(Attempt attempt) {
    Result result;
    while ((result = attempt()) == Result::retry) progress();
    return result;
  }
  /// Insists, and waits for remote completion if it was posted.
  template <class Attempt>
  void complete(Completion& completion, Attempt attempt) {
    const uint64_t before = completion.remote.load();
    if (insist(attempt) == Result::posted)
      wait_until([&] { return completion.remote.load(std::memory_order_acquire) != before; });
  }
  void send(RankId peer, const AmMessage& message, AmClass message_class = AmClass::request);

  void deliver(const AmDelivery& message) override;
  /// The conduit is not used any more; collective.
  void finish();

 private:
  void send_late();

  std::unique_ptr<weft::boot::Boot> boot_;
  std::unique_ptr<Conduit> conduit_;
  std::string conduit_name_;
  bool peers_mapped_ = true;
  bool simulated_ = false;
  bool segment_was_zero_ = false;
  // The barrier: rank 0 counts the others and then tells them. Counts, so that an early message is not lost.
  std::atomic<uint64_t> arrivals_{0}, releases_{0};
  uint64_t barriers_ = 0;
};

/// Runs the body on every rank.
void on_every_peer(const std::function<void(Peer&)>& body);
/// The same with `threads_multiple`.
void on_every_peer_of_threads(const std::function<void(Peer&)>& body);
bool ranks_are_threads();

/// Somewhere in the segment that nobody else uses, in bytes from its start.
inline constexpr uint64_t base_offset = 4096;

}  // namespace conformance

#define CONDUIT_TEST(suite, name)                                             \
  static void suite##_##name##_on_rank(conformance::Peer& peer);              \
  TEST(suite, name) { conformance::on_every_peer(suite##_##name##_on_rank); } \
  static void suite##_##name##_on_rank([[maybe_unused]] conformance::Peer& peer)

/// In a CONDUIT_TEST: skips it, and says so, where the condition does not hold. All ranks must come to the same answer.
#define NEEDS(condition) \
  if (!(condition)) GTEST_SKIP() << "needs " #condition
