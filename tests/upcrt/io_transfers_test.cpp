// Parallel files: when what is written is seen, what asynchronous operations wait for, and how many calls moves take.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "io_support.hpp"

namespace {

using namespace upc_test;

// ---- Semantics ----

// Each call of each thread is one step: whoever comes last has all of it.
UPC_TEST(io_strong, calls_are_atomic) {
  const std::string name = name_of("strong");
  const upcr_pts_t file = open_file(name, fresh | UPC_INDIVIDUAL_FP | UPC_STRONG_CA | UPC_DELETE_ON_CLOSE);
  constexpr size_t size = 300'000;
  const upcr_pts_t shared = upc_all_alloc(1, size);
  for (int round = 0; round < 8; ++round) {
    const bool async = round % 2 == 1;
    Bytes mine(size, static_cast<unsigned char>(me() + 1));
    REQUIRE(upc_all_fseek(file, 0, UPC_SEEK_SET) == 0);
    if (async) {
      upc_all_fwrite_local_async(file, mine.data(), 1, size, nosync);
      REQUIRE(upc_all_fwait_async(file) == size);
    } else if (round % 4 == 0) {
      REQUIRE(upc_all_fwrite_local(file, mine.data(), size, 1, nosync) == size);
    } else {  // many runs are one call
      std::vector<upc_filevec> runs;
      for (size_t at = 0; at < size; at += 100) runs.push_back({static_cast<upc_off_t>(at), 100});
      const upc_local_memvec memory{mine.data(), size};
      REQUIRE(upc_all_fwrite_list_local(file, 1, &memory, runs.size(), runs.data(), nosync) == size);
    }
    Bytes now = contents(name);
    REQUIRE(now.size() >= size);
    now.resize(size);
    REQUIRE(std::all_of(now.begin(), now.end(), [&](unsigned char byte) { return byte == now[0]; }));
    // Reads into one buffer, each from its own part of a file.
    barrier();
    REQUIRE(upc_all_fseek(file, static_cast<upc_off_t>(size * self()), UPC_SEEK_SET) >= 0);
    REQUIRE(upc_all_fwrite_local(file, mine.data(), 1, size, 0) == size);
    REQUIRE(upc_all_fseek(file, static_cast<upc_off_t>(size * self()), UPC_SEEK_SET) >= 0);
    if (async) {
      upc_all_fread_shared_async(file, shared, 0, 1, size, 0);
      REQUIRE(upc_all_fwait_async(file) == size);
    } else {
      REQUIRE(upc_all_fread_shared(file, shared, 0, 1, size, 0) == size);
    }
    Bytes got(size);
    upc_memget(got.data(), shared, size);
    REQUIRE(std::all_of(got.begin(), got.end(), [&](unsigned char byte) { return byte == got[0]; }));
    barrier();
  }
  upc_all_free(shared);
  REQUIRE(upc_all_fclose(file) == 0);
}

UPC_TEST(io_weak, own_writes_are_read_back_at_once) {
  const std::string name = name_of("own");
  const upcr_pts_t file = open_file(name, fresh | UPC_INDIVIDUAL_FP | UPC_DELETE_ON_CLOSE);
  std::array<int, 100> out{}, in{};
  out.fill(me() + 7);
  const auto at = static_cast<upc_off_t>(sizeof out * self());
  REQUIRE(upc_all_fseek(file, at, UPC_SEEK_SET) == at);
  REQUIRE(upc_all_fwrite_local(file, out.data(), sizeof(int), 100, nosync) == sizeof out);
  REQUIRE(upc_all_fseek(file, at, UPC_SEEK_SET) == at);
  REQUIRE(upc_all_fread_local(file, in.data(), sizeof(int), 100, nosync) == sizeof in);
  REQUIRE(in == out);
  REQUIRE(upc_all_fclose(file) == 0);
}

// ---- Asynchronous operations ----

// An operation is begun and asked for while the system does nothing yet.
UPC_TEST(io_async, goes_on_without_waiting_for_the_system) {
  const std::string name = name_of("stuck");
  const upcr_pts_t file = open_file(name, fresh | UPC_COMMON_FP | UPC_DELETE_ON_CLOSE);
  constexpr size_t each = 100'000, block = 100;
  const size_t all = each * count();
  const upcr_pts_t shared = upc_all_alloc(all / block, block);
  const auto own = static_cast<upc_off_t>(self() * each);
  Bytes bytes(each, static_cast<unsigned char>(me() + 1));
  const upc_local_memvec memory{bytes.data(), each};
  const upc_filevec run{own, each};
  const auto check = [&](auto start, size_t expected) {
    barrier();
    faults.stuck = true;
    barrier();
    start();
    int done = 1;
    REQUIRE(upc_all_ftest_async(file, &done) == 0);
    REQUIRE(done == 0 && faults.stuck);
    REQUIRE(upc_all_fcntl(file, UPC_ASYNC_OUTSTANDING, nullptr) == 1);
    faults.stuck = false;
    REQUIRE(upc_all_fwait_async(file) == static_cast<upc_off_t>(expected));
  };
  upc_memput(on(self(), shared), bytes.data(), each);
  check([&] { upc_all_fwrite_shared_async(file, shared, block, 1, all, 0); }, all);
  REQUIRE(upc_all_fseek(file, 0, UPC_SEEK_SET) == 0);
  upc_memset(on(self(), shared), 0, each);
  check([&] { upc_all_fread_shared_async(file, shared, block, 1, all, 0); }, all);
  Bytes back(each);
  upc_memget(back.data(), on(self(), shared), each);
  REQUIRE(back == bytes);
  check([&] { upc_all_fwrite_list_local_async(file, 1, &memory, 1, &run, 0); }, each);
  back.assign(each, 0);
  const upc_local_memvec to{back.data(), each};
  check([&] { upc_all_fread_list_local_async(file, 1, &to, 1, &run, 0); }, each);
  REQUIRE(back == bytes);
  upc_all_free(shared);
  REQUIRE(upc_all_fclose(file) == 0);
}

// ---- Cost ----

// Small blocks are moved by few large calls, whatever the form.
UPC_TEST(io_cost, small_blocks_take_few_calls) {
  const std::string name = name_of("cost");
  const upcr_pts_t file = open_file(name, fresh | UPC_COMMON_FP | UPC_DELETE_ON_CLOSE);
  constexpr size_t each = size_t{1} << 20, block = 64;
  const upcr_pts_t shared = upc_all_alloc(count() * (each / block), block);
  std::vector<upc_filevec> runs;
  for (size_t i = 0; i < each / block; ++i)
    runs.push_back({static_cast<upc_off_t>((i * count() + self()) * block), block});
  Bytes local(each, static_cast<unsigned char>(me()));
  const upc_local_memvec memory{local.data(), each};
  const auto calls_of = [&](auto call) {
    barrier();
    faults.calls = 0;
    barrier();
    call();
    barrier();
    return static_cast<size_t>(faults.calls);  // of this process
  };
  const size_t all = each * count();
  const auto few = static_cast<int>(all / (64 << 10)) + 4 * threads();
  REQUIRE(calls_of([&] {
            REQUIRE(upc_all_fwrite_shared(file, shared, block, 1, all, 0) == static_cast<upc_off_t>(all));
          }) <= static_cast<size_t>(few));
  REQUIRE(upc_all_fseek(file, 0, UPC_SEEK_SET) == 0);
  REQUIRE(calls_of([&] {
            REQUIRE(upc_all_fread_shared(file, shared, block, 1, all, 0) == static_cast<upc_off_t>(all));
          }) <= static_cast<size_t>(few) * count());
  REQUIRE(calls_of([&] {
            REQUIRE(upc_all_fwrite_list_local(file, 1, &memory, runs.size(), runs.data(), 0) ==
                    static_cast<upc_off_t>(each));
          }) <= static_cast<size_t>(few));
  Bytes back(each);
  const upc_local_memvec to{back.data(), each};
  REQUIRE(calls_of([&] {
            REQUIRE(upc_all_fread_list_local(file, 1, &to, runs.size(), runs.data(), 0) ==
                    static_cast<upc_off_t>(each));
          }) <= static_cast<size_t>(few) * count());
  REQUIRE(back == local);
  upc_all_free(shared);
  REQUIRE(upc_all_fclose(file) == 0);
}

}  // namespace
