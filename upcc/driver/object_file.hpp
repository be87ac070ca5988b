// What an object file or a program says of itself: its sections and symbols (ELF, 64 bits).
#pragma once

#include <elf.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upcc::driver {

class ObjectFile {
 public:
  explicit ObjectFile(const std::string& path);

  // ET_REL, ET_EXEC, ET_DYN; ET_NONE for what is no such file.
  [[nodiscard]] Elf64_Half type() const { return header_.e_type; }
  // Of a section, 0 if there is none.
  [[nodiscard]] std::uint64_t size_of(std::string_view section) const;
  // Of a section that takes room in the file, empty if there is none. Lives as long as the file.
  [[nodiscard]] std::string_view content_of(std::string_view section) const;
  // The text that a pointer leads to, which is at this offset in a section of a linked file. Empty if it leads nowhere.
  [[nodiscard]] std::string_view text_behind(std::string_view section, std::uint64_t offset) const;

  struct Symbol {
    std::string_view name;  // lives as long as the file
    bool defined;
  };
  // Those that other files can see.
  [[nodiscard]] std::vector<Symbol> global_symbols() const;
  // The writable variables of an object file that are not thread-local, also those that other files cannot see.
  [[nodiscard]] std::vector<std::string_view> variables() const;

 private:
  [[nodiscard]] const Elf64_Shdr* find(std::string_view section) const;
  [[nodiscard]] std::uint64_t pointer_at(std::uint64_t address, std::uint64_t in_file) const;
  struct Entry {
    std::string_view name;  // without the version of its library
    Elf64_Sym symbol;
  };
  [[nodiscard]] std::vector<Entry> symbols() const;
  void read_symbols(const Elf64_Shdr& table, std::vector<Entry>& out) const;
  [[nodiscard]] std::string_view name_of(const Elf64_Shdr& section) const;
  [[nodiscard]] bool inside(std::uint64_t at, std::uint64_t bytes) const {
    return at <= file_.size() && bytes <= file_.size() - at;
  }

  std::string file_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
};

}  // namespace upcc::driver
