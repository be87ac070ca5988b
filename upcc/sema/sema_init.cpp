#include <unordered_map>

#include "sema/compat.hpp"
#include "sema/sema.hpp"

// Initialisers (C11 6.7.9 with GNU ranges). The parser's nested lists are matched against the type: brace elision,
// designators and unknown array sizes are resolved here, so that the result names every subobject explicitly.

namespace upcc {

class InitMatcher {
 public:
  InitMatcher(Sema& sema, bool constant_required, bool static_storage)
      : s_(sema), constant_required_(constant_required), static_storage_(static_storage) {}

  Expr* object(QualType& type, Sema::SyntaxInit* init);

 private:
  using Items = std::span<Sema::SyntaxInit*>;
  using Path = std::span<Sema::Designator>;

  // Entries of one aggregate while it is being filled.
  struct Filling {
    std::vector<InitEntry> entries;
    std::unordered_map<std::int64_t, std::size_t> nested;  // subobject index -> entry that is a list
  };

  Expr* scalar(QualType type, Sema::SyntaxInit* init);
  Expr* check_constant(Expr* e);
  bool is_char_array_string(QualType type, const Expr* e) const;
  Expr* string(QualType& type, Expr* e);
  Expr* braced(QualType& type, Sema::SyntaxInit* init);
  Expr* finish(QualType type, const Filling& filling, Loc loc, TokenRange tokens);
  void fill(QualType type, Filling& out, Items items, std::size_t& at, bool own_braces, Path path, std::int64_t& count);
  bool designate(QualType type, const Sema::Designator& d, std::int64_t& low, std::int64_t& high,
                 std::vector<FieldDecl*>& anonymous);
  Expr* subobject(QualType type, Items items, std::size_t& at);
  void nested(QualType type, Filling& out, std::int64_t index, Items items, std::size_t& at, Path path,
              FieldDecl* field, std::int64_t high);
  static std::int64_t next_field(const RecordDecl* record, std::int64_t i);
  void put(Filling& out, FieldDecl* field, std::int64_t low, std::int64_t high, Expr* value);
  [[nodiscard]] static bool is_aggregate(QualType type) {
    return type->is_array() || type->is_record() || type->is_vector();
  }

