// What a run counts of labels and predictions, in one pass over each.
#pragma once

#include <algorithm>  // std::min
#include <bit>        // std::countr_zero, std::popcount
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>  // std::cmp_less
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "littlestone/math/exponential.hpp"

namespace littlestone {

/// 64 truth values as bits, the first in the lowest.
[[nodiscard]] inline std::uint64_t truths_of(const std::uint8_t* bytes) noexcept {
  std::uint64_t truths = 0;
#if defined(__SSE2__)
  for (unsigned k = 0; k < 64; k += 16) {
    const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + k));
    const int none = _mm_movemask_epi8(_mm_cmpeq_epi8(some, _mm_setzero_si128()));
    truths |= static_cast<std::uint64_t>(static_cast<unsigned>(none)) << k;
  }
  return ~truths;
#else
  for (unsigned k = 0; k < 64; ++k) truths |= std::uint64_t{bytes[k] != 0} << k;
  return truths;
#endif
}

/// Writes where two arrays of truth values differ, and returns at how many places.
inline std::size_t differing(std::span<const std::uint8_t> a, const std::uint8_t* b,
                             std::int64_t* out) noexcept {
  std::size_t found = 0;
  std::size_t at = 0;
  for (; at + 64 <= a.size(); at += 64) {
    std::uint64_t differs = truths_of(a.data() + at) ^ truths_of(b + at);
    for (; differs != 0; differs &= differs - 1) {
      const auto place = static_cast<std::size_t>(std::countr_zero(differs));
      out[found++] = static_cast<std::int64_t>(at + place);
    }
  }
  for (; at < a.size(); ++at) {
    out[found] = static_cast<std::int64_t>(at);
    found += (a[at] != 0) != (b[at] != 0) ? 1 : 0;
  }
  return found;
}

/// The same for numbers; NaN differs from everything.
inline std::size_t differing(std::span<const double> a, const double* b,
                             std::int64_t* out) noexcept {
  std::size_t found = 0;
  for (std::size_t at = 0; at < a.size(); ++at) {
    out[found] = static_cast<std::int64_t>(at);
    found += a[at] != b[at] ? 1 : 0;
  }
  return found;
}

/// How often a truth value is another one than the one before it in the array.
[[nodiscard]] inline std::size_t changes(
    std::span<const std::uint8_t> truths) noexcept {
  std::size_t count = 0;
  std::size_t at = 0;
  for (; at + 65 <= truths.size(); at += 64) {
    const std::uint64_t here = truths_of(truths.data() + at);
    const std::uint64_t after = truths_of(truths.data() + at + 1);
    count += static_cast<std::size_t>(std::popcount(here ^ after));
  }
  for (; at + 1 < truths.size(); ++at) {
    count += (truths[at] != 0) != (truths[at + 1] != 0) ? 1 : 0;
  }
  return count;
}

/// The labels that came, and how often a no came when there had been as many of each.
struct LabelCount {
  std::int64_t no = 0;
  std::int64_t yes = 0;
  std::int64_t ties = 0;

  /// Where yes and no are at least as far apart as there are labels, none can be a tie.
  void add(std::span<const std::uint8_t> labels) noexcept { add_by<64>(labels); }

 private:
  template <std::size_t Some>
  void add_by(std::span<const std::uint8_t> labels) noexcept {
    for (; !labels.empty(); labels = labels.subspan(std::min(Some, labels.size()))) {
      const auto few = labels.first(std::min(Some, labels.size()));
      if (std::abs(yes - no) >= std::int64_t{Some}) {
        int more = 0;
        if (Some == 64 && few.size() == 64) {
          more = std::popcount(truths_of(few.data()));
        } else {
          for (const std::uint8_t label : few) more += label != 0 ? 1 : 0;
        }
        yes += more;
        no += static_cast<std::int64_t>(few.size()) - more;
      } else if constexpr (Some > 8) {
        add_by<8>(few);
      } else {
        for (const std::uint8_t label : few) {  // without branches, which are guesses
          const std::int64_t said = label != 0 ? 1 : 0;
          ties += (yes == no ? 1 : 0) & (1 - said);
          yes += said;
          no += 1 - said;
        }
      }
    }
  }
};

