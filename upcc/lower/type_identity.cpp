#include "lower/type_identity.hpp"

#include <string>

namespace upcc {

namespace {

std::string tag_of(const RecordDecl* decl) {
  return (decl->is_union ? "union " : "struct ") + (decl->name == nullptr ? "" : std::string(decl->name->text));
}

class Writer {
 public:
  explicit Writer(const TypeContext& types) : types_(types) {}

  void write_object(QualType type);
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void add(const std::string& word) { text_ += word + ' '; }
  void write(QualType type);
  void write_base(const Type* type);
  void write_pointee(QualType type);
  void write_members(const RecordDecl* decl);

  const TypeContext& types_;
  std::string text_;
  bool complete_ = true;
};

void Writer::write_object(QualType type) {
  const auto* array = type->as<ArrayType>();
  if (array != nullptr) add("[]");
  write(array != nullptr ? array->element : type);
}

void Writer::write(QualType type) {
  if (type.quals.has(Quals::kStrict)) add("strict");
  if (const auto* pointer = type->as<PointerType>()) {
    add("*");
    write_pointee(pointer->pointee);
  } else if (const auto* array = type->as<ArrayType>()) {
    add('[' + std::to_string(array->count.value) + (array->count.times_threads ? "T]" : "]"));
    write(array->element);
  } else if (const auto* record = type->as<RecordType>()) {
    write_members(record->decl);
  } else if (const auto* complex = type->as<ComplexType>()) {
    add("complex");
    write_base(complex->element);
  } else if (const auto* vector = type->as<VectorType>()) {
    add("vector " + std::to_string(vector->count));
    write_base(vector->element);
  } else {
    write_base(type.type);
  }
}

void Writer::write_base(const Type* type) {
  const Type* base = TypeContext::integer_of_enum(type);
  if (base == nullptr) {
    complete_ = false;
  } else if (base->is_integer() && types_.integer_bits(base) > 8) {
    add((TypeContext::is_signed(base) ? "int" : "unsigned") + std::to_string(types_.integer_bits(base)));
  } else {
    add(type_string({base, {}}));
  }
}

// What a pointer leads to may be incomplete, or lead back.
void Writer::write_pointee(QualType type) {
  if (type.is_shared()) add("shared " + std::to_string(type.block_size()));
  if (type->is_function())
    add("function");
  else if (const auto* record = type.ultimate()->as<RecordType>())
    add((type->is_array() ? "array of " : "") + tag_of(record->decl));
  else
    write(type);
}

void Writer::write_members(const RecordDecl* decl) {
  if (!decl->complete) {
    complete_ = false;
    return;
  }
  add(decl->is_union ? "union {" : "struct {");
  for (const FieldDecl* field : decl->fields) {
    if (field->name != nullptr) add(std::string(field->name->text));
    add(std::to_string(field->bit_offset) + (field->is_bitfield ? ':' + std::to_string(field->bit_width) : ""));
    write(field->type);
  }
  add("} " + std::to_string(decl->size));
}

}  // namespace

std::uint64_t type_identity(const TypeContext& types, QualType type) {
  Writer writer(types);
  writer.write_object(type);
  if (!writer.complete()) return 0;
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : writer.text()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace upcc