  Sema& s_;
  bool constant_required_;
  bool static_storage_;
};

Expr* Sema::initialise(QualType& type, SyntaxInit* init, bool constant_required, bool static_storage) {
  return InitMatcher(*this, constant_required, static_storage).object(type, init);
}

Expr* InitMatcher::check_constant(Expr* e) {
  if (!constant_required_ || e->type->is_unknown() || e->kind == ExprKind::init_list) return e;
  if (e->kind == ExprKind::string_literal) return e;
  if (!s_.constants_.is_static_initialiser(e)) {
    // &&a - &&b: a constant only the assembler knows.
    const auto* c = expr_cast<CastExpr>(e);
    const auto* d = expr_cast<BinaryExpr>(c != nullptr ? c->operand : e);
    if (d != nullptr && d->op == BinaryOp::sub && d->lhs->type->is_pointer()) {
      const ConstValue a = s_.constants_.evaluate(d->lhs);
      const ConstValue b = s_.constants_.evaluate(d->rhs);
      if (a.base != nullptr && b.base != nullptr && !a.shared && !b.shared) return e;
    }
    s_.error(e->loc, "initializer element is not constant" + s_.advice_on_constants(e));
  }
  return e;
}

bool InitMatcher::is_char_array_string(QualType type, const Expr* e) const {
  const auto* array = type->as<ArrayType>();
  while (const auto* p = expr_cast<ParenExpr>(e)) e = p->inner;
  const auto* s = expr_cast<StringLiteral>(e);
  if (array == nullptr || s == nullptr || !array->element->is_integer()) return false;
  const bool bytes =
      array->element->is(TypeKind::char_) || array->element->is(TypeKind::schar) || array->element->is(TypeKind::uchar);
  if (s->width == 1) return bytes;
  return !bytes && s_.types_.size_of(array->element).value == s->width;
}

// 6.7.9p14-15
Expr* InitMatcher::string(QualType& type, Expr* e) {
  const auto* array = static_cast<const ArrayType*>(type.type);
  const Expr* inner = e;
  while (const auto* p = expr_cast<ParenExpr>(inner)) inner = p->inner;
  const auto* s = static_cast<const StringLiteral*>(inner);
  const auto length = static_cast<std::int64_t>(s->bytes.size() / s->width);
  if (array->array_kind == ArrayKind::incomplete) {
    type.type = s_.types_.array_of(array->element, {length + 1, false}).type;
  } else if (length > array->count.value && !array->count.times_threads) {
    s_.warn(e->loc, "", "initializer-string for array of " + quoted(array->element) + " is too long");
  }
  return e;
}

Expr* InitMatcher::scalar(QualType type, Sema::SyntaxInit* init) {
  if (!init->braced) {
    init->expr = s_.value(init->expr);
    const bool narrow = constant_required_ && type->is_integer() && !type->is_bool() &&
                        init->expr->type->is_pointer() && !init->expr->type.is_pointer_to_shared() &&
                        s_.types_.size_of(type).value < s_.types_.size_of(init->expr->type).value;
    if (narrow) {
      s_.error(init->expr->loc,
               "initialization of " + quoted(type.unqualified()) + " from " + quoted(init->expr->type) +
                   " makes integer from pointer without a cast, and is not constant",
               {{s_.range_of(init->expr)}, {}});
      return s_.error_expr(init->loc);
    }
    return check_constant(
        s_.convert_for_assignment(init->expr, type, Sema::AssignContext::initialization, init->expr->loc));
  }
  if (init->list.empty()) {
    s_.error(init->loc, "empty scalar initializer");
    return s_.error_expr(init->loc);
  }
  if (!init->list[0]->designators.empty()) {
    const bool field = init->list[0]->designators[0].field != nullptr;
    s_.error(init->list[0]->designators[0].loc,
             field ? "field name not in record or union initializer" : "array index in non-array initializer");
    return s_.error_expr(init->loc);
  }
  if (init->list[0]->braced) s_.warn(init->list[0]->loc, "", "braces around scalar initializer");
  if (init->list.size() > 1) s_.warn(init->list[1]->loc, "", "excess elements in scalar initializer");
  return scalar(type, init->list[0]);
}

Expr* InitMatcher::object(QualType& type, Sema::SyntaxInit* init) {
  if (type->is_unknown()) return init->expr != nullptr ? init->expr : s_.error_expr(init->loc);
  if (type->is_function() || type->is_void()) {
    s_.error(init->loc, "invalid initializer");
    return s_.error_expr(init->loc);
  }
  if (!is_aggregate(type)) return scalar(type, init);
  if (!init->braced) {
    if (is_char_array_string(type, init->expr)) return string(type, init->expr);
    if (type->is_array()) {
      // GNU: an array may be initialised by a compound literal of its type.
      const Expr* inner = init->expr;
      while (const auto* p = expr_cast<ParenExpr>(inner)) inner = p->inner;
      if (inner->kind == ExprKind::compound_literal && compatible_unqualified(type, inner->type)) {
        if (!TypeContext::is_complete(type)) type = composite(s_.types_, type, inner->type);
        return init->expr;
      }
      if (!init->expr->type->is_unknown()) s_.error(init->loc, "invalid initializer");
      return s_.error_expr(init->loc);
    }
    return scalar(type, init);
  }
  return braced(type, init);
}

Expr* InitMatcher::braced(QualType& type, Sema::SyntaxInit* init) {
  if (!TypeContext::is_complete(type) && !type->is_array()) {
    s_.error(init->loc, "initializer for incomplete type " + quoted(type));
    return s_.error_expr(init->loc);
  }
  if (init->list.size() == 1 && !init->list[0]->braced && init->list[0]->designators.empty() &&
      is_char_array_string(type, init->list[0]->expr)) {
    return string(type, init->list[0]->expr);
  }
  Filling filling;
  std::size_t at = 0;
  std::int64_t count = 0;
  fill(type, filling, init->list, at, true, {}, count);
  if (const auto* array = type->as<ArrayType>(); array != nullptr && array->array_kind == ArrayKind::incomplete) {
    Quals keep = type.quals;
    type = s_.types_.array_of(array->element, {count, false});
    type.quals = keep;
  }
  if (at < init->list.size()) {
    s_.warn(init->list[at]->loc, "",
            std::string("excess elements in ") +
                (type->is_array()    ? "array"
                 : is_union(type)    ? "union"
                 : type->is_vector() ? "vector"
                                     : "struct") +
                " initializer");
    for (; at < init->list.size(); ++at) {
      if (init->list[at]->expr != nullptr) s_.value(init->list[at]->expr);
    }
  }
  return finish(type, filling, init->loc, init->tokens);
}

Expr* InitMatcher::finish(QualType type, const Filling& filling, Loc loc, TokenRange tokens) {
  auto* list = s_.make<InitListExpr>(loc, type);
  list->tokens = tokens;
  list->entries = s_.arena().copy(filling.entries);
  for (const InitEntry& entry : filling.entries) s_.adopt(list, entry.value);
  return list;
}

void InitMatcher::put(Filling& out, FieldDecl* field, std::int64_t low, std::int64_t high, Expr* value) {
  out.entries.push_back({field, low, high, value});
}

std::int64_t InitMatcher::next_field(const RecordDecl* record, std::int64_t i) {
  const auto n = static_cast<std::int64_t>(record->fields.size());
  while (i < n && record->fields[static_cast<std::size_t>(i)]->is_bitfield &&
         record->fields[static_cast<std::size_t>(i)]->name == nullptr) {
    ++i;
  }
  return i;
}

// 6.7.9p6-7: which subobject a designator names. For a member of an unnamed member, `anonymous` holds the inner steps.
bool InitMatcher::designate(QualType type, const Sema::Designator& d, std::int64_t& low, std::int64_t& high,
                            std::vector<FieldDecl*>& anonymous) {
  if (d.field != nullptr) {
    const auto* r = type->as<RecordType>();
    if (r == nullptr) {
      s_.error(d.loc, "field name not in record or union initializer");
      return false;
    }
    if (s_.find_field(r->decl, d.field, anonymous) == nullptr) {
      s_.error(d.loc, quoted(type.unqualified()) + " has no member named " + quoted(d.field->text));
      return false;
    }
    low = high = anonymous.front()->index;
    anonymous.erase(anonymous.begin());
    return true;
  }
  const auto* array = type->as<ArrayType>();
  if (array == nullptr && !type->is_vector()) {
    s_.error(d.loc, "array index in non-array initializer");
    return false;
  }
  const auto index = [&](Expr* e, std::int64_t& out) {
    Int128 n = 0;
    Expr* v = s_.value(e);
    if (v->type->is_unknown()) return false;
    if (!v->type->is_integer()) {
      s_.error(d.loc, "array index in initializer not of integer type");
    } else if (!s_.constants_.integer(v, n)) {
      s_.error(d.loc, "nonconstant array index in initializer");
    } else if (n < 0 ||
               (array != nullptr && array->array_kind == ArrayKind::constant && !array->count.times_threads &&
                n >= array->count.value) ||
               n > INT64_MAX / 2) {
      s_.error(d.loc, "array index in initializer exceeds array bounds");
    } else {
      out = static_cast<std::int64_t>(n);
      return true;
    }
    return false;
  };
  if (!index(d.low, low)) return false;
  high = low;
  if (d.high != nullptr && !index(d.high, high)) return false;
  if (high < low) {
    s_.error(d.loc, "empty index range in initializer");
    return false;
  }
  return true;
}

// One subobject from the next item (or several items, when braces are elided).
Expr* InitMatcher::subobject(QualType type, Items items, std::size_t& at) {
  Sema::SyntaxInit* item = items[at];
  if (item->braced) {
    ++at;
    QualType completed = type;
    return object(completed, item);
  }
  Expr* e = item->expr;
  if (!is_aggregate(type) || is_char_array_string(type, e) || e->type->is_unknown()) {
    ++at;
    QualType completed = type;
    return object(completed, item);
  }
  const bool whole = (type->is_record() && e->type->is_record() && compatible_unqualified(type, e->type)) ||
                     (type->is_vector() && (e->type->is_vector() || e->type->is_unknown()));
  if (whole) {
    ++at;
    return scalar(type, item);
  }
  return nullptr;  // braces are elided
}

// Opens the list of a subobject, the same one as before when it was opened earlier.
void InitMatcher::nested(QualType type, Filling& out, std::int64_t index, Items items, std::size_t& at, Path path,
                         FieldDecl* field, std::int64_t high) {
  Filling inner;
  std::size_t entry = out.entries.size();
  if (const auto known = out.nested.find(index); known != out.nested.end()) {
    entry = known->second;
    const auto* list = expr_cast<InitListExpr>(out.entries[entry].value);
    if (list != nullptr) inner.entries.assign(list->entries.begin(), list->entries.end());
  } else {
    out.nested[index] = entry;
    put(out, field, field != nullptr ? 0 : index, field != nullptr ? 0 : high, nullptr);
  }
  const Loc loc = items[at]->loc;
  std::int64_t count = 0;
  fill(type, inner, items, at, false, path, count);
  out.entries[entry].value = finish(type, inner, loc, {});
}

void InitMatcher::fill(QualType type, Filling& out, Items items, std::size_t& at, bool own_braces, Path path,
                       std::int64_t& count) {
  const auto* record = type->as<RecordType>();
  const auto* array = type->as<ArrayType>();
  std::int64_t limit = INT64_MAX;
  if (record != nullptr)
    limit = static_cast<std::int64_t>(record->decl->fields.size());
  else if (array != nullptr && array->array_kind == ArrayKind::constant && !array->count.times_threads)
    limit = array->count.value;
  else if (type->is_vector())
    limit = static_cast<const VectorType*>(type.type)->count;
  std::int64_t i = 0;
  if (own_braces && at < items.size()) path = items[at]->designators;
  const std::size_t before_all = at;
  for (;;) {
    std::int64_t high = 0;
    std::vector<FieldDecl*> anonymous;
    bool designated = false;
    if (!path.empty()) {
      if (!designate(type, path[0], i, high, anonymous)) {
        ++at;
        path = {};
        if (at >= items.size() || (!own_braces && !items[at]->designators.empty())) return;
        path = items[at]->designators;
        continue;
      }
      designated = true;
      path = path.subspan(1);
    } else {
      if (record != nullptr) i = next_field(record->decl, i);
      high = i;
    }
    if (at >= items.size() || i >= limit) return;
    FieldDecl* field = record == nullptr ? nullptr : record->decl->fields[static_cast<std::size_t>(i)];
    const QualType inherited = field != nullptr   ? field->type
                               : array != nullptr ? array->element
                                                  : QualType{static_cast<const VectorType*>(type.type)->element, {}};
    if (!anonymous.empty()) {
      // Continue inside the unnamed member with a designator for the rest of the way.
      Sema::Designator step;
      step.field = anonymous.back()->name;
      step.loc = items[at]->loc;
      std::vector<Sema::Designator> longer{step};
      longer.insert(longer.end(), path.begin(), path.end());
      nested(inherited, out, i, items, at, longer, field, high);
    } else if (!path.empty()) {
      nested(inherited, out, i, items, at, path, field, high);
    } else {
      const std::size_t before = at;
      const bool flexible = inherited->is_array() && !TypeContext::is_complete(inherited);
      if (flexible && !static_storage_ && (items[at]->braced || items[at]->expr->kind == ExprKind::string_literal)) {
        s_.error(items[at]->loc, "non-static initialization of a flexible array member");
      }
      Expr* value = subobject(inherited, items, at);
      if (value != nullptr) {
        out.nested.erase(i);
        put(out, field, field != nullptr ? 0 : i, field != nullptr ? 0 : high, value);
      } else {
        nested(inherited, out, i, items, at, {}, field, high);
        if (at == before) {  // nothing fits in it: an empty record or array
          if (before == before_all && !own_braces) return;
          ++at;
        }
      }
    }
    (void)designated;
    path = {};
    i = high + 1;
    if (i > count) count = i;
    if (record != nullptr && record->decl->is_union) i = limit;
    if (at >= items.size()) return;
    if (!items[at]->designators.empty()) {
      if (!own_braces) return;
      path = items[at]->designators;
    }
  }
}

}  // namespace upcc
