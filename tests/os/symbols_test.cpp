// Names in backtraces: from the table of symbols of a file, and as source has them. How backtraces are written.
#include "os/symbols.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "os/ending.hpp"

namespace {

using weft::os::function_at;
using weft::os::make_readable;

// Not known to the dynamic linker.
[[gnu::noinline]] uintptr_t place_in_this_function(uintptr_t base) {
  return reinterpret_cast<uintptr_t>(&place_in_this_function) + 1 - base;
}

uintptr_t base_of_program() {
  // A program that is not loaded at a place of the loader's choice has its own places.
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&base_of_program), &info) == 0) return 0;
  std::ifstream file("/proc/self/exe", std::ios::binary);
  char header[18] = {};
  file.read(header, sizeof header);
  constexpr char shared_object = 3;  // e_type
  return header[16] == shared_object ? reinterpret_cast<uintptr_t>(info.dli_fbase) : 0;
}

TEST(Symbols, AFunctionIsFoundByAPlaceInIt) {
  char name[100];
  ASSERT_TRUE(function_at("/proc/self/exe", place_in_this_function(base_of_program()), name, sizeof name));
  EXPECT_STREQ(name, "(anonymous namespace)::place_in_this_function");
  char short_name[6];
  ASSERT_TRUE(function_at("/proc/self/exe", place_in_this_function(base_of_program()), short_name, sizeof short_name));
  EXPECT_STREQ(short_name, "(anon");
  EXPECT_FALSE(function_at("/proc/self/exe", UINTPTR_MAX / 2, name, sizeof name));
}

TEST(Symbols, FilesThatAreNoneHaveNoFunctions) {
  char name[100];
  const uintptr_t place = place_in_this_function(base_of_program());
  EXPECT_FALSE(function_at("/no/such/file", place, name, sizeof name));
  EXPECT_FALSE(function_at("/dev/null", place, name, sizeof name));
  EXPECT_FALSE(function_at("/etc/passwd", place, name, sizeof name));

  // This program, cut off at many places, with the section header table where it was.
  std::ifstream own("/proc/self/exe", std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(own), {});
  const std::string path = testing::TempDir() + "/weft_symbols_" + std::to_string(getpid());
  for (size_t size = 1; size < bytes.size(); size += bytes.size() / 16 + 1) {
    std::ofstream(path, std::ios::binary) << bytes.substr(0, size);
    EXPECT_FALSE(function_at(path.c_str(), place, name, sizeof name)) << size;
  }
  unlink(path.c_str());
}

// This program with one field damaged of what names its functions.
TEST(Symbols, DamagedTablesNameNothing) {
  std::ifstream own("/proc/self/exe", std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(own), {});
  const std::string path = testing::TempDir() + "/weft_symbols_" + std::to_string(getpid());
  const uintptr_t place = place_in_this_function(base_of_program());
  struct Parts {
    std::string bytes;
    ElfW(Ehdr)* header = nullptr;
    ElfW(Shdr)* symbols = nullptr;
    ElfW(Shdr)* names = nullptr;
    ElfW(Sym)* first = nullptr;
    size_t count = 0;
  };
  const auto found_after = [&](const std::function<void(Parts&)>& damage) {
    Parts parts;
    parts.bytes = bytes;
    char* const start = parts.bytes.data();
    parts.header = reinterpret_cast<ElfW(Ehdr)*>(start);
    auto* const sections = reinterpret_cast<ElfW(Shdr)*>(start + parts.header->e_shoff);
    for (int i = 0; i < parts.header->e_shnum; ++i)
      if (sections[i].sh_type == SHT_SYMTAB) parts.symbols = &sections[i];
    if (parts.symbols == nullptr) return false;
    parts.names = &sections[parts.symbols->sh_link];
    parts.first = reinterpret_cast<ElfW(Sym)*>(start + parts.symbols->sh_offset);
    parts.count = parts.symbols->sh_size / sizeof(ElfW(Sym));
    damage(parts);
    std::ofstream(path, std::ios::binary) << parts.bytes;
    char name[100];
    return function_at(path.c_str(), place, name, sizeof name);
  };
  if (!found_after([](Parts&) {})) GTEST_SKIP() << "this program has no symbols";
  const std::function<void(Parts&)> damages[] = {
      [](Parts& p) { p.header->e_shoff = UINT64_MAX; },
      [](Parts& p) { p.header->e_shoff += 1; },
      [](Parts& p) { p.header->e_shnum = UINT16_MAX; },
      [](Parts& p) { p.symbols->sh_link = UINT32_MAX; },
      [](Parts& p) { p.symbols->sh_offset = UINT64_MAX - 7; },
      [](Parts& p) { p.symbols->sh_offset += 4; },
      [](Parts& p) { p.symbols->sh_size = UINT64_MAX; },
      [](Parts& p) { p.names->sh_offset = UINT64_MAX; },
      [](Parts& p) { p.names->sh_size = UINT64_MAX; },
      [](Parts& p) { p.names->sh_size = 0; },
      [](Parts& p) { p.bytes[p.names->sh_offset + p.names->sh_size - 1] = 'x'; },
      [](Parts& p) {
        for (size_t i = 0; i < p.count; ++i) p.first[i].st_name = UINT32_MAX;
      },
  };
  for (const auto& damage : damages) EXPECT_FALSE(found_after(damage)) << &damage - damages;
  unlink(path.c_str());
}

