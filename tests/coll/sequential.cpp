#include "coll/sequential.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "weft/job.h"
#include "weft/segment.h"

namespace coll_test {
namespace {

constexpr unsigned char fresh = 0xa5;  // of memory that nobody has written

uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9;
  x ^= x >> 27;
  x *= 0x94d049bb133111eb;
  return x ^ x >> 31;
}

// 2 x 2 matrices of bytes, modulo 251: associative, not commutative.
struct Matrix {
  uint8_t a, b, c, d;
};
void multiply(void* result, const void* left, const void* right, size_t count, void*) {
  const auto* x = static_cast<const Matrix*>(left);
  const auto* y = static_cast<const Matrix*>(right);
  auto* out = static_cast<Matrix*>(result);
  const auto dot = [](int p, int q, int r, int s) { return static_cast<uint8_t>((p * q + r * s) % 251); };
  for (size_t i = 0; i < count; ++i) {
    const Matrix m = x[i], n = y[i];
    out[i] = {dot(m.a, n.a, m.b, n.c), dot(m.a, n.b, m.b, n.d), dot(m.c, n.a, m.d, n.c), dot(m.c, n.b, m.d, n.d)};
  }
}

bool is_float(weft_type_t type) { return type == WEFT_F32 || type == WEFT_F64 || type == WEFT_LONG_DOUBLE; }

std::vector<weft_reduction_t> make_reductions() {
  std::vector<weft_reduction_t> list;
  for (int type = WEFT_I32; type <= WEFT_LONG_DOUBLE; ++type)
    for (int op = WEFT_REDUCE_ADD; op <= WEFT_REDUCE_LOGOR; ++op) {
      const bool bits = op == WEFT_REDUCE_AND || op == WEFT_REDUCE_OR || op == WEFT_REDUCE_XOR;
      if (!(bits && is_float(static_cast<weft_type_t>(type))))
        list.push_back(weft_reduction_of(static_cast<weft_type_t>(type), static_cast<weft_reduce_op_t>(op)));
    }
  list.push_back(weft_reduction_by(multiply, nullptr, sizeof(Matrix), 0));
  return list;
}
const std::vector<weft_reduction_t>& reductions() {
  static const std::vector<weft_reduction_t> list = make_reductions();
  return list;
}

size_t size_of(weft_type_t type) {
  constexpr size_t sizes[] = {4, 4, 8, 8, 4, 8, 1, 1, 2, 2, sizeof(long double)};
  return sizes[type];
}

template <class T>
T apply(weft_reduce_op_t op, T x, T y) {
  switch (op) {
    case WEFT_REDUCE_ADD:
      return static_cast<T>(x + y);
    case WEFT_REDUCE_MULT:
      return static_cast<T>(x * y);
    case WEFT_REDUCE_MIN:
      return x < y ? x : y;
    case WEFT_REDUCE_MAX:
      return x > y ? x : y;
    case WEFT_REDUCE_LOGAND:
      return static_cast<T>(x != 0 && y != 0);
    case WEFT_REDUCE_LOGOR:
      return static_cast<T>(x != 0 || y != 0);
    default:
      break;
  }
  if constexpr (std::numeric_limits<T>::is_integer) {
    if (op == WEFT_REDUCE_AND) return static_cast<T>(x & y);
    return static_cast<T>(op == WEFT_REDUCE_OR ? x | y : x ^ y);
  }
  return x;
}

template <class T>
void combine_as(weft_reduce_op_t op, unsigned char* left, const unsigned char* right, size_t bytes) {
  for (size_t at = 0; at < bytes; at += sizeof(T)) {
    T x, y;
    std::memcpy(&x, left + at, sizeof x);
    std::memcpy(&y, right + at, sizeof y);
    // Integers wrap: unsigned, and wide enough not to become int.
    if constexpr (std::numeric_limits<T>::is_integer) {
      if (op == WEFT_REDUCE_ADD)
        x = static_cast<T>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
      else if (op == WEFT_REDUCE_MULT)
        x = static_cast<T>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
      else
        x = apply<T>(op, x, y);
    } else {
      x = apply<T>(op, x, y);
    }
    std::memcpy(left + at, &x, sizeof x);
  }
}

void combine(const weft_reduction_t& reduction, unsigned char* left, const unsigned char* right, size_t bytes) {
  if (reduction.function != nullptr) return multiply(left, left, right, bytes / sizeof(Matrix), nullptr);
  switch (reduction.type) {
    case WEFT_I8:
      return combine_as<int8_t>(reduction.op, left, right, bytes);
    case WEFT_U8:
      return combine_as<uint8_t>(reduction.op, left, right, bytes);
    case WEFT_I16:
      return combine_as<int16_t>(reduction.op, left, right, bytes);
    case WEFT_U16:
      return combine_as<uint16_t>(reduction.op, left, right, bytes);
    case WEFT_I32:
      return combine_as<int32_t>(reduction.op, left, right, bytes);
    case WEFT_U32:
      return combine_as<uint32_t>(reduction.op, left, right, bytes);
    case WEFT_I64:
      return combine_as<int64_t>(reduction.op, left, right, bytes);
    case WEFT_U64:
      return combine_as<uint64_t>(reduction.op, left, right, bytes);
    case WEFT_F32:
      return combine_as<float>(reduction.op, left, right, bytes);
    case WEFT_F64:
      return combine_as<double>(reduction.op, left, right, bytes);
    case WEFT_LONG_DOUBLE:
      return combine_as<long double>(reduction.op, left, right, bytes);
  }
}

// Small whole numbers, so that sums and products of floats are exact in any order; 16-byte long doubles have 6 bytes of
// padding, which stays zero.
template <class T>
void fill_as(unsigned char* data, size_t bytes, uint64_t key) {
  for (size_t at = 0; at < bytes; at += sizeof(T)) {
    const T value = static_cast<T>(mix(key + at) % 3);
    std::memcpy(data + at, &value, sizeof value);
  }
}

void fill(const weft_reduction_t* reduction, unsigned char* data, size_t bytes, uint64_t key) {
  if (reduction != nullptr && reduction->function == nullptr && is_float(reduction->type)) {
    if (reduction->type == WEFT_F32) return fill_as<float>(data, bytes, key);
    if (reduction->type == WEFT_F64) return fill_as<double>(data, bytes, key);
    std::fill_n(data, bytes, static_cast<unsigned char>(0));
    for (size_t at = 0; at < bytes; at += sizeof(long double)) {
      const long double value = static_cast<long double>(mix(key + at) % 3);
      std::memcpy(data + at, &value, 10);
    }
    return;
  }
  for (size_t i = 0; i < bytes; ++i) data[i] = static_cast<unsigned char>(mix(key + i) >> 7);
}

}  // namespace

