// Random streams of operations, checked against a sequential model.
//
//   streams [--seed N] [--operations N]        under weftrun, or with TEST_THREAD_RANKS=n in the environment
//   TEST_THREAD_RANKS=n streams --jobs N ...   one job after the other, each with a seed of its own
//
// In the segment of every rank, every rank owns a region that it alone changes, with operations of all kinds, so it
// knows what each byte must be: that is the model. Operations stay outstanding as long as nobody needs the bytes they
// touch. What several ranks change together (counters, semaphores) is counted by every rank and added up at the end of
// an epoch, when all is complete and all regions are compared with their models.
//
// The seed is printed; the same seed, ranks and settings give the same operations.
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/fault_seed.hpp"
#include "weft/weft.h"

namespace {

constexpr size_t block_size = 1024, blocks = 96, region_size = block_size * blocks;
constexpr size_t most_outstanding = 48;
constexpr uint64_t epoch_length = 4000;

struct Options {
  uint64_t seed = 0, operations = 20000, jobs = 1;
};
Options options;

/// An operation that has been begun.
struct Operation {
  enum class Completion { handle, implicit, message } completion = Completion::implicit;
  weft_handle_t handle = WEFT_HANDLE_DONE;
  std::atomic<bool> answered{false};  // message: the reply has come
  weft_rank_t peer = 0;
  size_t first_block = 0, last_block = 0;
  std::vector<unsigned char> memory;    // source of a put, destination of a get
  std::vector<unsigned char> expected;  // what a get must bring, what a reply must echo
  const char* name = "";
};

/// Handlers find the rank they run on here: ranks may be threads of one process.
struct Shared {
  size_t regions = 0;
  weft_am_id_t fill = 0, store = 0, check = 0, answer = 0, echo = 0;
};
std::array<Shared, 64> shared_of;
Shared& shared() { return shared_of[weft_rank()]; }

unsigned char* segment() { return static_cast<unsigned char*>(weft_segment_base()); }

uint64_t sum_of(const unsigned char* bytes, size_t size) {
  uint64_t sum = size;
  for (size_t i = 0; i < size; ++i) sum = sum * 31 + bytes[i];
  return sum;
}

// ---- Handlers. args[0] is the requester's Operation. ----

void on_fill(const weft_am_t* m) {  // args: operation, offset, byte, size
  std::memset(segment() + m->args[1], static_cast<int>(m->args[2]), m->args[3]);
  weft_am_reply_short(m, shared().answer, m->args, 1);
}
void on_store(const weft_am_t* m) {  // args: operation, offset; payload: what to store and echo
  std::copy_n(static_cast<const unsigned char*>(m->payload), m->size, segment() + m->args[1]);
  weft_am_reply_medium(m, shared().echo, m->payload, m->size, m->args, 1);
}
void on_check(const weft_am_t* m) {  // args: operation, offset, sum; the payload is in place
  const bool right =
      weft_offset(m->payload) == m->args[1] && sum_of(static_cast<unsigned char*>(m->payload), m->size) == m->args[2];
  const uint64_t args[] = {m->args[0], right ? 1u : 0u};
  weft_am_reply_short(m, shared().answer, args, 2);
}
Operation& operation_of(const weft_am_t* m) { return *reinterpret_cast<Operation*>(m->args[0]); }
void on_answer(const weft_am_t* m) {
  if (m->arg_count == 2 && m->args[1] == 0) weft_abort("a long message came before its data");
  operation_of(m).answered = true;
}
void on_echo(const weft_am_t* m) {
  Operation& operation = operation_of(m);
  const auto* echoed = static_cast<const unsigned char*>(m->payload);  // may be null where the echo is empty
  if (!std::equal(echoed, echoed + m->size, operation.expected.begin(), operation.expected.end()))
    weft_abort("an echo differs from what was sent");
  operation.answered = true;
}

class Stream {
 public:
  explicit Stream(uint64_t seed) : random_(seed * 1000003 + weft_rank()) {
    require(weft_alloc_symmetric(region_size * weft_size(), 4096, &shared().regions) == WEFT_OK, "memory");
    require(weft_alloc_symmetric(64 * weft_size(), 64, &tables_) == WEFT_OK, "memory");
    require(weft_alloc_symmetric(64, 64, &counter_) == WEFT_OK, "memory");
    require(weft_alloc_symmetric(64, 64, &semaphore_) == WEFT_OK, "memory");
    require(weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_OPS_ALL, &domain_) == WEFT_OK, "domain");
    const weft_am_entry_t entries[] = {{"fill", on_fill, &shared().fill, WEFT_AM_ANY},
                                       {"store", on_store, &shared().store, WEFT_AM_ANY},
                                       {"check", on_check, &shared().check, WEFT_AM_ANY},
                                       {"answer", on_answer, &shared().answer, WEFT_AM_ANY},
                                       {"echo", on_echo, &shared().echo, WEFT_AM_ANY}};
    require(weft_am_register(entries, 5) == WEFT_OK, "handlers");
    model_.assign(weft_size(), std::vector<unsigned char>(region_size, 0));
    busy_.assign(weft_size(), std::vector<uint32_t>(blocks, 0));
    added_.assign(weft_size(), 0);
    posted_.assign(weft_size(), 0);
  }

