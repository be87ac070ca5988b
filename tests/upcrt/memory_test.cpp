// Copies: upc_mem*, non-blocking ones, and non-contiguous ones, against copies of private memory.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "upc_threads.hpp"
#include "upcrt/stream_choice.hpp"

namespace {

using namespace upc_test;
using Bytes = std::vector<unsigned char>;

uint64_t relative(int distance) { return static_cast<uint64_t>((me() + distance) % threads()); }

// A shared area of each thread, the same bytes in a private copy, and random contents.
class Area {
 public:
  explicit Area(uint64_t stream)
      : shared_(upc_all_alloc(static_cast<size_t>(threads()), size)), random_(random_numbers(stream)) {}
  ~Area() {
    barrier();
    upc_all_free(shared_);
  }
  static constexpr size_t size = 20000;

  upcr_pts_t on_thread(uint64_t thread, size_t bytes = 0) const { return on(thread, shared_, bytes); }
  /// Fresh contents on the thread, returned.
  Bytes fill(uint64_t thread) {
    Bytes bytes(size);
    for (unsigned char& b : bytes) b = static_cast<unsigned char>(random_());
    upc_memput(on_thread(thread), bytes.data(), size);
    return bytes;
  }
  Bytes contents(uint64_t thread) const {
    Bytes bytes(size);
    upc_memget(bytes.data(), on_thread(thread), size);
    return bytes;
  }

