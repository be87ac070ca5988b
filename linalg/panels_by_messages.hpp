// Finished panels of a Cholesky factorisation where not all memory is mapped: their owners put them, some block rows at
// a time, to the ranks that need them.
//
// Each rank has an inbox for the next `slots` panels. In it are the block rows that it needs: those of its grid row, to
// multiply from the left, and those with the numbers of its block columns, to multiply from the right. What has come
// is copied to where the two stand as one array each; rows from the left that a rank has all itself are read in place.
// A panel's slot is free when the panel is applied to all columns; then the rank gives a credit to those who fill it
// next.
//
// A sender has few bytes under way, so that a diagonal block, or the block row that the next column waits for, need not
// queue behind a whole panel. It sends on in progress(), which the multiplications call between their pieces.
#pragma once

#include <weft/job.h>

#include <deque>
#include <span>

#include "linalg/potrf_blocks.hpp"

namespace weft::la {

template <class T>
class PanelsByMessages {
 public:
  static constexpr bool take_room = true;  ///< until they are applied to all columns
  explicit PanelsByMessages(const Blocks& blocks)
      : blocks_(blocks),
        grid_(blocks.grid),
        me_(grid_.member(grid_.row, grid_.column)),
        first_row_(blocks.local_row(grid_.row, 0)),
        first_column_(blocks.local_column(grid_.column, 0)),
        left_leading_(blocks.local_row(grid_.row, blocks.count) - first_row_),
        right_leading_(blocks.local_column(grid_.column, blocks.count) - first_column_),
        square_(blocks.size * blocks.size),
        chunk_(std::max<int64_t>(1, chunk_bytes / (square_ * static_cast<int64_t>(sizeof(T))))),
        inbox_(inbox_of(grid_.row, grid_.column)),
        taken_(static_cast<size_t>(slots * inbox_.chunks), 0),
        words_(grid_, first_chunk_word() + taken_.size()),
        memory_(bytes(slots * inbox_.places * square_)),
        diagonals_(bytes(right_leading_ * blocks.size)),
        left_(bytes(is_left_in_place() ? 0 : left_leading_ * slots * blocks.size)),
        right_(bytes(right_leading_ * slots * blocks.size)) {
    for (uint32_t r = 0; r < grid_.rows; ++r)
      for (uint32_t c = 0; c < grid_.columns; ++c) {
        Inbox inbox = inbox_of(r, c);
        peers_.push_back({std::move(inbox.shares[grid_.row]), inbox.places, inbox.chunks});
      }
  }
  size_t missing() const {
    return words_.missing() + memory_.missing() + diagonals_.missing() + left_.missing() + right_.missing();
  }
  void exchange() {
    words_.exchange();
    inboxes_ = grid_.everyones(memory_.offset());
    diagonals_of_ = grid_.everyones(diagonals_.offset());
  }

  void send_diagonal(int64_t k) {
    const int64_t width = blocks_.width(k);
    for (uint32_t r = 0; r < grid_.rows; ++r) {
      if (r == grid_.row || !blocks_.has_rows_behind(r, k)) continue;
      std::vector<T> data(static_cast<size_t>(width * width));
      copy_block(WEFT_LA_NONE, width, width, own(k, k), leading(), data.data(), width);
      const uint32_t member = grid_.member(r, grid_.column);
      put(std::move(data), member, diagonals_of_[member] + bytes(diagonal_place(k)), diagonal_word(k), 1);
    }
  }
  weft_signal_condition_t diagonal_arrived(int64_t k) const { return words_.at_least(diagonal_word(k), 1); }
  View<T> diagonal(int64_t k) const {
    if (words_.value(diagonal_word(k)) == 0) return {};
    return {diagonals_.template data<T>() + diagonal_place(k), blocks_.width(k)};
  }

  void finished(int64_t k) {
    finished_ = k + 1;
    if (k >= slots) ++credits_;
    for (uint32_t turn = 1; turn < grid_.size(); ++turn) {
      const uint32_t member = (me_ + turn) % grid_.size(), c = member % grid_.columns;
      const Share& share = peers_[member].share;
      if (!blocks_.has_columns_behind(c, k) || share.blocks.empty() || share.blocks.back() <= k) continue;
      sends_.push_back({k, member, first_chunk_behind(share, k), credits_, true});
    }
    send_on();
  }

