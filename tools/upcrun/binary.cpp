#include "binary.hpp"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <vector>

#include "weft/upcrt/unit.h"

namespace upcrun {
namespace {

// Reads one object at a position of the file. False if the file ends before it.
template <class T>
bool read_at(std::ifstream& file, uint64_t position, T& object) {
  file.clear();
  file.seekg(static_cast<std::streamoff>(position));
  file.read(reinterpret_cast<char*>(&object), sizeof object);
  return static_cast<bool>(file);
}

// Whether this text stands there in a table of strings.
bool is_string(std::ifstream& file, const Elf64_Shdr& strings, uint64_t at, const char* wanted) {
  char text[16] = "";
  if (at >= strings.sh_size) return false;
  file.clear();
  file.seekg(static_cast<std::streamoff>(strings.sh_offset + at));
  file.read(text, sizeof text - 1);
  return std::strcmp(text, wanted) == 0;
}

// Whether a section of dynamic linking, with its strings, names the library.
bool needs_library(std::ifstream& file, const Elf64_Shdr& dynamic, const Elf64_Shdr& strings, const char* library) {
  Elf64_Dyn entry;
  for (uint64_t at = 0; at + sizeof entry <= dynamic.sh_size; at += sizeof entry) {
    if (!read_at(file, dynamic.sh_offset + at, entry) || entry.d_tag == DT_NULL) return false;
    if (entry.d_tag == DT_NEEDED && is_string(file, strings, entry.d_un.d_val, library)) return true;
  }
  return false;
}

}  // namespace

std::optional<ProgramFacts> read_program(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header;
  if (!file || !read_at(file, 0, header)) return std::nullopt;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return std::nullopt;
  const auto section_at = [&](uint64_t i, Elf64_Shdr& section) {
    return read_at(file, header.e_shoff + i * sizeof section, section);
  };
  Elf64_Shdr names;
  if (header.e_shoff == 0 || !section_at(header.e_shstrndx, names)) return std::nullopt;
  std::optional<ProgramFacts> facts;
  uint64_t static_bytes = 0;
  bool open_mpi = false;
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    upcr_unit_t unit;
    if (!section_at(i, section)) return std::nullopt;
    Elf64_Shdr strings;
    if (section.sh_type == SHT_DYNAMIC && section_at(section.sh_link, strings))
      open_mpi = needs_library(file, section, strings, "libmpi.so.40");
    if (is_string(file, names, section.sh_name, "upc_shared")) static_bytes = section.sh_size * UPCR_STATIC_SCALE;
    if (!is_string(file, names, section.sh_name, "upc_config") || section.sh_size < sizeof unit) continue;
    if (!read_at(file, section.sh_offset, unit) || unit.magic != UPCR_UNIT_MAGIC) return std::nullopt;
    facts = ProgramFacts{.threads = unit.threads, .pthreads = unit.pthreads != 0};
  }
  if (!facts) return facts;
  facts->static_bytes = static_bytes;
  facts->open_mpi = open_mpi;
  return facts;
}

}  // namespace upcrun
