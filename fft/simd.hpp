// One loop, compiled for several instruction sets, of which the loader picks the best for the machine.
#pragma once

// Sanitizers instrument the resolvers, which run before they are ready.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define WEFT_FFT_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WEFT_FFT_VECTOR_CLONES
#endif