/// How often each class came, and the mistakes of saying the commonest one so far.
struct ClassCount {
  std::span<std::int64_t> rounds;  // by class
  std::size_t leader = 0;          // the commonest so far, of equals the earlier one
  std::int64_t baseline = 0;       // how often it was not the label
  std::vector<std::size_t> met{};  // classes that came for the first time, in order

  void add(std::span<const std::int64_t> labels) {
    for (const std::int64_t label : labels) {
      const auto number = static_cast<std::size_t>(label);
      baseline += number != leader ? 1 : 0;
      if (rounds[number]++ == 0) met.push_back(number);
      if (rounds[number] > rounds[leader]) leader = number;
    }
  }
};

/// Adds rounds to sums, one after another: of 1, of errors, of their sizes and squares,
/// and of what outcomes are above the first one, and of its squares; the first outcome
/// follows. Far from 0, squares of the outcomes themselves would have no digits left
/// for how they differ. With `weights`, each counts as its weight says.
inline void add_errors(std::span<const double> outcomes, const double* said,
                       double* sums, const double* weights = nullptr) noexcept {
  double count = sums[0], total = sums[1], size = sums[2];
  double square = sums[3], above = sums[4], squares = sums[5];
  if (count == 0 && !outcomes.empty()) sums[6] = outcomes[0];
  const double first = sums[6];
  for (std::size_t at = 0; at < outcomes.size(); ++at) {
    const double off = said[at] - outcomes[at];
    const double more = outcomes[at] - first;
    const double weight = weights == nullptr ? 1.0 : weights[at];
    count += weight;
    total += weight * off;
    size += weight * std::abs(off);
    square += weight * (off * off);
    above += weight * more;
    squares += weight * (more * more);
  }
  sums[0] = count, sums[1] = total, sums[2] = size;
  sums[3] = square, sums[4] = above, sums[5] = squares;
}

inline constexpr std::size_t chance_bins = 10;

/// Adds rounds by their log losses, one after another, to the sums of 1, of losses and
/// of Brier scores; and by tenths of the probability of a yes to those of 1, of
/// probabilities and of yeses. With `weights`, each counts as its weight says.
inline void add_chances(std::span<const std::uint8_t> labels, const double* losses,
                        double* sums, double* bins, const double* weights = nullptr) {
  std::vector<double> right(losses, losses + labels.size());
  // What is beyond has no probability worth adding.
  for (double& loss : right) loss = -std::min(std::abs(loss), largest_exponent);
  exp_all(right.data(), right.size());
  for (std::size_t at = 0; at < labels.size(); ++at) {
    const double other = 1.0 - right[at];
    const double weight = weights == nullptr ? 1.0 : weights[at];
    sums[0] += weight;
    sums[1] += weight * losses[at];
    sums[2] += weight * (other * other);
    const bool yes = labels[at] != 0;
    const double chance = yes ? right[at] : other;
    const auto tenth = static_cast<std::size_t>(chance * chance_bins);
    double* const bin = bins + std::min(tenth, chance_bins - 1);
    bin[0] += weight;
    bin[chance_bins] += weight * chance;
    bin[2 * chance_bins] += yes ? weight : 0.0;
  }
}

/// Adds terms to a sum, one after another, and writes the sum after as many of them as
/// each of `ends` says, in rising order. Returns the whole sum.
inline double sum_through(double sum, std::span<const double> terms,
                          std::span<const std::int64_t> ends, double* out) noexcept {
  std::size_t at = 0;
  for (const std::int64_t end : ends) {
    for (; std::cmp_less(at, end); ++at) sum += terms[at];
    *out++ = sum;
  }
  for (; at < terms.size(); ++at) sum += terms[at];
  return sum;
}

}  // namespace littlestone
