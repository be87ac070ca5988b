// The handlers of a rank: the program's, checked to be the same on all ranks, and the runtime's own.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "boot/boot.hpp"
#include "conduit/conduit.hpp"
#include "core/progress.hpp"
#include "weft/am.h"

namespace weft::core {

static_assert(conduit::am_program_handlers == WEFT_AM_HANDLERS);

/// A handler of the runtime. `self` is what it was registered with.
using InternalHandler = void (*)(void* self, const conduit::AmDelivery& message);

/// Numbers of the runtime's handlers, the same on every rank by construction. They follow the program's.
enum class Internal : uint16_t {
  table_entry = WEFT_AM_HANDLERS,
  put_chunk,
  get_request,
  get_reply,
  fill_request,
  atomic_request,
  atomic_reply,
  atomic_list,
  acknowledge,
  signal_request,
  vis_put,
  vis_get_request,
  vis_get_reply,
  barrier_word,
  collective_message,
  symmetric_call,
  counters,
  deadlock,
  end
};

constexpr uint16_t number_of(Internal handler) { return static_cast<uint16_t>(handler); }

class AmRegistry final : public conduit::AmSink {
 public:
  AmRegistry();

  /// Ends the job through `boot` if a message comes for a handler that does not exist.
  void deliver(const conduit::AmDelivery& message) override;
  const std::byte* only_sets(const conduit::AmDelivery& message) const override;
  bool concerns(const std::byte* begin, size_t size) const override {
    return progress_ == nullptr || progress_->concerns(begin, size);
  }
  void use(boot::Boot& boot) { boot_ = &boot; }
  void use(const Progress& progress) { progress_ = &progress; }

  void add_internal(Internal number, InternalHandler handler, void* self);
  /// One for messages that set a word in the segment and do nothing else. args: the word's offset, its value.
  void add_setter(Internal number, InternalHandler handler, std::byte* segment);

  /// Registers the program's handlers.
  Status add(const weft_am_entry_t* entries, size_t count);
  /// Compares those that were just added with the rank before's; a difference is logged with both names and returned as
  /// WEFT_ERR_MISMATCH. Collective; nobody may send before all have added theirs.
  /// `look` is called now and then while this waits.
  Status compare(const weft_am_entry_t* entries, size_t count, conduit::Conduit& conduit, Progress& progress,
                 const std::function<void()>& look);

 private:
  struct UserHandler {
    weft_am_handler_t handler = nullptr;
    std::string name;
  };
  struct InternalEntry {
    InternalHandler handler = nullptr;
    void* self = nullptr;
    bool is_setter = false;  // `self` is the segment
  };
  // One line of the left neighbour's table, as it arrived.
  struct RemoteEntry {
    uint64_t round, position, total;
    int index;
    std::string name;
  };

  [[noreturn]] void refuse(const conduit::AmDelivery& message);
  Status assign_one(const weft_am_entry_t& entry, std::vector<int>& indices);
  static void on_table_entry(void* self, const conduit::AmDelivery& message);

  boot::Boot* boot_ = nullptr;
  const Progress* progress_ = nullptr;
  std::vector<UserHandler> users_;  // by number; empty before the first, since a job has many ranks
  std::array<InternalEntry, static_cast<size_t>(Internal::end) - WEFT_AM_HANDLERS> internals_{};
  uint64_t round_ = 0;      // calls of add()
  std::vector<int> added_;  // by the last one
  std::vector<RemoteEntry> arrived_;
};

}  // namespace weft::core
