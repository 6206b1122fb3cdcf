// Second-order learners with a full matrix: the second-order Perceptron and AROW. Both
// have the same update, whose cost is the square of the number of features.
//
// With S the inverse of the matrix A and w = S v, an update by an example x adds x x'
// to A. Sherman and Morrison's formula gives S - z z'/(d + x.z) with z = S x, and the
// new w is w + z (y - w.x)/(d + x.z), where d is 1 for the Perceptron (whose A starts
// at r) and r for AROW (whose S starts at 1).
#pragma once

#include <algorithm>  // std::copy_n, std::fill, std::max, std::min
#include <array>
#include <cmath>  // std::abs, std::isfinite
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "littlestone/linear/rule.hpp"
#include "littlestone/math/near_tie.hpp"
#include "littlestone/math/wide.hpp"

namespace littlestone {

/// Adds multiples of four rows to a vector, in their order.
LITTLESTONE_WIDE inline void add_rows(const std::array<const double*, 4> rows,
                                      const double* times, double* __restrict to,
                                      std::size_t size) noexcept {
  const double* const __restrict a = rows[0];
  const double* const __restrict b = rows[1];
  const double* const __restrict c = rows[2];
  const double* const __restrict d = rows[3];
  const double ta = times[0];
  const double tb = times[1];
  const double tc = times[2];
  const double td = times[3];
  for (std::size_t i = 0; i < size; ++i) {
    to[i] = (((to[i] + ta * a[i]) + tb * b[i]) + tc * c[i]) + td * d[i];
  }
}

/// Takes the square of a vector over a divisor from a matrix.
LITTLESTONE_WIDE inline void take_square(double* matrix, std::size_t stride,
                                         const double* __restrict by, double divisor,
                                         std::size_t size) noexcept {
  for (std::size_t i = 0; i < size; ++i) {
    const double share = by[i] / divisor;
    double* const __restrict to = matrix + i * stride;
    for (std::size_t j = 0; j < size; ++j) to[j] -= share * by[j];
  }
}

/// The weights and the matrix; features are numbered in the order of their first
/// update.
class FullMatrix {
 public:
  static constexpr std::size_t most_features = 4096;  // 128 MB
  static constexpr std::size_t always = 100;  // features are cheap with any example
  static constexpr std::size_t columns_a_value = 8;

  explicit FullMatrix(double start) : start_(start) {}

  std::vector<double> weights;

  /// Takes at most so many features from now on, of sparse examples fewer.
  void limit(std::size_t most) noexcept {
    wide_ = std::min(most, most_features);
    narrow_ = std::min(wide_, always);
  }
  /// How many features it may have after an example in which so many are not 0. An
  /// update costs the square of what it has, and reading the example only `nonzeros`.
  [[nodiscard]] std::size_t room(std::size_t nonzeros) const noexcept {
    return std::max(narrow_, std::min(wide_, columns_a_value * nonzeros));
  }
  [[nodiscard]] std::size_t narrow() const noexcept { return narrow_; }
  [[nodiscard]] std::size_t wide() const noexcept { return wide_; }

  [[nodiscard]] std::size_t size() const noexcept { return weights.size(); }
  [[nodiscard]] double start() const noexcept { return start_; }

