#include <algorithm>
#include <unordered_set>

#include "sema/layout.hpp"
#include "sema/sema.hpp"

// Structures, unions and enumerations (C11 6.7.2.1 to 6.7.2.3).

namespace upcc {

namespace {

std::string tag_word(const TagDecl* decl) {
  if (decl->kind == DeclKind::enum_) return "enum";
  return static_cast<const RecordDecl*>(decl)->is_union ? "union" : "struct";
}

template <typename DeclT, typename TypeT>
DeclT* new_tag(Arena& arena, Name* name, Loc loc) {
  auto* decl = arena.make<DeclT>();
  decl->kind = DeclT::kKind;
  decl->name = name;
  decl->loc = loc;
  auto* type = arena.make<TypeT>();
  type->kind = TypeT::kKind;
  type->decl = decl;
  decl->type = {type, {}};
  if constexpr (std::is_same_v<DeclT, RecordDecl>) decl->record_type = type;
  return decl;
}

bool same_tag_kind(const TagDecl* decl, TokenKind keyword) {
  if (decl->kind == DeclKind::enum_) return keyword == TokenKind::kw_enum;
  return static_cast<const RecordDecl*>(decl)->is_union ? keyword == TokenKind::kw_union
                                                        : keyword == TokenKind::kw_struct;
}

}  // namespace

// 6.7.2.3: `struct S` names the visible tag; `struct S;` alone always means this scope's own.
TagDecl* Sema::reference_tag(TokenKind keyword, Name* name, Loc loc, bool declares) {
  TagDecl* old = name->tag;
  if (old != nullptr && (!declares || old->scope_depth == scope_depth())) {
    if (same_tag_kind(old, keyword)) return old;
    error(loc, quoted(name->text) + " defined as wrong kind of tag");
    note_previous(old);
  }
  if (keyword == TokenKind::kw_enum) {
    auto* decl = new_tag<EnumDecl, EnumType>(unit_.arena, name, loc);
    warn(loc, "pedantic", "ISO C forbids forward references to 'enum' types", WarnLevel::pedantic);
    bind_tag(name, decl);
    return decl;
  }
  auto* decl = new_tag<RecordDecl, RecordType>(unit_.arena, name, loc);
  decl->is_union = keyword == TokenKind::kw_union;
  bind_tag(name, decl);
  return decl;
}

RecordDecl* Sema::start_record(bool is_union, Name* name, Loc loc) {
  const TokenKind keyword = is_union ? TokenKind::kw_union : TokenKind::kw_struct;
  TagDecl* old = name == nullptr ? nullptr : name->tag;
  if (old != nullptr && old->scope_depth == scope_depth()) {
    if (!same_tag_kind(old, keyword)) {
      error(loc, quoted(name->text) + " defined as wrong kind of tag");
    } else if (old->complete || old->being_defined) {
      error(loc, (old->being_defined ? "nested redefinition of '" : "redefinition of '") + tag_word(old) + " " +
                     std::string(name->text) + "'");
      note(old->loc, "originally defined here");
    } else {
      old->being_defined = true;
      old->loc = loc;
      static_cast<RecordDecl*>(old)->pack_limit = pack_;
      return static_cast<RecordDecl*>(old);
    }
  }
  auto* decl = new_tag<RecordDecl, RecordType>(unit_.arena, name, loc);
  decl->is_union = is_union;
  decl->being_defined = true;
  decl->pack_limit = pack_;
  if (name != nullptr) bind_tag(name, decl);
  return decl;
}

// 6.7.2.1p4-5: constraints on bit-fields.
void Sema::complete_bitfield(FieldDecl* field, Expr* width, bool has_width) {
  if (!has_width) return;
  field->is_bitfield = true;
  const MessageName name{field->name, "", "'<anonymous>'"};
  const auto fail = [&](const std::string& message) {
    error(field->loc, message);
    field->is_bitfield = false;
    field->type = types_.unknown();
    field->invalid = true;
  };
  if (field->type->is_unknown()) return;
  if (!field->type->is_integer() || !TypeContext::is_complete(field->type))
    return fail("bit-field " + name + " has invalid type");
  width = value(width);
  if (width->type->is_unknown()) return fail("bit-field " + name + " has an invalid width");
  Int128 n = 0;
  if (!width->type->is_integer() || !constants_.integer(width, n))
    return fail("bit-field " + name + " width not an integer constant" + advice_on_constants(width));
  if (n < 0) return fail("negative width in bit-field " + name);
  if (n > static_cast<Int128>(types_.integer_bits(field->type.type)))
    return fail("width of " + name + " exceeds its type");
  if (n == 0 && field->name != nullptr) return fail("zero width for bit-field " + name);
  field->bit_width = static_cast<std::uint32_t>(n);
}

void Sema::add_field(RecordDecl* record, const DeclSpec& spec, Declarator& declarator, Expr* width, bool has_width,
                     std::vector<FieldDecl*>& fields) {
  auto* field = unit_.arena.make<FieldDecl>();
  field->kind = DeclKind::field;
  field->name = declarator.name;
  field->loc = declarator.loc;
  field->tokens = declarator.tokens;
  field->parent = record;
  field->type = declarator_type(spec, declarator, DeclaratorContext::member);
  field->align = std::max({spec.align, spec.attributes.align, declarator.attributes.align});
  field->packed = spec.attributes.packed || declarator.attributes.packed;
  const MessageName name{field->name, "", "'<anonymous>'"};
  if (is_opaque(field->type)) {
    report_opaque_object(field);
    field->type = types_.unknown();
  } else if (field->type.is_shared()) {
    const bool plain = !field->type->is_array() && !field->type->is_pointer() && field->name != nullptr;
    const std::string pointer = type_string(field->type) + " *" + (plain ? std::string(field->name->text) : "");
    error(field->loc, "member " + name + " has shared type " + quoted(field->type) +
                          ": a structure or union cannot contain shared members" +
                          (plain ? "; a pointer may be one, " + quoted(pointer) : ""));
    field->type = types_.strip(field->type, Quals::kUpcMask);
  }
  if (field->type->is_function()) {
    error(field->loc, "field " + name + " declared as a function");
    field->type = types_.unknown();
  } else if (field->type->is_void()) {
    error(field->loc, "variable or field " + name + " declared void");
    field->type = types_.unknown();
  } else if (field->type->variably_modified) {
    error(field->loc, "a member of a structure or union cannot have a variably modified type");
    field->type = types_.unknown();
  } else if (!TypeContext::is_complete(field->type) && !field->type->is_array() && !has_width) {
    if (!field->type->is_unknown()) error(field->loc, "field " + name + " has incomplete type");
    field->type = types_.unknown();
  }
  complete_bitfield(field, width, has_width);
  fields.push_back(field);
  if (spec.defines_tag && spec.tag != nullptr && spec.tag->name == nullptr && !unit_.source.in_system_header(spec.loc))
    unit_.inner_tags.push_back(spec.tag);
}

// 6.7.2.1p13: an unnamed member of structure or union type.
void Sema::add_anonymous_member(RecordDecl* record, const DeclSpec& spec, std::vector<FieldDecl*>& fields) {
  const auto* type = spec.type->as<RecordType>();
  if (type == nullptr || (type->decl->name != nullptr && !spec.defines_tag) || type->decl->name != nullptr) {
    if (!spec.type->is_unknown() && !spec.defines_tag && spec.tag == nullptr) {
      warn(spec.loc, "", "declaration does not declare anything");
    }
    return;
  }
  auto* field = unit_.arena.make<FieldDecl>();
  field->kind = DeclKind::field;
  field->loc = spec.loc;
  field->tokens = {spec.tokens.last, spec.tokens.last};
  field->parent = record;
  field->type = spec.type;
  field->align = std::max(spec.align, spec.attributes.align);
  if (field->type.is_shared()) {
    error(field->loc, "a structure or union cannot contain shared members");
    field->type = types_.strip(field->type, Quals::kUpcMask);
  }
  fields.push_back(field);
}

namespace {

void collect_names(const std::vector<FieldDecl*>& fields, std::vector<const FieldDecl*>& out) {
  for (const FieldDecl* field : fields) {
    if (field->name != nullptr) {
      out.push_back(field);
    } else if (const auto* r = field->type ? field->type->as<RecordType>() : nullptr;
               r != nullptr && !field->is_bitfield) {
      collect_names({r->decl->fields.begin(), r->decl->fields.end()}, out);
    }
  }
}

}  // namespace

void Sema::check_duplicate_members(RecordDecl*, std::vector<FieldDecl*>& fields) {
  std::vector<const FieldDecl*> named;
  collect_names(fields, named);
  const auto duplicate = [&](const FieldDecl* f) { error(f->loc, "duplicate member " + quoted(f->name->text)); };
  if (named.size() < 32) {
    for (std::size_t i = 0; i < named.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (named[i]->name == named[k]->name) duplicate(named[i]);
      }
    }
    return;
  }
  std::unordered_set<const Name*> seen;
  for (const FieldDecl* f : named) {
    if (!seen.insert(f->name).second) duplicate(f);
  }
}

