// Entry for fuzzers and for the replay test: whatever the bytes are, the stage must return.
#pragma once

#include <cstddef>
#include <cstdint>

enum upcc_fuzz_stage { UPCC_FUZZ_LEX = 0, UPCC_FUZZ_PARSE = 1, UPCC_FUZZ_LOWER = 2 };

// Runs the front end on `size` bytes as preprocessed text, up to `stage` (parsing includes checking; programs without
// errors are translated, with and without the optimiser and --pthreads). Returns the number of errors found. libFuzzer:
// call it from LLVMFuzzerTestOneInput and return 0.
int upcc_fuzz_one(const std::uint8_t* data, std::size_t size, int stage);
