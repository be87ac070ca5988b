// Collectives that a transport carries out itself: by a network that the machine has for nothing else, or by the
// library beneath. A transport need not offer any; the layer above has algorithms for all of them.
//
// They are among all ranks of the job. Every rank begins the same ones in the same order. They are non-blocking: any
// number may be under way, and the ranks' poll() makes progress and counts completions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "conduit/conduit.hpp"

namespace weft::conduit {

enum class NativeOp : uint8_t { barrier, broadcast, gather_all, exchange, reduce_all };

/// How operands of a reduction are combined: result = left op right over `bytes` bytes; result may be left or right.
struct NativeFold {
  void (*combine)(const void* context, void* result, const void* left, const void* right, size_t bytes) = nullptr;
  const void* context = nullptr;
  size_t element = 1;  ///< bytes
  bool commutative = true;
};

/// Buffers stay as they are, and the fold's context stays valid, until the operation is complete.
struct NativeRequest {
  NativeOp op = NativeOp::barrier;
  size_t size = 0;  ///< bytes: of the vector, of a block where there is one for each rank
  RankId root = 0;
  /// May be the same in a reduction; in gather_all the source may be this rank's block of the destination.
  void* destination = nullptr;
  const void* source = nullptr;  ///< broadcast: null but on the root
  NativeFold fold = {};
};

class NativeCollectives {
 public:
  /// Whether such a call can be served. `commutative`: of a reduction. The same on every rank.
  virtual bool offers(NativeOp op, size_t size, bool commutative) const = 0;
  /// About how long it takes, in nanoseconds. The same on every rank.
  virtual double expected_ns(NativeOp op, size_t size) const = 0;
  /// Only if offered. `done`, `posted` or `retry`, as a transfer; complete remotely means complete on this rank.
  virtual Result begin(const NativeRequest& request, Completion* completion) = 0;

 protected:
  ~NativeCollectives() = default;
};

}  // namespace weft::conduit
