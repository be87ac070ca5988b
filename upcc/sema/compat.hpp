// C11 6.2.7 with UPC 6.5.1.1: which types are compatible, and their composite.
#pragma once

#include "sema/types.hpp"

namespace upcc {

// Ignores qualifiers at the top of both.
[[nodiscard]] bool compatible_unqualified(QualType a, QualType b);
// Qualifiers must agree; for shared types the block sizes too.
[[nodiscard]] bool compatible(QualType a, QualType b);
// Same qualifiers that matter for compatibility.
[[nodiscard]] bool same_qualifiers(Quals a, Quals b);
// The composite of two compatible types (6.2.7p3), with the qualifiers of a.
QualType composite(TypeContext& types, QualType a, QualType b);

}  // namespace upcc