const char* name_of(Kind kind) {
  constexpr const char* names[] = {"broadcast",  "scatter",    "gather",         "gather_all",   "exchange",
                                   "exchange_v", "gather_v",   "scatter_v",      "gather_all_v", "permute",
                                   "reduce",     "reduce_all", "reduce_scatter", "prefix",       "prefix_exclusive"};
  return names[static_cast<int>(kind)];
}

size_t reduction_count() { return reductions().size(); }
weft_reduction_t reduction_number(int number) { return reductions()[static_cast<size_t>(number)]; }

void Member::Buffer::make(size_t bytes, bool in_segment) {
  size = bytes;
  if (in_segment) {
    if (weft_alloc(bytes + 1, 16, &offset) != WEFT_OK) std::abort();
    data = static_cast<unsigned char*>(weft_pointer(weft_rank(), offset));
  } else {
    data = static_cast<unsigned char*>(std::malloc(bytes + 1));
  }
  std::memset(data, fresh, bytes + 1);
}
void Member::Buffer::free() {
  if (offset != 0)
    weft_free(offset);
  else
    std::free(data);
}

size_t Member::pair_size(uint32_t from, uint32_t to) const {
  const uint64_t dice = mix(case_.seed * 31 + from * 1009 + to);
  return dice % 4 == 0 ? 0 : dice % (2 * case_.size + 1);
}

// Of member's block: one of all sizes up to case_.size, or none, or, of few members, far more than others have.
size_t Member::block_size(uint32_t member) const {
  const uint64_t dice = mix(case_.seed * 37 + member);
  if (dice % 4 == 0) return 0;
  return dice % 17 == 1 ? 4 * case_.size : dice % (case_.size + 1);
}

