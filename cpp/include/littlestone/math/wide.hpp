// Compiles a loop for wider registers as well; the program chooses when it starts.
#pragma once

// Nothing is fused and no sum reordered, so the bits are the same on every processor.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && \
    defined(__linux__)
#define LITTLESTONE_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define LITTLESTONE_WIDE
#endif
