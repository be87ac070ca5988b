// Parallel files: what every function does, refuses and allows.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>

#include "io_support.hpp"

namespace {

using namespace upc_test;

// ---- Opening and closing ----

UPC_TEST(io_open, flags_decide) {
  const std::string name = name_of("flags");
  const int ways = UPC_RDWR | UPC_INDIVIDUAL_FP;
  NOT_OPENED(upc_all_fopen(name.c_str(), ways, 0, nullptr), ENOENT);
  const upcr_pts_t file = open_file(name, ways | UPC_CREATE | UPC_EXCL);
  REQUIRE(upc_all_fclose(file) == 0);
  REQUIRE(exists(name));
  NOT_OPENED(upc_all_fopen(name.c_str(), ways | UPC_CREATE | UPC_EXCL, 0, nullptr), EEXIST);
  barrier();
  if (me() == 0) put_contents(name, Bytes(100, 'x'));
  barrier();
  const upcr_pts_t kept = open_file(name, ways | UPC_CREATE | UPC_APPEND);
  REQUIRE(upc_all_fget_size(kept) == 100);
  REQUIRE(upc_all_fseek(kept, 0, UPC_SEEK_CUR) == 100);
  REQUIRE(upc_all_fclose(kept) == 0);
  const upcr_pts_t cut_off = open_file(name, ways | UPC_TRUNC | UPC_APPEND | UPC_DELETE_ON_CLOSE);
  REQUIRE(upc_all_fget_size(cut_off) == 0);
  REQUIRE(upc_all_fseek(cut_off, 0, UPC_SEEK_CUR) == 0);
  REQUIRE(exists(name));
  REQUIRE(upc_all_fclose(cut_off) == 0);
  REQUIRE(!exists(name));
}

UPC_TEST(io_open, mistakes_are_refused_everywhere) {
  const std::string name = name_of("mistakes");
  const char* text = name.c_str();
  const int create = UPC_CREATE | UPC_INDIVIDUAL_FP;
  NOT_OPENED(upc_all_fopen(text, create, 0, nullptr), EINVAL);
  NOT_OPENED(upc_all_fopen(text, UPC_RDWR | UPC_CREATE, 0, nullptr), EINVAL);
  NOT_OPENED(upc_all_fopen(text, create | UPC_RDWR | UPC_RDONLY, 0, nullptr), EINVAL);
  NOT_OPENED(upc_all_fopen(text, create | UPC_RDWR | UPC_COMMON_FP, 0, nullptr), EINVAL);
  NOT_OPENED(upc_all_fopen(text, create | UPC_RDWR | 0x8000, 0, nullptr), EINVAL);
  NOT_OPENED(upc_all_fopen(text, create | UPC_RDONLY | UPC_TRUNC, 0, nullptr), EINVAL);
  NOT_OPENED(upc_all_fopen(text, UPC_RDWR | UPC_INDIVIDUAL_FP | UPC_EXCL, 0, nullptr), EINVAL);
  NOT_OPENED(upc_all_fopen(nullptr, create | UPC_RDWR, 0, nullptr), EINVAL);
  NOT_OPENED(upc_all_fopen(text, create | UPC_RDWR, 1, nullptr), EINVAL);
  const upc_hint_t half[] = {{"cb_nodes", nullptr}};
  NOT_OPENED(upc_all_fopen(text, create | UPC_RDWR, 1, half), EINVAL);
  const upc_hint_t odd[] = {{"cb_nodes", "many"}};
  NOT_OPENED(upc_all_fopen(text, create | UPC_RDWR, 1, odd), EINVAL);
  NOT_OPENED(upc_all_fopen("/no/such/folder/file", create | UPC_RDWR, 0, nullptr), ENOENT);
  NOT_OPENED(upc_all_fopen("/tmp", UPC_RDONLY | UPC_INDIVIDUAL_FP, 0, nullptr), EISDIR);
  REQUIRE(!exists(name));
  // One thread alone is wrong: none gets the file, and what was created for it is gone.
  NOT_OPENED(upc_all_fopen(self() + 1 == count() ? nullptr : text, create | UPC_RDWR, 0, nullptr), EINVAL);
  REQUIRE(!exists(name));
  if (count() > 1) {
    const std::string other = self() + 1 == count() ? name + "-elsewhere" : name;
    NOT_OPENED(upc_all_fopen(other.c_str(), create | UPC_RDWR, 0, nullptr), ENOENT);
    REQUIRE(!exists(name));
    // Another file of the same kind is another file.
    barrier();
    if (me() == 0) put_contents(name, Bytes(10, 'a'));
    if (self() + 1 == count()) put_contents(other, Bytes(10, 'a'));
    barrier();
    NOT_OPENED(upc_all_fopen(other.c_str(), UPC_RDWR | UPC_TRUNC | UPC_COMMON_FP, 0, nullptr), EXDEV);
    REQUIRE(contents(other) == Bytes(10, 'a'));
    barrier();
    unlink(other.c_str());
    barrier();
  }
}

UPC_TEST(io_open, handles_end_with_their_file) {
  const std::string name = name_of("handles");
  const upcr_pts_t first = open_file(name, fresh | UPC_INDIVIDUAL_FP);
  const upcr_pts_t second = open_file(name + "-b", fresh | UPC_COMMON_FP | UPC_DELETE_ON_CLOSE);
  REQUIRE(!upcr_equal(first, second));
  REQUIRE(upc_all_fclose(first) == 0);
  char byte = 0;
  REFUSED(upc_all_fclose(first), EBADF);
  REFUSED(upc_all_fsync(first), EBADF);
  REFUSED(upc_all_fseek(first, 0, UPC_SEEK_SET), EBADF);
  REFUSED(upc_all_fset_size(first, 0), EBADF);
  REFUSED(upc_all_fget_size(first), EBADF);
  REFUSED(upc_all_fpreallocate(first, 0), EBADF);
  REFUSED(upc_all_fcntl(first, UPC_GET_FL, nullptr), EBADF);
  REFUSED(upc_all_fread_local(first, &byte, 1, 1, 0), EBADF);
  REFUSED(upc_all_fwrite_list_local(first, 0, nullptr, 0, nullptr, 0), EBADF);
  REFUSED(upc_all_fwait_async(first), EBADF);
  REFUSED(upc_all_fclose(upcr_null()), EBADF);
  REQUIRE(upc_all_fcntl(second, UPC_GET_FP, nullptr) == UPC_COMMON_FP);
  REQUIRE(upc_all_fclose(second) == 0);
  REQUIRE(!exists(name + "-b"));
  remove_file(name);
}

UPC_TEST(io_open, hints_are_kept_and_permissions_set) {
  const std::string name = name_of("hints");
  const upc_hint_t hints[] = {{"file_perm", "640"},
                              {"cb_buffer_size", "8192"},
                              {"no such hint", "x"},
                              {"access_style", "read_once, sequential"}};
  const upcr_pts_t file = upc_all_fopen(name.c_str(), fresh | UPC_INDIVIDUAL_FP | UPC_DELETE_ON_CLOSE, 4, hints);
  REQUIRE(!upcr_is_null(file));
  struct stat status {};
  REQUIRE(stat(name.c_str(), &status) == 0);
  REQUIRE((status.st_mode & 0777) == 0640);
  const upc_hint_t* kept = nullptr;
  REQUIRE(upc_all_fcntl(file, UPC_GET_HINTS, &kept) == 3);
  REQUIRE(std::strcmp(kept[1].key, "cb_buffer_size") == 0 && std::strcmp(kept[1].value, "8192") == 0);
  upc_hint_t changed = {"cb_buffer_size", "4096"};
  REQUIRE(upc_all_fcntl(file, UPC_SET_HINT, &changed) == 0);
  REQUIRE(upc_all_fcntl(file, UPC_GET_HINTS, &kept) == 3);
  REQUIRE(std::strcmp(kept[1].value, "4096") == 0);
  changed.value = "no number";
  REFUSED(upc_all_fcntl(file, UPC_SET_HINT, &changed), EINVAL);
  REFUSED(upc_all_fcntl(file, UPC_SET_HINT, nullptr), EINVAL);
  const char* given = nullptr;
  REQUIRE(upc_all_fcntl(file, UPC_GET_FN, &given) == 0);
  REQUIRE(given == name);
  REFUSED(upc_all_fcntl(file, UPC_GET_FN, nullptr), EINVAL);
  REFUSED(upc_all_fcntl(file, 99, nullptr), EINVAL);
  REQUIRE(upc_all_fclose(file) == 0);
}

// ---- Pointers, sizes, semantics ----

UPC_TEST(io_control, pointers_and_sizes) {
  const std::string name = name_of("sizes");
  const upcr_pts_t file = open_file(name, fresh | UPC_INDIVIDUAL_FP | UPC_DELETE_ON_CLOSE);
  const auto mine = static_cast<upc_off_t>(me());
  REQUIRE(upc_all_fseek(file, 10 + mine, UPC_SEEK_SET) == 10 + mine);
  REQUIRE(upc_all_fseek(file, -mine, UPC_SEEK_CUR) == 10);
  REFUSED(upc_all_fseek(file, -11, UPC_SEEK_CUR), EINVAL);
  REFUSED(upc_all_fseek(file, 0, 7), EINVAL);
  REFUSED(upc_all_fseek(file, me() == 0 ? -1 : 5, UPC_SEEK_SET), EINVAL);  // one of them
  REQUIRE(upc_all_fseek(file, INT64_MAX, UPC_SEEK_SET) == INT64_MAX);
  REFUSED(upc_all_fseek(file, 1, UPC_SEEK_CUR), EOVERFLOW);
  REQUIRE(upc_all_fget_size(file) == 0);  // seeking changes no size
  REQUIRE(upc_all_fset_size(file, 1000) == 0);
  REQUIRE(upc_all_fget_size(file) == 1000);
  REQUIRE(upc_all_fseek(file, -1 - mine, UPC_SEEK_END) == 999 - mine);
  REQUIRE(upc_all_fpreallocate(file, 500) == 0);
  REQUIRE(upc_all_fget_size(file) == 1000);
  REQUIRE(upc_all_fpreallocate(file, 100'000) == 0);
  REQUIRE(upc_all_fget_size(file) == 100'000);
  struct stat status {};
  REQUIRE(stat(name.c_str(), &status) == 0);
  REQUIRE(status.st_blocks * 512 >= 100'000);
  REQUIRE(upc_all_fset_size(file, 10) == 0);
  REQUIRE(upc_all_fget_size(file) == 10);
  REQUIRE(upc_all_fseek(file, 0, UPC_SEEK_CUR) == 999 - mine);
  REFUSED(upc_all_fset_size(file, -1), EINVAL);
  REFUSED(upc_all_fpreallocate(file, -5), EINVAL);
  REQUIRE(upc_all_fclose(file) == 0);
}

UPC_TEST(io_control, modes_change) {
  const std::string name = name_of("modes");
  const int flags = fresh | UPC_INDIVIDUAL_FP | UPC_DELETE_ON_CLOSE;
  const upcr_pts_t file = open_file(name, flags);
  REQUIRE(upc_all_fcntl(file, UPC_GET_FL, nullptr) == flags);
  REQUIRE(upc_all_fcntl(file, UPC_GET_CA_SEMANTICS, nullptr) == 0);
  REQUIRE(upc_all_fcntl(file, UPC_SET_STRONG_CA_SEMANTICS, nullptr) == 0);
  REQUIRE(upc_all_fcntl(file, UPC_GET_CA_SEMANTICS, nullptr) == UPC_STRONG_CA);
  REQUIRE(upc_all_fcntl(file, UPC_GET_FL, nullptr) == (flags | UPC_STRONG_CA));
  REQUIRE(upc_all_fcntl(file, UPC_SET_WEAK_CA_SEMANTICS, nullptr) == 0);
  REQUIRE(upc_all_fseek(file, 5, UPC_SEEK_SET) == 5);
  REQUIRE(upc_all_fcntl(file, UPC_SET_COMMON_FP, nullptr) == 0);
  REQUIRE(upc_all_fcntl(file, UPC_GET_FP, nullptr) == UPC_COMMON_FP);
  REQUIRE(upc_all_fseek(file, 0, UPC_SEEK_CUR) == 0);
  REQUIRE(upc_all_fcntl(file, UPC_SET_INDIVIDUAL_FP, nullptr) == 0);
  REQUIRE(upc_all_fcntl(file, UPC_GET_FP, nullptr) == UPC_INDIVIDUAL_FP);
  REQUIRE(upc_all_fcntl(file, UPC_GET_FL, nullptr) == flags);
  REQUIRE(upc_all_fcntl(file, UPC_ASYNC_OUTSTANDING, nullptr) == 0);
  REQUIRE(upc_all_fclose(file) == 0);
}

// ---- What reads and writes refuse ----

UPC_TEST(io_data, mistakes_are_refused_everywhere) {
  const std::string name = name_of("refused");
  barrier();
  if (me() == 0) put_contents(name, Bytes(64, 'q'));
  barrier();
  const upcr_pts_t memory = upc_all_alloc(count(), 4096);
  std::array<char, 64> buffer{};
  upcr_pts_t file = open_file(name, UPC_RDONLY | UPC_INDIVIDUAL_FP);
  REFUSED(upc_all_fwrite_local(file, buffer.data(), 1, 1, 0), EBADF);
  REFUSED(upc_all_fwrite_list_local(file, 0, nullptr, 0, nullptr, 0), EBADF);
  REFUSED(upc_all_fset_size(file, 0), EBADF);
  REFUSED(upc_all_fpreallocate(file, 10), EBADF);
  REFUSED(upc_all_fread_local(file, nullptr, 1, 1, 0), EINVAL);
  REFUSED(upc_all_fread_local(file, me() == 0 ? nullptr : buffer.data(), 1, 1, nosync), EINVAL);
  REFUSED(upc_all_fread_local(file, buffer.data(), SIZE_MAX, 2, 0), EINVAL);
  REFUSED(upc_all_fread_local(file, buffer.data(), static_cast<size_t>(-1), 1, 0), EINVAL);
  REFUSED(upc_all_fread_shared(file, upcr_null(), 1, 1, 1, 0), EINVAL);
  REFUSED(upc_all_fread_shared(file, memory, SIZE_MAX, 1, 1, 0), EINVAL);
  REFUSED(upc_all_fread_shared(file, memory, 1, 1, size_t{1} << 50, 0), EFAULT);
  REFUSED(upc_all_fread_shared(file, upcr_make(memory.offset, count(), 0), 1, 1, 1, 0), EFAULT);
  REQUIRE(upc_all_fread_local(file, nullptr, 0, 5, 0) == 0);
  REQUIRE(upc_all_fread_local(file, nullptr, 5, 0, 0) == 0);
  REQUIRE(upc_all_fread_shared(file, upcr_null(), 1, 5, 0, 0) == 0);

  const auto read_list = [&](std::vector<upc_local_memvec> to, std::vector<upc_filevec> from) {
    return upc_all_fread_list_local(file, to.size(), to.data(), from.size(), from.data(), 0);
  };
  REFUSED(read_list({{buffer.data(), 5}}, {{0, 6}}), EINVAL);
  REFUSED(read_list({{nullptr, 5}}, {{0, 5}}), EINVAL);
  REFUSED(read_list({{buffer.data(), 5}}, {{-1, 5}}), EINVAL);
  REFUSED(read_list({{buffer.data(), 2}}, {{10, 1}, {5, 1}}), EINVAL);
  REFUSED(read_list({{buffer.data(), SIZE_MAX}, {buffer.data(), 2}}, {{0, 1}}), EINVAL);
  REFUSED(upc_all_fread_list_local(file, 1, nullptr, 0, nullptr, 0), EINVAL);
  REFUSED(upc_all_fread_list_local(file, 0, nullptr, 1, nullptr, 0), EINVAL);
  REQUIRE(read_list({{nullptr, 0}, {buffer.data(), 3}}, {{7, 0}, {4, 2}, {4, 1}}) == 3);
  REQUIRE(upc_all_fread_list_shared(file, 0, nullptr, 0, nullptr, 0) == 0);
  REQUIRE(upc_all_fclose(file) == 0);

  file = open_file(name, UPC_WRONLY | UPC_COMMON_FP);
  REFUSED(upc_all_fread_shared(file, memory, 1, 1, 1, 0), EBADF);
  REFUSED(upc_all_fread_list_local(file, 0, nullptr, 0, nullptr, 0), EBADF);
  REFUSED(upc_all_fwrite_local(file, buffer.data(), 1, 1, 0), EINVAL);
  const upc_local_memvec two{buffer.data(), 20};
  const upc_filevec overlapping[] = {{0, 10}, {5, 10}};
  REFUSED(upc_all_fwrite_list_local(file, 1, &two, 2, overlapping, 0), EINVAL);
  REQUIRE(upc_all_fseek(file, INT64_MAX - 3, UPC_SEEK_SET) == INT64_MAX - 3);
  REFUSED(upc_all_fwrite_shared(file, memory, 1, 1, 4, 0), EFBIG);
  // Threads that do not give the same to a common pointer. Checked mode ends the job instead.
  if (count() > 1 && upcr_unchecked() != 0) {
    REQUIRE(upc_all_fseek(file, 0, UPC_SEEK_SET) == 0);
    REFUSED(upc_all_fwrite_shared(file, memory, 1, 1, me() == 0 ? 2 : 3, nosync), EINVAL);
  }
  REQUIRE(upc_all_fclose(file) == 0);
  upc_all_free(memory);
  remove_file(name);
}

// ---- Asynchronous operations ----

UPC_TEST(io_async, allows_nothing_else_until_it_is_complete) {
  const std::string name = name_of("async");
  const upcr_pts_t file = open_file(name, fresh | UPC_INDIVIDUAL_FP);
  int done = 5;
  REFUSED(upc_all_fwait_async(file), EINVAL);
  REFUSED(upc_all_ftest_async(file, &done), EINVAL);
  REQUIRE(done == 1);
  Bytes bytes(5000, static_cast<unsigned char>(me()));
  REQUIRE(upc_all_fseek(file, me() * 5000, UPC_SEEK_SET) == me() * 5000);
  upc_all_fwrite_local_async(file, bytes.data(), 1, bytes.size(), 0);
  REFUSED(upc_all_fclose(file), EBUSY);
  REFUSED(upc_all_fsync(file), EBUSY);
  REFUSED(upc_all_fseek(file, 0, UPC_SEEK_SET), EBUSY);
  REFUSED(upc_all_fget_size(file), EBUSY);
  REFUSED(upc_all_fcntl(file, UPC_GET_FL, nullptr), EBUSY);
  REFUSED(upc_all_fread_local(file, bytes.data(), 1, 1, 0), EBUSY);
  REFUSED(upc_all_ftest_async(file, nullptr), EINVAL);
  REQUIRE(upc_all_fcntl(file, UPC_ASYNC_OUTSTANDING, nullptr) == 1);
  REQUIRE(upc_all_fwait_async(file) == 5000);
  REFUSED(upc_all_fwait_async(file), EINVAL);
  REQUIRE(upc_all_fseek(file, 0, UPC_SEEK_CUR) == me() * 5000 + 5000);
  // Wrong arguments are told at the end; the file is as before then.
  upc_all_fwrite_local_async(file, me() == 0 ? nullptr : bytes.data(), 1, 10, 0);
  REFUSED(upc_all_fwait_async(file), EINVAL);
  REQUIRE(upc_all_fcntl(file, UPC_ASYNC_OUTSTANDING, nullptr) == 0);
  REQUIRE(upc_all_fclose(file) == 0);
  const Bytes all = contents(name);
  for (size_t t = 0; t < count(); ++t) REQUIRE(all[t * 5000 + 17] == static_cast<unsigned char>(t));
  remove_file(name);
}

}  // namespace