// Where the blocks lie: each rank for itself, with gaps, the last member's first.
void Member::list_blocks() {
  size_t end = 0;
  sizes_.resize(n_);
  offsets_.resize(n_);
  for (uint32_t m = n_; m-- > 0;) {
    end += mix(case_.seed * 41 + m * 7 + me_) % 5;
    sizes_[m] = block_size(m);
    offsets_[m] = end;
    end += sizes_[m];
  }
}

void Member::make_listed(bool source_in_segment, bool destination_in_segment) {
  const bool scatters = case_.kind == Kind::scatter_v;
  const bool has_list = case_.kind == Kind::gather_all_v || me_ == case_.root;
  if (has_list) list_blocks();
  const std::vector<unsigned char> all = laid_out(), mine = given(me_);
  destination_.make(scatters ? mine.size() : all.size(), destination_in_segment);
  if (case_.in_place && has_list && !scatters) {
    std::ranges::copy(mine, destination_.data + offsets_[me_]);
    return;
  }
  original_ = scatters ? all : mine;
  source_.make(original_.size(), source_in_segment);
  std::ranges::copy(original_, source_.data);
}

std::vector<unsigned char> Member::given(uint32_t member) const {
  size_t bytes = case_.size * element_;
  const bool blocks = case_.kind == Kind::exchange || case_.kind == Kind::reduce_scatter ||
                      (case_.kind == Kind::scatter && member == case_.root);
  if (blocks) bytes *= n_;
  if (case_.kind == Kind::exchange_v) {
    bytes = 0;
    for (uint32_t to = 0; to < n_; ++to) bytes += pair_size(member, to);
  }
  if (lists(case_.kind)) bytes = block_size(member);
  std::vector<unsigned char> data(bytes);
  fill(reduces(case_.kind) ? &reduction_ : nullptr, data.data(), bytes,
       case_.seed * 0x9e3779b97f4a7c15 + member * 0x123457ull);
  return data;
}

std::vector<unsigned char> Member::combined(uint32_t first, uint32_t end) const {
  std::vector<unsigned char> sum = given(first);
  for (uint32_t member = first + 1; member < end; ++member)
    combine(reduction_, sum.data(), given(member).data(), sum.size());
  return sum;
}

// A buffer with all blocks of the list; empty where this member has none.
std::vector<unsigned char> Member::laid_out() const {
  std::vector<unsigned char> all(sizes_.empty() ? 0 : offsets_[0] + block_size(0), fresh);
  for (uint32_t m = 0; m < sizes_.size(); ++m) std::ranges::copy(given(m), all.data() + offsets_[m]);
  return all;
}

// What the destination must hold; empty where it is not written.
std::vector<unsigned char> Member::expected() const {
  const size_t size = case_.size * element_;
  std::vector<unsigned char> all;
  const auto append = [&](const unsigned char* data, size_t bytes) { all.insert(all.end(), data, data + bytes); };
  switch (case_.kind) {
    case Kind::broadcast:
      return given(case_.root);
    case Kind::scatter:
      append(given(case_.root).data() + me_ * size, size);
      return all;
    case Kind::gather:
    case Kind::gather_all:
      for (uint32_t m = 0; m < n_ && (case_.kind == Kind::gather_all || me_ == case_.root); ++m)
        append(given(m).data(), size);
      return all;
    case Kind::exchange:
      for (uint32_t m = 0; m < n_; ++m) append(given(m).data() + me_ * size, size);
      return all;
    case Kind::exchange_v:
      for (uint32_t m = 0; m < n_; ++m) {
        size_t at = 0;
        for (uint32_t to = 0; to < me_; ++to) at += pair_size(m, to);
        append(given(m).data() + at, pair_size(m, me_));
      }
      return all;
    case Kind::gather_v:
    case Kind::gather_all_v:
      return laid_out();
    case Kind::scatter_v:
      return given(me_);
    case Kind::permute:
      return given((me_ + n_ - case_.root) % n_);
    case Kind::reduce:
      return me_ == case_.root ? combined(0, n_) : all;
    case Kind::reduce_all:
      return combined(0, n_);
    case Kind::reduce_scatter:
      append(combined(0, n_).data() + me_ * size, size);
      return all;
    case Kind::prefix:
      return combined(0, me_ + 1);
    case Kind::prefix_exclusive:
      return me_ == 0 ? all : combined(0, me_);
  }
  return all;
}

