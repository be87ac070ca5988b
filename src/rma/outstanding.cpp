#include "rma/outstanding.hpp"

#include <algorithm>

namespace weft::rma {

Outstanding::Peer& Outstanding::find(RankId peer) {
  if (peers_ == nullptr) {
    peers_ = std::make_unique<std::unique_ptr<Peer>[]>(size_);
    if (region_ == nullptr) outside_ = peers_.get();
  }
  if (peers_[peer] == nullptr) {
    peers_[peer] = std::make_unique<Peer>();
    used_.push_back(peers_[peer].get());
  }
  return *peers_[peer];
}

Operation& Outstanding::find_implicit(RankId peer) {
  Peer& to = find(peer);
  if (region_ == nullptr) return to;
  if (to.part == nullptr) {
    to.part = &handles_->add_part(*region_);
    in_region_.push_back(&to);
  }
  return *to.part;
}

// A part that a flush in the open region took off its list comes back.
void Outstanding::list_implicit(RankId peer, Operation& operation) {
  if (region_ != nullptr)
    handles_->list(operation, peers_[peer]->listed);
  else
    operation.link(waiting_);
}

void Outstanding::begin_region(Operation& region) {
  region_ = &region;
  outside_ = nullptr;
}

void Outstanding::end_region() {
  for (Peer* peer : in_region_) peer->part = nullptr;
  in_region_.clear();
  region_ = nullptr;
  outside_ = peers_.get();
}

bool Outstanding::implicit_done() {
  while (waiting_ != nullptr && waiting_->remote_done()) waiting_->unlink();
  return waiting_ == nullptr;
}

bool Outstanding::implicit_local_done() const {
  if (region_ != nullptr) return region_->local_done();
  for (const Operation* operation = waiting_; operation != nullptr; operation = operation->next)
    if (!operation->local_done()) return false;
  return true;
}

bool Outstanding::all_done(RankId peer) {
  Peer* const to = peers_ != nullptr ? peers_[peer].get() : nullptr;
  return to == nullptr || all_done(*to);
}

bool Outstanding::all_done() {
  return std::ranges::all_of(used_, [this](Peer* peer) { return all_done(*peer); });
}

}  // namespace weft::rma
