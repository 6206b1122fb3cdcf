// Second-order learners with a full matrix: the second-order Perceptron and AROW. Both
// have the same update, whose cost is the square of the number of features.
//
// With S the inverse of the matrix A and w = S v, an update by an example x adds x x'
// to A. Sherman and Morrison's formula gives S - z z'/(d + x.z) with z = S x, and the
// new w is w + z (y - w.x)/(d + x.z), where d is 1 for the Perceptron (whose A starts
// at r) and r for AROW (whose S starts at 1).
#pragma once

#include <algorithm>  // std::copy_n, std::min
#include <cmath>      // std::abs, std::isfinite
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "littlestone/linear/rule.hpp"
#include "littlestone/math/near_tie.hpp"

namespace littlestone {

/// The weights and the matrix; features are numbered in the order of their first
/// update.
class FullMatrix {
 public:
  static constexpr std::size_t most_features = 4096;  // 128 MB

  explicit FullMatrix(double start) : start_(start) {}

  std::vector<double> weights;
  std::size_t room = most_features;  // features that it takes

  [[nodiscard]] std::size_t size() const noexcept { return weights.size(); }
  [[nodiscard]] double start() const noexcept { return start_; }

  /// Enters a feature and returns its number.
  std::size_t add() {
    const std::size_t number = size();
    weights.push_back(0.0);
    pull_.push_back(0.0);
    if (size() > stride_) {
      const std::size_t wider = stride_ == 0 ? 16 : 2 * stride_;
      std::vector<double> moved(wider * wider, 0.0);
      for (std::size_t i = 0; i < number; ++i) {
        std::copy_n(row(i), number, moved.data() + i * wider);
      }
      inverse_.swap(moved);
      stride_ = wider;
    }
    row(number)[number] = start_;
    return number;
  }

  /// Updates by an example whose features have these numbers; `miss` is y - w.x.
  void update(std::span<const std::size_t> numbers, std::span<const double> values,
              double miss, double damping) noexcept {
    std::fill(pull_.begin(), pull_.end(), 0.0);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const double* const from = row(numbers[k]);
      for (std::size_t i = 0; i < size(); ++i) pull_[i] += values[k] * from[i];
    }
    double spread = 0.0;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      spread += values[k] * pull_[numbers[k]];
    }
    const double divisor = damping + spread;
    const double step = miss / divisor;
    for (std::size_t i = 0; i < size(); ++i) weights[i] += step * pull_[i];
    for (std::size_t i = 0; i < size(); ++i) {
      const double share = pull_[i] / divisor;
      double* const to = row(i);
      for (std::size_t j = 0; j < size(); ++j) to[j] -= share * pull_[j];
    }
  }

  /// x'S x for an example whose features have these numbers.
  [[nodiscard]] double spread(std::span<const std::size_t> numbers,
                              std::span<const double> values) noexcept {
    double total = 0.0;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const double* const from = row(numbers[k]);
      double pull = 0.0;
      for (std::size_t l = 0; l < numbers.size(); ++l) {
        pull += values[l] * from[numbers[l]];
      }
      total += values[k] * pull;
    }
    return total;
  }

  // The features and values of the row last scored, if the rule needs them.
  std::vector<std::size_t> numbers;
  std::vector<double> values;

  [[nodiscard]] std::vector<double> state() const {
    std::vector<double> all = weights;
    for (std::size_t i = 0; i < size(); ++i) {
      const double* const from = inverse_.data() + i * stride_;
      all.insert(all.end(), from, from + size());
    }
    return all;
  }
  void restore(std::span<const double> state) {
    std::size_t n = 0;
    while (n * (n + 1) < state.size()) ++n;
    check_state(n * (n + 1) == state.size() && n <= most_features);
    while (size() < n) add();
    std::copy_n(state.data(), n, weights.data());
    for (std::size_t i = 0; i < n; ++i)
      std::copy_n(state.data() + n + i * n, n, row(i));
  }

 private:
  [[nodiscard]] double* row(std::size_t i) noexcept {
    return inverse_.data() + i * stride_;
  }

  double start_;
  std::size_t stride_ = 0;
  std::vector<double> inverse_;
  std::vector<double> pull_;
};

