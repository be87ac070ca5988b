// Non-contiguous transfers to a peer that is not mapped: large pieces go as transfers of their own, small ones are
// packed into active messages, as many as one holds. Where the conduit has puts and gets that need no message of the
// target, all pieces go as transfers.
//
// A packed put is a medium message: a list of parts, then their bytes. A packed get is a medium message with such a
// list; the reply is the bytes, which the requester scatters by its own list. Form says how short a list is.
#pragma once

#include <memory>
#include <vector>

#include "rma/one_sided.hpp"
#include "rma/pieces.hpp"

namespace weft::rma {

class Packer {
 public:
  enum class Direction { put, get };

  Packer(OneSided& rma, Operation& operation, RankId peer, Direction direction, Flags flags);

  /// One contiguous piece. After a piece was declined the others are ignored.
  void add(uint64_t offset, std::byte* local, size_t size);
  /// Many pieces of one size.
  void add(const Pairs& pairs);
  /// Sends what is left. done if nothing had to be sent, posted, or retry if the first message was declined.
  Result finish();

  /// Installs the handlers of both sides.
  static void install(core::Rank& rank);

 private:
  /// How a message lists its parts.
  enum class Form : uint64_t {
    general,  // offset and size, 16 bytes a part
    near,     // of one size, within 4 GiB: 4 bytes a part
    regular,  // of one size, at one distance from part to part: no list
  };
  struct Piece {
    uint64_t offset;
    uint64_t size;
    std::byte* local;
  };
  /// What decides the form of a list that grows.
  struct Shape {
    size_t count = 0;
    size_t data = 0;    // bytes of all parts
    uint64_t size = 0;  // of each part; 0: they differ
    uint64_t first = 0, last = 0, lowest = 0, highest = 0;
    uint64_t distance = 0;  // from part to part, modulo 2^64, if that is so
    bool regular = true;

    void add(uint64_t offset, uint64_t size_of_part);
    Form form() const;
    size_t list_bytes() const;
  };
  // What a get's reply needs to know when it is back.
  struct Scatter;

  bool goes_alone(size_t size) const;
  bool immediate_now() const { return flags_.immediate && !begun_; }
  void note(Result result);
  void add_part(uint64_t offset, std::byte* local, size_t size);
  void flush();
  bool send_near(const Pairs& pairs);
  void send(const Shape& shape, Form form, const std::byte* payload, size_t size, std::unique_ptr<Scatter> scatter);
  static void on_put(void* self, const conduit::AmDelivery& message);
  static void on_get_request(void* self, const conduit::AmDelivery& message);
  static void on_get_reply(void* self, const conduit::AmDelivery& message);
  struct Received;

  OneSided& rma_;
  Operation& operation_;
  RankId peer_;
  Direction direction_;
  Flags flags_;
  size_t room_;         // bytes of list and data that a message holds
  bool begun_ = false;  // some of it has taken effect or will: nothing can be declined any more
  bool posted_ = false;
  bool declined_ = false;
  Shape shape_;
  std::vector<Piece> pieces_;
};

}  // namespace weft::rma
