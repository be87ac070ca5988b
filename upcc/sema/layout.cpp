#include "sema/layout.hpp"

#include <algorithm>

#include "sema/target.hpp"

// The System V ABI plus what gcc's attributes mean:
// - `packed` (on the field or the whole record) takes a field's alignment down to one byte, a bit-field's to one bit;
// - `aligned` on a field raises it again, and only `#pragma pack` caps that;
// - a bit-field may not straddle more units of its type's alignment than its type spans, unless packed;
// - named bit-fields lend the record the alignment of their type, unnamed ones do not;
// - a zero-width bit-field moves the position to the next unit of its type.

namespace upcc {

namespace {

constexpr std::uint64_t kMaxBits = static_cast<std::uint64_t>(target::kMaxObject) / 2 * 8;

std::uint64_t round_up(std::uint64_t n, std::uint64_t unit) { return (n + unit - 1) / unit * unit; }

struct Place {
  std::uint64_t bit = 0;         // next free bit
  std::uint64_t align_bits = 8;  // of the record so far
  bool too_large = false;
};

std::uint64_t cap(std::uint64_t align, const RecordDecl& record) {
  return record.pack_limit == 0 ? align : std::min(align, record.pack_limit * 8);
}

void place_bitfield(FieldDecl& field, const RecordDecl& record, const TypeContext& types, Place& place) {
  const std::uint64_t type_bits = static_cast<std::uint64_t>(types.size_of(field.type).value) * 8;
  const std::uint64_t type_align = types.align_of(field.type) * 8;
  const bool packed = record.packed || field.packed;
  const std::uint64_t user_align = cap(field.align * 8, record);
  if (field.bit_width == 0) {
    place.bit = round_up(place.bit, type_align);  // packed or not
    field.bit_offset = place.bit;
    return;
  }
  if (user_align != 0) place.bit = round_up(place.bit, user_align);
  if (!packed && record.pack_limit == 0) {
    const std::uint64_t first = place.bit / type_align;
    const std::uint64_t last = (place.bit + field.bit_width + type_align - 1) / type_align;
    if (last - first > type_bits / type_align) place.bit = round_up(place.bit, type_align);
  }
  field.bit_offset = place.bit;
  place.bit += field.bit_width;
  if (field.name != nullptr) {
    const std::uint64_t lends = packed && record.pack_limit == 0 ? 8 : cap(type_align, record);
    place.align_bits = std::max({place.align_bits, lends, user_align});
  }
}

void place_field(FieldDecl& field, const RecordDecl& record, const TypeContext& types, Place& place) {
  if (field.is_bitfield) return place_bitfield(field, record, types, place);
  std::uint64_t align = types.align_of(field.type) * 8;
  if (record.packed || field.packed) align = 8;
  align = cap(std::max(align, field.align * 8), record);
  place.bit = round_up(place.bit, align);
  field.bit_offset = place.bit;
  place.align_bits = std::max(place.align_bits, align);
  const std::int64_t bytes = types.size_of(field.type).value;
  if (bytes < 0 || static_cast<std::uint64_t>(bytes) > (kMaxBits - std::min(kMaxBits, place.bit)) / 8) {
    place.too_large = true;
    return;
  }
  place.bit += static_cast<std::uint64_t>(bytes) * 8;
}

}  // namespace

bool lay_out(RecordDecl& record, const TypeContext& types) {
  Place place;
  std::uint64_t largest = 0;
  for (FieldDecl* field : record.fields) {
    if (record.is_union) place.bit = 0;
    place_field(*field, record, types, place);
    if (place.too_large) break;
    largest = std::max(largest, place.bit);
  }
  if (!record.is_union) largest = place.bit;
  record.align = std::max(place.align_bits / 8, std::max<std::uint64_t>(record.min_align, 1));
  record.size = round_up((largest + 7) / 8, record.align);
  return !place.too_large;
}

}  // namespace upcc