  /// Enters a feature and returns its number.
  std::size_t add() {
    const std::size_t number = size();
    weights.push_back(0.0);
    pull_.push_back(0.0);
    if (size() > stride_) {
      // An odd multiple of 8: rows a power of two apart would share few cache lines.
      const std::size_t wider = std::min(
          most_features + 8,
          stride_ == 0 ? std::size_t{8}
                       : stride_ + std::max<std::size_t>(16, stride_ / 64 * 16));
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
    move_by(miss, damping + pull(numbers, values));
  }

  /// Sets the pull of an example, S x, and returns x'S x.
  double pull(std::span<const std::size_t> numbers,
              std::span<const double> values) noexcept {
    std::fill(pull_.begin(), pull_.end(), 0.0);
    // Four rows at a time, each entry still summed in the order of the example.
    std::size_t k = 0;
    for (; k + 4 <= numbers.size(); k += 4) {
      add_rows({row(numbers[k]), row(numbers[k + 1]), row(numbers[k + 2]),
                row(numbers[k + 3])},
               values.data() + k, pull_.data(), size());
    }
    for (; k < numbers.size(); ++k) {
      const double* const from = row(numbers[k]);
      for (std::size_t i = 0; i < size(); ++i) pull_[i] += values[k] * from[i];
    }
    double spread = 0.0;
    for (std::size_t l = 0; l < numbers.size(); ++l) {
      spread += values[l] * pull_[numbers[l]];
    }
    return spread;
  }

  /// Adds miss / divisor of the latest pull to the weights, and takes its square over
  /// the divisor from the matrix.
  void move_by(double miss, double divisor) noexcept {
    step_by(miss / divisor);
    take_by(divisor);
  }
  void take_by(double divisor) noexcept {
    take_square(inverse_.data(), stride_, pull_.data(), divisor, size());
  }

  /// Adds a multiple of the latest pull to the weights.
  void step_by(double step) noexcept {
    for (std::size_t i = 0; i < size(); ++i) weights[i] += step * pull_[i];
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
  std::size_t narrow_ = most_features;
  std::size_t wide_ = most_features;
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
    const auto left = [&](std::size_t room) {
      room -= std::min(room, matrix->size());
      // The constant feature will need a number as well.
      return bias != 0.0 && bias_number < 0.0 && room > 0 ? room - 1 : room;
    };
    if (x.size() <= left(matrix->narrow())) return {};
    std::size_t nonzeros = 0;
    for (std::size_t k = 0; k < x.size(); ++k) nonzeros += x.value(k) != 0.0;
    std::size_t room = left(matrix->room(nonzeros));
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
      if (number < 0.0 && matrix->size() >= matrix->wide()) return;
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

  void limit_features(std::size_t most) noexcept { matrix->limit(most); }

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

/// What rules share that look at the matrix before they predict: each row is scored and
/// then learned from, and its pull is computed once.
struct Pulled {
  using Cell = FullSecondOrder::Cell;

  double bias = 0.0;
  std::shared_ptr<FullMatrix> matrix;  // shared with the copies that loops make
  double bias_number = -1.0;

  [[nodiscard]] static constexpr Cell initial() noexcept { return {}; }
  [[nodiscard]] double weight(const Cell& cell) const noexcept {
    return weight_of(cell.number);
  }

  template <class Row>
  [[nodiscard]] Finding fault(View<Cell> w, const Row& x) const noexcept {
    return FullSecondOrder{true, 1.0, bias, matrix, bias_number}.fault(w, x);
  }
  void limit_features(std::size_t most) noexcept { matrix->limit(most); }
  [[nodiscard]] bool sound(const Cell& cell) const noexcept {
    return cell.number == -1.0 ||
           is_below(cell.number, static_cast<double>(matrix->size()));
  }

 protected:
  mutable double ridge_ = 0.0;   // w.x of the row last scored
  mutable double spread_ = 0.0;  // x'S x
  mutable bool fresh_ = false;   // whether it has features without a number

  /// Looks at a row to be scored.
  template <class Row>
  void look(View<Cell> w, const Row& x) const {
    double sum = 0.0;
    double fresh = 0.0;  // what features without a number add to x'S x
    auto& numbers = matrix->numbers;
    auto& values = matrix->values;
    numbers.clear();
    values.clear();
    fresh_ = false;
    const auto take = [&](double number, double value) {
      if (value == 0.0) return;
      if (number < 0.0) {
        fresh += value * value * matrix->start();
        fresh_ = true;
        return;
      }
      sum += weight_of(number) * value;
      numbers.push_back(static_cast<std::size_t>(number));
      values.push_back(value);
    };
    for (std::size_t k = 0; k < x.size(); ++k) take(w[x.index(k)].number, x.value(k));
    take(bias_number, bias);
    ridge_ = sum;
    spread_ = matrix->pull(numbers, values) + fresh;
  }

  /// Enters the features of the row last scored, so that its pull is that of all of
  /// them; returns whether there are any.
  template <class Row>
  bool enter(View<Cell> w, const Row& x) {
    auto& numbers = matrix->numbers;
    if (!fresh_) return !numbers.empty();
    auto& values = matrix->values;
    numbers.clear();
    values.clear();
    const auto take = [&](double& number, double value) {
      if (value == 0.0) return;
      // `fault` has counted the features, but a value may have changed since.
      if (number < 0.0 && matrix->size() >= matrix->wide()) return;
      if (number < 0.0) number = static_cast<double>(matrix->add());
      numbers.push_back(static_cast<std::size_t>(number));
      values.push_back(value);
    };
    for (std::size_t k = 0; k < x.size(); ++k) take(w[x.index(k)].number, x.value(k));
    take(bias_number, bias);
    spread_ = matrix->pull(numbers, values);
    return !numbers.empty();
  }

  [[nodiscard]] std::vector<double> state_with(double lost, double last) const {
    std::vector<double> all = matrix->state();
    all.insert(all.end(), {bias_number, lost, last});
    return all;
  }
  void restore_with(std::span<const double> state, double& lost, double& last) {
    check_state(state.size() >= 3);
    const std::size_t size = state.size() - 3;
    matrix->restore(state.first(size));
    bias_number = state[size];
    lost = state[size + 1];
    last = state[size + 2];
    check_state(sound({bias_number}));
  }

  [[nodiscard]] double weight_of(double number) const noexcept {
    return number < 0.0 ? 0.0 : matrix->weights[static_cast<std::size_t>(number)];
  }
};

}  // namespace littlestone
