// The files of src/sim/platforms; the build makes platform_texts.cpp of them.
#pragma once

#include <span>

namespace weft::sim {

struct PlatformText {
  const char* name;
  const char* text;
};
std::span<const PlatformText> platform_texts();

}  // namespace weft::sim
