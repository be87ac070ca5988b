// The warnings that only upcc gives, by name. Others of its warnings have the names that gcc and clang give them.
#pragma once

#include <array>
#include <string_view>

namespace upcc {

struct WarningInfo {
  std::string_view name;  // without -W
  std::string_view help;
};

namespace warning {
inline constexpr std::string_view kBarrier = "upc-barrier";
inline constexpr std::string_view kBarrierValue = "upc-barrier-value";
inline constexpr std::string_view kForallBarrier = "upc-forall-barrier";
inline constexpr std::string_view kForallJump = "upc-forall-jump";
inline constexpr std::string_view kForallRace = "upc-forall-race";
inline constexpr std::string_view kFileBlocks = "upc-file-blocks";
inline constexpr std::string_view kObjectData = "upc-object-data";
inline constexpr std::string_view kSpin = "upc-spin";
}  // namespace warning

// All are on by default.
inline constexpr std::array<WarningInfo, 8> kWarnings{{
    {warning::kBarrier, "a barrier or collective function that some threads do not reach"},
    {warning::kBarrierValue, "a value of upc_barrier, upc_notify or upc_wait on the line after it"},
    {warning::kFileBlocks, "upc_all_fread_shared and its like with another block size than the array has"},
    {warning::kForallBarrier, "a barrier or collective function in the body of upc_forall"},
    {warning::kForallJump, "break, goto or return out of the body of upc_forall, or goto into it"},
    {warning::kForallRace, "an unprotected update, such as count++, of one shared object in upc_forall"},
    {warning::kObjectData, "variables of C objects that are one for all threads (--pthreads, at the link)"},
    {warning::kSpin, "a loop that waits for a relaxed object to change"},
}};

}  // namespace upcc
