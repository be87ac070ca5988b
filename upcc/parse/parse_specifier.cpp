#include "parse/parser.hpp"
#include "sema/spelling.hpp"

// Declaration specifiers, type names, structures and enumerations (C11 6.7 to 6.7.5, 6.7.7; UPC 6.5, 6.5.1).

namespace upcc {

using enum TokenKind;

// How often each type-specifier keyword occurred: any order is allowed (6.7.2p2).
struct SpecifierCounts {
  int void_ = 0, bool_ = 0, char_ = 0, short_ = 0, int_ = 0, long_ = 0, float_ = 0, double_ = 0, signed_ = 0,
      unsigned_ = 0, complex_ = 0, int128_ = 0;
  TypeKind extended = TypeKind::unknown;  // _Float128 and the like
  bool other = false;                     // record, enum, typedef name, typeof
  [[nodiscard]] bool any_basic() const {
    return void_ + bool_ + char_ + short_ + int_ + long_ + float_ + double_ + signed_ + unsigned_ + complex_ +
                   int128_ !=
               0 ||
           extended != TypeKind::unknown;
  }
};

bool Parser::is_type_start(const Token& token) const {
  switch (token.kind) {
    case kw_void:
    case kw_char:
    case kw_short:
    case kw_int:
    case kw_long:
    case kw_float:
    case kw_double:
    case kw_signed:
    case kw_unsigned:
    case kw_bool:
    case kw_complex:
    case kw_struct:
    case kw_union:
    case kw_enum:
    case kw_const:
    case kw_volatile:
    case kw_restrict:
    case kw_atomic:
    case kw_typeof:
    case kw_int128:
    case kw_float16:
    case kw_float128:
    case kw_float32:
    case kw_float64:
    case kw_float32x:
    case kw_float64x:
    case kw_attribute:
    case kw_shared:
    case kw_strict:
    case kw_relaxed:
    case kw_auto_type:
      return true;
    case identifier:
      return sema_.is_type_name(token.name);
    default:
      return false;
  }
}

bool Parser::is_declaration_start() {
  switch (tok().kind) {
    case kw_typedef:
    case kw_extern:
    case kw_static:
    case kw_auto:
    case kw_register:
    case kw_inline:
    case kw_noreturn:
    case kw_thread_local:
    case kw_alignas:
    case kw_static_assert:
      return true;
    case kw_extension: {
      std::size_t n = 1;
      while (peek(n).is(kw_extension)) ++n;
      const Token& next = peek(n);
      return is_type_start(next) || next.is(kw_static) || next.is(kw_extern) || next.is(kw_typedef) ||
             next.is(kw_register) || next.is(kw_inline) || next.is(kw_static_assert) || next.is(kw_thread_local);
    }
    case identifier:
      if (sema_.is_type_name(tok().name)) return !peek().is(colon);
      // `unknown name` can only be a declaration with an unknown type, and `unknown *name =` is meant as one.
      if (tok().name->ordinary != nullptr) return false;
      if (peek().is(star) && peek(2).is(identifier))
        return peek(3).is(equal) || peek(3).is(semicolon) || peek(3).is(comma) || peek(3).is(l_square);
      return peek().is(identifier) || is_type_start(peek());
    default:
      return is_type_start(tok());
  }
}

// 6.7.3 type-qualifier, UPC 6.5.1.1 shared-type-qualifier and reference-type-qualifier
void Parser::qualifier(QualifierList& list) {
  const Token& token = tok();
  advance();
  sema_.add_qualifier(list, token.kind, token.loc);
  if (token.kind == kw_shared) layout_qualifier(list);
}

// UPC 6.5.1.1 layout-qualifier: [ [constant-expression] ] | [ * ]
void Parser::layout_qualifier(QualifierList& list) {
  while (at(l_square)) {
    const Loc loc = tok().loc;
    advance();
    if (at(star) && peek().is(r_square)) {
      advance();
      advance();
      sema_.add_layout(list, loc, nullptr, true);
    } else if (accept(r_square)) {
      sema_.add_layout(list, loc, nullptr, false);
    } else {
      Expr* size = constant_expression();
      expect(r_square);
      sema_.add_layout(list, loc, size, false);
    }
  }
}

// GNU typeof ( expression | type-name )
QualType Parser::typeof_specifier() {
  advance();
  expect(l_paren);
  QualType type;
  if (is_type_start(tok())) {
    type = type_name();
  } else {
    const Sema::Unevaluated operand_only(sema_);
    const Expr* e = expression();
    if (e->is_bitfield) diagnostics_.error(e->loc, "'typeof' applied to a bit-field");
    type = e->type;
  }
  expect(r_paren);
  return type;
}

// 6.7.5 _Alignas ( type-name | constant-expression )
std::uint64_t Parser::alignas_specifier() {
  const Loc loc = tok().loc;
  advance();
  expect(l_paren);
  std::uint64_t align = 0;
  if (is_type_start(tok()))
    align = sema_.types().align_of(type_name());
  else
    align = sema_.alignment_value(constant_expression(), loc);
  expect(r_paren);
  return align;
}

// 6.7.2 type-specifier; false when the token is none, or a typedef name that cannot belong to these specifiers.
bool Parser::type_specifier(DeclSpec& spec, SpecifierCounts& counts) {
  int* counter = nullptr;
  switch (tok().kind) {
    case kw_void:
      counter = &counts.void_;
      break;
    case kw_bool:
      counter = &counts.bool_;
      break;
    case kw_char:
      counter = &counts.char_;
      break;
    case kw_short:
      counter = &counts.short_;
      break;
    case kw_int:
      counter = &counts.int_;
      break;
    case kw_long:
      counter = &counts.long_;
      break;
    case kw_float:
      counter = &counts.float_;
      break;
    case kw_double:
      counter = &counts.double_;
      break;
    case kw_signed:
      counter = &counts.signed_;
      break;
    case kw_unsigned:
      counter = &counts.unsigned_;
      break;
    case kw_complex:
      counter = &counts.complex_;
      break;
    case kw_int128:
      counter = &counts.int128_;
      break;
    case kw_float16:
      counts.extended = TypeKind::float16;
      break;
    case kw_float128:
      counts.extended = TypeKind::float128;
      break;
    case kw_float32:
      counts.extended = TypeKind::float32;
      break;
    case kw_float64:
      counts.extended = TypeKind::float64;
      break;
    case kw_float32x:
      counts.extended = TypeKind::float32x;
      break;
    case kw_float64x:
      counts.extended = tok().name->text == "__float80" ? TypeKind::longdouble : TypeKind::float64x;
      break;
    default:
      break;
  }
  if (counter != nullptr || (tok().kind >= kw_float16 && tok().kind <= kw_float64x)) {
    if (counts.other) fail("two or more data types in declaration specifiers");
    if (counter != nullptr) ++*counter;
    advance();
    return true;
  }
  const Token& token = tok();
  const auto set = [&](QualType type) {
    if (counts.other || counts.any_basic()) {
      fail_at(token.loc, "two or more data types in declaration specifiers");
    }
    counts.other = true;
    spec.type = type;
    return true;
  };
  switch (token.kind) {
    case kw_struct:
    case kw_union:
      return set(record_specifier(spec));
    case kw_enum:
      return set(enum_specifier(spec));
    case kw_typeof:
      return set(typeof_specifier());
    case kw_auto_type:
      advance();
      spec.is_auto_type = true;
      return set(sema_.types().unknown());
    case identifier: {
      if (counts.other || counts.any_basic()) return false;
      const TypedefDecl* decl = sema_.lookup_typedef(token.name);
      if (decl == nullptr) return false;
      advance();
      if (mentions_shared(decl->type) || TypeContext::element_count(decl->type).times_threads) ++upc_uses_;
      token.name->ordinary->used = true;
      return set(decl->type);
    }
    default:
      return false;
  }
}

// 6.7.2p2: the sets of specifiers that name a type.
void Parser::finish_specifiers(DeclSpec& spec, const SpecifierCounts& c) {
  TypeContext& types = sema_.types();
  if (!c.other) {
    const bool is_unsigned = c.unsigned_ > 0;
    TypeKind kind = TypeKind::int_;
    bool ok = c.unsigned_ <= 1 && c.signed_ <= 1 && c.unsigned_ + c.signed_ <= 1 && c.int_ <= 1;
    const bool sign = is_unsigned || c.signed_ > 0;
    const auto alone = [&](int used) {
      return ok && used == 1 && c.void_ + c.bool_ + c.char_ + c.short_ + c.float_ + c.double_ + c.int128_ == used;
    };
    if (c.extended != TypeKind::unknown) {
      kind = c.extended;
      ok = ok && !sign && c.int_ + c.long_ + c.void_ + c.bool_ + c.char_ + c.short_ + c.float_ + c.double_ == 0;
    } else if (c.void_ > 0) {
      kind = TypeKind::void_;
      ok = alone(1) && !sign && c.int_ + c.long_ + c.complex_ == 0;
    } else if (c.bool_ > 0) {
      kind = TypeKind::bool_;
      ok = alone(1) && !sign && c.int_ + c.long_ + c.complex_ == 0;
    } else if (c.char_ > 0) {
      kind = is_unsigned ? TypeKind::uchar : c.signed_ > 0 ? TypeKind::schar : TypeKind::char_;
      ok = alone(1) && c.int_ + c.long_ == 0;
    } else if (c.short_ > 0) {
      kind = is_unsigned ? TypeKind::ushort : TypeKind::short_;
      ok = alone(1) && c.long_ == 0;
    } else if (c.float_ > 0) {
      kind = TypeKind::float_;
      ok = alone(1) && !sign && c.int_ + c.long_ == 0;
    } else if (c.double_ > 0) {
      kind = c.long_ == 1 ? TypeKind::longdouble : TypeKind::double_;
      ok = alone(1) && !sign && c.int_ == 0 && c.long_ <= 1;
    } else if (c.int128_ > 0) {
      kind = is_unsigned ? TypeKind::uint128 : TypeKind::int128;
      ok = alone(1) && c.int_ + c.long_ == 0;
    } else if (c.long_ > 0) {
      kind = c.long_ == 1 ? (is_unsigned ? TypeKind::ulong : TypeKind::long_)
                          : (is_unsigned ? TypeKind::ulonglong : TypeKind::longlong);
      ok = ok && c.long_ <= 2;
    } else if (c.int_ > 0 || sign) {
      kind = is_unsigned ? TypeKind::uint : TypeKind::int_;
    } else if (c.complex_ > 0) {
      kind = TypeKind::double_;
    } else {
      spec.implicit_int = true;
    }
    if (!ok || c.complex_ > 1) {
      diagnostics_.error(spec.loc, "invalid combination of type specifiers");
      kind = TypeKind::int_;
    }
    spec.type = types.builtin(kind);
    if (c.complex_ > 0) spec.type = types.complex_of(spec.type.type);
  } else if (c.complex_ > 0) {
    diagnostics_.error(spec.loc, "invalid combination of type specifiers");
  }
  if (!spec.is_auto_type) spec.type = sema_.apply_qualifiers(spec.type, spec.qualifiers, spec.loc);
}

// 6.7 declaration-specifiers; without storage: 6.7.2.1 specifier-qualifier-list
DeclSpec Parser::specifiers(bool allow_storage) {
  DeclSpec spec;
  const std::size_t start = pos_;
  const std::uint64_t uses = upc_uses_;
  spec.loc = tok().loc;
  SpecifierCounts counts;
  Loc thread_before = kNoLoc;
  for (;;) {
    const Token& token = tok();
    const auto storage = [&](StorageClass s) {
      if (!allow_storage) fail("expected specifier-qualifier-list");
      if (spec.storage != StorageClass::none)
        diagnostics_.error(token.loc, spec.storage == s
                                          ? "duplicate '" + std::string(token.name->text) + "'"
                                          : std::string("multiple storage classes in declaration specifiers"));
      if (thread_before != kNoLoc) {
        diagnostics_.error(thread_before, "'__thread' before '" + std::string(token.name->text) + "'");
      }
      spec.storage = s;
      spec.storage_loc = token.loc;
      advance();
    };
    switch (token.kind) {
      case kw_typedef:
        storage(StorageClass::typedef_);
        continue;
      case kw_extern:
        storage(StorageClass::extern_);
        continue;
      case kw_static:
        storage(StorageClass::static_);
        continue;
      case kw_auto:
        storage(StorageClass::auto_);
        continue;
      case kw_register:
        storage(StorageClass::register_);
        continue;
      case kw_thread_local:
        if (spec.is_thread) diagnostics_.error(token.loc, "duplicate '" + std::string(token.name->text) + "'");
        // GNU: the older spelling comes last.
        if (token.name->text == "__thread") thread_before = token.loc;
        spec.is_thread = true;
        advance();
        continue;
      case kw_inline:
        spec.is_inline = true;
        advance();
        continue;
      case kw_noreturn:
        spec.is_noreturn = true;
        advance();
        continue;
      case kw_extension:
        advance();
        continue;
      case l_square:
        if (!peek().is(l_square)) break;
        attributes(spec.attributes);
        continue;
      case kw_attribute:
        attributes(spec.attributes);
        continue;
      case kw_alignas:
        spec.align = std::max(spec.align, alignas_specifier());
        continue;
      case kw_atomic:
        if (peek().is(l_paren)) {
          advance();
          advance();
          const QualType inner = type_name();
          expect(r_paren);
          if (counts.other || counts.any_basic())
            fail_at(token.loc, "two or more data types in declaration specifiers");
          counts.other = true;
          spec.type = sema_.atomic_type(inner, token.loc);
          continue;
        }
        qualifier(spec.qualifiers);
        continue;
      case kw_const:
      case kw_volatile:
      case kw_restrict:
      case kw_shared:
      case kw_strict:
      case kw_relaxed:
        qualifier(spec.qualifiers);
        continue;
      default:
        break;
    }
    if (type_specifier(spec, counts)) continue;
    // `sharde int x;`
    const bool unknown = at(identifier) && tok().name->ordinary == nullptr && !counts.other && !counts.any_basic();
    if (!unknown || !peek().is_keyword() || peek().is(kw_attribute) || !is_type_start(peek())) break;
    report_unknown_type();
    advance();
  }
  // `unknown name`: say so once and go on as if it were a type.
  if (!counts.other && !counts.any_basic() && at(identifier) && tok().name->ordinary == nullptr &&
      (peek().is(identifier) ||
       (peek().is(star) && (peek(2).is(identifier) || peek(2).is(r_paren) || peek(2).is(star))) ||
       (!allow_storage && spec.qualifiers.quals.bits == 0))) {
    report_unknown_type();
    advance();
    counts.other = true;
    spec.type = sema_.types().unknown();
  }
  spec.tokens = since(start);
  finish_specifiers(spec, counts);
  spec.uses_upc = upc_uses_ != uses;
  return spec;
}

// 6.7.7 type-name: specifier-qualifier-list [abstract-declarator]
QualType Parser::type_name() {
  if (!is_type_start(tok()) && !at(kw_extension) && !(at(identifier) && tok().name->ordinary == nullptr)) {
    fail("expected specifier-qualifier-list");
  }
  const DeclSpec spec = specifiers(false);
  if (spec.is_auto_type) diagnostics_.error(spec.loc, "'__auto_type' in type name");
  if (spec.align != 0) diagnostics_.error(spec.loc, "alignment specified for type name");
  Declarator d = declarator(NameRule::forbidden, DeclaratorContext::type_name);
  return sema_.type_name(spec, d);
}

// What follows struct, union and enum: attributes and the tag, or null and the place where it would stand.
std::pair<Name*, Loc> Parser::tag_name(Attributes& attrs) {
  const Loc keyword_loc = tokens_[pos_ - 1].loc;
  attributes(attrs);
  if (!at(identifier) && !tok().is_upc_keyword()) return {nullptr, keyword_loc};
  const std::pair<Name*, Loc> tag(tok().name, tok().loc);
  advance();
  return tag;
}

// 6.7.2.1 struct-or-union-specifier
QualType Parser::record_specifier(DeclSpec& spec) {
  const Depth depth(*this);
  const std::size_t start = pos_;
  const TokenKind keyword = tok().kind;
  advance();
  Attributes attrs;
  const auto [name, name_loc] = tag_name(attrs);
  if (!at(l_brace)) {
    if (name == nullptr) fail("expected '{'");
    // `struct S;` declares a tag of this scope (6.7.2.3p7).
    const bool only = at(semicolon) && spec.storage == StorageClass::none && spec.qualifiers.quals.bits == 0;
    spec.tag = sema_.reference_tag(keyword, name, name_loc, only);
    return spec.tag->type;
  }
  RecordDecl* record = sema_.start_record(keyword == kw_union, name, name_loc);
  record->tokens.first = static_cast<std::uint32_t>(start);
  record->in_system_header = (tokens_[start].flags & Token::kSystem) != 0;
  const std::uint64_t uses = upc_uses_;
  advance();
  std::vector<FieldDecl*> fields;
  member_declarations(record, fields);
  expect(r_brace);
  attributes(attrs);
  record->definition = record->tokens = since(start);
  record->uses_upc = upc_uses_ != uses;
  sema_.finish_record(record, fields, attrs);
  spec.tag = record;
  spec.defines_tag = true;
  return record->type;
}

void Parser::member_declarations(RecordDecl* record, std::vector<FieldDecl*>& fields) {
  while (!at(r_brace) && !at(end_of_file)) {
    pragmas(Sema::PragmaPlace::elsewhere);
    if (accept(semicolon)) continue;
    if (at(kw_static_assert)) {
      static_assert_declaration();
      continue;
    }
    try {
      member_declaration(record, fields);
    } catch (const SyntaxError&) {
      if (stop_) throw;
      skip_statement();
    }
  }
}

// struct-declaration: specifier-qualifier-list [struct-declarator-list] ;
void Parser::member_declaration(RecordDecl* record, std::vector<FieldDecl*>& fields) {
  while (accept(kw_extension)) {
  }
  if (!is_type_start(tok()) && !at(kw_alignas) && !at(identifier) && !at(l_square))
    fail("expected specifier-qualifier-list");
  const DeclSpec spec = specifiers(false);
  if (spec.implicit_int || spec.is_auto_type) fail("expected specifier-qualifier-list");
  if (at(r_brace) && spec.tag != nullptr) {
    diagnostics_.warning(previous_end(), "", "no semicolon at end of struct or union");
    sema_.add_anonymous_member(record, spec, fields);
    return;
  }
  if (at(semicolon)) {
    sema_.add_anonymous_member(record, spec, fields);
    if (spec.tag == nullptr || spec.tag->name != nullptr) sema_.check_empty_declaration(spec, true);
    advance();
    return;
  }
  do {
    const std::uint64_t uses = upc_uses_;
    const std::size_t start = pos_;
    Declarator d;
    d.loc = tok().loc;
    if (!at(colon)) d = declarator(NameRule::required, DeclaratorContext::member);
    Expr* width = nullptr;
    const bool attribute_last = d.attributes.loc != kNoLoc && d.attributes.loc > d.loc;
    if (at(colon) && attribute_last) fail("expected ',', ';' or '}'");  // attributes of a bit-field follow its width
    const bool has_width = accept(colon);
    if (has_width) width = constant_expression();
    attributes(d.attributes);
    d.tokens = since(start);
    const std::size_t count = fields.size();
    sema_.add_field(record, spec, d, width, has_width, fields);
    if (fields.size() > count) fields.back()->uses_upc = spec.uses_upc || upc_uses_ != uses;
  } while (accept(comma));
  if (at(r_brace))
    diagnostics_.warning(previous_end(), "", "no semicolon at end of struct or union");
  else
    expect(semicolon);
}

void Parser::report_unknown_type() {
  const Hint hint = spelling_hint(unit_, tok().name, Meaning::type);
  diagnostics_.error(tok().loc, "unknown type name '" + std::string(tok().name->text) + "'" + hint.text,
                     marks_of(tok(), hint));
}

// 6.7.2.2 enum-specifier
QualType Parser::enum_specifier(DeclSpec& spec) {
  const Depth depth(*this);
  const std::size_t start = pos_;
  advance();
  Attributes attrs;
  const auto [name, name_loc] = tag_name(attrs);
  if (!at(l_brace)) {
    if (name == nullptr) fail("expected '{'");
    spec.tag = sema_.reference_tag(kw_enum, name, name_loc, at(semicolon));
    return spec.tag->type;
  }
  EnumDecl* decl = sema_.start_enum(name, name_loc);
  decl->in_system_header = (tokens_[start].flags & Token::kSystem) != 0;
  advance();
  std::vector<EnumConstantDecl*> constants;
  while (!at(r_brace)) {
    if (!at(identifier)) fail("expected identifier");
    Name* constant = tok().name;
    const Loc constant_loc = tok().loc;
    advance();
    Attributes ignored;
    attributes(ignored);
    Expr* value = accept(equal) ? constant_expression() : nullptr;
    constants.push_back(
        sema_.add_enumerator(decl, constant, constant_loc, value, constants.empty() ? nullptr : constants.back()));
    if (!accept(comma)) break;
  }
  if (constants.empty()) diagnostics_.error(tok().loc, "empty enum is invalid");
  expect(r_brace);
  attributes(attrs);
  decl->definition = decl->tokens = since(start);
  sema_.finish_enum(decl, constants, attrs);
  spec.tag = decl;
  spec.defines_tag = true;
  return decl->type;
}

}  // namespace upcc
