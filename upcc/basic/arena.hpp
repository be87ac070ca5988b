// Bump allocation for everything that lives as long as one translation unit: names, types, nodes.
// Nothing allocated here is ever destroyed one by one, so only trivially destructible types are allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace upcc {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* allocate(std::size_t bytes, std::size_t align) {
    auto at = (reinterpret_cast<std::uintptr_t>(next_) + align - 1) & ~(static_cast<std::uintptr_t>(align) - 1);
    if (at + bytes > reinterpret_cast<std::uintptr_t>(end_) || next_ == nullptr) return grow(bytes, align);
    next_ = reinterpret_cast<std::byte*>(at + bytes);
    return reinterpret_cast<void*>(at);
  }

  template <typename T, typename... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return ::new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  // Copies a temporary sequence to its final place.
  template <typename T>
  std::span<T> copy(std::span<const T> from) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (from.empty()) return {};
    auto* to = static_cast<T*>(allocate(from.size_bytes(), alignof(T)));
    std::memcpy(static_cast<void*>(to), from.data(), from.size_bytes());
    return {to, from.size()};
  }
  template <typename T>
  std::span<T> copy(const std::vector<T>& from) {
    return copy(std::span<const T>(from.data(), from.size()));
  }
  std::string_view copy(std::string_view from) {
    if (from.empty()) return {};
    auto* to = static_cast<char*>(allocate(from.size(), 1));
    std::memcpy(to, from.data(), from.size());
    return {to, from.size()};
  }

 private:
  void* grow(std::size_t bytes, std::size_t align) {
    constexpr std::size_t kChunk = std::size_t{1} << 20;
    const std::size_t size = bytes + align > kChunk ? bytes + align : kChunk;
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
    next_ = chunks_.back().get();
    end_ = next_ + size;
    return allocate(bytes, align);
  }

  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
};

}  // namespace upcc
