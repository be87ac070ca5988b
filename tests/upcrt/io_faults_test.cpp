// Parallel files: failures of the system, which all threads are told alike.
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <string>

#include "io_support.hpp"

namespace {

using namespace upc_test;

// `call` fails with the error, on all threads, wherever it comes from.
template <class Call>
void expect_failure(Call call, int error) {
  for (const size_t who : {size_t{0}, count() - 1}) {
    barrier();
    own_error = self() == who ? error : 0;
    REFUSED(call(), error);
    own_error = 0;
    barrier();
  }
}

UPC_TEST(io_failure, is_told_to_all_threads) {
  const std::string name = name_of("failure");
  const upcr_pts_t file = open_file(name, fresh | UPC_INDIVIDUAL_FP);
  const upcr_pts_t shared = upc_all_alloc(count(), 301'000);
  Bytes bytes(1000, static_cast<unsigned char>('A' + me()));
  const auto own = static_cast<upc_off_t>(1000 * self());
  REQUIRE(upc_all_fseek(file, own, UPC_SEEK_SET) == own);
  REQUIRE(upc_all_fwrite_local(file, bytes.data(), 1, 1000, 0) == 1000);
  REQUIRE(upc_all_fsync(file) == 0);
  REQUIRE(upc_all_fseek(file, 1'000'000 + own, UPC_SEEK_SET) >= 0);
  for (const int error : {EIO, ENOSPC, EDQUOT, ESTALE}) {
    expect_failure([&] { return upc_all_fwrite_local(file, bytes.data(), 1, 1000, nosync); }, error);
    expect_failure([&] { return upc_all_fread_local(file, bytes.data(), 1, 1000, nosync); }, error);
    expect_failure([&] { return upc_all_fread_shared(file, shared, 8, 1, 1000, 0); }, error);
  }
  const upc_local_memvec memory{bytes.data(), 1000};
  const upc_filevec run{2'000'000, 1000};
  expect_failure([&] { return upc_all_fwrite_list_local(file, 1, &memory, 1, &run, 0); }, EIO);
  // The helper's error.
  barrier();
  faults.error = EIO;
  barrier();
  upc_all_fwrite_local_async(file, bytes.data(), 1, 1000, 0);
  REFUSED(upc_all_fwait_async(file), EIO);
  REQUIRE(upc_all_fcntl(file, UPC_ASYNC_OUTSTANDING, nullptr) == 0);
  REFUSED(upc_all_fsync(file), EIO);
  barrier();
  faults.error = 0;
  barrier();
  // Common pointer, on a file in which all threads do a part.
  REQUIRE(upc_all_fcntl(file, UPC_SET_COMMON_FP, nullptr) == 0);
  REQUIRE(upc_all_fseek(file, 3'000'000, UPC_SEEK_SET) >= 0);
  expect_failure([&] { return upc_all_fwrite_shared(file, shared, 64, 1, 300'000 * count(), 0); }, ENOSPC);
  REQUIRE(upc_all_fseek(file, 0, UPC_SEEK_SET) == 0);
  // What was synchronised is whole, and the file still works.
  REQUIRE(upc_all_fread_shared(file, shared, 0, 1, 1000 * count(), 0) == static_cast<upc_off_t>(1000 * count()));
  Bytes back(1000 * count());
  upc_memget(back.data(), shared, back.size());
  for (size_t i = 0; i < back.size(); ++i) REQUIRE(back[i] == 'A' + i / 1000);
  // Closing tells what could not be synchronised.
  barrier();
  faults.error = EIO;
  barrier();
  REFUSED(upc_all_fclose(file), EIO);
  REFUSED(upc_all_fclose(file), EBADF);
  barrier();
  faults.error = 0;
  upc_all_free(shared);
  remove_file(name);
}

// A device that is always full, a limit of the process, a file that somebody removed.
UPC_TEST(io_failure, of_the_real_system) {
  std::array<char, 100> bytes{};
  const upcr_pts_t full = open_file("/dev/full", UPC_RDWR | UPC_INDIVIDUAL_FP);
  REFUSED(upc_all_fwrite_local(full, bytes.data(), 1, 100, 0), ENOSPC);
  upc_all_fwrite_local_async(full, bytes.data(), 1, 100, 0);
  REFUSED(upc_all_fwait_async(full), ENOSPC);
  REQUIRE(upc_all_fclose(full) == 0);

  const std::string name = name_of("limit");
  upcr_pts_t file = open_file(name, fresh | UPC_INDIVIDUAL_FP);
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{10'000, before.rlim_max};
  barrier();
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  barrier();
  REQUIRE(upc_all_fwrite_local(file, bytes.data(), 1, 100, 0) == 100);
  REQUIRE(upc_all_fseek(file, 9'950, UPC_SEEK_SET) == 9'950);
  REFUSED(upc_all_fwrite_local(file, bytes.data(), 1, 100, 0), EFBIG);
  REFUSED(upc_all_fset_size(file, 10'001), EFBIG);
  barrier();
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  barrier();

  // Removed by somebody: what is open stays usable, and a name that is to be removed and is gone is no error.
  if (me() == 0) unlink(name.c_str());
  barrier();
  REQUIRE(upc_all_fseek(file, 0, UPC_SEEK_SET) == 0);
  REQUIRE(upc_all_fread_local(file, bytes.data(), 1, 100, 0) == 100);
  REQUIRE(upc_all_fsync(file) == 0);
  REQUIRE(upc_all_fclose(file) == 0);
  NOT_OPENED(upc_all_fopen(name.c_str(), UPC_RDWR | UPC_INDIVIDUAL_FP, 0, nullptr), ENOENT);
  file = open_file(name, fresh | UPC_INDIVIDUAL_FP | UPC_DELETE_ON_CLOSE);
  barrier();
  if (me() == 0) unlink(name.c_str());
  barrier();
  REQUIRE(upc_all_fclose(file) == 0);
}

// Another program cuts the file off: all threads read what is left, and memory for the rest stays as it is.
UPC_TEST(io_failure, what_others_cut_off_is_read_short) {
  const std::string name = name_of("cut");
  for (const size_t block : {size_t{64}, size_t{512}, size_t{4096}, size_t{100'000}}) {
    const size_t each = 100'000 / block * block, all = each * count();
    const size_t left = all / 2 + 7;
    const upcr_pts_t shared = upc_all_alloc(all / block, block);
    const upcr_pts_t file = open_file(name, fresh | UPC_COMMON_FP | UPC_DELETE_ON_CLOSE);
    const Bytes mine(each, static_cast<unsigned char>('a' + me()));
    upc_memput(on(self(), shared), mine.data(), each);
    REQUIRE(upc_all_fwrite_shared(file, shared, block, 1, all, 0) == static_cast<upc_off_t>(all));
    REQUIRE(upc_all_fsync(file) == 0);
    if (me() == 0) REQUIRE(truncate(name.c_str(), static_cast<off_t>(left)) == 0);
    for (const bool async : {false, true}) {
      upc_memset(on(self(), shared), '.', each);
      REQUIRE(upc_all_fseek(file, 0, UPC_SEEK_SET) == 0);
      upc_off_t moved = 0;
      if (async) {
        upc_all_fread_shared_async(file, shared, block, 1, all, 0);
        moved = upc_all_fwait_async(file);
      } else {
        moved = upc_all_fread_shared(file, shared, block, 1, all, 0);
      }
      REQUIRE(moved == static_cast<upc_off_t>(left));
      REQUIRE(upc_all_fseek(file, 0, UPC_SEEK_CUR) == moved);
      Bytes now(each);
      upc_memget(now.data(), on(self(), shared), each);
      for (size_t i = 0; i < each; ++i) {
        const size_t at = (i / block * count() + self()) * block + i % block;  // in the file
        REQUIRE(now[i] == (at < left ? mine[i] : '.'));
      }
    }
    REQUIRE(upc_all_fget_size(file) == static_cast<upc_off_t>(left));
    REQUIRE(upc_all_fclose(file) == 0);
    upc_all_free(shared);
  }
}

}  // namespace
