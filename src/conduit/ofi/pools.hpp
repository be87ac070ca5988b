// What libfabric works with while an operation is under way: its context, and the buffer that its data lies in.
// Both come from pools, so that no operation allocates; the pools grow in the rare case that a message which must not
// wait (a reply) finds them empty.
#pragma once

#include <array>
#include <cstdlib>
#include <memory>
#include <vector>

#include "conduit/conduit.hpp"
#include "conduit/ofi/library.hpp"
#include "conduit/ofi/wire.hpp"

namespace weft::conduit::ofi {

inline constexpr size_t max_rails = 4;

/// Pieces of memory, here or there, that one message may have at most.
inline constexpr size_t gather_max = 4;

/// Whole pages.
struct FreeAligned {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};
using AlignedBytes = std::unique_ptr<std::byte[], FreeAligned>;
inline AlignedBytes aligned_bytes(size_t size) {
  constexpr size_t page = 4096;
  const size_t whole_pages = (size + page - 1) / page * page;  // aligned_alloc takes nothing else
  return AlignedBytes(static_cast<std::byte*>(std::aligned_alloc(page, whole_pages)));
}

class Rail;
struct CachedRegistration;

/// A buffer for one message or one small transfer. Registered on every rail that needs it.
struct Buffer {
  std::byte* data = nullptr;
  Buffer* next = nullptr;
  std::array<void*, max_rails> descriptor{};
};

/// One operation of libfabric. libfabric's own part comes first: it hands its address back on completion.
struct Operation {
  enum class Kind : uint8_t { receive, send, put, get, signal_put };

  fi_context2 context{};
  Kind kind = Kind::send;
  bool local_counted = false;                         // the Completion's local count went up already
  bool write_finished = false, acknowledged = false;  // signal_put: both must happen
  uint8_t rail = 0;
  RankId peer = 0;
  uint32_t parts = 1;           // of a large transfer: still under way, or to begin
  size_t begun = 0;             // of a large transfer: bytes whose parts have begun
  Operation* whole = nullptr;   // of a part: the transfer it belongs to
  Operation* behind = nullptr;  // another one of its kind that travels in the same message
  Completion* completion = nullptr;
  Buffer* buffer = nullptr;
  CachedRegistration* registration = nullptr;
  // The transfer.
  std::byte* local = nullptr;
  void* descriptor = nullptr;
  uint64_t offset = 0;
  size_t size = 0;
  uint64_t flags = 0;
  std::byte* destination = nullptr;  // get through a buffer: where its bytes belong
  // signal_put
  uint64_t signal_offset = 0, signal_value = 0;
  SignalOp signal_op = SignalOp::set;
  Operation* next = nullptr;  // in the pool
};
static_assert(offsetof(Operation, context) == 0);

/// Not thread-safe: used under the conduit's lock.
class Pools {
 public:
  /// `rails` are those that need local memory registered; they outlive the pools.
  Status open(const std::vector<std::unique_ptr<Rail>>& rails);
  ~Pools();

  /// Null if all are in use.
  Operation* take_operation();
  void give_back(Operation* operation);
  /// Null if all are in use and growing would pass the limit; `must` disregards the limit.
  Buffer* take_buffer(bool must);
  void give_back(Buffer* buffer) {
    buffer->next = free_buffers_;
    free_buffers_ = buffer;
  }
  /// As take_operation(), for messages that must not wait.
  Operation* take_operation_grow();

 private:
  static constexpr size_t buffers_at_once = 32;
  static constexpr size_t buffers_limit = 256;
  static constexpr size_t operations_at_once = 256;
  static constexpr size_t operations_limit = 4096;

  struct BufferBlock {
    AlignedBytes memory;
    std::vector<Buffer> buffers;
    std::vector<Owned<fid_mr>> registrations;
  };

  bool grow_buffers();
  void grow_operations();

  const std::vector<std::unique_ptr<Rail>>* rails_ = nullptr;
  std::vector<BufferBlock> blocks_;
  std::vector<std::unique_ptr<Operation[]>> operations_;
  Buffer* free_buffers_ = nullptr;
  Operation* free_operations_ = nullptr;
  size_t buffer_count_ = 0, operation_count_ = 0;
};

}  // namespace weft::conduit::ofi
