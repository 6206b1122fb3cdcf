// Many classes: each has a weight vector, and the largest score wins. A mistake moves
// the right class towards the example and one wrong class away from it, and no other
// (an ultraconservative update).
//
// Crammer and Singer (2003); Crammer and others (2006) for the Passive-Aggressive step.
#pragma once

#include <algorithm>  // std::all_of, std::copy_n, std::fill, std::fill_n, std::max
#include <array>
#include <bit>  // std::bit_cast
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memcpy
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>  // std::length_error
#include <utility>    // std::swap
#include <vector>

#include "littlestone/growing.hpp"
#include "littlestone/linear/passive_aggressive.hpp"
#include "littlestone/linear/rule.hpp"
#include "littlestone/math/wide.hpp"

namespace littlestone {

/// The weights of the features that were learned from, `stride` numbers for each, one
/// for each class there is room for; then, for a rule that keeps more, as many in each
/// further plane, and numbers of the feature alone. Row 0 is all zeros, for the other
/// features: a file that has a large column number in a few lines does not cost as many
/// rows.
class ClassWeights {
 public:
  using RowNumber = std::uint32_t;

  explicit ClassWeights(std::size_t planes = 1, std::size_t alone = 0)
      : planes_(planes), alone_(alone) {
    (void)add();
  }

  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
  /// How many numbers a row has.
  [[nodiscard]] std::size_t width() const noexcept {
    return planes_ * stride_ + alone_;
  }
  [[nodiscard]] double* row(RowNumber number) noexcept {
    return weights_.data() + number * width();
  }

  [[nodiscard]] RowNumber add() {
    if (rows_ == std::numeric_limits<RowNumber>::max()) {
      throw std::length_error("features");
    }
    std::fill_n(weights_.room_for(width()), width(), 0.0);
    weights_.came(width());
    return rows_++;
  }
  /// Moves every row; the stride is a multiple of four.
  void widen(std::size_t stride) {
    Growing<double> wider;
    const std::size_t size = rows_ * (planes_ * stride + alone_);
    double* to = wider.room_for(size);
    wider.came(size);
    for (RowNumber number = 0; number < rows_; ++number) {
      const double* from = row(number);
      for (std::size_t plane = 0; plane < planes_; ++plane, from += stride_) {
        std::fill(std::copy_n(from, stride_, to), to + stride, 0.0);
        to += stride;
      }
      to = std::copy_n(from, alone_, to);
    }
    std::swap(weights_, wider);
    stride_ = stride;
  }

 private:
  std::size_t planes_;
  std::size_t alone_;
  std::size_t stride_ = 4;
  RowNumber rows_ = 0;
  Growing<double> weights_;
};

/// Adds a row of weights, each times `part`, to the scores of classes.
LITTLESTONE_WIDE inline void add_multiple(const double* __restrict row, double part,
                                          std::size_t classes,
                                          double* __restrict scores) noexcept {
  for (std::size_t c = 0; c < classes; ++c) scores[c] += row[c] * part;
}

/// What the rules for many classes share. A new class gets the number `known`; its
/// score was 0 so far.
struct Classes {
  struct Cell {
    ClassWeights::RowNumber row = 0;
  };

  std::size_t known = 0;
  double bias = 0.0;
  std::vector<double> constant = std::vector<double>(4, 0.0);
  mutable std::vector<double> scores = std::vector<double>(4, 0.0);
  std::shared_ptr<ClassWeights> weights =  // shared with the copies that loops make
      std::make_shared<ClassWeights>();

  [[nodiscard]] static constexpr Cell initial() noexcept { return {}; }

