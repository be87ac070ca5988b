#include "conduit/hook/fault.hpp"

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <string_view>

#include "base/log.hpp"
#include "base/parse.hpp"
#include "conduit/hook/forwarding.hpp"
#include "os/clock.hpp"

namespace weft::conduit::hook {
namespace {

struct Dice {
  double refuse = 0, delay = 0, hold = 0.5, reorder = 0;
  uint64_t seed = 0;
};

class Fault final : public Forwarding {
 public:
  Fault(std::unique_ptr<Conduit> inner_conduit, const Dice& dice)
      : Forwarding(std::move(inner_conduit)), dice_(dice), random_(dice.seed + inner().rank()) {}

  Result put(RankId peer, uint64_t offset, const void* source, size_t size, TransferFlags flags,
             Completion* completion) override {
    return run([=, this] { return inner().put(peer, offset, source, size, flags, completion); }, completion);
  }
  Result get(void* destination, RankId peer, uint64_t offset, size_t size, Completion* completion) override {
    return run([=, this] { return inner().get(destination, peer, offset, size, completion); }, completion);
  }
  Result fill(RankId peer, uint64_t offset, uint8_t byte, size_t size, Completion* completion) override {
    return run([=, this] { return inner().fill(peer, offset, byte, size, completion); }, completion);
  }
  Result atomic(RankId peer, uint64_t offset, const AtomicRequest& request, Completion* completion) override {
    return run([=, this] { return inner().atomic(peer, offset, request, completion); }, completion);
  }
  Result put_signal(RankId peer, uint64_t offset, const void* source, size_t size, uint64_t signal_offset,
                    uint64_t value, SignalOp op, Completion* completion) override {
    return run(
        [=, this] { return inner().put_signal(peer, offset, source, size, signal_offset, value, op, completion); },
        completion);
  }

  // Messages keep their order and replies must not be declined, so requests are refused and nothing is delayed.
  Result am_send(RankId peer, AmClass message_class, const AmMessage& message) override {
    if (message_class == AmClass::request && roll(dice_.refuse)) return Result::retry;
    return inner().am_send(peer, message_class, message);
  }
  Result am_prepare(RankId peer, AmClass message_class, size_t capacity, AmRoom& room) override {
    if (message_class == AmClass::request && roll(dice_.refuse)) return Result::retry;
    return inner().am_prepare(peer, message_class, capacity, room);
  }

  int poll() override { return inner().poll() + run_delayed(); }
  int poll_all() override { return inner().poll_all() + run_delayed(); }

  // Delayed work is this rank's own to do: it must not sleep on it.
  void doze(uint64_t timeout_ns) override {
    {
      std::lock_guard guard(mutex_);
      if (!delayed_.empty()) return;
    }
    inner().doze(timeout_ns);
  }

 private:
  struct Delayed {
    std::function<Result()> operation;
    Completion* completion;
  };

  bool roll(double probability) {
    if (probability <= 0) return false;
    std::lock_guard guard(mutex_);
    return std::uniform_real_distribution<>(0, 1)(random_) < probability;
  }

  template <class Operation>
  Result run(Operation operation, Completion* completion) {
    if (roll(dice_.refuse)) return Result::retry;
    if (!roll(dice_.delay)) return operation();
    std::lock_guard guard(mutex_);
    delayed_.push_back({operation, completion});
    return Result::posted;
  }

  // Each poll lets some of the delayed operations happen, all in the long run.
  int run_delayed() {
    int done = 0;
    while (!roll(dice_.hold)) {
      Delayed next;
      {
        std::lock_guard guard(mutex_);
        if (delayed_.empty()) break;
        size_t index = 0;
        if (std::uniform_real_distribution<>(0, 1)(random_) < dice_.reorder)
          index = std::uniform_int_distribution<size_t>(0, delayed_.size() - 1)(random_);
        next = std::move(delayed_[index]);
        delayed_.erase(delayed_.begin() + static_cast<std::ptrdiff_t>(index));
      }
      Result result = next.operation();
      if (result == Result::retry) {
        std::lock_guard guard(mutex_);
        delayed_.push_back(std::move(next));
      } else if (result == Result::done) {
        next.completion->finish_local();
        next.completion->finish_remote();
        ++done;
      }
    }
    return done;
  }

  Dice dice_;
  std::mutex mutex_;
  std::mt19937_64 random_;
  std::deque<Delayed> delayed_;
};

bool parse_dice(const std::string& text, Dice& dice) {
  size_t position = 0;
  while (position < text.size()) {
    size_t end = text.find(',', position);
    if (end == std::string::npos) end = text.size();
    const std::string item = text.substr(position, end - position);
    position = end + 1;
    size_t equals = item.find('=');
    if (equals == std::string::npos) return false;
    const std::string_view key = std::string_view(item).substr(0, equals);
    const std::string_view value = std::string_view(item).substr(equals + 1);
    if (key == "seed") {
      const auto seed = base::parse_number<uint64_t>(value);
      if (!seed) return false;
      dice.seed = *seed;
    } else {
      const std::optional<double> probability = base::parse_real(value);
      if (!probability || *probability < 0 || *probability > 1) return false;
      if (key == "refuse" && *probability < 1)
        dice.refuse = *probability;
      else if (key == "delay")
        dice.delay = *probability;
      else if (key == "hold" && *probability < 1)
        dice.hold = *probability;
      else if (key == "reorder")
        dice.reorder = *probability;
      else
        return false;
    }
  }
  return true;
}

}  // namespace

Status wrap_fault(const base::Settings& settings, std::unique_ptr<Conduit>& conduit) {
  Dice dice;
  dice.seed = os::now_ns();
  if (!parse_dice(settings.fault, dice)) {
    base::log_error(
        "setting WEFT_FAULT is '%s', expected for example refuse=0.1,delay=0.5,hold=0.5,reorder=0.5,"
        "seed=1 with probabilities from 0 to 1 (refuse and hold below 1)",
        settings.fault.c_str());
    return WEFT_ERR_INVALID;
  }
  base::log(base::LogLevel::info, "injecting faults: refuse=%g,delay=%g,hold=%g,reorder=%g,seed=%llu", dice.refuse,
            dice.delay, dice.hold, dice.reorder, static_cast<unsigned long long>(dice.seed));
  conduit = std::make_unique<Fault>(std::move(conduit), dice);
  return {};
}

}  // namespace weft::conduit::hook
