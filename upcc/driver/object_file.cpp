#include "driver/object_file.hpp"

#include <algorithm>
#include <cstring>

#include "driver/process.hpp"

namespace upcc::driver {

ObjectFile::ObjectFile(const std::string& path) {
  Elf64_Ehdr header{};
  if (!read_file(path, file_) || file_.size() < sizeof header) return;
  std::memcpy(&header, file_.data(), sizeof header);
  const bool elf = std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64;
  const std::size_t bytes = header.e_shnum * sizeof(Elf64_Shdr);
  if (!elf || !inside(header.e_shoff, bytes) || header.e_shstrndx >= header.e_shnum) return;
  header_ = header;
  sections_.resize(header.e_shnum);
  std::memcpy(sections_.data(), file_.data() + header.e_shoff, bytes);
}

std::string_view ObjectFile::name_of(const Elf64_Shdr& section) const {
  const std::uint64_t at = sections_[header_.e_shstrndx].sh_offset + section.sh_name;
  return inside(at, 1) ? std::string_view(file_.c_str() + at) : std::string_view();
}

const Elf64_Shdr* ObjectFile::find(std::string_view section) const {
  const auto found = std::find_if(sections_.begin(), sections_.end(),
                                  [&](const Elf64_Shdr& candidate) { return name_of(candidate) == section; });
  return found == sections_.end() ? nullptr : &*found;
}

std::uint64_t ObjectFile::size_of(std::string_view section) const {
  const Elf64_Shdr* found = find(section);
  return found == nullptr ? 0 : found->sh_size;
}

std::string_view ObjectFile::content_of(std::string_view section) const {
  const Elf64_Shdr* found = find(section);
  if (found == nullptr || found->sh_type == SHT_NOBITS || !inside(found->sh_offset, found->sh_size)) return {};
  return {file_.data() + found->sh_offset, found->sh_size};
}

// Where the program may be loaded anywhere, most linkers leave the address to a relocation.
std::uint64_t ObjectFile::pointer_at(std::uint64_t address, std::uint64_t in_file) const {
  std::uint64_t value = 0;
  std::memcpy(&value, file_.data() + in_file, sizeof value);
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type != SHT_RELA || !inside(section.sh_offset, section.sh_size)) continue;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= section.sh_size; at += sizeof(Elf64_Rela)) {
      Elf64_Rela relocation;
      std::memcpy(&relocation, file_.data() + section.sh_offset + at, sizeof relocation);
      if (relocation.r_offset == address) return static_cast<std::uint64_t>(relocation.r_addend);
    }
  }
  return value;
}

std::string_view ObjectFile::text_behind(std::string_view section, std::uint64_t offset) const {
  const Elf64_Shdr* found = find(section);
  if (found == nullptr || offset + sizeof(std::uint64_t) > content_of(section).size()) return {};
  const std::uint64_t address = pointer_at(found->sh_addr + offset, found->sh_offset + offset);
  for (const Elf64_Shdr& candidate : sections_) {
    if ((candidate.sh_flags & SHF_ALLOC) == 0 || candidate.sh_type == SHT_NOBITS) continue;
    if (address < candidate.sh_addr || address - candidate.sh_addr >= candidate.sh_size) continue;
    const std::uint64_t at = candidate.sh_offset + (address - candidate.sh_addr);
    if (inside(at, 1)) return {file_.c_str() + at};
  }
  return {};
}

std::vector<ObjectFile::Symbol> ObjectFile::global_symbols() const {
  std::vector<Symbol> out;
  for (const auto& [name, symbol] : symbols())
    if (ELF64_ST_BIND(symbol.st_info) != STB_LOCAL) out.push_back({name, symbol.st_shndx != SHN_UNDEF});
  return out;
}

std::vector<std::string_view> ObjectFile::variables() const {
  std::vector<std::string_view> out;
  for (const auto& [name, symbol] : symbols()) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_size == 0) continue;
    if (symbol.st_shndx == SHN_COMMON) out.push_back(name);
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= sections_.size()) continue;
    const Elf64_Shdr& section = sections_[symbol.st_shndx];
    const bool writable = (section.sh_flags & SHF_WRITE) != 0 && (section.sh_flags & SHF_TLS) == 0;
    // Constants with addresses are written once, at the program's start.
    if (writable && !name_of(section).starts_with(".data.rel.ro")) out.push_back(name);
  }
  return out;
}

std::vector<ObjectFile::Entry> ObjectFile::symbols() const {
  std::vector<Entry> out;
  for (const Elf64_Shdr& section : sections_) {
    const bool symbols = section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM;
    if (symbols && section.sh_link < sections_.size() && inside(section.sh_offset, section.sh_size))
      read_symbols(section, out);
  }
  return out;
}

void ObjectFile::read_symbols(const Elf64_Shdr& table, std::vector<Entry>& out) const {
  const std::uint64_t names = sections_[table.sh_link].sh_offset;
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, file_.data() + table.sh_offset + at, sizeof symbol);
    if (!inside(names + symbol.st_name, 1)) continue;
    const std::string_view name(file_.c_str() + names + symbol.st_name);
    out.push_back({name.substr(0, name.find('@')), symbol});
  }
}

}  // namespace upcc::driver
