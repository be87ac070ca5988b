#include "sim/thread_locals.hpp"

#include <link.h>
#include <locale.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace weft::sim {
namespace {

bool is_weft(std::string_view file) {
  const size_t slash = file.rfind('/');
  return (slash == std::string_view::npos ? file : file.substr(slash + 1)).starts_with("libweft");
}

// Whether the object names a library of Weft among those that it needs.
bool needs_weft(const dl_phdr_info& object) {
  const ElfW(Dyn)* entries = nullptr;
  for (int i = 0; i < object.dlpi_phnum; ++i)
    if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
      entries = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
  if (entries == nullptr) return false;
  uintptr_t names = 0;
  for (const ElfW(Dyn)* entry = entries; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB) names = entry->d_un.d_ptr;
  if (names == 0) return false;
  if (names < object.dlpi_addr) names += object.dlpi_addr;  // the C library has not made it an address
  for (const ElfW(Dyn)* entry = entries; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_NEEDED && is_weft(reinterpret_cast<const char*>(names + entry->d_un.d_val))) return true;
  return false;
}

uintptr_t end_of(const dl_phdr_info& object) {
  uintptr_t end = object.dlpi_addr;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto& part = object.dlpi_phdr[i];
    if (part.p_type == PT_LOAD) end = std::max(end, object.dlpi_addr + part.p_vaddr + part.p_memsz);
  }
  return end;
}

}  // namespace

ThreadLocals::ThreadLocals() {
  const auto add = [](dl_phdr_info* object, size_t, void* self) {
    auto& locals = *static_cast<ThreadLocals*>(self);
    const bool is_program = object->dlpi_name == nullptr || object->dlpi_name[0] == '\0';
    if (object->dlpi_tls_data == nullptr) return 0;
    if (!is_program && !is_weft(object->dlpi_name) && !needs_weft(*object)) return 0;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const auto& part = object->dlpi_phdr[i];
      if (part.p_type != PT_TLS || part.p_memsz == 0) continue;
      locals.blocks_.push_back({.object = object->dlpi_addr,
                                .end_of_object = end_of(*object),
                                .here = static_cast<std::byte*>(object->dlpi_tls_data),
                                .image = reinterpret_cast<const std::byte*>(object->dlpi_addr + part.p_vaddr),
                                .image_size = part.p_filesz,
                                .size = part.p_memsz});
      locals.size_ += part.p_memsz;
    }
    return 0;
  };
  dl_iterate_phdr(add, this);
}

void ThreadLocals::save(std::byte* to) const {
  for (const Block& block : blocks_) {
    std::memcpy(to, block.here, block.size);
    to += block.size;
  }
}

void ThreadLocals::load(const std::byte* from) const {
  for (const Block& block : blocks_) {
    std::memcpy(block.here, from, block.size);
    from += block.size;
  }
}

size_t ThreadLocals::place_of(const void* address) const {
  size_t begin = 0;
  for (const Block& block : blocks_) {
    const size_t offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(block.here);
    if (offset < block.size) return begin + offset;
    begin += block.size;
  }
  return size_;
}

bool ThreadLocals::are_of(const void* address) const {
  const auto place = reinterpret_cast<uintptr_t>(address);
  return std::ranges::any_of(blocks_,
                             [&](const Block& block) { return block.object <= place && place < block.end_of_object; });
}

void ThreadLocals::put_initial(std::byte* to) const {
  for (const Block& block : blocks_) {
    std::memcpy(to, block.image, block.image_size);
    std::memset(to + block.image_size, 0, block.size - block.image_size);
    to += block.size;
  }
}

// Its tables of character classes begin as null: printf and strtod crash without them.
void ThreadLocals::begin() const {
  const bool have_those_of_c_library = place_of(&errno) != size_;
  if (have_those_of_c_library) uselocale(LC_GLOBAL_LOCALE);
}

}  // namespace weft::sim
