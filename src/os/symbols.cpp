#include "os/symbols.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

namespace weft::os {
namespace {

// A file in memory. Its offsets are the file's own and may be damaged: they are looked at before use.
class File {
 public:
  explicit File(const char* path) {
    const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
    struct stat about {};
    if (descriptor >= 0 && ::fstat(descriptor, &about) == 0 && about.st_size > 0) {
      void* const bytes = ::mmap(nullptr, static_cast<size_t>(about.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
      if (bytes != MAP_FAILED) bytes_ = {static_cast<const char*>(bytes), static_cast<size_t>(about.st_size)};
    }
    if (descriptor >= 0) ::close(descriptor);
  }
  ~File() {
    if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// `count` objects at this offset, or none.
  template <class Object>
  std::span<const Object> at(size_t offset, size_t count) const {
    if (offset % alignof(Object) != 0 || offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(Object))
      return {};
    return {reinterpret_cast<const Object*>(bytes_.data() + offset), count};
  }

 private:
  std::span<const char> bytes_;
};

std::span<const ElfW(Shdr)> sections_of(const File& file) {
  const auto header = file.at<ElfW(Ehdr)>(0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return {};
  return file.at<ElfW(Shdr)>(header[0].e_shoff, header[0].e_shnum);
}

// The parser of a mangled name: the part of the grammar that names without templates need.
class Mangled {
 public:
  Mangled(std::string_view text, char* name, size_t size) : text_(text), name_(name), room_(size - 1) {}

  /// False if there is nothing simple about it.
  bool print() {
    if (!take("_Z")) return false;
    const bool nested = take("N");
    while (nested && !text_.empty() && std::strchr("rVKRO", text_.front()) != nullptr) text_.remove_prefix(1);
    if (nested && take("St")) append("std");
    while (print_component() && nested) continue;
    // What is left may belong to the name: arguments of a template, a lambda, an operator.
    if (nested && used_ != 0 && !text_.starts_with("E")) append("...");
    name_[used_] = '\0';
    return used_ != 0;
  }

 private:
  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  bool print_component() {
    (void)take("L");  // of one file
    if (take("C1") || take("C2")) return append("::constructor"), true;
    if (take("D0") || take("D1") || take("D2")) return append("::destructor"), true;
    size_t length = 0;
    while (!text_.empty() && text_.front() >= '0' && text_.front() <= '9' && length < 10000) {
      length = 10 * length + static_cast<size_t>(text_.front() - '0');
      text_.remove_prefix(1);
    }
    if (length == 0 || length > text_.size()) return false;
    const std::string_view word = text_.substr(0, length);
    text_.remove_prefix(length);
    if (used_ != 0) append("::");
    append(word.starts_with("_GLOBAL__N") ? "(anonymous namespace)" : word);
    return true;
  }

  void append(std::string_view word) {
    const size_t fits = std::min(word.size(), room_ - used_);
    std::memcpy(name_ + used_, word.data(), fits);
    used_ += fits;
  }

  std::string_view text_;
  char* const name_;
  const size_t room_;
  size_t used_ = 0;
};

}  // namespace

void make_readable(const char* symbol, char* name, size_t size) {
  if (size == 0 || Mangled(symbol, name, size).print()) return;
  const size_t length = std::min(std::strlen(symbol), size - 1);
  std::memcpy(name, symbol, length);
  name[length] = '\0';
}

bool function_at(const char* path, uintptr_t place, char* name, size_t size) {
  const File file(path);
  const auto sections = sections_of(file);
  for (const ElfW(Shdr)& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const ElfW(Shdr)& names = sections[section.sh_link];
    const auto texts = file.at<char>(names.sh_offset, names.sh_size);
    if (texts.empty() || texts.back() != '\0') continue;
    for (const ElfW(Sym)& symbol : file.at<ElfW(Sym)>(section.sh_offset, section.sh_size / sizeof(ElfW(Sym)))) {
      const bool function = (symbol.st_info & 0xf) == STT_FUNC && symbol.st_shndx != SHN_UNDEF;
      if (!function || place - symbol.st_value >= symbol.st_size || symbol.st_name >= texts.size()) continue;
      make_readable(texts.data() + symbol.st_name, name, size);
      return true;
    }
  }
  return false;
}

}  // namespace weft::os
