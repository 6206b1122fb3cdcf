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
#include <cstdint>
#include <memory>
#include <new>
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

/// Takes a multiple of a vector from a row.
LITTLESTONE_WIDE inline void take_multiple(double* __restrict row, double times,
                                           const double* __restrict by,
                                           std::size_t size) noexcept {
  for (std::size_t i = 0; i < size; ++i) row[i] -= times * by[i];
}

/// Takes multiples of a vector from four rows, then adds multiples of them to another
/// one, in their order: each row is read and written once.
LITTLESTONE_WIDE inline void take_and_add_rows(const std::array<double*, 4> rows,
                                               const std::array<double, 4> taken,
                                               const double* __restrict by,
                                               const double* times,
                                               double* __restrict to,
                                               std::size_t size) noexcept {
  double* const __restrict a = rows[0];
  double* const __restrict b = rows[1];
  double* const __restrict c = rows[2];
  double* const __restrict d = rows[3];
  const double ta = times[0];
  const double tb = times[1];
  const double tc = times[2];
  const double td = times[3];
  for (std::size_t i = 0; i < size; ++i) {
    const double ai = a[i] - taken[0] * by[i];
    const double bi = b[i] - taken[1] * by[i];
    const double ci = c[i] - taken[2] * by[i];
    const double di = d[i] - taken[3] * by[i];
    a[i] = ai;
    b[i] = bi;
    c[i] = ci;
    d[i] = di;
    to[i] = (((to[i] + ta * ai) + tb * bi) + tc * ci) + td * di;
  }
}

/// Begins arrays at the beginning of a cache line, which vectors then never cross.
template <class T>
struct AtLines {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  AtLines() = default;
  template <class U>
  explicit AtLines(const AtLines<U>& /*other*/) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), line));
  }
  void deallocate(T* at, std::size_t /*count*/) noexcept {
    ::operator delete(at, line);
  }
  friend bool operator==(const AtLines& /*a*/, const AtLines& /*b*/) noexcept {
    return true;
  }
};
using Lines = std::vector<double, AtLines<double>>;

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
    settle();
    const std::size_t number = size();
    weights.push_back(0.0);
    pull_.push_back(0.0);
    by_.push_back(0.0);
    seen_.push_back(false);
    if (size() > stride_) {
      // An odd multiple of 8: rows a power of two apart would share few cache lines.
      const std::size_t wider = std::min(
          most_features + 8,
          stride_ == 0 ? std::size_t{8}
                       : stride_ + std::max<std::size_t>(16, stride_ / 64 * 16));
      Lines moved(wider * wider, 0.0);
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

  /// Sets the pull of an example, S x, and returns x'S x. Numbers must differ.
  double pull(std::span<const std::size_t> numbers,
              std::span<const double> values) noexcept {
    pull_.swap(by_);  // by which the matrix may still have to be updated
    std::fill(pull_.begin(), pull_.end(), 0.0);
    // Four rows at a time, each entry still summed in the order of the example.
    std::size_t k = 0;
    for (; k + 4 <= numbers.size(); k += 4) {
      const std::array<double*, 4> rows{row(numbers[k]), row(numbers[k + 1]),
                                        row(numbers[k + 2]), row(numbers[k + 3])};
      if (owes_) {
        take_and_add_rows(
            rows,
            {by_[numbers[k]] / divisor_, by_[numbers[k + 1]] / divisor_,
             by_[numbers[k + 2]] / divisor_, by_[numbers[k + 3]] / divisor_},
            by_.data(), values.data() + k, pull_.data(), size());
      } else {
        add_rows({rows[0], rows[1], rows[2], rows[3]}, values.data() + k, pull_.data(),
                 size());
      }
    }
    for (; k < numbers.size(); ++k) {
      if (owes_) pay(numbers[k], by_);
      const double* const from = row(numbers[k]);
      for (std::size_t i = 0; i < size(); ++i) pull_[i] += values[k] * from[i];
    }
    if (owes_) {
      for (const std::size_t number : numbers) seen_[number] = true;
      for (std::size_t i = 0; i < size(); ++i) {
        if (!seen_[i]) pay(i, by_);
        seen_[i] = false;
      }
      owes_ = false;
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
  /// The matrix is updated when its rows are read for the next pull.
  void take_by(double divisor) noexcept {
    settle();
    divisor_ = divisor;
    owes_ = true;
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
      if (!owes_) continue;
      double* const copy = all.data() + (i + 1) * size();
      take_multiple(copy, pull_[i] / divisor_, pull_.data(), size());
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
  /// Updates a row by a pull.
  void pay(std::size_t i, const Lines& by) noexcept {
    take_multiple(row(i), by[i] / divisor_, by.data(), size());
  }
  /// Updates the matrix by the latest pull, if that is still to be done.
  void settle() noexcept {
    for (std::size_t i = 0; owes_ && i < size(); ++i) pay(i, pull_);
    owes_ = false;
  }

  double start_;
  std::size_t narrow_ = most_features;
  std::size_t wide_ = most_features;
  std::size_t stride_ = 0;
  Lines inverse_;
  Lines pull_;
  Lines by_;                        // the pull before
  std::vector<std::uint8_t> seen_;  // room for a mark for each feature
  // Whether the square of the latest pull over the divisor is still to be taken from
  // the matrix: the next pull does it row by row, so that each is read and written
  // once.
  bool owes_ = false;
  double divisor_ = 1.0;
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