Member::Member(const Case& what, bool source_in_segment, bool destination_in_segment)
    : case_(what), me_(weft_team_rank(what.team)), n_(weft_team_size(what.team)) {
  if (reduces(case_.kind)) {
    reduction_ = reduction_number(case_.reduction);
    element_ = reduction_.function ? reduction_.element_size : size_of(reduction_.type);
  }
  if (lists(case_.kind)) {
    make_listed(source_in_segment, destination_in_segment);
    return;
  }
  const size_t size = case_.size * element_;
  const std::vector<unsigned char> mine = given(me_);
  const bool is_root = me_ == case_.root;
  size_t result = size;
  if (case_.kind == Kind::gather_all || case_.kind == Kind::exchange || (case_.kind == Kind::gather && is_root))
    result *= n_;
  if (case_.kind == Kind::exchange_v) {
    result = 0;
    for (std::vector<size_t>& vector : vectors_) vector.resize(n_);
    size_t from = 0;
    for (uint32_t m = 0; m < n_; ++m) {
      vectors_[0][m] = pair_size(m, me_);
      vectors_[1][m] = result;
      result += vectors_[0][m];
      vectors_[2][m] = pair_size(me_, m);
      vectors_[3][m] = from;
      from += vectors_[2][m];
    }
  }
  if (case_.in_place && case_.kind == Kind::reduce_scatter) result = mine.size();
  destination_.make(result, destination_in_segment);
  if (!case_.in_place) {
    source_.make(mine.size(), source_in_segment);
    std::ranges::copy(mine, source_.data);
    original_ = mine;
    return;
  }
  // Where the data are that stay in place.
  if (case_.kind == Kind::scatter || case_.kind == Kind::broadcast || case_.kind == Kind::permute ||
      case_.kind == Kind::exchange_v || ((case_.kind == Kind::gather || case_.kind == Kind::reduce) && !is_root)) {
    source_.make(mine.size(), source_in_segment);
    std::ranges::copy(mine, source_.data);
    original_ = mine;
    return;
  }
  const bool block = case_.kind == Kind::gather || case_.kind == Kind::gather_all;
  std::ranges::copy(mine, destination_.data + (block ? me_ * size : 0));
}

Member::~Member() {
  if (source_.data) source_.free();
  destination_.free();
}

int Member::call_listed(weft_handle_t* handle) {
  const Case& c = case_;
  const bool has_list = !sizes_.empty();
  const bool in_place = c.in_place && has_list;
  const size_t* const sizes = has_list ? sizes_.data() : nullptr;
  const size_t* const offsets = has_list ? offsets_.data() : nullptr;
  const size_t own = in_place ? 1 + c.size : block_size(me_);  // in place it is not read
  const void* const from = source_.data ? static_cast<const void*>(source_.data) : WEFT_IN_PLACE;
  void* const to = destination_.data;
  int status;
  if (c.kind == Kind::gather_v) {
    void* const all = has_list ? to : nullptr;
    status = handle ? weft_gather_v_nb(c.team, all, sizes, offsets, from, own, c.root, c.flags, handle)
                    : weft_gather_v(c.team, all, sizes, offsets, from, own, c.root, c.flags);
  } else if (c.kind == Kind::scatter_v) {
    void* const block = in_place ? WEFT_IN_PLACE : to;
    const void* const all = has_list ? from : nullptr;
    status = handle ? weft_scatter_v_nb(c.team, block, own, all, sizes, offsets, c.root, c.flags, handle)
                    : weft_scatter_v(c.team, block, own, all, sizes, offsets, c.root, c.flags);
  } else {
    status = handle ? weft_gather_all_v_nb(c.team, to, sizes, offsets, from, own, c.flags, handle)
                    : weft_gather_all_v(c.team, to, sizes, offsets, from, own, c.flags);
  }
  // The lists have been read.
  if (handle) std::ranges::fill(sizes_, size_t{1} << 40);
  return status;
}