// 6.7.2.1p3, p18
void Sema::check_flexible(RecordDecl* record, std::vector<FieldDecl*>& fields) {
  std::size_t named = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    FieldDecl* field = fields[i];
    const auto* array = field->type->as<ArrayType>();
    if (array != nullptr && array->array_kind == ArrayKind::incomplete) {
      if (record->is_union) {
        error(field->loc, "flexible array member in union");
        field->type = types_.unknown();
      } else if (i + 1 != fields.size()) {
        error(field->loc, "flexible array member not at end of struct");
        field->type = types_.unknown();
      } else if (named == 0 && i == 0) {
        error(field->loc, "flexible array member in a struct with no named members");
        field->type = types_.unknown();
      } else {
        record->has_flexible_array = true;
      }
    }
    const auto* inner = field->type->as<RecordType>();
    if (inner != nullptr && inner->decl->has_flexible_array && (record->is_union || i + 1 == fields.size())) {
      record->has_flexible_array = true;
    }
    if (!field->is_bitfield || field->name != nullptr) ++named;
  }
}

void Sema::finish_record(RecordDecl* record, std::vector<FieldDecl*>& fields, const Attributes& attributes) {
  check_flexible(record, fields);
  check_duplicate_members(record, fields);
  record->fields = unit_.arena.copy(fields);
  std::uint32_t index = 0;
  for (FieldDecl* field : record->fields) {
    field->index = index++;
    const QualType element = field->type.ultimate();
    const auto* inner = element->as<RecordType>();
    record->has_const_member = record->has_const_member || element.quals.has(Quals::kConst) ||
                               (inner != nullptr && inner->decl->has_const_member);
    record->has_pts_member =
        record->has_pts_member || mentions_shared(field->type) || (inner != nullptr && inner->decl->has_pts_member);
    record->uses_upc = record->uses_upc || field->uses_upc || mentions_shared(field->type);
  }
  record->packed = attributes.packed;
  record->min_align = attributes.align;
  record->transparent_union = record->transparent_union || attributes.transparent_union;
  if (!lay_out(*record, types_)) error(record->loc, "size of " + quoted(record->type) + " is too large");
  record->complete = true;
  record->being_defined = false;
}

