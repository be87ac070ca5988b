// 128-bit integers, the widest integer type of the target; every integer constant is held in one.
#pragma once

namespace upcc {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

}  // namespace upcc