  int64_t arrived(int64_t applied) {
    send_on();
    for (; released_ < std::min(applied, arrived_); ++released_) give_credits(released_ + slots);
    while (arrived_ < blocks_.count && arrived_ < applied + slots && take(arrived_)) ++arrived_;
    return arrived_;
  }
  // That needs this rank's rows, and one block row for the right side.
  bool next_column_is_served() const {
    const int64_t k = arrived_;
    const uint32_t p = blocks_.row_owner(k + 1);
    const Share& share = inbox_.shares[p];
    if (!is_taken(k, p, first_chunk_behind(share, k))) return false;
    for (int64_t c = first_chunk_behind(inbox_.shares[grid_.row], k); c < chunks_of(inbox_.shares[grid_.row]); ++c)
      if (!is_taken(k, grid_.row, c)) return false;
    return true;
  }
  bool add_conditions(int64_t applied, std::vector<weft_signal_condition_t>& conditions) const {
    for (const Send& send : sends_) {
      if (has_room(send)) return false;
      conditions.push_back(words_.at_least(credit_word(send.member), send.credits));
    }
    const int64_t k = arrived_;
    if (k >= blocks_.count || k >= applied + slots) return true;
    for (uint32_t p = 0; p < grid_.rows; ++p)
      for (int64_t c = first_chunk_behind(inbox_.shares[p], k); c < chunks_of(inbox_.shares[p]); ++c)
        if (!is_taken(k, p, c) && !is_own(k, p)) conditions.push_back(words_.at_least(word_of(k, p, c), value_of(k)));
    return true;
  }
  bool wait_to_send() {
    if (under_way_.empty() || std::none_of(sends_.begin(), sends_.end(), [&](const Send& s) { return has_room(s); }))
      return false;
    weft_handle_wait_some(handles_.data(), handles_.size());
    forget_what_is_there();
    send_on();
    return true;
  }
  bool sending() const { return !sends_.empty(); }
  void wait_for_all() {
    weft_handle_wait_all(handles_.data(), handles_.size());
    handles_.clear();
  }

  template <class Use>
  void for_groups(std::span<const int64_t> columns, int64_t begin, int64_t end, Use use) const {
    const int64_t j = columns.front();
    for (int64_t k = begin; k < end;) {
      const int64_t stop = std::min(end, (k / slots + 1) * slots);  // where the slots begin again
      const View<T> from_left =
          is_left_in_place() ? View<T>{blocks_.template own<T>(j, k), leading()} : View<T>{left(j, k), left_leading_};
      use(PanelGroup<T>{blocks_.start(stop) - blocks_.start(k), from_left, {right(j, k), right_leading_}});
      k = stop;
    }
  }
  void progress() {
    weft_poll();
    send_on();
  }

 private:
  static constexpr int64_t slots = 8;
  static constexpr int64_t chunk_bytes = 64 << 10;   // that are put at once, or one block
  static constexpr size_t window_bytes = 256 << 10;  // under way

  // Of the block rows that a rank needs, those of one grid row: where they begin in each slot of its inbox, in blocks,
  // and which of its words for chunks are theirs.
  struct Share {
    std::vector<int64_t> blocks;
    int64_t first_place = 0, first_chunk = 0;
  };
  struct Inbox {
    std::vector<Share> shares;  // by grid rows
    int64_t places = 0, chunks = 0;
  };
  struct Peer {
    Share share;  // what this rank sends it
    int64_t places, chunks;
  };
  struct Send {
    int64_t k;
    uint32_t member;
    int64_t chunk;     // the next one
    uint64_t credits;  // that the member must have given
    bool first;        // nothing is sent yet
  };

  Inbox inbox_of(uint32_t r, uint32_t c) const {
    Inbox inbox{.shares = std::vector<Share>(grid_.rows)};
    for (int64_t b = 0; b < blocks_.count; ++b) {
      const uint32_t p = blocks_.row_owner(b);
      if (p == r || blocks_.column_owner(b) == c) inbox.shares[p].blocks.push_back(b);
    }
    for (Share& share : inbox.shares) {
      share.first_place = inbox.places;
      share.first_chunk = inbox.chunks;
      inbox.places += static_cast<int64_t>(share.blocks.size());
      inbox.chunks += chunks_of(share);
    }
    return inbox;
  }
  int64_t chunks_of(const Share& share) const {
    return (static_cast<int64_t>(share.blocks.size()) + chunk_ - 1) / chunk_;
  }
  static int64_t first_behind(const Share& share, int64_t k) {
    return std::upper_bound(share.blocks.begin(), share.blocks.end(), k) - share.blocks.begin();
  }

