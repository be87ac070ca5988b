// Simulated jobs under the same kinds of faults with many seeds, in one process:
//
//   TEST_SIM_FAULT=retry=0.1,schedule TEST_SIM_FIRST_SEED=7 program ...
//
// gives the first job WEFT_SIM_FAULT=retry=0.1,schedule,seed=7, the second seed=8 and so on. Each says so in a line, so
// that who started the program knows the seed under which it ended.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace weft_test {

/// For the job of this number, from 0; nothing happens without those variables.
inline void use_fault_seed(uint64_t number) {
  const char* const faults = std::getenv("TEST_SIM_FAULT");
  const char* const first = std::getenv("TEST_SIM_FIRST_SEED");
  if (faults == nullptr || first == nullptr) return;
  const std::string all = std::string(faults) + ",seed=" + std::to_string(std::strtoull(first, nullptr, 10) + number);
  setenv("WEFT_SIM_FAULT", all.c_str(), 1);
  std::fprintf(stderr, "WEFT_SIM_FAULT=%s\n", all.c_str());
}

}  // namespace weft_test