  /// The weights of a feature: of the classes known, in the order of their numbers.
  [[nodiscard]] std::span<const double> weights_of(Cell cell) const noexcept {
    return {weights->row(cell.row), known};
  }
  void set_weights(Cell& cell, std::span<const double> numbers) {
    const bool zeros = std::all_of(numbers.begin(), numbers.end(), is_initial);
    if (cell.row == 0 && zeros) return;
    std::copy_n(numbers.data(), known, row_of(cell));
  }
  /// Whether a feature has a weight that is not the initial one, -0 included.
  [[nodiscard]] bool has_changed(Cell cell) const noexcept {
    const auto numbers = weights_of(cell);
    return cell.row != 0 && !std::all_of(numbers.begin(), numbers.end(), is_initial);
  }

  /// Before a class is known there is no score that would show a bad value.
  template <class Row>
  [[nodiscard]] Finding fault(View<Cell> /*w*/, const Row& x) const noexcept {
    return known > 0 ? Finding{} : not_finite_in(x);
  }

  /// One score for each class; valid until the next call.
  template <class Row>
  [[nodiscard]] ClassScores score(View<Cell> w, const Row& x) const noexcept {
    return score_shares(w, x, bias, [](const double*, double value) { return value; });
  }

  void make_room_for(std::size_t classes) {
    std::size_t stride = weights->stride();
    if (classes <= stride) return;
    while (stride < classes) stride += std::max<std::size_t>(4, stride / 8 * 4);
    weights->widen(stride);
    constant.resize(stride, 0.0);
    scores.resize(stride, 0.0);
  }

  [[nodiscard]] std::vector<double> state() const {
    std::vector<double> all{static_cast<double>(known)};
    all.insert(all.end(), constant.begin(),
               constant.begin() + static_cast<std::ptrdiff_t>(known));
    return all;
  }
  void restore(std::span<const double> state) {
    check_state(!state.empty() && state[0] == static_cast<double>(state.size() - 1));
    known = static_cast<std::size_t>(state[0]);
    make_room_for(known);
    std::copy_n(state.begin() + 1, known, constant.begin());
  }

 protected:
  /// The scores of a row whose values count as `share` has it, of the row of numbers
  /// and the value; `last` is what the constant feature counts.
  template <class Row, class Share>
  [[nodiscard, gnu::always_inline]] ClassScores score_shares(
      View<Cell> w, const Row& x, double last, Share share) const noexcept {
    double* const __restrict to = scores.data();
    const std::size_t stride = weights->stride();
    const std::size_t width = weights->width();
    const double* const rows = weights->row(0);
    // The numbers of rows and then the rows: two waits, unless all are asked for first.
    if constexpr (requires { x.columns; } || requires { x.ids; }) {
      for (std::size_t k = 0; k < x.size(); ++k) {
        fetch(rows + w[x.index(k)].row * width);
      }
    }
    switch (stride) {
      case 4: add_shares<4>(w, x, rows, width, to, share); break;
      case 8: add_shares<8>(w, x, rows, width, to, share); break;
      case 12: add_shares<12>(w, x, rows, width, to, share); break;
      case 16: add_shares<16>(w, x, rows, width, to, share); break;
      default:
        std::fill(scores.begin(), scores.end(), 0.0);
        each_entry(x, [=](auto index, double value) {
          if (value == 0.0) return;
          const double* const from = rows + w[index].row * width;
          add_multiple(from, share(from, value), stride, to);
        });
    }
    for (std::size_t c = 0; c < stride; ++c) to[c] += constant[c] * last;
    return {scores.data(), known};
  }

  [[nodiscard]] double* row_of(Cell& cell) {
    if (cell.row == 0) cell.row = weights->add();
    return weights->row(cell.row);
  }
  static constexpr auto is_initial = [](double weight) {
    return std::bit_cast<std::uint64_t>(weight) == 0;
  };

  /// Whether there is room for a class: a label may have changed since room was made.
  [[nodiscard]] bool fits(ClassId label) const noexcept {
    return static_cast<std::size_t>(label) < weights->stride();
  }

