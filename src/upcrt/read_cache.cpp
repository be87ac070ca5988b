#include "upcrt/read_cache.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <utility>

#include "upcrt/of_thread.hpp"
#include "upcrt/places.hpp"
#include "upcrt/runtime.hpp"
#include "upcrt/window_pieces.hpp"
#include "weft/job.h"
#include "weft/segment.h"
#include "weft/sim.h"
#include "weft/upcrt/access.h"

namespace weft::upcrt {
namespace {

constexpr uint64_t kLine = 64;  // bytes fetched at least
constexpr uint64_t kLines = 64;
constexpr uint64_t kPage = kLine * kLines;  // and at most; consecutive in the thread's memory
static_assert(kPage == UPCR_PAGE);
constexpr uint64_t kWays = 4;
// By calls, a line is read this often before it is fetched anew: a fetch costs about 10 us, so it adds 10 ns to each
// read.
constexpr uint32_t kReadsOfLine = 1024;
// And for this long, for who looks at a variable now and then.
constexpr uint32_t kMillisecondsOfLine = 10;
// What a strip of a loop spends by fetching elements one by one: its wait is worth a page, and each element its place
// and what goes with it. Pages have cost as much as they would have whole before they are fetched, so the loop at most
// doubles what it communicates. Long strips share their wait among so many that there is nothing to gain.
constexpr uint64_t kCostOfStrip = kPage;
constexpr uint64_t kCostOfElement = 24;
constexpr size_t kLongStrip = 256;
// Reads between two looks at the network, which others may wait for.
constexpr uint32_t kReadsBetweenPolls = 256;

struct Line {
  uint32_t reads = 0;  // since it was fetched
  uint32_t fetched = 0;

  bool may_be_read(uint32_t now) const { return reads < kReadsOfLine && now - fetched < kMillisecondsOfLine; }
};

struct Page {
  uint64_t key = ~uint64_t{0};
  uint64_t age = 0;    // of the cache when it was filled last
  uint64_t there = 0;  // a bit for each line that is
  uint64_t epoch = 0;
  uint64_t spent = 0;        // on elements that were fetched one strip at a time, in bytes
  uint64_t spent_now = 0;    // elements of this strip
  bool whole = false;        // was fetched so
  bool known = false;        // to compiled code
  uint64_t known_reads = 0;  // by it
  std::array<Line, kLines> lines{};

  // Whether it was read as often as it takes for a fetch of all of it to pay.
  bool has_paid() const {
    uint64_t reads = known_reads;
    for (const Line& line : lines) reads += line.reads;
    return whole && reads * kCostOfElement >= kPage;
  }
};

// Pages that compiled code knows (weft/upcrt/gather.h). Those that are kept are of the cache's epoch, and hold what
// they did when they were added.
class KnownPages {
 public:
  upcr_known_page_t* all() { return pages_.data(); }
  upcr_known_page_t& of(uint64_t key) { return pages_[slot_of(key)]; }
  /// Calls f(page) for each that is kept, and drops it.
  template <typename F>
  void drop_kept(const F& f) {
    for (const uint8_t number : kept_) {
      upcr_known_page_t& page = pages_[number];
      if (page.kept == 0) continue;
      f(page);
      page = {kNone, nullptr, 0, 0};
    }
    kept_.clear();
  }
  void drop(uint64_t key) { of(key) = {kNone, nullptr, 0, 0}; }
  void add(const upcr_known_page_t& page) {
    of(page.key) = page;
    if (page.kept != 0) kept_.push_back(slot_of(page.key));
  }
  bool any_kept() const { return !kept_.empty(); }

 private:
  static constexpr uint64_t kNone = ~uint64_t{0};
  static_assert(UPCR_KNOWN_PAGES == 256, "`kept_` holds numbers of pages");
  static uint8_t slot_of(uint64_t key) {
    return static_cast<uint8_t>(upcr_page_slot(upcr_make((key & ((uint64_t{1} << 40) - 1)) * kPage, key >> 40, 0)));
  }

