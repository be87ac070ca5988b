#include <array>

#include "lower/abi.hpp"
#include "lower/lowerer.hpp"

// Loads and stores of shared objects: calls of the accessors (weft/upcrt/accessors.h), or the same written out. This
// text is not preprocessed again, so it has no macros.

namespace upcc {

namespace {

std::string size_of(const std::string& type) { return "sizeof(" + type + ")"; }

// Types that have accessors, by their spelling in C.
std::string_view accessor(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kAccessors{{
      {"_Bool", "bool"},
      {"char", "char"},
      {"signed char", "schar"},
      {"unsigned char", "uchar"},
      {"short", "short"},
      {"unsigned short", "ushort"},
      {"int", "int"},
      {"unsigned int", "uint"},
      {"long", "long"},
      {"unsigned long", "ulong"},
      {"long long", "longlong"},
      {"unsigned long long", "ulonglong"},
      {"float", "float"},
      {"double", "double"},
      {"long double", "longdouble"},
      {abi::kPts, "pts"},
  }};
  for (const auto& [name, suffix] : kAccessors) {
    if (name == type) return suffix;
  }
  return {};
}

}  // namespace

// Whether an object has bytes or bits that no member of it is.
bool Lowerer::has_padding(QualType type) const {
  if (const auto* array = type->as<ArrayType>()) return has_padding(array->element);
  if (type->kind == TypeKind::longdouble) return true;
  const auto* record = type->as<RecordType>();
  if (record == nullptr) return false;
  std::uint64_t used = 0;
  for (const FieldDecl* field : record->decl->fields) {
    if (field->is_bitfield || has_padding(field->type)) return true;
    used += static_cast<std::uint64_t>(types_.size_of(field->type).value);
  }
  return record->decl->is_union || used != record->decl->size;
}

// A structure with padding, which programs compare with memcmp. The C compiler would copy only its members into and out
// of a variable of a statement expression, so the value is read where it is, or in an object of the enclosing block.
std::string Lowerer::get_whole(const std::string& type, const std::string& pts, Access access, Loc loc) const {
  return "(*(" + type + "*)upcc_get_" + (access == Access::strict ? "strict_" : "") + "whole(" + pts + ", &(" + type +
         "){0}, " + size_of(type) + ", " + here(loc) + "))";
}

// In a loop with a bound the C compiler may join accesses. The copy of such a loop for memory that is not mapped has
// the shorter text, which does not.
bool Lowerer::performed_each_time() const {
  return may_wait_ || !optimise_loops_ || memory_ == Memory::not_mapped || memory_ == Memory::windows;
}

std::string Lowerer::get(const std::string& type, const std::string& pts, Access access, Loc loc) const {
  const std::string strict = access == Access::strict ? "strict_" : "";
  if (const auto name = accessor(type); !name.empty() && (performed_each_time() || access == Access::strict)) {
    return "upcc_get_" + strict + std::string(name) + "(" + pts + ", " + here(loc) + ")";
  }
  const std::string open = "({ const upcr_pts_t upcr_p_ = " + pts + "; " + type + " upcr_v_; ";
  if (access == Access::strict) {
    return open + "if (upcr_direct()) upcr_strict_read((void*)&upcr_v_, upcr_at(upcr_p_), " + size_of(type) +
           "); else upcr_get_strict_slow((void*)&upcr_v_, upcr_p_, " + size_of(type) + ", " + here(loc) +
           "); upcr_v_; })";
  }
  return open + "if (upcr_direct()) upcr_v_ = *(" + (performed_each_time() ? "volatile " : "") + type +
         "*)(void*)upcr_at(upcr_p_); else { " + type + " upcr_s_; upcr_get_slow((void*)&upcr_s_, upcr_p_, " +
         size_of(type) + ", " + here(loc) + "); upcr_v_ = upcr_s_; } upcr_v_; })";
}

std::string Lowerer::put(const std::string& type, const std::string& pts, const std::string& value, Access access,
                         Loc loc, bool whole) const {
  const std::string strict = access == Access::strict ? "strict_" : "";
  if (const auto name = accessor(type); !name.empty() && (performed_each_time() || access == Access::strict)) {
    return "upcc_put_" + strict + std::string(name) + "(" + pts + ", " + value + ", " + here(loc) + ")";
  }
  const std::string open = "({ const upcr_pts_t upcr_p_ = " + pts + "; " + type + " upcr_v_ = " + value + "; " +
                           (whole ? "__asm__(\"\" : \"+m\"(upcr_v_)); " : "");
  if (access == Access::strict) {
    return open + "if (upcr_direct()) upcr_strict_write(upcr_at(upcr_p_), (const void*)&upcr_v_, " + size_of(type) +
           "); else upcr_put_strict_slow(upcr_p_, (const void*)&upcr_v_, " + size_of(type) + ", " + here(loc) +
           "); upcr_v_; })";
  }
  return open + "if (upcr_direct()) *(" + (performed_each_time() ? "volatile " : "") + type +
         "*)(void*)upcr_at(upcr_p_) = upcr_v_; else { " + type +
         " upcr_s_ = upcr_v_; upcr_put_slow(upcr_p_, (const void*)&upcr_s_, " + size_of(type) + ", " + here(loc) +
         "); } upcr_v_; })";
}

Lowerer::BitField Lowerer::bit_field(const Expr* lvalue) {
  const auto* m = static_cast<const MemberExpr*>(strip_parens(lvalue));
  BitField out{};
  out.member = m;
  std::uint64_t bit = m->field->bit_offset;
  const MemberExpr* top = m;
  // C finds members of unnamed members by themselves: climb to the record that has a name.
  for (const auto* base = expr_cast<MemberExpr>(m->base); !top->arrow && base != nullptr && base->implicit;
       base = expr_cast<MemberExpr>(base->base)) {
    bit += base->field->bit_offset;
    top = base;
  }
  out.path = std::string(m->field->name->text);
  out.record_type = type_name({top->field->parent->record_type, {}});
  out.record_address =
      top->arrow ? spell(pointer_ref(top->base), static_cast<const PointerType*>(top->base->type.type)->pointee)
                 : shared_address(top->base);
  out.first_byte = bit / 8;
  out.bytes = (bit + m->field->bit_width + 7) / 8 - out.first_byte;
  return out;
}

std::string Lowerer::get_bits(const std::string& type, const BitField& field, const std::string& address, Access access,
                              Loc loc) const {
  const std::string first = std::to_string(field.first_byte);
  const std::string bytes = std::to_string(field.bytes);
  const std::string& s = field.record_type;
  const bool strict = access == Access::strict;
  return "({ const upcr_pts_t upcr_p_ = " + address + "; " + type + " upcr_v_; " + (strict ? "upcr_fence(); " : "") +
         "if (upcr_direct()) upcr_v_ = (" + type + ")((volatile " + s + "*)(void*)upcr_at(upcr_p_))->" + field.path +
         "; else { " + s + " upcr_s_; upcr_get_slow((char*)(void*)&upcr_s_ + " + first + ", upcr_field(upcr_p_, " +
         first + "), " + bytes + ", " + here(loc) + "); upcr_v_ = (" + type + ")upcr_s_." + field.path + "; } " +
         (strict ? "upcr_fence(); " : "") + "upcr_v_; })";
}

std::string Lowerer::put_bits(const std::string& type, const BitField& field, const std::string& address,
                              const std::string& value, Access access, Loc loc) const {
  const std::string first = std::to_string(field.first_byte);
  const std::string bytes = std::to_string(field.bytes);
  const std::string& s = field.record_type;
  const bool strict = access == Access::strict;
  return "({ const upcr_pts_t upcr_p_ = " + address + "; " + type + " upcr_n_ = (" + type + ")(" + value + "); " +
         type + " upcr_v_; " + (strict ? "upcr_fence(); " : "") + "if (upcr_direct()) { volatile " + s +
         "* const upcr_s_ = (volatile " + s + "*)(void*)upcr_at(upcr_p_); upcr_v_ = (" + type + ")(upcr_s_->" +
         field.path + " = upcr_n_); } else { " + s + " upcr_s_; upcr_get_slow((char*)(void*)&upcr_s_ + " + first +
         ", upcr_field(upcr_p_, " + first + "), " + bytes + ", " + here(loc) + "); upcr_v_ = (" + type + ")(upcr_s_." +
         field.path + " = upcr_n_); " + "upcr_put_slow(upcr_field(upcr_p_, " + first +
         "), (const char*)(const void*)&upcr_s_ + " + first + ", " + bytes + ", " + here(loc) + "); } " +
         (strict ? "upcr_fence(); " : "") + "upcr_v_; })";
}

// Members of packed structures, and elements of their member arrays.
bool Lowerer::may_be_misaligned(const Expr* lvalue) const {
  const std::uint64_t needed = types_.align_of(lvalue->type.unqualified());
  for (const Expr* e = strip_parens(lvalue);;) {
    if (const auto* m = expr_cast<MemberExpr>(e)) {
      const QualType base = m->base->type;
      const QualType record = m->arrow ? static_cast<const PointerType*>(base.type)->pointee : base;
      if (types_.align_of(record.unqualified()) < needed) return true;
      if (m->arrow) return false;
      e = strip_parens(m->base);
      continue;
    }
    const auto* s = expr_cast<SubscriptExpr>(e);
    e = s == nullptr ? nullptr : decayed_array(s->base);
    if (e == nullptr) return false;
  }
}

std::string Lowerer::with_access_type(const Expr* lvalue, QualType type,
                                      const std::function<std::string(const std::string&)>& access) const {
  const std::string name = type_name(type);
  if (!may_be_misaligned(lvalue)) return access(name);
  return "({ typedef __typeof__(" + name + ") upcr_u_ __attribute__((aligned(1))); " + access("upcr_u_") + "; })";
}

std::string Lowerer::load(const Expr* lvalue, QualType type, Access access) {
  return replicated(lvalue, type, load_where_it_is(lvalue, type, access));
}

std::string Lowerer::load_where_it_is(const Expr* lvalue, QualType type, Access access) {
  if (access != Access::strict) {
    if (std::string plain = plain_place(lvalue); !plain.empty()) return plain;
    // Not what the thread keeps of an earlier read.
    if (lvalue->type.stays_as_written()) return "(upcr_forget(), " + load_anywhere(lvalue, type, access) + ")";
  }
  return load_anywhere(lvalue, type, access);
}

std::string Lowerer::load_anywhere(const Expr* lvalue, QualType type, Access access) {
  if (lvalue->is_bitfield) {
    const BitField field = bit_field(lvalue);
    return get_bits(type_name(type), field, field.record_address, access, lvalue->loc);
  }
  if (type->is_record() && has_padding(type))
    return get_whole(type_name(type), named_address(lvalue), access, lvalue->loc);
  const std::string address = named_address(lvalue);
  return with_access_type(lvalue, type,
                          [&](const std::string& name) { return get(name, address, access, lvalue->loc); });
}

std::string Lowerer::store(const Expr* lvalue, QualType type, Access access, const std::string& value) {
  if (lvalue->is_bitfield) {
    const BitField field = bit_field(lvalue);
    return put_bits(type_name(type), field, field.record_address, value, access, lvalue->loc);
  }
  const std::string address = shared_address(lvalue);
  return with_access_type(lvalue, type, [&](const std::string& name) {
    return put(name, address, value, access, lvalue->loc, type->is_record() && has_padding(type));
  });
}

// Shared lvalues that the optimiser found to be in memory this thread can address, and parts of them.
bool Lowerer::is_settled(const Expr* place) const {
  return plain_places_.contains(place) || updated_places_.contains(place);
}

std::string Lowerer::known_place(const Expr* lvalue) {
  if (plain_places_.empty()) return {};
  const Expr* e = strip_parens(lvalue);
  if (const auto known = plain_places_.find(e); known != plain_places_.end()) return known->second;
  if (const auto* m = expr_cast<MemberExpr>(e); m != nullptr && !m->arrow) {
    std::string base = known_place(m->base);
    if (base.empty() || m->implicit) return base;
    return "(" + base + ")." + std::string(m->field->name->text);
  }
  if (const auto* s = expr_cast<SubscriptExpr>(e)) {
    const Expr* array = decayed_array(s->base);
    if (array == nullptr) return {};
    if (const std::string base = known_place(array); !base.empty()) return "(" + base + ")[" + expr(s->index) + "]";
  }
  return {};
}

// A loop that waits for another thread must look at memory each time, and write to it each time what others wait for.
std::string Lowerer::plain_access(QualType type) const {
  return (may_wait_ || type.is_volatile() ? "volatile " : "") + type_name(type);
}

namespace {

// Whether a shared lvalue is (part of) a member of a union.
bool in_union(const Expr* lvalue) {
  for (const Expr* e = strip_parens(lvalue);;) {
    const auto* m = expr_cast<MemberExpr>(e);
    const auto* s = expr_cast<SubscriptExpr>(e);
    const Expr* array = s == nullptr ? nullptr : decayed_array(s->base);
    if (m != nullptr && m->field->parent->is_union) return true;
    if (m != nullptr && !m->arrow)
      e = strip_parens(m->base);
    else if (array != nullptr)
      e = array;
    else
      return false;
  }
}

}  // namespace

std::string Lowerer::plain_place(const Expr* lvalue) {
  std::string known = known_place(lvalue);
  if (!known.empty() || memory_ != Memory::mapped) return known;
  // The C compiler would take members of a union for different objects.
  const Temporarily all_performed(may_wait_, may_wait_ || in_union(lvalue));
  if (!lvalue->is_bitfield) return "(*(" + plain_access(lvalue->type) + "*)(void*)" + mapped_address(lvalue) + ")";
  const BitField field = bit_field(lvalue);
  return "((" + std::string(may_wait_ ? "volatile " : "") + field.record_type + "*)(void*)upcr_at(" +
         field.record_address + "))->" + field.path;
}

}  // namespace upcc
