// Non-contiguous transfers to a peer that is not mapped: large pieces go as transfers of their own, small ones are
// packed into active messages, as many as one holds. Where the conduit has puts and gets that need no message of the
// target, all pieces go as transfers.
//
// A packed put is a medium message: the number of parts, their offsets and sizes, then their bytes. A packed get is a
// medium message with offsets and sizes; the reply is the bytes, which the requester scatters by its own list.
#pragma once

#include <memory>
#include <vector>

#include "rma/engine.hpp"

namespace weft::rma {

class Packer {
 public:
  enum class Direction { put, get };

  Packer(Engine& engine, Operation& operation, RankId peer, Direction direction, Flags flags);

  /// One contiguous piece. After a piece was declined the others are ignored.
  void add(uint64_t offset, std::byte* local, size_t size);
  /// Sends what is left. done if nothing had to be sent, posted, or retry if the first message was declined.
  Result finish();

  /// Installs the handlers of both sides.
  static void install(core::Rank& rank);

 private:
  struct WirePart {
    uint64_t offset;
    uint64_t size;
  };
  // What a get's reply needs to know when it is back.
  struct Scatter;

  bool immediate_now() const { return flags_.immediate && !begun_; }
  void note(Result result);
  void flush();
  static void on_put(void* self, const conduit::AmDelivery& message);
  static void on_get_request(void* self, const conduit::AmDelivery& message);
  static void on_get_reply(void* self, const conduit::AmDelivery& message);

  Engine& engine_;
  Operation& operation_;
  RankId peer_;
  Direction direction_;
  Flags flags_;
  size_t room_;       // bytes of parts and data that a message holds
  bool begun_ = false;   // some of it has taken effect or will: nothing can be declined any more
  bool posted_ = false;
  bool declined_ = false;
  std::vector<WirePart> parts_;
  std::vector<std::byte*> local_;
  size_t data_size_ = 0;
};

}  // namespace weft::rma
