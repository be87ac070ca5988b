// Whether a shared object has the same type in two units, which meet as object files.
#pragma once

#include <cstdint>

#include "sema/types.hpp"

namespace upcc {

// A hash of what the units must agree on. Equal for types that lie alike in memory and mean the same: an enumeration
// and its integer type, long and long long, structures with equal members whatever their tags, and whatever const,
// volatile and relaxed say. 0: not known here, because a structure is incomplete. The extent of the object itself does
// not count: an array may be declared without.
[[nodiscard]] std::uint64_t type_identity(const TypeContext& types, QualType type);

}  // namespace upcc