  std::vector<upcr_known_page_t> pages_{UPCR_KNOWN_PAGES, {kNone, nullptr, 0, 0}};
  std::vector<uint8_t> kept_;  // of pages that are or were
};

constinit thread_local OfThread<KnownPages> own_known_pages;
KnownPages& known() { return *own_known_pages; }

// As of the system's last tick, some milliseconds ago: a fifth of the cost of the time.
uint32_t coarse_milliseconds() {
  if (weft_simulated() != nullptr) return static_cast<uint32_t>(weft_time_ns() / 1'000'000);
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return static_cast<uint32_t>(time.tv_sec * 1000 + time.tv_nsec / 1'000'000);
}

uint64_t key_of(upcr_pts_t p) { return upcr_page_key(p); }
uint64_t line_of(uint64_t offset) { return offset % kPage / kLine; }
// The sizes of most objects without a call.
void copy(void* to, const char* from, size_t size) {
  if (size == 8)
    std::memcpy(to, from, 8);
  else if (size == 4)
    std::memcpy(to, from, 4);
  else
    std::memcpy(to, from, size);
}

bool is_in_one_page(upcr_pts_t p, size_t size) { return p.offset % kPage + size <= kPage; }
// Bits [first, first + count).
uint64_t bits(uint64_t first, uint64_t count) { return ~uint64_t{0} >> (kLines - count) << first; }

}  // namespace

class ReadCache {
 public:
  explicit ReadCache(uint64_t bytes)
      : sets_(std::max<uint64_t>(bytes / (kPage * kWays), 1)),
        pages_(std::make_unique<Page[]>(sets_ * kWays)),
        bytes_(static_cast<char*>(std::aligned_alloc(kPage, sets_ * kWays * kPage)), std::free) {
    if (bytes_ == nullptr) fail({}, "no memory for a cache of %zu bytes; set UPC_CACHE lower", sets_ * kWays * kPage);
  }

  ~ReadCache() {
    if (filled_reads == this) filled_reads = nullptr;
  }
  ReadCache(const ReadCache&) = delete;
  ReadCache& operator=(const ReadCache&) = delete;

  void forget() {
    ++epoch_;
    unknow_all();
  }

  /// Before compiled code reads pages it knows: whether they are as old as they may be is asked once for `reads`.
  void look_at_known(uint64_t reads) {
    const uint32_t before = std::exchange(reads_, reads_ + static_cast<uint32_t>(reads));
    if (before / kReadsBetweenPolls != reads_ / kReadsBetweenPolls) (void)weft_poll();
    if (known().any_kept() && coarse_milliseconds() - known_since_ >= kMillisecondsOfLine) unknow_all();
  }
  /// Compiled code knows none of what is kept.
  void unknow_all() {
    known().drop_kept([&](const upcr_known_page_t& page) { unknow(page); });
  }

  /// The page, if it is there.
  Page* find(uint64_t key) {
    if (last_->key == key && last_->epoch == epoch_) return last_;
    Page* const set = set_of(key);
    for (Page* page = set; page != set + kWays; ++page) {
      if (page->key == key && page->epoch == epoch_) return last_ = page;
    }
    return nullptr;
  }
  char* bytes_of(const Page& page) const { return bytes_.get() + kPage * static_cast<size_t>(&page - pages_.get()); }

  bool read(void* to, upcr_pts_t from, size_t size) { return read(to, from, size, coarse_milliseconds()); }
  bool read(void* to, upcr_pts_t from, size_t size, uint32_t now) {
    if (!is_in_one_page(from, size)) return false;
    Page* const page = find(key_of(from));
    if (page == nullptr) return false;
    const uint64_t first = line_of(from.offset), last = line_of(from.offset + size - 1);
    const uint64_t wanted = bits(first, last - first + 1);
    if ((page->there & wanted) != wanted) return false;
    for (uint64_t line = first; line <= last; ++line) {
      if (!page->lines[line].may_be_read(now)) return false;
      ++page->lines[line].reads;
    }
    copy(to, bytes_of(*page) + from.offset % kPage, size);
    if (++reads_ % kReadsBetweenPolls == 0) (void)weft_poll();
    return true;
  }

  void fetch(upcr_pts_t from, size_t size) {
    const uint64_t line = line_of(from.offset);
    const uint64_t begin = from.offset / kPage * kPage;
    const uint64_t there = std::min(kLines, (weft_segment_size() - begin) / kLine);
    uint64_t count = line_of(from.offset + size - 1) - line + 1;
    count = std::min(std::max(count, ahead(upcr_thread(from), begin + line * kLine)), there - line);
    Page& page = page_for(key_of(from));
    (void)weft_get(bytes_of(page) + line * kLine, thread_of(from), begin + line * kLine, count * kLine);
    count_more_bytes(count * kLine - size);
    page.there |= bits(line, count);
    std::fill_n(page.lines.begin() + static_cast<ptrdiff_t>(line), count, Line{0, coarse_milliseconds()});
    page.age = ++age_;
    streams_[next_stream_] = {upcr_thread(from), begin + (line + count) * kLine, count};
  }

