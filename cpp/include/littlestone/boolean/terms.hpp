// All sets of at most k literals of different features, numbered so that a new feature
// appends a block. Such a set can be a term or a clause.
//
// Of n features there are T_k(n) = sum over i <= k of C(n, i) 2^i. The empty set has
// the number 0. A set whose last feature is j, with the literal x_j (s = 0) or not x_j
// (s = 1), and the rest C, has the number T_k(j) + s T_{k-1}(j) + number_{k-1}(C).
#pragma once

#include <algorithm>  // std::min, std::reverse, std::upper_bound
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "littlestone/boolean/bits.hpp"

namespace littlestone::boolean {

/// The number of a feature, in the order of their first occurrence.
using Index = std::uint32_t;
/// The features that are true in an example, in order; every other one is false.
using Example = std::span<const Index>;
/// A literal: twice its feature, plus 1 if it is negated.
using Literal = std::uint64_t;

[[nodiscard]] constexpr Literal literal_of(std::size_t feature, bool negated) noexcept {
  return Literal{feature} * 2 + (negated ? 1 : 0);
}

class Terms {
 public:
  /// How many sets there may be.
  static constexpr std::uint64_t most = std::uint64_t{1} << 32U;

  explicit Terms(std::size_t k) : counts_(std::min(k, largest) + 1, {1}) {}

  /// How many sets there are of n features, or `most` + 1 if there are more than that.
  [[nodiscard]] static std::uint64_t count(std::size_t k, std::size_t n) noexcept {
    if (n >= most / 2) return most + 1;
    std::uint64_t sum = 0;
    std::uint64_t sized = 1;  // those of exactly i literals
    for (std::size_t i = 0; i <= std::min(k, n); ++i) {
      sum += sized;
      if (sized >= most || sum > most) return most + 1;
      sized = sized * 2 * (n - i) / (i + 1);
    }
    return sum;
  }

  [[nodiscard]] std::size_t k() const noexcept { return counts_.size() - 1; }
  [[nodiscard]] std::size_t features() const noexcept { return counts_[0].size() - 1; }
  /// T_i(j), for i at most k and j at most the number of features.
  [[nodiscard]] std::size_t count_below(std::size_t i, std::size_t j) const noexcept {
    return counts_[i][j];
  }
  /// How many sets of at most i literals there are.
  [[nodiscard]] std::size_t size(std::size_t i) const noexcept {
    return counts_[i].back();
  }
  [[nodiscard]] std::size_t size() const noexcept { return size(k()); }

  void grow(std::size_t features) {
    for (std::size_t j = this->features(); j < features; ++j) {
      for (std::size_t i = k(); i > 0; --i) {
        counts_[i].push_back(counts_[i][j] + 2 * counts_[i - 1][j]);
      }
      counts_[0].push_back(1);
    }
  }

  /// Where the block of sets that end in a literal begins; it has T_{i-1}(j) bits.
  [[nodiscard]] std::size_t block(std::size_t i, std::size_t j,
                                  bool negated) const noexcept {
    return counts_[i][j] + (negated ? counts_[i - 1][j] : 0);
  }

  /// The number of a set, whose literals are in the order of their features.
  [[nodiscard]] std::size_t number(std::span<const Literal> literals) const noexcept {
    std::size_t at = 0;
    std::size_t i = k();
    for (std::size_t l = literals.size(); l > 0; --l, --i) {
      at += block(i, literals[l - 1] / 2, literals[l - 1] % 2 != 0);
    }
    return at;
  }

  /// The literals of the set with this number, in the order of their features.
  void literals(std::size_t number, std::vector<Literal>& found) const {
    found.clear();
    for (std::size_t i = k(); number > 0; --i) {
      const auto& counts = counts_[i];
      const auto above = std::upper_bound(counts.begin(), counts.end(), number);
      const auto j = static_cast<std::size_t>(above - counts.begin()) - 1;
      number -= counts[j];
      const bool negated = number >= counts_[i - 1][j];
      if (negated) number -= counts_[i - 1][j];
      found.push_back(literal_of(j, negated));
    }
    std::reverse(found.begin(), found.end());
  }

  /// Which sets of at most 0, 1, ... `upto` literals have only literals that are true
  /// in an example, or with `falsified` only literals that are false in it. A mask is
  /// made of pieces of the one before. `truth` has one byte for each feature.
  void fill(std::span<const std::uint8_t> truth, bool falsified, std::size_t upto,
            std::vector<Bits>& masks) const {
    masks.resize(upto + 1);
    for (std::size_t i = 0; i <= upto; ++i) {
      masks[i].clear();
      masks[i].resize(size(i));
      masks[i].set(0);
      for (std::size_t j = 0; i > 0 && j < features(); ++j) {
        const bool negated = (truth[j] != 0) == falsified;
        masks[i].put(block(i, j, negated), masks[i - 1], counts_[i - 1][j]);
      }
    }
  }

 private:
  // Of more than 20 features there are more than `most` sets if k is at least 20, so
  // that a larger k makes no difference.
  static constexpr std::size_t largest = 21;

  std::vector<std::vector<std::size_t>> counts_;  // T_i(j) by i, then j
};

}  // namespace littlestone::boolean
