// Spells types in C. A pointer-to-shared becomes the runtime's struct, and `shared` disappears from everything else.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ast/decl.hpp"
#include "ast/type.hpp"

namespace upcc {

class TypePrinter {
 public:
  // `extent` spells the length of a variable-length array; it may need lowering itself.
  using ExtentPrinter = std::function<std::string(const Expr*)>;

  explicit TypePrinter(ExtentPrinter extent) : extent_(std::move(extent)) {}

  // A declaration of `name` with this type; without a name, a type name. A shared type at the top is spelled as the
  // type of the object's bytes on one thread.
  [[nodiscard]] std::string declare(QualType type, std::string name = {}) const;

  // A type name that a name or `*` may follow, also for pointers to functions and arrays.
  [[nodiscard]] std::string prefix(QualType type) const;

  // How a struct, union or enum is called where its own tag does not do.
  void set_alias(const TagDecl* tag, std::string alias) { aliases_[tag] = std::move(alias); }
  [[nodiscard]] const std::string& alias(const TagDecl* tag) const { return aliases_.at(tag); }
  [[nodiscard]] bool has_alias(const TagDecl* tag) const { return aliases_.contains(tag); }

  // Parameters of a function definition are spelled with their names.
  [[nodiscard]] std::string declare_function(const FunctionDecl* function, const std::string& name) const;

 private:
  [[nodiscard]] std::string base(QualType type) const;
  [[nodiscard]] std::string tag(const TagDecl* decl, std::string_view keyword) const;
  [[nodiscard]] std::string array_suffix(const ArrayType* array) const;
  [[nodiscard]] std::string parameters(const FunctionType* function) const;

  ExtentPrinter extent_;
  std::unordered_map<const TagDecl*, std::string> aliases_;
};

}  // namespace upcc