  void read_places(const upcr_pts_t* places, std::vector<uint32_t>& wanted, size_t size, char* to, char** at) {
    const auto read_what_is_there = [&] {
      const uint32_t now = coarse_milliseconds();
      std::erase_if(wanted, [&](uint32_t k) {
        if (!read(to, places[k], size, now)) return false;
        if (last_->there == ~uint64_t{0} && !last_->known) know(*last_, now);
        at[k] = to;
        to += size;
        return true;
      });
    };
    read_what_is_there();
    if (wanted.empty() || wanted.size() >= kLongStrip) return;
    if (fetch_pages(places, wanted)) read_what_is_there();
    // What is left goes one by one, and its pages remember the cost.
    size_t pages = 0;
    for (const uint32_t k : wanted) pages += page_for(key_of(places[k])).spent_now++ == 0;
    for (const uint32_t k : wanted) {
      Page* const page = find(key_of(places[k]));
      if (page == nullptr || page->spent_now == 0) continue;
      page->spent += kCostOfStrip / pages + kCostOfElement * page->spent_now;
      page->spent_now = 0;
    }
  }

  void change(upcr_pts_t to, const void* from, size_t size) {
    for (uint64_t done = 0; done < size;) {
      const upcr_pts_t at = upcr_make(to.offset + done, upcr_thread(to), 0);
      const uint64_t now = std::min(size - done, kPage - at.offset % kPage);
      if (const Page* page = find(key_of(at)))
        std::memcpy(bytes_of(*page) + at.offset % kPage, static_cast<const char*>(from) + done, now);
      done += now;
    }
  }

 private:
  // Compiled code may read this page, which is there, from now on.
  void know(Page& page, uint32_t now) {
    uint32_t oldest = 0;
    for (const Line& line : page.lines) oldest = std::max(oldest, now - line.fetched);
    if (oldest >= kMillisecondsOfLine) return;  // some line of it is to be fetched anew
    if (!known().any_kept() || now - known_since_ < oldest) known_since_ = now - oldest;
    const upcr_known_page_t& there = known().of(page.key);
    if (there.kept != 0) unknow(there);
    known().add({page.key, bytes_of(page), ~uint64_t{0}, 0});
    page.known = true;
  }
  void unknow(const upcr_known_page_t& known_page) {
    Page& page = pages_[static_cast<size_t>(known_page.at - bytes_.get()) / kPage];
    page.known_reads += known_page.reads;
    page.known = false;
  }

  // Those of these places' pages on which enough was spent. False if there were none.
  bool fetch_pages(const upcr_pts_t* places, const std::vector<uint32_t>& wanted) {
    // Pages that are new give way to none once gets are under way.
    for (const uint32_t k : wanted) (void)page_for(key_of(places[k]));
    for (const uint32_t k : wanted) {
      Page* const page = find(key_of(places[k]));
      if (page == nullptr || page->spent < kPage) continue;
      page->spent = 0;
      page->whole = true;
      page->known_reads = 0;
      const uint64_t begin = places[k].offset / kPage * kPage;
      const uint64_t count = std::min(kLines, (weft_segment_size() - begin) / kLine);
      count_message(count * kLine);
      (void)weft_get_nb(bytes_of(*page), thread_of(places[k]), begin, count * kLine, 0, &handles_.emplace_back());
      page->there = bits(0, count);
      std::fill_n(page->lines.begin(), count, Line{0, coarse_milliseconds()});
      page->age = ++age_;
    }
    const bool any = !handles_.empty();
    complete(handles_);
    return any;
  }

  struct Stream {
    uint64_t thread = ~uint64_t{0};
    uint64_t end = 0;  // where the last fetch ended
    uint64_t lines = 0;
  };

  Page* set_of(uint64_t key) const { return pages_.get() + kWays * ((key ^ key >> 40 ^ key >> 12) % sets_); }

