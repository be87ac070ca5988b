// Loops that the compiler must leave as they are written.
#pragma once

#include <cstdint>

namespace bench {

/// The compiler must assume that these values, and all memory, have changed here: so no call of a loop is merged with
/// the next, hoisted or dropped. No instruction is emitted. The measured loop and the bare loop use it in the same way.
[[gnu::always_inline]] inline void opaque() { asm volatile("" : : : "memory"); }
template <class A>
[[gnu::always_inline]] inline void opaque(A& a) {
  asm volatile("" : "+r"(a) : : "memory");
}
template <class A, class B>
[[gnu::always_inline]] inline void opaque(A& a, B& b) {
  asm volatile("" : "+r"(a), "+r"(b) : : "memory");
}
template <class A, class B, class C>
[[gnu::always_inline]] inline void opaque(A& a, B& b, C& c) {
  asm volatile("" : "+r"(a), "+r"(b), "+r"(c) : : "memory");
}
template <class A, class B, class C, class D>
[[gnu::always_inline]] inline void opaque(A& a, B& b, C& c, D& d) {
  asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d) : : "memory");
}

/// Runs `operation` that many times, eight calls to a jump, so that what is measured is the call and not the loop.
/// What `operation` refers to should be variables of the calling function: they stay in registers then.
template <class Operation>
[[gnu::always_inline]] inline void repeat(uint64_t times, Operation&& operation) {
#pragma GCC unroll 8
  for (uint64_t i = 0; i < times; ++i) operation();
}

}  // namespace bench
