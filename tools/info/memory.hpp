// weft-info --memory: what a rank of a job takes of memory, its segment apart, by part.
#pragma once

#include <cstdint>

#include "base/settings.hpp"

/// For a job of `ranks` ranks, in blocks on so many hosts.
void show_memory(const weft::base::Settings& settings, uint32_t ranks, uint32_t hosts);
