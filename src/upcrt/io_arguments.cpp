#include "upcrt/io_arguments.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "weft/coll.h"

namespace weft::upcrt::io {
namespace {

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e37'79b9'7f4a'7c15;
  return hash ^ hash >> 29;
}

std::string text_of(uint64_t value, Arguments::As as) {
  if (as == Arguments::As::sync) {
    const std::string in = (value & WEFT_IN_ALLSYNC) != 0  ? "UPC_IN_ALLSYNC"
                           : (value & WEFT_IN_MYSYNC) != 0 ? "UPC_IN_MYSYNC"
                                                           : "UPC_IN_NOSYNC";
    const char* out = (value & WEFT_OUT_ALLSYNC) != 0  ? " | UPC_OUT_ALLSYNC"
                      : (value & WEFT_OUT_MYSYNC) != 0 ? " | UPC_OUT_MYSYNC"
                                                       : " | UPC_OUT_NOSYNC";
    return in + out;
  }
  if (as == Arguments::As::number) return std::to_string(static_cast<int64_t>(value));
  char text[24];
  std::snprintf(text, sizeof text, "%#llx", static_cast<unsigned long long>(value));
  return text;
}

template <size_t Size>
void copy_text(char (&to)[Size], const char* from) {
  std::snprintf(to, Size, "%s", from == nullptr ? "" : from);
}

}  // namespace

// What travels: other processes have other addresses.
struct Arguments::Record {
  struct Value {
    char name[24];
    uint64_t value;
    As as;
  };
  uint64_t hash;
  uint64_t count;
  char function[40];
  std::array<Value, 12> values;
};

Arguments::Arguments(const char* function, upcr_pts_t fd) : function_(function) {
  hash_ = std::hash<std::string_view>{}(function);
  add("the file", mix(fd.offset, fd.where), As::hidden);
}

void Arguments::add(const char* name, uint64_t value, As as) {
  hash_ = mix(hash_, value);
  if (count_ < arguments_.size()) arguments_[count_++] = {name, value, as};
}

void Arguments::add_text(const char* name, const char* text) {
  add(name, std::hash<std::string_view>{}(text), As::hidden);
}

Arguments::Record Arguments::record() const {
  Record out{};
  out.hash = hash_;
  out.count = count_;
  copy_text(out.function, function_);
  for (uint32_t i = 0; i < count_; ++i) {
    copy_text(out.values[i].name, arguments_[i].name);
    out.values[i].value = arguments_[i].value;
    out.values[i].as = arguments_[i].as;
  }
  return out;
}

std::string Arguments::difference(const State& state, bool& differs) const {
  const Record mine = record();
  Record first = mine;
  (void)weft_broadcast(WEFT_TEAM_WORLD, &first, state.me == 0 ? &mine : nullptr, sizeof first, 0, 0);
  const uint64_t candidate = first.hash == mine.hash ? UINT64_MAX : state.me;
  uint64_t lowest = candidate;
  (void)weft_reduce_all(WEFT_TEAM_WORLD, &lowest, &candidate, 1, weft_reduction_of(WEFT_U64, WEFT_REDUCE_MIN), 0);
  differs = lowest != UINT64_MAX;
  if (!differs || lowest != state.me) return {};
  const std::string here = "thread " + std::to_string(state.me);
  if (std::strcmp(first.function, mine.function) != 0)
    return here + " called " + mine.function + ", thread 0 " + first.function;
  for (uint64_t i = 0; i < std::min(first.count, mine.count); ++i) {
    const Record::Value& value = mine.values[i];
    const Record::Value& other = first.values[i];
    if (value.value == other.value && std::strcmp(value.name, other.name) == 0) continue;
    if (value.as == As::hidden) return std::string(value.name) + " is another on " + here + " than on thread 0";
    return std::string(value.name) + " is " + text_of(value.value, value.as) + " on " + here + " and " +
           text_of(other.value, other.as) + " on thread 0";
  }
  return here + " gives other hints than thread 0";
}

}  // namespace weft::upcrt::io
