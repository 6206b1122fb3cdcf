// Reads the scores that members give to classes as probabilities of the classes.
//
// A score s is squashed to z = s/(1 + |s|), and 1, 2, 4, 8 or 16 times that is a log
// odds; so is the score itself, but never more than 16 below the best one. These are
// six readings of each member. A stack reads the weighted sum, over members, of z and
// of what s is above the mean of the classes, squashed as well, as a log odds; AdaGrad
// learns the weights by the log loss, and there is one stack for each of three rates.
#pragma once

#include <algorithm>  // std::clamp, std::fill, std::max, std::max_element
#include <array>
#include <cmath>  // std::abs, std::sqrt
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "littlestone/math/exponential.hpp"
#include "littlestone/math/wide.hpp"

namespace littlestone {

inline constexpr double least_exponent = -16.0;  // below the best class

/// Of each class a row with a number for each member. Scores become the exponentials of
/// their readings, a plane after the other, and the inputs of a stack.
LITTLESTONE_WIDE inline void read_scores(std::size_t members, std::size_t classes,
                                         const double* __restrict scores,
                                         double* __restrict planes,
                                         double* __restrict inputs,
                                         double* __restrict means,
                                         double* __restrict bests) noexcept {
  const std::size_t size = members * classes;
  for (std::size_t m = 0; m < members; ++m) {
    means[m] = 0.0;
    bests[m] = scores[m];
  }
  for (std::size_t c = 0; c < classes; ++c) {
    const double* const row = scores + c * members;
    for (std::size_t m = 0; m < members; ++m) {
      means[m] += row[m];
      bests[m] = bests[m] < row[m] ? row[m] : bests[m];
    }
  }
  for (std::size_t m = 0; m < members; ++m) means[m] /= static_cast<double>(classes);
  double* const raw = planes + 5 * size;
  for (std::size_t c = 0; c < classes; ++c) {
    const double* const row = scores + c * members;
    double* const input = inputs + 2 * c * members;
    for (std::size_t m = 0; m < members; ++m) {
      const double squashed = row[m] / (1.0 + std::abs(row[m]));
      const double above = row[m] - means[m];
      const double below = row[m] - bests[m];
      input[m] = squashed;
      input[members + m] = above / (1.0 + std::abs(above));
      planes[c * members + m] = exp_of(squashed);
      raw[c * members + m] = exp_of(below > least_exponent ? below : least_exponent);
    }
  }
  for (std::size_t k = size; k < 5 * size; ++k) {  // twice the exponent of the last
    planes[k] = planes[k - size] * planes[k - size];
  }
}

class ClassReadings {
 public:
  static constexpr std::size_t planes = 6;  // readings of each member
  static constexpr std::array<double, 3> rates{0.1, 0.3, 1.0};

  /// What a stack has learned: a weight for each input, and the squares of its slopes.
  struct Stack {
    std::vector<double> weights;
    std::vector<double> squares;
    std::vector<double> chances;  // that it read from the row
  };

  explicit ClassReadings(std::size_t members)
      : members_(members), means_(members), bests_(members), slopes_(2 * members) {
    const std::vector<double> none(2 * members, 0.0);
    stacks_.fill({none, none, {}});
  }

  [[nodiscard]] std::size_t members() const noexcept { return members_; }
  [[nodiscard]] std::size_t size() const noexcept {
    return planes * members_ + rates.size();
  }
  [[nodiscard]] std::span<Stack> stacks() noexcept { return stacks_; }

  /// Reads a row; the scores of a member are `apart` from those of the one before.
  void read(const double* scores, std::size_t apart, std::size_t classes) {
    classes_ = classes;
    const std::size_t all = members_ * classes;
    scores_.resize(all);
    planes_.resize(planes * all);
    inputs_.resize(2 * all);
    for (std::size_t m = 0; m < members_; ++m) {
      for (std::size_t c = 0; c < classes; ++c) {
        // Sums of scores, however large those are, must not overflow.
        scores_[c * members_ + m] = std::clamp(scores[m * apart + c], -1e100, 1e100);
      }
    }
    read_scores(members_, classes, scores_.data(), planes_.data(), inputs_.data(),
                means_.data(), bests_.data());
    for (Stack& stack : stacks_) combine(stack);
  }

