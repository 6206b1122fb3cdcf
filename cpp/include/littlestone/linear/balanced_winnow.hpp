// Balanced Winnow: two weights for each feature, for and against, with multiplicative
// updates (THEORY: BWIN).
//
// The weights of a feature are exp(a) and exp(-a), where a is the rate times the sum of
// y x over the mistakes. Normalizing all weights to sum to 1 would not change a
// prediction: its sign is that of the sum of x sinh(a). So only the sum of y x is kept,
// and a new feature, a = 0, has two weights of 1. Sums of whole numbers are exact, so
// equal weights are equal doubles, and what cancels is found by comparing the sums.
#pragma once

#include <algorithm>  // std::clamp, std::max, std::min
#include <array>
#include <cmath>  // std::abs, std::copysign
#include <limits>
#include <span>
#include <vector>

#include "littlestone/linear/rule.hpp"
#include "littlestone/math/exponential.hpp"
#include "littlestone/math/near_tie.hpp"
#include "littlestone/math/partials.hpp"

namespace littlestone {

struct BalancedWinnow {
  struct Cell {
    double sum = 0.0;     // of y x over the mistakes
    double weight = 0.0;  // sinh(a), clamped to a finite double
  };
  // Up to this, sums of weights cannot overflow; beyond, a row is scaled by its
  // largest.
  static constexpr double safe_log = 600.0;
  static constexpr double largest = std::numeric_limits<double>::max();

  double rate = 1.0;
  double scale = 1.0;  // every |x| is at most this
  Constant<Cell> constant{};
  bool wide = false;   // some |a| exceeds safe_log
  double most = 0.0;   // the size of the largest weight so far
  double unit = rate;  // a is this times the sum; 1 if the sum has the rate in it, as
                       // in the files of version 0.1

  [[nodiscard]] static constexpr Cell initial() noexcept { return {}; }
  [[nodiscard]] static double weight(const Cell& cell) noexcept { return cell.weight; }

  template <class Row>
  [[nodiscard]] Finding fault(View<Cell> /*w*/, const Row& x) const noexcept {
    return any_beyond<true>(x.values, scale) ? why_refused(x, scale) : Finding{};
  }

  template <class Row>
  [[nodiscard, gnu::always_inline]] double score(View<Cell> w, const Row& x) const {
    double sum = 0.0;
    each_entry(x, [&](auto index, double value) { sum += w[index].weight * value; });
    sum += constant.cell.weight * constant.value;
    // No product exceeds the largest weight times the scale.
    const double doubt = near_tie * scale * most * static_cast<double>(x.size() + 1);
    return wide || std::abs(sum) < doubt ? careful_score(*this, w, to_learn(x)) : sum;
  }

  template <class Row>
  bool learn(View<Cell> w, const Row& x, double score, bool label) noexcept {
    if (says(score) == label) return false;
    const double step = label ? rate / unit : -rate / unit;
    std::array<double, 128> sines;
    for (std::size_t first = 0; first < x.size(); first += sines.size()) {
      const std::size_t count = std::min(sines.size(), x.size() - first);
      for (std::size_t k = 0; k < count; ++k) {
        Cell& cell = w[x.index(first + k)];
        sines[k] = held(unit * (cell.sum += step * x.value(first + k)));
      }
      sinh_all(sines.data(), count);
      bool larger = false;  // a maximum would make each weight wait for the last
      for (std::size_t k = 0; k < count; ++k) {
        w[x.index(first + k)].weight = sines[k];
        larger |= std::abs(sines[k]) > most;
      }
      for (std::size_t k = 0; larger && k < count; ++k) {
        most = std::max(most, std::abs(sines[k]));
      }
    }
    if (constant.value != 0.0) {
      constant.cell.sum += step * constant.value;
      constant.cell.weight = sinh_of(held(unit * constant.cell.sum));
      most = std::max(most, std::abs(constant.cell.weight));
    }
    return true;
  }