 private:
  upcr_pts_t shared_;
  std::mt19937_64 random_;
};

UPC_TEST(memory, blocking_copies) {
  Area from(static_cast<uint64_t>(me())), to(50 + static_cast<uint64_t>(me()));
  const Bytes source = from.fill(relative(1));
  Bytes expected = to.fill(relative(1));
  for (const size_t n : {size_t{0}, size_t{1}, size_t{8}, size_t{77}, size_t{9000}}) {
    upc_memcpy(to.on_thread(relative(1), n), from.on_thread(relative(1), n / 2), n);
    std::memcpy(expected.data() + n, source.data() + n / 2, n);
    upc_memset(to.on_thread(relative(1), 19000), static_cast<int>(n), 100);
    std::memset(expected.data() + 19000, static_cast<int>(n), 100);
  }
  EXPECT_EQ(to.contents(relative(1)), expected);
  barrier();
  // The same through the inline forms and with a third thread's memory.
  const Bytes other = from.fill(relative(2));
  barrier();
  upcr_memcpy(to.on_thread(relative(1)), from.on_thread(relative(2)), Area::size, UPCR_HERE);
  Bytes got(Area::size);
  upcr_memget(got.data(), to.on_thread(relative(1)), Area::size, UPCR_HERE);
  EXPECT_EQ(got, other);
  upcr_memset(to.on_thread(relative(1)), 3, Area::size, UPCR_HERE);
  upcr_memput(to.on_thread(relative(1)), other.data(), 100, UPCR_HERE);
  got = to.contents(relative(1));
  EXPECT_EQ(Bytes(got.begin(), got.begin() + 100), Bytes(other.begin(), other.begin() + 100));
  EXPECT_EQ(got[100], 3);
}

// Each form of <upc_nb.h> and <bupc.h>, with every way to complete it.
UPC_TEST(memory, non_blocking_copies) {
  Area from(static_cast<uint64_t>(me())), to(50 + static_cast<uint64_t>(me()));
  const uint64_t t = relative(1);
  const Bytes source = from.fill(t);
  Bytes expected = to.fill(t);
  Bytes got(4000);
  const auto move = [&](size_t a, size_t b, size_t n) { std::memcpy(expected.data() + a, source.data() + b, n); };

  upc_sync(upc_memcpy_nb(to.on_thread(t, 0), from.on_thread(t, 100), 500));
  move(0, 100, 500);
  upc_handle_t handle = upc_memput_nb(to.on_thread(t, 600), source.data() + 1, 300);
  while (upc_sync_attempt(handle) == 0) {
  }
  move(600, 1, 300);
  upc_sync(upc_memset_nb(to.on_thread(t, 1000), 9, 50));
  std::memset(expected.data() + 1000, 9, 50);
  upc_sync(upc_memget_nb(got.data(), from.on_thread(t, 7), 4000));
  EXPECT_TRUE(std::equal(got.begin(), got.end(), source.begin() + 7));
  upc_sync(0);
  EXPECT_NE(upc_sync_attempt(0), 0);

  upc_memcpy_nbi(to.on_thread(t, 1100), from.on_thread(t, 5), 10);
  upc_memput_nbi(to.on_thread(t, 1200), source.data(), 200);
  upc_memset_nbi(to.on_thread(t, 1500), 1, 100);
  upc_memget_nbi(got.data(), from.on_thread(t, 8), 4000);
  upc_synci();
  EXPECT_NE(upc_synci_attempt(), 0);
  move(1100, 5, 10);
  move(1200, 0, 200);
  std::memset(expected.data() + 1500, 1, 100);
  EXPECT_TRUE(std::equal(got.begin(), got.end(), source.begin() + 8));

  upc_handle_t handles[4] = {bupc_memcpy_async(to.on_thread(t, 2000), from.on_thread(t, 9), 90),
                             bupc_memput_async(to.on_thread(t, 2100), source.data(), 100),
                             bupc_memset_async(to.on_thread(t, 2300), 5, 20),
                             bupc_memget_async(got.data(), from.on_thread(t, 11), 4000)};
  bupc_waitsync_some(handles, 4);
  bupc_waitsync_all(handles, 4);
  EXPECT_NE(bupc_trysync_all(handles, 4), 0);
  EXPECT_NE(bupc_trysync_some(handles, 4), 0);
  move(2000, 9, 90);
  move(2100, 0, 100);
  std::memset(expected.data() + 2300, 5, 20);
  EXPECT_TRUE(std::equal(got.begin(), got.end(), source.begin() + 11));

  bupc_begin_accessregion();
  bupc_memput_asynci(to.on_thread(t, 3000), source.data(), 100);
  bupc_memcpy_asynci(to.on_thread(t, 3200), from.on_thread(t), 100);
  const upc_handle_t region = bupc_end_accessregion();
  bupc_memset_asynci(to.on_thread(t, 3400), 2, 100);
  bupc_memget_asynci(got.data(), from.on_thread(t, 12), 4000);
  bupc_waitsync(region);
  bupc_waitsynci();
  EXPECT_NE(bupc_trysynci(), 0);
  move(3000, 0, 100);
  move(3200, 0, 100);
  std::memset(expected.data() + 3400, 2, 100);
  EXPECT_TRUE(std::equal(got.begin(), got.end(), source.begin() + 12));

  EXPECT_EQ(to.contents(t), expected);
}

// ---- Non-contiguous ----

// A cut of 1800 bytes into parts that do not overlap: (offset, size).
struct Cut {
  std::vector<std::pair<size_t, size_t>> parts;
};
const Cut lists[] = {
    {{{0, 1800}}}, {{{100, 1}, {50, 49}, {3000, 0}, {2000, 1000}, {500, 750}}}, {{{10000, 900}, {0, 900}}}};

Bytes pick(const Bytes& bytes, const Cut& cut) {
  Bytes out;
  for (const auto& [offset, size] : cut.parts)
    out.insert(out.end(), bytes.begin() + static_cast<long>(offset), bytes.begin() + static_cast<long>(offset + size));
  return out;
}
void place(Bytes& bytes, const Cut& cut, const Bytes& in) {
  size_t at = 0;
  for (const auto& [offset, size] : cut.parts) {
    std::copy_n(in.begin() + static_cast<long>(at), size, bytes.begin() + static_cast<long>(offset));
    at += size;
  }
}

// All three directions of a kind of copy, blocking and not. make_shared/make_private build its lists for a cut.
template <class Copy>
void check_lists(uint64_t stream, Copy copy) {
  Area from(stream + static_cast<uint64_t>(me())), to(stream + 20 + static_cast<uint64_t>(me()));
  const uint64_t t = relative(1);
  for (const Cut& a : lists)
    for (const Cut& b : lists)
      for (const bool async : {false, true}) {
        const Bytes source = from.fill(t);
        Bytes expected = to.fill(t), local = source, got(Area::size, 0), got_expected(Area::size, 0);
        const Bytes moved = pick(source, b);
        copy(0, async, to.on_thread(t), nullptr, a, from.on_thread(t), nullptr, b);  // shared to shared
        place(expected, a, moved);
        REQUIRE(to.contents(t) == expected);
        expected = to.fill(t);
        copy(1, async, to.on_thread(t), nullptr, a, upcr_null(), local.data(), b);  // put
        place(expected, a, moved);
        REQUIRE(to.contents(t) == expected);
        copy(2, async, upcr_null(), got.data(), a, from.on_thread(t), nullptr, b);  // get
        place(got_expected, a, moved);
        REQUIRE(got == got_expected);
      }
}

std::vector<bupc_smemvec_t> shared_vector(upcr_pts_t base, const Cut& cut) {
  std::vector<bupc_smemvec_t> list;
  for (const auto& [offset, size] : cut.parts) list.push_back({at(base, offset), size});
  return list;
}
std::vector<bupc_pmemvec_t> private_vector(unsigned char* base, const Cut& cut) {
  std::vector<bupc_pmemvec_t> list;
  for (const auto& [offset, size] : cut.parts) list.push_back({base + offset, size});
  return list;
}

UPC_TEST(vis, lists_of_parts_of_any_size) {
  check_lists(200, [](int kind, bool async, upcr_pts_t to, unsigned char* to_local, const Cut& a, upcr_pts_t from,
                      unsigned char* from_local, const Cut& b) {
    const auto st = shared_vector(to, a), sf = shared_vector(from, b);
    const auto pt = private_vector(to_local, a), pf = private_vector(from_local, b);
    const size_t n = st.size(), m = sf.size();
    if (kind == 0 && !async) bupc_memcpy_vlist(n, st.data(), m, sf.data());
    if (kind == 0 && async) bupc_waitsync(bupc_memcpy_vlist_async(n, st.data(), m, sf.data()));
    if (kind == 1 && !async) bupc_memput_vlist(n, st.data(), m, pf.data());
    if (kind == 1 && async) bupc_waitsync(bupc_memput_vlist_async(n, st.data(), m, pf.data()));
    if (kind == 2 && !async) bupc_memget_vlist(n, pt.data(), m, sf.data());
    if (kind == 2 && async) bupc_waitsync(bupc_memget_vlist_async(n, pt.data(), m, sf.data()));
  });
}

// The cut as parts of 50 bytes, which divides the large parts of `lists` in other places.
Cut even_cut(size_t size, size_t total, size_t stride) {
  Cut cut;
  for (size_t i = 0; i < total / size; ++i) cut.parts.push_back({i * stride, size});
  return cut;
}

UPC_TEST(vis, lists_of_parts_of_one_size) {
  Area from(static_cast<uint64_t>(me())), to(20 + static_cast<uint64_t>(me()));
  const uint64_t t = relative(1);
  for (const size_t to_size : {30u, 600u})
    for (const size_t from_size : {20u, 1200u})
      for (const bool async : {false, true}) {
        const Cut a = even_cut(to_size, 1200, to_size + 10), b = even_cut(from_size, 1200, from_size * 2);
        const Bytes source = from.fill(t);
        Bytes local = source, got(Area::size, 0), got_expected(Area::size, 0), expected = to.fill(t);
        std::vector<upcr_pts_t> st, sf;
        std::vector<void*> pt;
        std::vector<const void*> pf;
        for (const auto& part : a.parts) {
          st.push_back(to.on_thread(t, part.first));
          pt.push_back(got.data() + part.first);
        }
        for (const auto& part : b.parts) {
          sf.push_back(from.on_thread(t, part.first));
          pf.push_back(local.data() + part.first);
        }
        place(expected, a, pick(source, b));
        if (async)
          bupc_waitsync(bupc_memcpy_ilist_async(st.size(), st.data(), to_size, sf.size(), sf.data(), from_size));
        else
          bupc_memcpy_ilist(st.size(), st.data(), to_size, sf.size(), sf.data(), from_size);
        REQUIRE(to.contents(t) == expected);
        expected = to.fill(t);
        place(expected, a, pick(source, b));
        if (async)
          bupc_waitsync(bupc_memput_ilist_async(st.size(), st.data(), to_size, pf.size(), pf.data(), from_size));
        else
          bupc_memput_ilist(st.size(), st.data(), to_size, pf.size(), pf.data(), from_size);
        REQUIRE(to.contents(t) == expected);
        if (async)
          bupc_waitsync(bupc_memget_ilist_async(pt.size(), pt.data(), to_size, sf.size(), sf.data(), from_size));
        else
          bupc_memget_ilist(pt.size(), pt.data(), to_size, sf.size(), sf.data(), from_size);
        place(got_expected, a, pick(source, b));
        REQUIRE(got == got_expected);
        // The same as chunks at regular distances.
        const size_t as = to_size + 10, bs = from_size * 2;
        expected = to.fill(t);
        place(expected, a, pick(source, b));
        if (async)
          bupc_waitsync(bupc_memcpy_fstrided_async(to.on_thread(t), to_size, as, a.parts.size(), from.on_thread(t),
                                                   from_size, bs, b.parts.size()));
        else
          bupc_memcpy_fstrided(to.on_thread(t), to_size, as, a.parts.size(), from.on_thread(t), from_size, bs,
                               b.parts.size());
        REQUIRE(to.contents(t) == expected);
        expected = to.fill(t);
        place(expected, a, pick(source, b));
        if (async)
          bupc_waitsync(bupc_memput_fstrided_async(to.on_thread(t), to_size, as, a.parts.size(), local.data(),
                                                   from_size, bs, b.parts.size()));
        else
          bupc_memput_fstrided(to.on_thread(t), to_size, as, a.parts.size(), local.data(), from_size, bs,
                               b.parts.size());
        REQUIRE(to.contents(t) == expected);
        std::fill(got.begin(), got.end(), 0);
        if (async)
          bupc_waitsync(bupc_memget_fstrided_async(got.data(), to_size, as, a.parts.size(), from.on_thread(t),
                                                   from_size, bs, b.parts.size()));
        else
          bupc_memget_fstrided(got.data(), to_size, as, a.parts.size(), from.on_thread(t), from_size, bs,
                               b.parts.size());
        REQUIRE(got == got_expected);
      }
}

// A block of three dimensions: rows of 24 bytes, 5 of them 100 bytes apart, 3 such planes 900 bytes apart.
UPC_TEST(vis, strided_blocks) {
  Area from(static_cast<uint64_t>(me())), to(20 + static_cast<uint64_t>(me()));
  const uint64_t t = relative(1);
  const size_t count[] = {24, 5, 3};
  const size_t a[] = {30, 160}, b[] = {100, 900};
  const auto move = [&](Bytes& out, const Bytes& in) {
    for (size_t k = 0; k < 3; ++k)
      for (size_t j = 0; j < 5; ++j)
        std::copy_n(in.begin() + static_cast<long>(k * b[1] + j * b[0]), 24,
                    out.begin() + static_cast<long>(k * a[1] + j * a[0]));
  };
  for (const bool async : {false, true}) {
    const Bytes source = from.fill(t);
    Bytes expected = to.fill(t), got(Area::size, 0), got_expected(Area::size, 0);
    move(expected, source);
    if (async)
      bupc_waitsync(bupc_memcpy_strided_async(to.on_thread(t), a, from.on_thread(t), b, count, 2));
    else
      bupc_memcpy_strided(to.on_thread(t), a, from.on_thread(t), b, count, 2);
    REQUIRE(to.contents(t) == expected);
    expected = to.fill(t);
    move(expected, source);
    if (async)
      bupc_waitsync(bupc_memput_strided_async(to.on_thread(t), a, source.data(), b, count, 2));
    else
      bupc_memput_strided(to.on_thread(t), a, source.data(), b, count, 2);
    REQUIRE(to.contents(t) == expected);
    if (async)
      bupc_waitsync(bupc_memget_strided_async(got.data(), a, from.on_thread(t), b, count, 2));
    else
      bupc_memget_strided(got.data(), a, from.on_thread(t), b, count, 2);
    move(got_expected, source);
    REQUIRE(got == got_expected);
  }
  const size_t nothing[] = {24, 0, 3};
  bupc_memput_strided(to.on_thread(t), a, nullptr, b, nothing, 2);
}

TEST(stream_choice, follows_what_is_put_between_two_synchronisations) {
  using weft::upcrt::StreamChoice;
  StreamChoice choice;
  EXPECT_FALSE(choice.stream(StreamChoice::volume - 1, 0));
  EXPECT_FALSE(choice.stream(0, 0));
  EXPECT_TRUE(choice.stream(4096, 0));
  EXPECT_FALSE(choice.stream(StreamChoice::smallest - 1, 0));
  choice.others_look();
  EXPECT_TRUE(choice.stream(4096, 0)) << "the interval before was large";
  choice.others_look();
  choice.others_look();
  EXPECT_FALSE(choice.stream(4096, 0)) << "the last interval with puts was small";
  EXPECT_TRUE(choice.stream(StreamChoice::volume, 0));
  EXPECT_TRUE(choice.stream(4096, 1)) << "a strict operation ends an interval";
  EXPECT_FALSE(choice.stream(4096, 2));
}

// More than StreamChoice::volume between two barriers, so the later puts bypass the caches.
UPC_TEST(nonblocking, puts_of_a_large_volume_arrive) {
  const Area area(31);
  const auto next = relative(1);
  Bytes bytes(Area::size);
  for (int round = 0; round < 3; ++round) {
    auto random = random_numbers(1000 + static_cast<uint64_t>(round));
    for (size_t sent = 0; sent < weft::upcrt::StreamChoice::volume + 3 * Area::size; sent += Area::size) {
      bytes[sent % Area::size] = static_cast<unsigned char>(random());
      std::rotate(bytes.begin(), bytes.begin() + 777, bytes.end());
      upc_memput_nbi(area.on_thread(next, 1), bytes.data() + 1, Area::size - 1);
      if (round == 2) upc_sync(upc_memput_nb(area.on_thread(next, 3), bytes.data() + 3, Area::size - 3));
    }
    upc_synci();
    Bytes got(Area::size - 1);
    upc_memget(got.data(), area.on_thread(next, 1), got.size());
    REQUIRE(std::equal(got.begin(), got.end(), bytes.begin() + 1));
    barrier();
  }
}

UPC_TEST(time, advances) {
  const uint64_t start = upc_ticks_now();
  const uint64_t later = upc_ticks_now();
  EXPECT_GE(later, start);
  EXPECT_GE(upc_ticks_to_ns(1000), 1u);
  EXPECT_EQ(bupc_ticks_to_us(bupc_ticks_now()) / 1000000, bupc_ticks_to_ns(bupc_ticks_now()) / 1000000000);
  EXPECT_GT(bupc_tick_granularity(), 0.0);
  EXPECT_GT(bupc_tick_overhead(), 0.0);
}

}  // namespace
