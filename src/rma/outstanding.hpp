// What a thread has begun and not waited for, by peer: the implicit-handle operations, which complete together, and
// what weft_flush() waits for, which is all that went to one peer, whatever its form.
//
// Every rank of the job costs 8 bytes once the thread needs the table. One that was sent something has an Operation for
// implicit-handle operations outside regions, used again and again, and a list of what has a handle: operations, and
// parts of access regions. Complete ones leave the list when they are retired, or when a flush meets them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "conduit/conduit.hpp"
#include "rma/handles.hpp"

namespace weft::rma {

using conduit::RankId;

class Outstanding {
 public:
  /// Before anything else, for a thread of a rank.
  void start(HandleTable& handles, RankId peers) {
    handles_ = &handles;
    size_ = peers;
  }

  /// Where an implicit-handle operation to the peer counts.
  Operation& implicit(RankId peer) {
    if (__builtin_expect(outside_ != nullptr && outside_[peer] != nullptr, 1)) return *outside_[peer];
    return find_implicit(peer);
  }
  /// It has been posted.
  void note_implicit(RankId peer, Operation& operation) {
    if (operation.place == nullptr) list_implicit(peer, operation);
  }
  /// An operation with a handle has been posted.
  void note(RankId peer, Operation& operation) {
    Peer* const to = __builtin_expect(outside_ != nullptr, 1) ? outside_[peer].get() : nullptr;
    handles_->list(operation, (__builtin_expect(to != nullptr, 1) ? *to : find(peer)).listed);
  }

  bool in_region() const { return region_ != nullptr; }
  void begin_region(Operation& region);
  void end_region();

  /// Whether all implicit-handle operations outside regions are remotely complete.
  bool implicit_done();
  /// Whether the sources of those of the open region, or else of those outside regions, may be reused.
  bool implicit_local_done() const;
  /// Whether all that went to the peer is remotely complete.
  bool all_done(RankId peer);
  /// The same for all peers.
  bool all_done();

 private:
  // The operation is that of the implicit handles outside regions; the list it is in is waiting_.
  struct Peer : Operation {
    Operation* listed = nullptr;  // the first with a handle; HandleTable's to change
    Operation* part = nullptr;    // of the open region
  };

  [[gnu::cold]] Peer& find(RankId peer);
  [[gnu::cold]] Operation& find_implicit(RankId peer);
  [[gnu::cold]] void list_implicit(RankId peer, Operation& operation);
  bool all_done(Peer& peer) { return peer.remote_done() && handles_->drop_done(peer.listed); }

  HandleTable* handles_ = nullptr;
  RankId size_ = 0;
  std::unique_ptr<std::unique_ptr<Peer>[]> peers_;  // by number; from the first use on
  std::unique_ptr<Peer>* outside_ = nullptr;        // the same, but null in a region
  std::vector<Peer*> used_;                         // those that exist
  Operation* waiting_ = nullptr;                    // the first of the peers' operations that may not be complete
  Operation* region_ = nullptr;                     // the open one
  std::vector<Peer*> in_region_;                    // have a part of it
};

}  // namespace weft::rma