  [[nodiscard]] std::vector<double> state() const {
    return {constant.cell.sum, constant.cell.weight, wide ? 1.0 : 0.0, unit, most};
  }
  /// Files of version 0.1 have neither the unit nor the largest weight.
  void restore(std::span<const double> state) {
    check_state(state.size() == 3 ||
                (state.size() == 5 && (state[3] == 1.0 || state[3] == rate) &&
                 state[4] >= 0.0));
    constant.cell = {state[0], state[1]};
    wide = state[2] != 0.0;
    unit = state.size() == 3 ? 1.0 : state[3];
    most = state.size() == 3 ? largest : state[4];
  }

 private:
  template <class Row>
  [[nodiscard, gnu::noinline]] static Finding why_refused(Row x,
                                                          double scale) noexcept {
    const auto found = not_finite_in(x);
    if (found.fault != Fault::none) return found;
    return first_value(x, Fault::beyond_scale,
                       [=](double v) { return std::abs(v) > scale; });
  }

  /// A logarithm whose hyperbolic sine is a double.
  [[nodiscard]] double held(double log) noexcept {
    wide |= std::abs(log) > safe_log;
    return std::clamp(log, -largest_exponent, largest_exponent);
  }

  /// e^z for a z of at most 0.
  [[nodiscard]] static double falling(double z) noexcept {
    return z < -largest_exponent ? 0.0 : exp_of(z);
  }

  /// The score if weights may overflow or cancel. Large ones are taken relative to the
  /// largest in the row, and the sum is scaled back as far as doubles allow.
  template <class Row>
  [[nodiscard, gnu::noinline, gnu::cold]] static double careful_score(
      BalancedWinnow rule, View<Cell> w, Row x) {
    const double unit = rule.unit;
    const Constant<Cell>& constant = rule.constant;
    const auto each = [&](auto take) {
      for (std::size_t k = 0; k < x.size(); ++k) {
        if (x.value(k) != 0.0) take(w[x.index(k)], x.value(k));
      }
      if (constant.value != 0.0) take(constant.cell, constant.value);
    };
    double log = 0.0;  // the largest
    each([&](const Cell& cell, double /*value*/) {
      log = std::max(log, std::abs(unit * cell.sum));
    });
    const bool relative = log > safe_log;
    const auto share_of = [&](const Cell& cell, double value) {
      const double own = std::abs(unit * cell.sum);
      return Share{
          std::abs(cell.sum),
          relative ? falling(own - log) - falling(-own - log) : std::abs(cell.weight),
          std::copysign(1.0, cell.sum) * value};
    };
    double sum = 0.0;
    double size = 0.0;
    each([&](const Cell& cell, double value) {
      const Share share = share_of(cell, value);
      sum += share.weight * share.value;
      size += std::abs(share.weight * value);
    });
    if (std::abs(sum) < near_tie * size) {
      std::vector<Share> shares;
      each([&](const Cell& cell, double value) {
        shares.push_back(share_of(cell, value));
      });
      sum = cancelled(shares);
    }
    if (!relative || std::isnan(sum) || sum == 0.0) return sum;
    const double score = 0.5 * sum * exp_of(std::min(log, largest_exponent));
    return std::isfinite(score) ? score : std::copysign(largest, sum);
  }

  struct Share {
    double sum;
    double weight;  // of that sum
    double value;
  };

  /// The weighted values, those of the same sum first. It is 0 if nothing is left of
  /// any of them, and otherwise no tie: the powers of e are independent of each other.
  [[nodiscard]] static double cancelled(std::vector<Share>& shares) {
    std::ranges::stable_sort(shares, {}, &Share::sum);
    double total = 0.0;
    for (auto share = shares.begin(); share != shares.end();) {
      const Share first = *share;
      Partials left;
      for (; share != shares.end() && share->sum == first.sum; ++share) {
        left.add(share->value);
      }
      total += first.weight * left.total();
    }
    return total;
  }
};

static_assert(Rule<BalancedWinnow>);

}  // namespace littlestone
