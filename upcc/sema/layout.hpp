// Where the members of a record lie, bit for bit as gcc places them on x86-64.
#pragma once

#include "ast/decl.hpp"
#include "sema/types.hpp"

namespace upcc {

// Sets bit_offset of every field and size and align of the record. Returns false when it is too large.
[[nodiscard]] bool lay_out(RecordDecl& record, const TypeContext& types);

}  // namespace upcc
