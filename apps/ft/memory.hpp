// How much memory this host can still give.
#pragma once

#include <cstddef>
#include <string>

namespace ft {

/// Bytes that can be allocated without swapping, by the kernel's estimate, or all of them if it gives none.
std::size_t available_memory();

/// "1.5 GiB", "64 MiB".
std::string readable_size(std::size_t bytes);

/// Empty if `needed` bytes per rank fit on this host for all its ranks, else one line that says so.
std::string memory_problem(const std::string& what, std::size_t needed_per_rank, int ranks_on_host);

}  // namespace ft