  // chunks_of() if there is none.
  int64_t first_chunk_behind(const Share& share, int64_t k) const {
    const int64_t first = first_behind(share, k);
    return first == static_cast<int64_t>(share.blocks.size()) ? chunks_of(share) : first / chunk_;
  }

  // Words: credits by members; diagonal blocks; chunks of the inbox.
  size_t credit_word(uint32_t member) const { return member; }
  size_t diagonal_word(int64_t k) const { return grid_.size() + static_cast<size_t>(k); }
  size_t first_chunk_word() const { return diagonal_word(blocks_.count); }
  static size_t chunk_number(int64_t k, int64_t chunks, int64_t chunk) {
    return static_cast<size_t>(k % slots * chunks + chunk);
  }
  size_t number_of(int64_t k, uint32_t p, int64_t chunk) const {
    return chunk_number(k, inbox_.chunks, inbox_.shares[p].first_chunk + chunk);
  }
  size_t word_of(int64_t k, uint32_t p, int64_t chunk) const { return first_chunk_word() + number_of(k, p, chunk); }
  static uint64_t value_of(int64_t k) { return static_cast<uint64_t>(k + 1); }

  static size_t bytes(int64_t elements) { return static_cast<size_t>(elements) * sizeof(T); }
  int64_t leading() const { return blocks_.matrix.leading(); }
  const T* own(int64_t block_row, int64_t k) const { return blocks_.template own<T>(block_row, k); }
  bool is_own(int64_t k, uint32_t p) const { return p == grid_.row && blocks_.column_owner(k) == grid_.column; }
  int64_t diagonal_place(int64_t k) const {
    return (blocks_.local_column(grid_.column, k) - first_column_) * blocks_.size;
  }

  // ---- Sending ----

  bool has_room(const Send& send) const { return words_.value(credit_word(send.member)) >= send.credits; }

  void send_on() {
    if (!handles_.empty() && weft_handle_test_some(handles_.data(), handles_.size()) == 1) forget_what_is_there();
    for (auto send = sends_.begin(); send != sends_.end();) {
      const int64_t chunks = chunks_of(peers_[send->member].share);
      while (send->chunk < chunks && has_room(*send) && (send->first || bytes_under_way_ < window_bytes))
        send_chunk(*send);
      send = send->chunk == chunks ? sends_.erase(send) : send + 1;
    }
  }
  void send_chunk(Send& send) {
    const Peer& peer = peers_[send.member];
    const Share& share = peer.share;
    const int64_t begin = std::max(first_behind(share, send.k), send.chunk * chunk_);
    const int64_t end = std::min(static_cast<int64_t>(share.blocks.size()), (send.chunk + 1) * chunk_);
    const int64_t columns = blocks_.width(send.k), last = blocks_.width(share.blocks[static_cast<size_t>(end - 1)]);
    std::vector<T> data(static_cast<size_t>((end - begin - 1) * square_ + last * columns));
    for (int64_t i = begin; i < end; ++i) {
      const int64_t b = share.blocks[static_cast<size_t>(i)], rows = blocks_.width(b);
      copy_block(WEFT_LA_NONE, rows, columns, own(b, send.k), leading(), data.data() + (i - begin) * square_, rows);
    }
    const int64_t place = (send.k % slots * peer.places + share.first_place + begin) * square_;
    put(std::move(data), send.member, inboxes_[send.member] + bytes(place),
        first_chunk_word() + chunk_number(send.k, peer.chunks, share.first_chunk + send.chunk), value_of(send.k));
    ++send.chunk;
    send.first = false;
  }
  void put(std::vector<T> data, uint32_t member, size_t place, size_t word, uint64_t value) {
    bytes_under_way_ += data.size() * sizeof(T);
    under_way_.push_back(std::move(data));
    handles_.push_back(WEFT_HANDLE_DONE);
    const std::vector<T>& source = under_way_.back();
    weft_put_signal_nb(grid_.ranks[member], place, source.data(), source.size() * sizeof(T), words_.place(member, word),
                       value, WEFT_SIGNAL_SET, 0, &handles_.back());
  }
  void forget_what_is_there() {
    for (size_t i = handles_.size(); i-- > 0;) {
      if (handles_[i] != WEFT_HANDLE_DONE) continue;
      bytes_under_way_ -= under_way_[i].size() * sizeof(T);
      std::swap(under_way_[i], under_way_.back());
      std::swap(handles_[i], handles_.back());
      under_way_.pop_back();
      handles_.pop_back();
    }
  }
  // To those who send panel k.
  void give_credits(int64_t k) {
    if (k >= blocks_.count) return;
    for (uint32_t r = 0; r < grid_.rows; ++r) {
      const uint32_t member = grid_.member(r, blocks_.column_owner(k));
      if (member != me_) words_.add(member, credit_word(me_), 1);
    }
  }

