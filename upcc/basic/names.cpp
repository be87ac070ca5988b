#include "basic/names.hpp"

namespace upcc {

NameTable::NameTable(Arena& arena) : arena_(arena), slots_(16384, nullptr) {}

Name* NameTable::intern(std::string_view text) { return intern(text, hash(text)); }

Name* NameTable::intern(std::string_view text, std::uint32_t hash) {
  std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  while (Name* name = slots_[i]) {
    if (name->hash == hash && name->text == text) return name;
    i = (i + 1) & mask;
  }
  auto* name = arena_.make<Name>();
  name->text = arena_.copy(text);
  name->hash = hash;
  slots_[i] = name;
  if (++used_ * 2 > slots_.size()) rehash();
  return name;
}

void NameTable::rehash() {
  std::vector<Name*> old(slots_.size() * 2, nullptr);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (Name* name : old) {
    if (name == nullptr) continue;
    std::size_t i = name->hash & mask;
    while (slots_[i] != nullptr) i = (i + 1) & mask;
    slots_[i] = name;
  }
}

}  // namespace upcc