int Member::call(weft_handle_t* handle) {
  const Case& c = case_;
  if (lists(c.kind)) return call_listed(handle);
  const bool is_root = me_ == c.root;
  void* to = destination_.data;
  const void* from = source_.data ? static_cast<const void*>(source_.data) : WEFT_IN_PLACE;
  if (c.in_place && c.kind == Kind::scatter && is_root) to = WEFT_IN_PLACE;
  if (c.in_place && c.kind == Kind::broadcast && is_root) to = source_.data;
  if (c.kind == Kind::broadcast && !is_root) from = nullptr;
  if (c.kind == Kind::scatter && !is_root) from = nullptr;
  if (c.kind == Kind::gather && !is_root) to = nullptr;
  if (c.kind == Kind::reduce && !is_root) to = nullptr;
  const auto r = reduction_;
  switch (c.kind) {
    case Kind::broadcast:
      return handle ? weft_broadcast_nb(c.team, to, from, c.size, c.root, c.flags, handle)
                    : weft_broadcast(c.team, to, from, c.size, c.root, c.flags);
    case Kind::scatter:
      return handle ? weft_scatter_nb(c.team, to, from, c.size, c.root, c.flags, handle)
                    : weft_scatter(c.team, to, from, c.size, c.root, c.flags);
    case Kind::gather:
      return handle ? weft_gather_nb(c.team, to, from, c.size, c.root, c.flags, handle)
                    : weft_gather(c.team, to, from, c.size, c.root, c.flags);
    case Kind::gather_all:
      return handle ? weft_gather_all_nb(c.team, to, from, c.size, c.flags, handle)
                    : weft_gather_all(c.team, to, from, c.size, c.flags);
    case Kind::exchange:
      return handle ? weft_exchange_nb(c.team, to, from, c.size, c.flags, handle)
                    : weft_exchange(c.team, to, from, c.size, c.flags);
    case Kind::exchange_v:
      return handle ? weft_exchange_v_nb(c.team, to, vectors_[0].data(), vectors_[1].data(), from, vectors_[2].data(),
                                         vectors_[3].data(), c.flags, handle)
                    : weft_exchange_v(c.team, to, vectors_[0].data(), vectors_[1].data(), from, vectors_[2].data(),
                                      vectors_[3].data(), c.flags);
    case Kind::gather_v:
    case Kind::scatter_v:
    case Kind::gather_all_v:
      break;  // call_listed()
    case Kind::permute:
      return handle ? weft_permute_nb(c.team, to, from, c.size, (me_ + c.root) % n_, c.flags, handle)
                    : weft_permute(c.team, to, from, c.size, (me_ + c.root) % n_, c.flags);
    case Kind::reduce:
      return handle ? weft_reduce_nb(c.team, to, from, c.size, r, c.root, c.flags, handle)
                    : weft_reduce(c.team, to, from, c.size, r, c.root, c.flags);
    case Kind::reduce_all:
      return handle ? weft_reduce_all_nb(c.team, to, from, c.size, r, c.flags, handle)
                    : weft_reduce_all(c.team, to, from, c.size, r, c.flags);
    case Kind::reduce_scatter:
      return handle ? weft_reduce_scatter_nb(c.team, to, from, c.size, r, c.flags, handle)
                    : weft_reduce_scatter(c.team, to, from, c.size, r, c.flags);
    case Kind::prefix:
      return handle ? weft_prefix_nb(c.team, to, from, c.size, r, c.flags, handle)
                    : weft_prefix(c.team, to, from, c.size, r, c.flags);
    case Kind::prefix_exclusive:
      return handle ? weft_prefix_exclusive_nb(c.team, to, from, c.size, r, c.flags, handle)
                    : weft_prefix_exclusive(c.team, to, from, c.size, r, c.flags);
  }
  return WEFT_ERR_INVALID;
}

std::string Member::check() const {
  const std::vector<unsigned char> must = expected();
  const bool root_keeps =
      case_.in_place && me_ == case_.root &&
      (case_.kind == Kind::scatter || case_.kind == Kind::scatter_v || case_.kind == Kind::broadcast);
  if (!original_.empty() && std::memcmp(source_.data, original_.data(), original_.size()) != 0)
    return "the source changed";
  if (!root_keeps) {
    // Of a long double, the padding does not count.
    const bool padded = reduces(case_.kind) && reduction_.function == nullptr && reduction_.type == WEFT_LONG_DOUBLE;
    for (size_t i = 0; i < must.size(); ++i) {
      if (padded && i % sizeof(long double) >= 10) continue;
      if (destination_.data[i] != must[i])
        return "byte " + std::to_string(i) + " of " + std::to_string(must.size()) + " is wrong";
    }
  }
  if (destination_.data[destination_.size] != fresh) return "the byte after the destination was written";
  if (source_.data && source_.data[source_.size] != fresh) return "the byte after the source was written";
  return {};
}

}  // namespace coll_test