/// With `on_margin` it also learns from correct predictions whose margin is below 1.
struct FullSecondOrder {
  struct Cell {
    double number = -1.0;  // of the feature in the matrix; -1 if it has none yet
  };

  bool on_margin;
  double damping;
  double bias;
  std::shared_ptr<FullMatrix> matrix;  // shared with the copies that loops make
  double bias_number = -1.0;

  [[nodiscard]] static constexpr Cell initial() noexcept { return {}; }
  [[nodiscard]] double weight(const Cell& cell) const noexcept {
    return weight_of(cell.number);
  }

  template <class Row>
  [[nodiscard]] Finding fault(View<Cell> w, const Row& x) const noexcept {
    // If x'x overflows, an update would divide by infinity and change nothing.
    if (!std::isfinite(matrix->start() * square_of(x))) return why_not_finite(x);
    std::size_t room = matrix->room - std::min(matrix->room, matrix->size());
    if (bias != 0.0 && bias_number < 0.0 && room > 0)
      --room;  // it will need a number as well
    if (x.size() <= room) return {};
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (w[x.index(k)].number >= 0.0 || x.value(k) == 0.0) continue;
      if (room == 0) return {Fault::too_many, k};
      --room;
    }
    return {};
  }

  template <class Row>
  [[nodiscard]] double score(View<Cell> w, const Row& x) const noexcept {
    double sum = 0.0;
    each_entry(x, [&](auto index, double value) {
      sum += weight_of(w[index].number) * value;
    });
    sum += weight_of(bias_number) * bias;
    if (std::abs(sum) < small_score) [[unlikely]]
      return cleared(w, x, sum);
    return sum;
  }

  template <class Row>
  bool learn(View<Cell> w, const Row& x, double score, bool label) {
    const double y = label ? 1.0 : -1.0;
    const bool update = on_margin ? y * score < 1.0 : says(score) != label;
    if (!update) return false;
    std::vector<std::size_t> numbers;
    std::vector<double> values;
    const auto take = [&](double& number, double value) {
      if (value == 0.0) return;
      // `fault` has counted the features, but a value may have changed since.
      if (number < 0.0 && matrix->size() >= matrix->room) return;
      if (number < 0.0) number = static_cast<double>(matrix->add());
      numbers.push_back(static_cast<std::size_t>(number));
      values.push_back(value);
    };
    for (std::size_t k = 0; k < x.size(); ++k) take(w[x.index(k)].number, x.value(k));
    take(bias_number, bias);
    if (on_margin && numbers.empty())
      return false;  // a zero example cannot be corrected
    matrix->update(numbers, values, y - score, damping);
    return true;
  }

  void limit_features(std::size_t most) noexcept {
    matrix->room = std::min(most, FullMatrix::most_features);
  }

  [[nodiscard]] std::vector<double> state() const {
    std::vector<double> all = matrix->state();
    all.push_back(bias_number);
    return all;
  }
  void restore(std::span<const double> state) {
    check_state(!state.empty());
    matrix->restore(state.first(state.size() - 1));
    bias_number = state.back();
    check_state(sound({bias_number}));
  }
  /// Whether this rule can have written a cell.
  [[nodiscard]] bool sound(const Cell& cell) const noexcept {
    return cell.number == -1.0 ||
           is_below(cell.number, static_cast<double>(matrix->size()));
  }

 private:
  /// The score, or 0 if it is no more than the rounding of the matrix.
  template <class Row>
  [[nodiscard, gnu::noinline, gnu::cold]] double cleared(View<Cell> w, Row x,
                                                         double score) const noexcept {
    return unless_rounding(score, [&](auto take) {
      for (std::size_t k = 0; k < x.size(); ++k) {
        take(weight_of(w[x.index(k)].number) * x.value(k));
      }
      take(weight_of(bias_number) * bias);
    });
  }

  [[nodiscard]] double weight_of(double number) const noexcept {
    return number < 0.0 ? 0.0 : matrix->weights[static_cast<std::size_t>(number)];
  }
};

static_assert(Rule<FullSecondOrder>);

}  // namespace littlestone
