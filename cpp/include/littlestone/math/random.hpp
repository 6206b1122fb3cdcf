// Random numbers from an explicit seed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace littlestone {

/// The generator of Steele, Lea and Flood (2014): any seed will do, and the Python twin
/// needs three lines.
struct SplitMix {
  std::uint64_t state = 0;

  [[nodiscard]] std::uint64_t operator()() noexcept {
    state += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  /// A number below `end`; its bias, below 2^-32 for a budget, matters to no theorem.
  [[nodiscard]] std::size_t below(std::size_t end) noexcept {
    return static_cast<std::size_t>(((*this)() >> 32U) * end >> 32U);
  }
};

}  // namespace littlestone
