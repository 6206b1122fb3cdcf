// Which cells of a dense row are true.
#pragma once

#include <array>
#include <bit>  // std::popcount
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>  // std::is_same_v

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "littlestone/boolean/terms.hpp"  // Index

namespace littlestone::boolean {

/// Of eight cells, those that are 1, and those that are not 0, a bit each.
struct EightCells {
  unsigned ones = 0;
  unsigned others = 0;
};

template <class V>
[[nodiscard, gnu::always_inline]] inline EightCells eight_cells(
    const V* cells) noexcept {
  EightCells found;
#if defined(__SSE2__)
  if constexpr (std::is_same_v<V, float>) {
    for (unsigned k = 0; k < 8; k += 4) {
      const __m128 some = _mm_loadu_ps(cells + k);
      const __m128 ones = _mm_cmpeq_ps(some, _mm_set1_ps(1.0F));
      const __m128 others = _mm_cmpneq_ps(some, _mm_setzero_ps());
      found.ones |= static_cast<unsigned>(_mm_movemask_ps(ones)) << k;
      found.others |= static_cast<unsigned>(_mm_movemask_ps(others)) << k;
    }
    return found;
  } else if constexpr (std::is_same_v<V, double>) {
    for (unsigned k = 0; k < 8; k += 2) {
      const __m128d some = _mm_loadu_pd(cells + k);
      const __m128d ones = _mm_cmpeq_pd(some, _mm_set1_pd(1.0));
      const __m128d others = _mm_cmpneq_pd(some, _mm_setzero_pd());
      found.ones |= static_cast<unsigned>(_mm_movemask_pd(ones)) << k;
      found.others |= static_cast<unsigned>(_mm_movemask_pd(others)) << k;
    }
    return found;
  }
#endif
  for (unsigned k = 0; k < 8; ++k) {
    found.ones |= (cells[k] == V{1} ? 1U : 0U) << k;
    found.others |= (cells[k] != V{0} ? 1U : 0U) << k;
  }
  return found;
}

/// Writes which cells are 1, in order, and returns how many; nothing if some cell is
/// neither 0 nor 1. There must be room for eight more than there are cells. If another
/// thread changes them meanwhile, it may miss that, but writes nothing outside.
template <class V>
[[nodiscard]] std::optional<std::size_t> true_cells(std::span<const V> cells,
                                                    Index* out) noexcept {
  // For each eight bits, where they are set: a branch for each would be mispredicted.
  static constexpr auto places = [] {
    std::array<std::array<std::uint8_t, 8>, 256> table{};
    for (unsigned bits = 0; bits < 256; ++bits) {
      std::size_t count = 0;
      for (std::uint8_t k = 0; k < 8; ++k) {
        if ((bits >> k & 1U) != 0) table[bits][count++] = k;
      }
    }
    return table;
  }();
  std::size_t count = 0;
  unsigned odd = 0;
  const auto take = [&](const V* eight, std::size_t from) {
    const EightCells found = eight_cells(eight);
    odd |= found.ones ^ found.others;
    const auto& set = places[found.ones];
    for (std::size_t k = 0; k < set.size(); ++k) {
      out[count + k] = static_cast<Index>(from + set[k]);
    }
    count += static_cast<std::size_t>(std::popcount(found.ones));
  };
  std::size_t from = 0;
  for (; from + 8 <= cells.size(); from += 8) take(cells.data() + from, from);
  std::array<V, 8> rest{};
  for (std::size_t k = 0; from + k < cells.size(); ++k) rest[k] = cells[from + k];
  take(rest.data(), from);
  if (odd != 0) return std::nullopt;
  return count;
}

}  // namespace littlestone::boolean
