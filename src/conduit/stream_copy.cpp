#include "conduit/stream_copy.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace weft::conduit {

#if defined(__x86_64__)

namespace {

constexpr size_t line = 64;

[[gnu::target("avx512f")]] void stream_lines_avx512(std::byte* to, const std::byte* from, size_t lines) {
  for (size_t i = 0; i < lines; ++i) {
    __m512i a = _mm512_loadu_si512(from + i * line);
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i * line), a);
  }
}

[[gnu::target("avx")]] void stream_lines_avx(std::byte* to, const std::byte* from, size_t lines) {
  for (size_t i = 0; i < lines * 2; ++i) {
    __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i * 32));
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i * 32), a);
  }
}

void stream_lines_sse2(std::byte* to, const std::byte* from, size_t lines) {
  for (size_t i = 0; i < lines * 4; ++i) {
    __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * 16));
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i * 16), a);
  }
}

}  // namespace

void stream_copy(void* destination, const void* source, size_t size) {
  auto* to = static_cast<std::byte*>(destination);
  const auto* from = static_cast<const std::byte*>(source);
  size_t head = (line - reinterpret_cast<uintptr_t>(to) % line) % line;
  if (size < 4 * line || head > size) {
    std::memcpy(to, from, size);
    return;
  }
  std::memcpy(to, from, head);
  to += head, from += head, size -= head;
  size_t lines = size / line;
  if (__builtin_cpu_supports("avx512f"))
    stream_lines_avx512(to, from, lines);
  else if (__builtin_cpu_supports("avx"))
    stream_lines_avx(to, from, lines);
  else
    stream_lines_sse2(to, from, lines);
  std::memcpy(to + lines * line, from + lines * line, size % line);
}

void stream_fence() { _mm_sfence(); }

#else

void stream_copy(void* destination, const void* source, size_t size) { std::memcpy(destination, source, size); }
void stream_fence() { std::atomic_thread_fence(std::memory_order_release); }

#endif

}  // namespace weft::conduit