EnumDecl* Sema::start_enum(Name* name, Loc loc) {
  TagDecl* old = name == nullptr ? nullptr : name->tag;
  if (old != nullptr && old->scope_depth == scope_depth()) {
    if (old->kind != DeclKind::enum_) {
      error(loc, quoted(name->text) + " defined as wrong kind of tag");
    } else if (old->complete || old->being_defined) {
      error(loc, (old->being_defined ? "nested redefinition of 'enum " : "redeclaration of 'enum ") +
                     std::string(name->text) + "'");
      note(old->loc, "originally defined here");
    } else {
      old->being_defined = true;
      old->loc = loc;
      return static_cast<EnumDecl*>(old);
    }
  }
  auto* decl = new_tag<EnumDecl, EnumType>(unit_.arena, name, loc);
  decl->being_defined = true;
  if (name != nullptr) bind_tag(name, decl);
  return decl;
}

EnumConstantDecl* Sema::add_enumerator(EnumDecl* decl, Name* name, Loc loc, Expr* init, EnumConstantDecl* previous) {
  auto* c = unit_.arena.make<EnumConstantDecl>();
  c->kind = DeclKind::enum_constant;
  c->name = name;
  c->loc = loc;
  c->init = init;
  c->value = previous == nullptr ? 0 : previous->value + 1;
  if (init != nullptr) {
    Expr* v = value(init);
    c->uses_upc = init->uses_upc;
    Int128 n = 0;
    if (v->type->is_unknown()) {
      c->value = 0;
    } else if (!v->type->is_integer() || !constants_.integer(v, n)) {
      error(init->loc,
            "enumerator value for " + quoted(name->text) + " is not an integer constant" + advice_on_constants(v));
    } else {
      c->value = n;
    }
  }
  const bool fits_int = c->value >= INT32_MIN && c->value <= INT32_MAX;
  const bool fits_long = c->value >= INT64_MIN && c->value <= static_cast<Int128>(UINT64_MAX);
  if (!fits_long) error(loc, "enumerator value for " + quoted(name->text) + " is too large");
  if (!fits_int) warn(loc, "pedantic", "ISO C restricts enumerator values to range of 'int'", WarnLevel::pedantic);
  c->type = fits_int ? types_.int_type()
                     : types_.builtin(c->value < 0 || c->value <= INT64_MAX
                                          ? (c->value > 0 && c->value <= UINT32_MAX ? TypeKind::uint : TypeKind::long_)
                                          : TypeKind::ulong);
  decl->uses_upc = decl->uses_upc || c->uses_upc;
  Decl* old = name->ordinary;
  if (old != nullptr && old->scope_depth == scope_depth() &&
      (!at_file_scope() || old->kind != DeclKind::function || !static_cast<FunctionDecl*>(old)->is_builtin)) {
    error(loc, (old->kind == DeclKind::enum_constant ? "redeclaration of enumerator "
                                                     : "redeclaration as different kind of symbol: ") +
                   quoted(name->text));
    note_previous(old);
  }
  bind(name, c);
  return c;
}