  // How many lines to fetch: twice as many as the fetch that ended there, so one that follows no other takes one.
  uint64_t ahead(uint64_t thread, uint64_t begin) {
    for (next_stream_ = 0; next_stream_ < streams_.size(); ++next_stream_) {
      const Stream& stream = streams_[next_stream_];
      if (stream.thread == thread && stream.end == begin) return std::min(2 * stream.lines, kLines);
    }
    next_stream_ = oldest_stream_++ % streams_.size();
    return 1;
  }

  // The page with this key, else an empty one: what was this page before all was forgotten, or the one of its set that
  // was filled longest ago. A page that has paid before is worth fetching at once.
  Page& page_for(uint64_t key) {
    if (Page* page = find(key)) return *page;
    Page* const set = set_of(key);
    const auto older = [&](const Page& a, const Page& b) {
      return std::pair(a.epoch == epoch_, a.age) < std::pair(b.epoch == epoch_, b.age);
    };
    Page* const before = std::find_if(set, set + kWays, [&](const Page& page) { return page.key == key; });
    const bool pays = before != set + kWays && before->has_paid();
    last_ = before != set + kWays ? before : std::min_element(set, set + kWays, older);
    if (last_->known) known().drop(last_->key);
    last_->known = false;
    last_->known_reads = 0;
    last_->key = key;
    last_->epoch = epoch_;
    last_->there = 0;
    last_->spent = pays ? kPage : 0;
    last_->spent_now = 0;
    last_->whole = false;
    last_->age = ++age_;
    return *last_;
  }

  uint64_t sets_;
  std::unique_ptr<Page[]> pages_;
  std::unique_ptr<char, decltype(&std::free)> bytes_;
  Page* last_ = pages_.get();
  uint64_t epoch_ = 1;
  uint32_t known_since_ = 0;  // when the oldest line that compiled code knows was fetched
  uint64_t age_ = 0;
  uint32_t reads_ = 0;
  std::vector<weft_handle_t> handles_;
  std::array<Stream, 4> streams_;
  size_t next_stream_ = 0;
  size_t oldest_stream_ = 0;
};

thread_local ReadCache* filled_reads __attribute__((tls_model("initial-exec"))) = nullptr;
std::atomic<uint64_t> kept_bytes{0};

namespace {
constinit thread_local OfThread<ReadCache> own_cache;

ReadCache& cache_to_fill(uint64_t most) {
  if (own_cache.find() == nullptr) own_cache.set(new ReadCache(most));
  return *(filled_reads = own_cache.find());
}
}  // namespace

bool read_kept(void* to, upcr_pts_t from, size_t size) {
  if (filled_reads == nullptr || kept_bytes.load(std::memory_order_relaxed) == 0) return false;
  return filled_reads->read(to, from, size);
}

bool read_and_keep(void* to, upcr_pts_t from, size_t size) {
  const uint64_t most = kept_bytes.load(std::memory_order_relaxed);
  if (most == 0 || size > kLargestRead || !is_in_one_page(from, size) || from.offset + size > weft_segment_size())
    return false;
  ReadCache& cache = cache_to_fill(most);
  cache.fetch(from, size);
  return cache.read(to, from, size);
}

void read_kept_places(const upcr_pts_t* places, std::vector<uint32_t>& wanted, size_t size, char* to, char** at) {
  const uint64_t most = kept_bytes.load(std::memory_order_relaxed);
  if (most == 0 || size > kLargestRead || wanted.empty()) return;
  cache_to_fill(most).read_places(places, wanted, size, to, at);
}

upcr_known_page_t* known_pages(uint64_t reads) {
  if (filled_reads != nullptr) {
    if (kept_bytes.load(std::memory_order_relaxed) == 0) filled_reads->unknow_all();
    filled_reads->look_at_known(reads);
  }
  return known().all();
}

void know_mapped_page(upcr_pts_t p, char* base) {
  const uint64_t key = upcr_page_key(p);
  if (known().of(key).kept == 0) known().add({key, base + p.offset / kPage * kPage, 0, 0});
}

void change_kept(upcr_pts_t to, const void* from, size_t size) {
  if (filled_reads != nullptr) filled_reads->change(to, from, size);
}

void forget_kept() {
  filled_reads->forget();
  filled_reads = nullptr;
}

}  // namespace weft::upcrt