  /// Writes the probability that each reading gives to a class.
  void chances_of(std::size_t label, std::span<double> out) noexcept {
    for (std::size_t plane = 0; plane < planes; ++plane) {
      const auto found = out.subspan(plane * members_, members_);
      sum_of(plane, found);
      const double* const right =
          planes_.data() + (plane * classes_ + label) * members_;
      for (std::size_t m = 0; m < members_; ++m) found[m] = right[m] / found[m];
    }
    for (std::size_t k = 0; k < rates.size(); ++k) {
      out[planes * members_ + k] = stacks_[k].chances[label];
    }
  }

  /// Adds the probabilities of all classes, each reading by its weight.
  void mix(std::span<const double> weights, std::span<double> out) {
    std::vector<double> shares(members_);
    for (std::size_t plane = 0; plane < planes; ++plane) {
      sum_of(plane, shares);
      for (std::size_t m = 0; m < members_; ++m) {
        shares[m] = weights[plane * members_ + m] / shares[m];
      }
      const double* row = planes_.data() + plane * classes_ * members_;
      for (double& chance : out) {
        for (std::size_t m = 0; m < members_; ++m) chance += shares[m] * row[m];
        row += members_;
      }
    }
    for (std::size_t k = 0; k < rates.size(); ++k) {
      const double weight = weights[planes * members_ + k];
      for (std::size_t c = 0; c < classes_; ++c) {
        out[c] += weight * stacks_[k].chances[c];
      }
    }
  }

  /// Lets the stacks learn which class the row had.
  void learn(std::size_t label) noexcept {
    const std::size_t width = 2 * members_;
    for (std::size_t k = 0; k < rates.size(); ++k) {
      auto& [weights, squares, chances] = stacks_[k];
      std::ranges::fill(slopes_, 0.0);
      for (std::size_t c = 0; c < classes_; ++c) {
        const double over = chances[c] - (c == label ? 1.0 : 0.0);
        const double* const row = inputs_.data() + c * width;
        for (std::size_t j = 0; j < width; ++j) slopes_[j] += over * row[j];
      }
      for (std::size_t j = 0; j < width; ++j) {
        squares[j] += slopes_[j] * slopes_[j];
        // A square may be too small for a number, so that the root is 0.
        if (squares[j] > 0.0)
          weights[j] -= rates[k] * slopes_[j] / std::sqrt(squares[j]);
      }
    }
  }

 private:
  /// Sums the exponentials of all classes, of each member.
  void sum_of(std::size_t plane, std::span<double> sums) const noexcept {
    std::ranges::fill(sums, 0.0);
    const double* row = planes_.data() + plane * classes_ * members_;
    for (std::size_t c = 0; c < classes_; ++c, row += members_) {
      for (std::size_t m = 0; m < members_; ++m) sums[m] += row[m];
    }
  }

  void combine(Stack& stack) {
    auto& chances = stack.chances;
    chances.resize(classes_);
    const double* row = inputs_.data();
    double best = -std::numeric_limits<double>::infinity();
    for (double& chance : chances) {
      // Four sums do not wait for each other.
      std::array<double, 4> sums{};
      const double* const weights = stack.weights.data();
      std::size_t j = 0;
      for (; j + 4 <= 2 * members_; j += 4) {
        for (std::size_t k = 0; k < 4; ++k) sums[k] += weights[j + k] * row[j + k];
      }
      for (; j < 2 * members_; ++j) sums[j % 4] += weights[j] * row[j];
      chance = (sums[0] + sums[1]) + (sums[2] + sums[3]);
      best = std::max(best, chance);
      row += 2 * members_;
    }
    for (double& chance : chances) chance = std::max(chance - best, least_exponent);
    exp_all(chances.data(), classes_);
    double sum = 0.0;
    for (const double chance : chances) sum += chance;
    for (double& chance : chances) chance /= sum;
  }

  std::size_t members_;
  std::size_t classes_ = 0;  // of the row last read
  std::array<Stack, rates.size()> stacks_;
  std::vector<double> scores_;
  std::vector<double> planes_;
  std::vector<double> inputs_;
  std::vector<double> means_;
  std::vector<double> bests_;
  std::vector<double> slopes_;
};

}  // namespace littlestone
