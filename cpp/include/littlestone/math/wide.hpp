// Compiles a loop for wider registers as well; the program chooses when it starts.
#pragma once

// Nothing is fused and no sum reordered, so the bits are the same on every processor.
// The thread sanitizer is not ready yet when the program chooses.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && \
    defined(__linux__) && !defined(__SANITIZE_THREAD__)
#define LITTLESTONE_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#define LITTLESTONE_WIDEST __attribute__((target("avx512f")))
#else
#define LITTLESTONE_WIDE
#define LITTLESTONE_WIDEST
#endif

/// Of a function without a name: it becomes part of its caller.
#define LITTLESTONE_INLINED __attribute__((always_inline))

namespace littlestone {

/// Whether to call functions that are LITTLESTONE_WIDEST: registers hold eight numbers.
[[nodiscard]] inline bool has_widest() noexcept {
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") != 0;
#else
  return false;
#endif
}

}  // namespace littlestone
