// One interface: libfabric's objects for it, and this rank's segment registered there.
#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "boot/boot.hpp"
#include "conduit/ofi/library.hpp"
#include "conduit/ofi/pools.hpp"
#include "conduit/ofi/provider.hpp"

struct iovec;

namespace weft::conduit::ofi {

/// What peers do with a segment, and what this rank does with memory of its own.
inline constexpr uint64_t segment_access = FI_REMOTE_READ | FI_REMOTE_WRITE | FI_READ | FI_WRITE | FI_SEND | FI_RECV;
inline constexpr uint64_t local_access = FI_READ | FI_WRITE | FI_SEND | FI_RECV;

/// Where a peer's segment is on a rail: what peers learn of each other through boot.
struct RemoteSegment {
  fi_addr_t address = FI_ADDR_UNSPEC;
  uint64_t base = 0;  // what libfabric calls the segment's first byte
  uint64_t key = 0;
};

class Rail {
 public:
  /// Makes the endpoint; it receives nothing before buffers are posted. The library and the description outlive it.
  struct Options {
    Order order = Order::standard;
    bool wait = true;             // there shall be something to sleep on
    bool register_local = false;  // also where the provider does not ask for it
  };
  static Status open(const Library& library, Info info, size_t index, size_t ranks, const Options& options,
                     std::unique_ptr<Rail>& rail);
  /// Registers the segment with a random key.
  Status register_segment(std::byte* segment, size_t size);
  Status register_memory(const void* start, size_t size, uint64_t access, Owned<fid_mr>& registration);

  /// This rank's address, key and segment base, printable, and the same of a peer made usable.
  Status publish(std::string& text) const;
  Status connect(const std::string& text, RemoteSegment& remote);

  /// Nothing is received or sent any more; memory that was lent to the endpoint is free. Registrations remain.
  void close_endpoint() {
    segment_.reset();
    endpoint_.reset();
  }

  /// Whether the memory of one operation ends here and there where that of the other begins.
  static bool adjoin(const Operation& one, const Operation& other) {
    return one.local + one.size == other.local && one.offset + one.size == other.offset &&
           one.descriptor == other.descriptor;
  }

  size_t index() const { return index_; }
  bool registers_local_memory() const { return register_local_ || (info_->domain_attr->mr_mode & FI_MR_LOCAL) != 0; }
  void* segment_descriptor() const { return fi_mr_desc(segment_.get()); }
  /// Whether a put arrives only while its target calls libfabric.
  bool target_polls() const { return info_->domain_attr->data_progress == FI_PROGRESS_MANUAL; }
  /// Whether messages travel by libfabric's reliable datagrams (rxd), around whose faults (1.17) the conduit works:
  ///   - it mixes up messages of several senders in a receive buffer for many: such buffers take one;
  ///   - a message that finds no buffer is kept, and when it gets one, the rest of a write that comes in from the same
  ///     sender goes astray: there are always more buffers than messages that one look at the queue can bring
  ///     (datagrams_per_look, and one per peer whose packets are not all here), each look takes out everything, and
  ///     a buffer is posted again at once;
  ///   - it overruns its queue of sent and received packets when many are under way: datagram_window is small;
  ///   - it drops messages without a word when too many wait to be sent: sends are counted, and none goes uncounted;
  ///   - what waits behind a read may be overtaken: reads and others never wait together, see State::may_begin();
  ///   - it resends by the clock, so it must not sleep for long.
  bool datagrams() const { return info_->ep_attr->protocol == FI_PROTO_RXD; }
  size_t payload_max() const {
    const uint32_t protocol = info_->ep_attr->protocol;
    const bool layered = protocol == FI_PROTO_RXM || protocol == FI_PROTO_RXM_TCP || datagrams();
    return layered ? layered_payload_max : largest_payload;
  }
  /// Whether a receive buffer for many messages may be given back before all in it are complete: tcp;ofi_rxm with what
  /// it calls dynamic receive buffers, and net (libfabric 1.17).
  bool gives_buffers_back_early() const {
    const uint32_t protocol = info_->ep_attr->protocol;
    return protocol == FI_PROTO_RXM || protocol == FI_PROTO_RXM_TCP || protocol == FI_PROTO_XNET;
  }
  /// Whether each buffer that is posted lets but one of the senders go on that have found none: net, and what tcp has
  /// become after 1.18. Whoever is not its turn waits for the next one to be posted, however much room there is.
  bool each_buffer_frees_one_sender() const { return info_->ep_attr->protocol == FI_PROTO_XNET; }
  size_t inject_size() const { return info_->tx_attr->inject_size; }
  size_t inject_message_size() const { return datagrams() ? 0 : inject_size(); }
  /// Completions that one look at the queue may bring.
  size_t completions_per_look() const {
    return datagrams() ? 2 * info_->tx_attr->size + info_->rx_attr->size : usual_completions_per_look;
  }
  /// Messages that may wait to be received, and to be sent.
  size_t receive_limit() const { return info_->rx_attr->size; }
  size_t send_limit() const { return info_->tx_attr->size; }
  /// How many pieces of memory here and there one write or read may have.
  size_t pieces() const { return std::min({info_->tx_attr->iov_limit, info_->tx_attr->rma_iov_limit, gather_max}); }
  /// FI_ORDER_... that the endpoint keeps.
  uint64_t order() const { return info_->tx_attr->msg_order; }
  const fi_info& info() const { return *info_; }
  const Library& library() const { return *library_; }

  // 0 or a negative error, -FI_EAGAIN among them.
  ssize_t post_receive(std::byte* data, size_t size, void* descriptor, Operation& operation);
  ssize_t send(fi_addr_t to, const std::byte* data, size_t size, void* descriptor, Operation* operation);
  /// Of at most inject_message_size() bytes; `data` may be reused at once.
  ssize_t inject(fi_addr_t to, const std::byte* data, size_t size) {
    return fi_inject(endpoint_.get(), data, size, to);
  }
  /// With all operations behind this one, at most pieces() of them that do not adjoin().
  ssize_t write(const RemoteSegment& remote, Operation& operation);
  ssize_t read(const RemoteSegment& remote, Operation& operation);

  /// How many were taken; -FI_EAGAIN if there are none; -FI_EAVAIL: take_error() next.
  ssize_t take(std::span<fi_cq_data_entry> entries) { return fi_cq_read(queue_.get(), entries.data(), entries.size()); }
  bool take_error(fi_cq_err_entry& entry);
  std::string error_text(const fi_cq_err_entry& entry) const;

  /// The descriptor that becomes readable when there may be completions; -1 if the provider has none.
  int wait_descriptor() const { return wait_descriptor_; }
  /// True if nothing is there, so that one may sleep on the descriptor.
  bool may_sleep();

 private:
  static constexpr size_t usual_completions_per_look = 32;

  Rail(const Library& library, Info info, size_t index) : library_(&library), info_(std::move(info)), index_(index) {}

  Status open_objects(size_t ranks, bool wait);
  Status open_queue(size_t ranks, bool wait);
  Status failed(const char* call, ssize_t result) const;

  const Library* library_;
  Info info_;
  size_t index_;
  // In this order: each is closed before those that it was made from.
  Owned<fid_fabric> fabric_;
  Owned<fid_domain> domain_;
  Owned<fid_av> addresses_;
  Owned<fid_cq> queue_;
  Owned<fid_ep> endpoint_;
  Owned<fid_mr> segment_;
  std::byte* segment_start_ = nullptr;
  int wait_descriptor_ = -1;
  bool register_local_ = false;
};

}  // namespace weft::conduit::ofi