  void run(uint64_t operations) {
    for (number_ = 0; number_ < operations; ++number_) {
      step();
      if ((number_ + 1) % epoch_length == 0 || number_ + 1 == operations) end_epoch();
    }
    weft_atomic_domain_destroy(domain_);
  }

 private:
  using Completion = Operation::Completion;

  void require(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "streams: seed %llu, rank %u of %u, operation %llu: wrong %s\n",
                 static_cast<unsigned long long>(options.seed), weft_rank(), weft_size(),
                 static_cast<unsigned long long>(number_), what);
    weft_exit(1);
  }

  uint64_t dice(uint64_t sides) { return random_() % sides; }
  unsigned sometimes(uint64_t sides, unsigned flag) { return dice(sides) == 0 ? flag : 0; }
  weft_rank_t any_rank() { return static_cast<weft_rank_t>(dice(weft_size())); }
  size_t any_size(size_t most) {
    const uint64_t kind = dice(40);
    return std::min<size_t>(most, kind == 0 ? dice(60000) : kind < 8 ? dice(5000) : dice(200));
  }
  std::vector<unsigned char> any_bytes(size_t size) {
    std::vector<unsigned char> bytes(size + 1);  // data() is a pointer even to nothing
    uint64_t word = random_();
    for (size_t i = 0; i < size; ++i)
      bytes[i] = static_cast<unsigned char>((word = word * 6364136223846793005u + 1) >> 56);
    return bytes;
  }
  size_t at(size_t position) const { return shared_of[weft_rank()].regions + weft_rank() * region_size + position; }
  unsigned char* model(weft_rank_t peer, size_t position) { return model_[peer].data() + position; }

  // ---- Outstanding operations ----

  Operation& open(const char* name, weft_rank_t peer, size_t position, size_t size) {
    const size_t first = position / block_size, last = size == 0 ? first : (position + size - 1) / block_size;
    for (size_t b = first; b <= last; ++b)
      while (busy_[peer][b] != 0) finish_oldest();
    while (outstanding_.size() >= most_outstanding) finish_oldest();
    auto& operation = *outstanding_.emplace_back(std::make_unique<Operation>());
    operation.name = name;
    operation.peer = peer;
    operation.first_block = first;
    operation.last_block = last;
    for (size_t b = first; b <= last; ++b) ++busy_[peer][b];
    return operation;
  }

  void finish_oldest() {
    Operation& operation = *outstanding_.front();
    switch (operation.completion) {
      case Completion::handle:
        if (dice(3) == 0)
          while (weft_handle_test(operation.handle) == 0) pause();
        else
          weft_handle_wait(operation.handle);
        break;
      case Completion::implicit:
        // One of many ways; it completes the later implicit ones too, which does no harm.
        if (dice(4) == 0)
          while (weft_nbi_test() == 0) pause();
        else
          weft_nbi_wait();
        break;
      case Completion::message:
        while (!operation.answered) pause();
        break;
    }
    if (!operation.expected.empty() && operation.completion != Completion::message)
      require(std::equal(operation.expected.begin(), operation.expected.end(), operation.memory.begin()),
              operation.name);
    for (size_t b = operation.first_block; b <= operation.last_block; ++b) --busy_[operation.peer][b];
    outstanding_.pop_front();
  }
  static void pause() {
    static const char* const conduit = std::getenv("WEFT_CONDUIT");
    static const bool one_thread = conduit != nullptr && std::strcmp(conduit, "sim") == 0;
    if (weft_poll() == 0 && !one_thread) std::this_thread::yield();
  }

  // Begins it with a handle or implicitly, with WEFT_IMMEDIATE now and then, insisting.
  template <class WithHandle, class Implicit>
  void begin(Operation& operation, WithHandle with_handle, Implicit implicit) {
    const unsigned flags = sometimes(4, WEFT_IMMEDIATE) | sometimes(4, WEFT_STREAM);
    int status = WEFT_RETRY;
    operation.completion = dice(2) == 0 ? Completion::handle : Completion::implicit;
    for (;;) {
      status = operation.completion == Completion::handle ? with_handle(flags, &operation.handle) : implicit(flags);
      if (status != WEFT_RETRY) break;
      pause();
    }
    require(status == WEFT_OK, operation.name);
  }

  // ---- Operations ----

  void step() {
    switch (dice(17)) {
      case 0:
      case 1:
      case 2:
        return put();
      case 3:
      case 4:
        return get();
      case 5:
        return memory_set();
      case 6:
        return blocking();
      case 7:
        return strided_put();
      case 8:
        return vector_get();
      case 9:
        return own_atomic();
      case 10:
        return common_counter();
      case 11:
        return signal_put();
      case 12:
        return message_fill();
      case 13:
        return message_store();
      case 14:
        return message_long();
      case 15:
        return post();
      case 16:
        return own_atomics();
    }
  }

  struct Place {
    weft_rank_t peer;
    size_t position, size;
  };
  Place any_place() {
    const size_t position = dice(region_size);
    return {any_rank(), position, any_size(region_size - position)};
  }

  void put() {
    const auto [peer, position, size] = any_place();
    Operation& o = open("put", peer, position, size);
    o.memory = any_bytes(size);
    std::memcpy(model(peer, position), o.memory.data(), size);
    begin(
        o, [&](unsigned f, weft_handle_t* h) { return weft_put_nb(peer, at(position), o.memory.data(), size, f, h); },
        [&](unsigned f) { return weft_put_nbi(peer, at(position), o.memory.data(), size, f); });
    // After local completion the source is the program's own again.
    if (dice(6) != 0) return;
    if (o.completion == Completion::handle)
      weft_handle_wait_local(o.handle);
    else
      weft_nbi_wait_local();
    std::memset(o.memory.data(), 0xfe, size);
  }

  void get() {
    const auto [peer, position, size] = any_place();
    Operation& o = open("get", peer, position, size);
    o.memory.resize(size + 1);
    o.expected.assign(model(peer, position), model(peer, position) + size);
    begin(
        o, [&](unsigned f, weft_handle_t* h) { return weft_get_nb(o.memory.data(), peer, at(position), size, f, h); },
        [&](unsigned f) { return weft_get_nbi(o.memory.data(), peer, at(position), size, f); });
  }

  void memory_set() {
    const auto [peer, position, size] = any_place();
    Operation& o = open("memset", peer, position, size);
    const int byte = static_cast<int>(dice(256));
    std::memset(model(peer, position), byte, size);
    begin(
        o, [&](unsigned f, weft_handle_t* h) { return weft_memset_nb(peer, at(position), byte, size, f, h); },
        [&](unsigned f) { return weft_memset_nbi(peer, at(position), byte, size, f); });
  }

  void blocking() {
    auto [peer, position, size] = any_place();
    if (dice(2) == 0) size = std::min<size_t>(8, region_size - position);
    Operation& o = open("blocking put and get", peer, position, size);
    o.memory = any_bytes(size);
    std::memcpy(model(peer, position), o.memory.data(), size);
    weft_put(peer, at(position), o.memory.data(), size);
    std::vector<unsigned char> back(size + 1);
    weft_get(back.data(), peer, at(position), size);
    require(std::equal(back.begin(), back.begin() + static_cast<std::ptrdiff_t>(size), model(peer, position)), o.name);
  }

  // A block of rows, sometimes upside down.
  void strided_put() {
    const size_t row = 1 + dice(300), rows = 1 + dice(20), pitch = row + dice(100);
    const size_t position = dice(region_size - rows * pitch);
    const weft_rank_t peer = any_rank();
    const bool reversed = dice(2) == 0;
    Operation& o = open("strided put", peer, position, rows * pitch);
    o.memory = any_bytes(row * rows);
    const size_t start = reversed ? position + (rows - 1) * pitch : position;
    const ptrdiff_t remote_stride = reversed ? -static_cast<ptrdiff_t>(pitch) : static_cast<ptrdiff_t>(pitch);
    const auto local_stride = static_cast<ptrdiff_t>(row);
    for (size_t i = 0; i < rows; ++i)
      std::memcpy(model(peer, reversed ? start - i * pitch : start + i * pitch), o.memory.data() + i * row, row);
    begin(
        o,
        [&](unsigned f, weft_handle_t* h) {
          return weft_put_strided_nb(peer, at(start), &remote_stride, o.memory.data(), &local_stride, row, &rows, 1, f,
                                     h);
        },
        [&](unsigned f) {
          return weft_put_strided_nbi(peer, at(start), &remote_stride, o.memory.data(), &local_stride, row, &rows, 1,
                                      f);
        });
  }

  void vector_get() {
    const weft_rank_t peer = any_rank();
    const size_t position = dice(region_size - 20000);
    Operation& o = open("vector get", peer, position, 20000);
    std::vector<weft_remote_part_t> remote;
    size_t total = 0;
    for (size_t next = 0;;) {
      next += dice(50);
      const size_t size = any_size(3000);
      if (next + size > 20000 || remote.size() == 60) break;
      remote.push_back({at(position + next), size});
      o.expected.insert(o.expected.end(), model(peer, position + next), model(peer, position + next + size));
      next += size, total += size;
    }
    o.memory.resize(total + 1);
    const size_t cut = dice(total + 1);
    const weft_local_part_t local[] = {{o.memory.data(), cut}, {o.memory.data() + cut, total - cut}};
    begin(
        o,
        [&](unsigned f, weft_handle_t* h) {
          return weft_get_vector_nb(peer, 2, local, remote.size(), remote.data(), f, h);
        },
        [&](unsigned f) { return weft_get_vector_nbi(peer, 2, local, remote.size(), remote.data(), f); });
  }

  // On a word of the own region: the value is known.
  void own_atomic() {
    const weft_rank_t peer = any_rank();
    const size_t position = dice(region_size / 8) * 8;
    Operation& o = open("atomic", peer, position, 8);
    o.memory.resize(8);
    uint64_t value = 0;
    std::memcpy(&value, model(peer, position), 8);
    o.expected.assign(model(peer, position), model(peer, position) + 8);
    const uint64_t operand = random_();
    const uint64_t compare = dice(2) == 0 ? value : random_();
    static constexpr weft_atomic_op_t ops[] = {WEFT_ATOMIC_SWAP, WEFT_ATOMIC_CSWAP, WEFT_ATOMIC_ADD,
                                               WEFT_ATOMIC_XOR,  WEFT_ATOMIC_MIN,   WEFT_ATOMIC_GET};
    const weft_atomic_op_t op = ops[dice(6)];
    if (op == WEFT_ATOMIC_SWAP) value = operand;
    if (op == WEFT_ATOMIC_CSWAP && value == compare) value = operand;
    if (op == WEFT_ATOMIC_ADD) value += operand;
    if (op == WEFT_ATOMIC_XOR) value ^= operand;
    if (op == WEFT_ATOMIC_MIN) value = std::min(value, operand);
    std::memcpy(model(peer, position), &value, 8);
    // The result needs the alignment of its type.
    void* result = o.memory.data();
    begin(
        o,
        [&](unsigned f, weft_handle_t* h) {
          return weft_atomic_nb(domain_, result, peer, at(position), op, &operand, &compare, f & WEFT_IMMEDIATE, h);
        },
        [&](unsigned f) {
          return weft_atomic_nbi(domain_, result, peer, at(position), op, &operand, &compare, f & WEFT_IMMEDIATE);
        });
  }

  // Several of one kind on neighbouring words of the own region, some of them more than once.
  void own_atomics() {
    const weft_rank_t peer = any_rank();
    const size_t words = 1 + dice(40);
    const size_t position = dice(region_size / 8 - words + 1) * 8;
    Operation& o = open("atomics", peer, position, words * 8);
    const weft_atomic_op_t op = dice(2) == 0 ? WEFT_ATOMIC_ADD : WEFT_ATOMIC_SET;
    std::vector<size_t> offsets(dice(100));
    std::vector<uint64_t> operands(offsets.size());
    for (size_t i = 0; i < offsets.size(); ++i) {
      const size_t word = position + dice(words) * 8;
      uint64_t value = 0;
      std::memcpy(&value, model(peer, word), 8);
      operands[i] = random_();
      offsets[i] = at(word);
      value = op == WEFT_ATOMIC_ADD ? value + operands[i] : operands[i];
      std::memcpy(model(peer, word), &value, 8);
    }
    begin(
        o,
        [&](unsigned f, weft_handle_t* h) {
          return weft_atomic_indexed_nb(domain_, peer, op, offsets.size(), offsets.data(), operands.data(),
                                        f & WEFT_IMMEDIATE, h);
        },
        [&](unsigned f) {
          return weft_atomic_indexed_nbi(domain_, peer, op, offsets.size(), offsets.data(), operands.data(),
                                         f & WEFT_IMMEDIATE);
        });
  }

  void common_counter() {
    const weft_rank_t peer = any_rank();
    const uint64_t operand = dice(1000);
    weft_atomic(domain_, nullptr, peer, counter_, WEFT_ATOMIC_ADD, &operand, nullptr);
    added_[peer] += operand;
  }

  // The signal word lies in the own region as well.
  void signal_put() {
    const weft_rank_t peer = any_rank();
    const size_t word = dice(region_size / 8) * 8;
    const size_t position = word + 8 < region_size ? word + 8 : word - 800;
    const size_t size = any_size(std::min<size_t>(4000, region_size - position));
    const bool after = position > word;
    Operation& o = open("signalling put", peer, after ? word : position, after ? size + 8 : word + 8 - position);
    const size_t fits = after ? size : std::min(size, word - position);
    o.memory = any_bytes(fits);
    std::memcpy(model(peer, position), o.memory.data(), fits);
    uint64_t value = 0;
    std::memcpy(&value, model(peer, word), 8);
    const uint64_t operand = random_();
    const weft_signal_op_t op = dice(2) == 0 ? WEFT_SIGNAL_SET : WEFT_SIGNAL_ADD;
    value = op == WEFT_SIGNAL_SET ? operand : value + operand;
    std::memcpy(model(peer, word), &value, 8);
    if (dice(3) == 0) {
      weft_put_signal(peer, at(position), o.memory.data(), fits, at(word), operand, op);
      std::memset(o.memory.data(), 0xfe, fits);
      return;
    }
    begin(
        o,
        [&](unsigned f, weft_handle_t* h) {
          return weft_put_signal_nb(peer, at(position), o.memory.data(), fits, at(word), operand, op,
                                    f & WEFT_IMMEDIATE, h);
        },
        [&](unsigned f) {
          return weft_put_signal_nbi(peer, at(position), o.memory.data(), fits, at(word), operand, op,
                                     f & WEFT_IMMEDIATE);
        });
  }

  void post() {
    const weft_rank_t peer = any_rank();
    const uint64_t n = 1 + dice(3);
    weft_semaphore_post(peer, semaphore_, n);
    posted_[peer] += n;
  }

  // ---- Messages ----

  template <class Send>
  void insist(Operation& operation, Send send) {
    operation.completion = Completion::message;
    const unsigned flags = sometimes(2, WEFT_IMMEDIATE);
    int status = WEFT_RETRY;
    while ((status = send(flags)) == WEFT_RETRY) pause();
    require(status == WEFT_OK, operation.name);
  }
  static uint64_t token(Operation& operation) { return reinterpret_cast<uint64_t>(&operation); }

  void message_fill() {
    const auto [peer, position, size] = any_place();
    Operation& o = open("short message", peer, position, size);
    const uint64_t args[] = {token(o), at(position), dice(256), size};
    std::memset(model(peer, position), static_cast<int>(args[2]), size);
    insist(o, [&, to = peer](unsigned f) { return weft_am_request_short(to, shared().fill, args, 4, f); });
  }

  void message_store() {
    const weft_rank_t peer = any_rank();
    const size_t position = dice(region_size);
    const size_t size = any_size(std::min(weft_am_max_medium(), region_size - position));
    Operation& o = open("medium message", peer, position, size);
    o.expected = any_bytes(size);
    o.expected.resize(size);
    std::copy(o.expected.begin(), o.expected.end(), model(peer, position));
    const uint64_t args[] = {token(o), at(position)};
    if (dice(2) == 0)
      return insist(o, [&](unsigned f) {
        return weft_am_request_medium(peer, shared().store, o.expected.data(), size, args, 2, f);
      });
    weft_am_buffer_t buffer;
    insist(o, [&](unsigned f) {
      return weft_am_prepare_medium(peer, size + dice(10) % (weft_am_max_medium() - size + 1), f, &buffer);
    });
    std::copy(o.expected.begin(), o.expected.end(), static_cast<unsigned char*>(buffer.data));
    weft_am_commit(&buffer, size, shared().store, args, 2);
  }

  void message_long() {
    const auto [peer, position, size] = any_place();
    Operation& o = open("long message", peer, position, size);
    o.memory = any_bytes(size);
    std::memcpy(model(peer, position), o.memory.data(), size);
    const uint64_t args[] = {token(o), at(position), sum_of(o.memory.data(), size)};
    if (dice(3) != 0)
      return insist(o, [&, to = peer, p = position, n = size](unsigned f) {
        return weft_am_request_long(to, shared().check, at(p), o.memory.data(), n, args, 3, f);
      });
    weft_am_buffer_t buffer;
    insist(o, [&, to = peer, p = position, n = size](unsigned f) {
      return weft_am_prepare_long(to, at(p), n, f, &buffer);
    });
    std::memcpy(buffer.data, o.memory.data(), size);
    weft_am_commit(&buffer, size, shared().check, args, 3);
  }

  // ---- Epochs ----

  void barrier() {
    if (number_ % 3 == 0) {
      require(weft_barrier() == WEFT_OK, "barrier");
      return;
    }
    const auto value = static_cast<int32_t>(number_);
    weft_barrier_notify(value, 0);
    require(weft_barrier_wait(value, 0) == WEFT_OK, "barrier value");
  }

  void end_epoch() {
    while (!outstanding_.empty()) finish_oldest();
    weft_nbi_wait();
    // What this rank added and posted, for each to add up.
    for (weft_rank_t peer = 0; peer < weft_size(); ++peer) {
      const uint64_t both[] = {added_[peer], posted_[peer]};
      weft_put(peer, tables_ + weft_rank() * 64, both, sizeof both);
    }
    barrier();
    uint64_t added = 0, posted = 0, counter = 0;
    for (weft_rank_t source = 0; source < weft_size(); ++source) {
      const auto* both = reinterpret_cast<const uint64_t*>(segment() + tables_ + source * 64);
      added += both[0], posted += both[1];
    }
    weft_atomic(domain_, &counter, weft_rank(), counter_, WEFT_ATOMIC_GET, nullptr, nullptr);
    require(counter == added, "common counter");
    // Take what was posted since the last epoch, in pieces.
    for (uint64_t left = posted - taken_; left > 0;) {
      const uint64_t n = std::min(left, 1 + dice(5));
      if (dice(2) == 0 || weft_semaphore_try(semaphore_, n) == 0) weft_semaphore_wait(semaphore_, n);
      left -= n;
    }
    taken_ = posted;
    require(weft_semaphore_try(semaphore_, 1) == 0, "semaphore");
    std::vector<unsigned char> seen(region_size);
    for (weft_rank_t peer = 0; peer < weft_size(); ++peer) {
      weft_get(seen.data(), peer, at(0), region_size);
      require(seen == model_[peer], "region at the end of an epoch");
    }
    barrier();
  }

  std::mt19937_64 random_;
  uint64_t number_ = 0;
  size_t tables_ = 0, counter_ = 0, semaphore_ = 0;
  weft_atomic_domain_t* domain_ = nullptr;
  std::vector<std::vector<unsigned char>> model_;  // by peer
  std::vector<std::vector<uint32_t>> busy_;        // by peer and block: outstanding operations
  std::deque<std::unique_ptr<Operation>> outstanding_;
  std::vector<uint64_t> added_, posted_;  // by peer
  uint64_t taken_ = 0;
};

