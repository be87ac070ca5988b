// What the tests of parallel files share: the system's calls with what is to go wrong in them, files, and results that
// must be the same on all threads.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

#include "upc/upc_io_flags.h"
#include "upc/upc_types.h"
#include "upc_threads.hpp"
#include "weft/coll.h"
#include "weft/job.h"

namespace upc_test {

/// What is to go wrong in the system's calls of this process.
struct Faults {
  std::atomic<int> error{0};             // of reads, writes and synchronising
  std::atomic<bool> short_calls{false};  // each call moves a part only
  std::atomic<int> calls{0};
  std::atomic<bool> stuck{false};  // calls do not return, for a while at most
};
extern Faults faults;
extern thread_local int own_error;  // of this thread's calls only

using Bytes = std::vector<unsigned char>;

constexpr int nosync = UPC_IN_NOSYNC | UPC_OUT_NOSYNC;
constexpr int fresh = UPC_RDWR | UPC_CREATE | UPC_TRUNC;

inline size_t count() { return static_cast<size_t>(threads()); }
inline size_t self() { return static_cast<size_t>(me()); }

/// A name that no other test of the machine has, the same on all threads.
std::string name_of(const char* test);

/// errno and the result of a call are the same on all threads.
template <class Value>
bool agreed(Value value, int error) {
  std::array<int64_t, 2> mine{static_cast<int64_t>(value), error};
  std::vector<std::array<int64_t, 2>> all(count());
  (void)weft_gather_all(WEFT_TEAM_WORLD, all.data(), mine.data(), sizeof mine, 0);
  return std::all_of(all.begin(), all.end(), [&](const auto& other) { return other == mine; });
}

upcr_pts_t open_file(const std::string& name, int flags);
bool exists(const std::string& name);
/// As any other program sees it.
Bytes contents(const std::string& name);
void put_contents(const std::string& name, const Bytes& bytes);
void remove_file(const std::string& name);

}  // namespace upc_test

/// The call fails on all threads with this errno.
#define REFUSED(call, code)                         \
  do {                                              \
    errno = 0;                                      \
    const auto refused_result = (call);             \
    const int refused_errno = errno;                \
    REQUIRE(refused_result == -1);                  \
    REQUIRE(agreed(refused_result, refused_errno)); \
    REQUIRE(refused_errno == (code));               \
  } while (0)
#define NOT_OPENED(call, code)              \
  do {                                      \
    errno = 0;                              \
    const upcr_pts_t refused_file = (call); \
    const int refused_errno = errno;        \
    REQUIRE(upcr_is_null(refused_file));    \
    REQUIRE(agreed(0, refused_errno));      \
    REQUIRE(refused_errno == (code));       \
  } while (0)