// gcc: unsigned int unless a value is negative, wider when needed; packed enums take the smallest type.
void Sema::finish_enum(EnumDecl* decl, std::vector<EnumConstantDecl*>& constants, const Attributes& attributes) {
  decl->constants = unit_.arena.copy(constants);
  Int128 low = 0;
  Int128 high = 0;
  for (const EnumConstantDecl* c : constants) {
    low = std::min(low, c->value);
    high = std::max(high, c->value);
  }
  const auto fits = [&](Int128 min, Int128 max) { return low >= min && high <= max; };
  TypeKind kind = TypeKind::uint;
  if (attributes.packed && low < 0) {
    kind = fits(-128, 127)              ? TypeKind::schar
           : fits(-32768, 32767)        ? TypeKind::short_
           : fits(INT32_MIN, INT32_MAX) ? TypeKind::int_
                                        : TypeKind::long_;
  } else if (attributes.packed) {
    kind = fits(0, 255)          ? TypeKind::uchar
           : fits(0, 65535)      ? TypeKind::ushort
           : fits(0, UINT32_MAX) ? TypeKind::uint
                                 : TypeKind::ulong;
  } else if (low < 0) {
    kind = fits(INT32_MIN, INT32_MAX) ? TypeKind::int_ : TypeKind::long_;
  } else if (!fits(0, UINT32_MAX)) {
    kind = TypeKind::ulong;
  }
  decl->underlying = types_.builtin(attributes.mode != nullptr ? TypeKind::uint : kind).type;
  decl->packed = attributes.packed;
  decl->complete = true;
  decl->being_defined = false;
  // A constant that does not fit int has the type of the enumeration.
  for (EnumConstantDecl* c : constants) {
    if (c->value < INT32_MIN || c->value > INT32_MAX) c->type = {decl->underlying, {}};
  }
}

}  // namespace upcc
