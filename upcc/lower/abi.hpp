// The names that generated C shares with include/weft/upcrt.h, in one place.
#pragma once

#include <cstdint>
#include <string>

#include "ast/decl.hpp"

namespace upcc::abi {

inline constexpr const char* kPts = "upcr_pts_t";

// Prefix of every name upcc invents in the user's scopes.
inline constexpr const char* kPrefix = "__upcc_";

// Bytes of a segment behind one byte of the section of static shared objects (UPCR_STATIC_SCALE).
inline constexpr std::uint64_t kStaticScale = 64;

// The linker's names of shared objects with external linkage (UPCR_SHARED_SYMBOL).
inline constexpr const char* kSharedSymbol = "upc_shared.";

// The section that marks objects of C whose private variables are thread-local.
inline constexpr const char* kThreadLocalC = "upc_thread_local_c";

// What inline functions of the runtime read where UPC threads are processes.
inline constexpr const char* kProcessView = "upcr_process_view";

// A function that every program needs, so that one with the runtime inside has it.
inline constexpr const char* kStart = "upcr_start";

// A function that the runtime has in one file with its main.
inline constexpr const char* kBesideMain = "upcr_exit";

// The record that each unit leaves in the section upc_config (upcr_unit_t). A pointer is the number of its address.
struct UnitRecord {
  std::uint32_t magic;
  std::uint16_t abi;
  std::uint16_t pthreads;
  std::uint64_t threads;
  std::uint64_t file;
  std::uint64_t reserved;
};

inline std::string unnamed_tag(const TagDecl* decl) { return std::string(kPrefix) + "t" + std::to_string(decl->loc); }

// The C compiler keeps nothing of what it has read from memory: another thread may have written it.
inline constexpr const char* kLookAgain = "__asm__ volatile(\"\" ::: \"memory\");";

}  // namespace upcc::abi