  // ---- Taking what has come ----

  bool is_taken(int64_t k, uint32_t p, int64_t chunk) const { return taken_[number_of(k, p, chunk)] == value_of(k); }
  // Takes what there is of a panel; whether that is all of it.
  bool take(int64_t k) {
    bool all = true;
    for (uint32_t p = 0; p < grid_.rows; ++p) {
      const Share& share = inbox_.shares[p];
      const bool is_here = is_own(k, p);
      for (int64_t c = first_chunk_behind(share, k); c < chunks_of(share); ++c) {
        if (is_taken(k, p, c)) continue;
        if (is_here ? k >= finished_ : words_.value(word_of(k, p, c)) < value_of(k)) {
          all = false;
          continue;
        }
        const int64_t end = std::min(static_cast<int64_t>(share.blocks.size()), (c + 1) * chunk_);
        for (int64_t i = std::max(first_behind(share, k), c * chunk_); i < end; ++i) {
          const int64_t b = share.blocks[static_cast<size_t>(i)];
          const int64_t place = (k % slots * inbox_.places + share.first_place + i) * square_;
          take_block(
              b, k,
              is_here ? View<T>{own(b, k), leading()} : View<T>{memory_.template data<T>() + place, blocks_.width(b)});
        }
        taken_[number_of(k, p, c)] = value_of(k);
      }
    }
    return all;
  }
  void take_block(int64_t b, int64_t k, View<T> from) {
    const int64_t rows = blocks_.width(b), columns = blocks_.width(k);
    if (blocks_.row_owner(b) == grid_.row && !is_left_in_place())
      copy_block(WEFT_LA_NONE, rows, columns, from.data, from.leading, left(b, k), left_leading_);
    if (blocks_.column_owner(b) == grid_.column)
      copy_block(WEFT_LA_NONE, rows, columns, from.data, from.leading, right(b, k), right_leading_);
  }
  // A rank with all block columns has its rows of the panels side by side in its part of the matrix.
  bool is_left_in_place() const { return grid_.columns == 1; }
  T* left(int64_t block_row, int64_t k) const {
    return left_.template data<T>() + blocks_.local_row(grid_.row, block_row) - first_row_ +
           k % slots * blocks_.size * left_leading_;
  }
  T* right(int64_t block_row, int64_t k) const {
    return right_.template data<T>() + blocks_.local_column(grid_.column, block_row) - first_column_ +
           k % slots * blocks_.size * right_leading_;
  }

  const Blocks& blocks_;
  const Grid& grid_;
  const uint32_t me_;
  const int64_t first_row_, first_column_, left_leading_, right_leading_, square_, chunk_;  // chunk_: blocks in one
  const Inbox inbox_;
  std::vector<uint64_t> taken_;  // by numbers of chunks: the value with which a chunk was taken
  SignalWords words_;
  Workspace memory_, diagonals_, left_, right_;
  std::vector<Peer> peers_;  // by members
  std::vector<uint64_t> inboxes_, diagonals_of_;
  std::deque<Send> sends_;
  uint64_t credits_ = 0;  // that a peer has given for all panels which this rank has begun to send it
  std::vector<std::vector<T>> under_way_;
  std::vector<weft_handle_t> handles_;  // of what is under way
  size_t bytes_under_way_ = 0;
  int64_t finished_ = 0;  // this rank's rows of panels of its grid column below this one are factored
  int64_t arrived_ = 0;   // panels below this one are taken
  int64_t released_ = 0;  // credits are given for the slots of those below this one
};

}  // namespace weft::la