// The seed of rank 0 holds.
void agree_on_seed() {
  size_t offset = 0;
  if (weft_alloc_symmetric(8, 8, &offset) != WEFT_OK) weft_exit(1);
  uint64_t seed = options.seed;
  if (weft_rank() == 0 && seed == 0) seed = static_cast<uint64_t>(std::time(nullptr));
  if (weft_rank() == 0)
    for (weft_rank_t peer = 0; peer < weft_size(); ++peer) weft_put_value(peer, offset, seed, 8);
  weft_barrier();
  if (weft_rank() != 0 || options.seed == 0) {
    uint64_t agreed = 0;
    weft_get(&agreed, weft_rank(), offset, 8);
    if (weft_rank() == 0) options.seed = agreed;
    seed = agreed;
  }
  weft_barrier();
  if (weft_rank() == 0)
    std::printf("streams: --seed %llu, %u ranks, %llu operations each\n", static_cast<unsigned long long>(seed),
                weft_size(), static_cast<unsigned long long>(options.operations));
  Stream(seed).run(options.operations);
}

int run_rank(void*) {
  if (weft_init(nullptr, nullptr) != WEFT_OK) return 1;
  agree_on_seed();
  return weft_finalize() == WEFT_OK ? 0 : 1;
}

bool read_options(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const char* const stop = argv[i + 1] + std::strlen(argv[i + 1]);
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(argv[i + 1], stop, value);
    if (end != stop || error != std::errc()) return false;
    if (std::strcmp(argv[i], "--seed") == 0)
      options.seed = value;
    else if (std::strcmp(argv[i], "--operations") == 0)
      options.operations = value;
    else if (std::strcmp(argv[i], "--jobs") == 0)
      options.jobs = value;
    else
      return false;
  }
  return argc % 2 == 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (!read_options(argc, argv)) {
    std::fprintf(stderr, "usage: streams [--seed N] [--operations N] [--jobs N]\n");
    return 2;
  }
  const char* ranks = std::getenv("TEST_THREAD_RANKS");
  if (ranks == nullptr) return run_rank(nullptr);
  for (uint64_t job = 0; job < options.jobs; ++job, ++options.seed) {
    weft_test::use_fault_seed(job);
    const int code = weft_run_threads(static_cast<weft_rank_t>(std::strtoul(ranks, nullptr, 10)), run_rank, nullptr);
    if (code != 0) return code;
  }
  return 0;
}
