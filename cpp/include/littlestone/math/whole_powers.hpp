// Sums of whole powers of one number against a threshold, without rounding.
//
// The weights of Winnow are powers beta^k with a whole k, rounded to doubles. A sum of
// them that rounding could have moved across the threshold is computed again, with
// whole numbers of any size.
#pragma once

#include <algorithm>
#include <bit>    // std::bit_width, std::countr_zero
#include <cmath>  // std::abs, std::copysign, std::frexp, std::ldexp, std::nearbyint
#include <cstddef>
#include <cstdint>
#include <vector>

#include "littlestone/math/logarithm.hpp"
#include "littlestone/math/near_tie.hpp"

namespace littlestone {

/// A whole number of any size, from 0 on.
class Natural {
 public:
  void times(std::uint64_t factor) {
    std::uint64_t carry = 0;
    for (std::uint64_t& limb : limbs_) {
      const Wide product = static_cast<Wide>(limb) * factor + carry;
      limb = static_cast<std::uint64_t>(product);
      carry = static_cast<std::uint64_t>(product >> 64U);
    }
    if (carry != 0) limbs_.push_back(carry);
  }
  /// Adds a number times 2^shift.
  void add(std::uint64_t number, std::size_t shift) {
    const std::size_t at = shift / 64;
    const Wide placed = static_cast<Wide>(number) << shift % 64;
    if (limbs_.size() < at + 2) limbs_.resize(at + 2, 0);
    bool carry = add_limb(at, static_cast<std::uint64_t>(placed));
    carry = add_limb(at + 1, static_cast<std::uint64_t>(placed >> 64U), carry);
    for (std::size_t k = at + 2; carry; ++k) {
      if (k == limbs_.size()) limbs_.push_back(0);
      carry = add_limb(k, 1);
    }
  }
  /// Below 0, 0 or above, as this is less than the other, equal or more.
  [[nodiscard]] int compare(const Natural& other) const noexcept {
    for (std::size_t k = std::max(limbs_.size(), other.limbs_.size()); k-- > 0;) {
      const std::uint64_t a = k < limbs_.size() ? limbs_[k] : 0;
      const std::uint64_t b = k < other.limbs_.size() ? other.limbs_[k] : 0;
      if (a != b) return a < b ? -1 : 1;
    }
    return 0;
  }

 private:
  __extension__ using Wide = unsigned __int128;

  [[nodiscard]] bool add_limb(std::size_t k, std::uint64_t more, bool carry = false) {
    const Wide sum = static_cast<Wide>(limbs_[k]) + more + (carry ? 1U : 0U);
    limbs_[k] = static_cast<std::uint64_t>(sum);
    return sum >> 64U != 0;
  }

  std::vector<std::uint64_t> limbs_;  // the lowest first
};

/// A double above 0 as a whole number times a power of two.
struct Binary64 {
  std::uint64_t number;
  std::int64_t places;

  explicit Binary64(double value) noexcept {
    int exponent = 0;
    number = static_cast<std::uint64_t>(std::ldexp(std::frexp(value, &exponent), 53));
    const int zeros = std::countr_zero(number);
    number >>= static_cast<unsigned>(zeros);
    places = exponent - 53 + zeros;
  }
};

/// value * beta^power
struct PowerTerm {
  double value;
  std::int64_t power;
};

inline constexpr std::int64_t most_powers = 4096;  // from the lowest to the highest

/// Compares the sum of the terms with the threshold; all numbers are above 0. The terms
/// are in descending order of their powers, from `high` to `low`, and 0 is among these.
[[nodiscard]] inline int compare_exactly(const std::vector<PowerTerm>& terms,
                                         double beta, double threshold,
                                         std::int64_t high, std::int64_t low) {
  constexpr std::int64_t lowest = 1074;  // every double is a multiple of 2^-1074
  const Binary64 base(beta);
  // Both sides are multiplied by the same power of two, and by number^-low.
  const std::int64_t least = std::min(base.places * high, base.places * low) - lowest;
  const auto sum_of = [&](const std::vector<PowerTerm>& sorted) {
    Natural sum;
    auto term = sorted.begin();
    for (std::int64_t power = high; power >= low; --power) {
      sum.times(base.number);
      for (; term != sorted.end() && term->power == power; ++term) {
        const Binary64 value(term->value);
        const std::int64_t shift = value.places + base.places * power - least;
        sum.add(value.number, static_cast<std::size_t>(shift));
      }
    }
    return sum;
  };
  return sum_of(terms).compare(sum_of({{threshold, 0}}));
}

/// A weighted sum less the threshold, given what doubles make of it: with the sign of
/// the exact difference if every weight is a whole power of beta, up to rounding.
/// `each` calls its argument with every weight and value.
template <class Each>
[[nodiscard]] double settled_by_powers(double score, double threshold, double beta,
                                       Each each) {
  // Short numbers are added without rounding.
  bool short_numbers = threshold < 0x1p40;
  each([&](double weight, double value) {
    constexpr double shift = 0x1.8p42;  // rounds to multiples of 2^-10
    const double product = weight * value;
    short_numbers = short_numbers && (product + shift) - shift == product;
  });
  if (short_numbers) return score;
  const double log_beta = log_of(beta);
  std::vector<PowerTerm> terms;
  bool whole = true;
  each([&](double weight, double value) {
    if (weight == 0.0 || value == 0.0) return;
    const double log = log_of(weight);
    const double power = std::nearbyint(log / log_beta);
    whole = whole && std::abs(log - power * log_beta) <= near_tie;
    if (whole) terms.push_back({value, static_cast<std::int64_t>(power)});
  });
  if (!whole || terms.empty()) return score;
  std::ranges::stable_sort(terms, std::ranges::greater{}, &PowerTerm::power);
  const std::int64_t high = std::max<std::int64_t>(terms.front().power, 0);
  const std::int64_t low = std::min<std::int64_t>(terms.back().power, 0);
  if (high - low > most_powers) return score;
  const int sign = compare_exactly(terms, beta, threshold, high, low);
  if (sign == 0) return 0.0;
  return (score > 0.0) == (sign > 0) && score != 0.0
             ? score
             : std::copysign(0x1p-960, static_cast<double>(sign));
}

}  // namespace littlestone