  /// The best of the other classes, if there are any.
  [[nodiscard]] static ClassId rival(ClassScores scores, ClassId label) noexcept {
    ClassId best = no_class;
    for (std::size_t c = 0; c < scores.size(); ++c) {
      const auto candidate = static_cast<ClassId>(c);
      if (candidate == label) continue;
      if (best == no_class || scores[c] > scores[static_cast<std::size_t>(best)]) {
        best = candidate;
      }
    }
    return best;
  }

  /// Enters a class if it is new; returns its score.
  double meet(ClassScores scores, ClassId label) noexcept {
    const auto c = static_cast<std::size_t>(label);
    known = std::max(known, c + 1);
    return c < scores.size() ? scores[c] : 0.0;
  }

  /// Moves the right class towards the example, and the wrong one away.
  template <class Row>
  void move(View<Cell> w, const Row& x, ClassId right, ClassId wrong, double step) {
    double* rows = weights->row(0);
    const std::size_t width = weights->width();
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double value = x.value(k);
      if (value == 0.0) continue;
      Cell& cell = w[x.index(k)];
      if (cell.row == 0) [[unlikely]] {
        cell.row = weights->add();
        rows = weights->row(0);  // they may have moved
      }
      double* const to = rows + cell.row * width;
      to[right] += step * value;
      to[wrong] -= step * value;
    }
    constant[static_cast<std::size_t>(right)] += step * bias;
    constant[static_cast<std::size_t>(wrong)] -= step * bias;
  }

 private:
  /// The sums of few classes, in registers: in memory each would wait for the one
  /// before.
  template <std::size_t Stride, class Row, class Share>
  [[gnu::always_inline]] static void add_shares(View<Cell> w, const Row& x,
                                                const double* rows, std::size_t width,
                                                double* to, Share share) noexcept {
    using Pair [[gnu::vector_size(16)]] = double;
    std::array<Pair, Stride / 2> sums{};
    each_entry(x, [&](auto index, double value) __attribute__((always_inline)) {
      if (value == 0.0) return;
      const double* const from = rows + w[index].row * width;
      const double part = share(from, value);
      for (std::size_t c = 0; c < sums.size(); ++c) {
        sums[c] += Pair{from[2 * c], from[2 * c + 1]} * part;
      }
    });
    std::memcpy(to, sums.data(), sizeof sums);
  }

  static void fetch([[maybe_unused]] const double* row) noexcept {
#ifdef __GNUC__
    __builtin_prefetch(row);
    __builtin_prefetch(row + 8);
#endif
  }
};

struct MulticlassPerceptron : Classes {
  template <class Row>
  bool learn(View<Cell> w, const Row& x, ClassScores scores, ClassId label) {
    if (!fits(label)) return false;
    const ClassId said = says(scores);
    meet(scores, label);
    if (said == label || said == no_class) return false;
    move(w, x, label, said, 1.0);
    return true;
  }
};

struct MulticlassPassiveAggressive : Classes {
  StepSize step{};

  template <class Row>
  [[nodiscard]] Finding fault(View<Cell> w, const Row& x) const noexcept {
    const Finding found = Classes::fault(w, x);
    return found.fault == Fault::none ? square_fault(x) : found;
  }

  template <class Row>
  bool learn(View<Cell> w, const Row& x, ClassScores scores, ClassId label) {
    if (!fits(label)) return false;
    const ClassId wrong = rival(scores, label);
    const double right_score = meet(scores, label);
    if (wrong == no_class) return false;
    const double loss = 1.0 - (right_score - scores[static_cast<std::size_t>(wrong)]);
    if (!(loss > 0.0)) return false;
    const double square = square_of(x) + bias * bias;
    if (square == 0.0) return false;  // a zero example cannot be corrected
    move(w, x, label, wrong, step(loss, 2.0 * square));
    return true;
  }
};

static_assert(Rule<MulticlassPerceptron> && Rule<MulticlassPassiveAggressive>);

}  // namespace littlestone
