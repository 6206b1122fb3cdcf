// A product that mixes all bits of two numbers.
#pragma once

#include <cstdint>

namespace littlestone {

/// The XOR of the halves of a product: every bit of it depends on all bits of both
/// factors.
[[nodiscard]] inline std::uint64_t folded(std::uint64_t one,
                                          std::uint64_t other) noexcept {
  __extension__ using Whole = unsigned __int128;
  const Whole product = Whole{one} * other;
  return static_cast<std::uint64_t>(product) ^
         static_cast<std::uint64_t>(product >> 64U);
}

}  // namespace littlestone