TEST(Symbols, NamesAreAsSourceHasThem) {
  const auto readable = [](const char* symbol) {
    char name[200];
    make_readable(symbol, name, sizeof name);
    return std::string(name);
  };
  EXPECT_EQ(readable("main"), "main");
  EXPECT_EQ(readable("_Z4openv"), "open");
  EXPECT_EQ(readable("_ZL4openv"), "open");
  EXPECT_EQ(readable("_ZN4weft2os15print_backtraceEPKv"), "weft::os::print_backtrace");
  EXPECT_EQ(readable("_ZNK4weft4base6Status2okEv.localalias"), "weft::base::Status::ok");
  EXPECT_EQ(readable("_ZN4weft4capi12_GLOBAL__N_14initEPiPPPc"), "weft::capi::(anonymous namespace)::init");
  EXPECT_EQ(readable("_ZN4weft4core4RankC2Ev"), "weft::core::Rank::constructor");
  EXPECT_EQ(readable("_ZN4weft4core4RankD1Ev"), "weft::core::Rank::destructor");
  EXPECT_EQ(readable("_ZNSt6thread6_StateD2Ev"), "std::thread::_State::destructor");
  EXPECT_EQ(readable("_ZN4weft4core8Progress4waitIiEEvT_"), "weft::core::Progress::wait...");
  EXPECT_EQ(readable("_ZN3fooplERKS_"), "foo...");
  // What is not simple, or no name at all, stays.
  for (const char* symbol : {"", "_Z", "_ZN", "_ZNE", "_ZTV3foo", "_ZN99999999999999999999foo", "_Z9foo", "_ZdlPv"})
    EXPECT_EQ(readable(symbol), symbol);
}

// Those of several ranks do not mix. A socket for datagrams keeps writes apart.
TEST(Backtrace, AndItsLineAreOneWrite) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
  const int before = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  weft::os::log_backtrace(nullptr, "%s; %s", "a reason", "backtrace:");
  dup2(before, STDERR_FILENO);
  char text[64 << 10];
  const ssize_t size = recv(ends[0], text, sizeof text, MSG_DONTWAIT);
  ASSERT_GT(size, 0);
  const std::string written(text, static_cast<size_t>(size));
  EXPECT_TRUE(written.starts_with("weft: ")) << written;
  EXPECT_NE(written.find("error: a reason; backtrace:\n"), std::string::npos) << written;
  EXPECT_NE(written.find("Backtrace_AndItsLineAreOneWrite_Test::TestBody\n"), std::string::npos) << written;
  EXPECT_EQ(written.back(), '\n');
  EXPECT_EQ(recv(ends[0], text, sizeof text, MSG_DONTWAIT), -1) << "a second write";
  for (const int descriptor : {before, ends[0], ends[1]}) close(descriptor);
}

}  // namespace
