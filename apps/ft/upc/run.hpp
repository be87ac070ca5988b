// The C++ side of a run of the UPC program.
#pragma once

#include "apps/ft/benchmark.hpp"
#include "apps/ft/upc/local.h"

namespace ft {

struct UpcRun : ft_run {
  const Options* options = nullptr;
  int thread = 0;
  int threads = 1;
  std::vector<Complex> checksums;
  Verification verification;
};

}  // namespace ft
