// What an update rule is, and the one loop that plays every rule.
#pragma once

#include <cmath>     // std::isfinite
#include <concepts>  // std::same_as
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memcpy
#include <span>
#include <utility>  // std::as_const
#include <vector>

#include "littlestone/rows.hpp"
#include "littlestone/weights.hpp"

namespace littlestone {

/// A rule scores a row and, told the label, may change the weights. It says yes exactly
/// when the score is at least 0. `fault(x)` refuses what voids its theorem.
template <class R>
concept Rule = requires(R rule, const R fixed, WeightView w, ResolvedRow x,
                        double score, bool label) {
  { R::initial_weight } -> std::convertible_to<double>;
  { fixed.fault(x) } noexcept -> std::same_as<Finding>;
  { fixed.score(w, x) } noexcept -> std::same_as<double>;
  { rule.learn(w, x, score, label) } noexcept -> std::same_as<bool>;  // changed?
  { fixed.state() } -> std::same_as<std::vector<double>>;  // learned beside the weights
  rule.restore(std::span<const double>{});
};

[[nodiscard]] constexpr bool says_yes(double score) noexcept { return score >= 0.0; }

/// The weighted sum, in the order of the row.
template <class Row>
[[nodiscard]] double dot(WeightView w, const Row& x) noexcept {
  double sum = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += w[x.index(k)] * x.value(k);
  return sum;
}

#ifdef __GNUC__
/// The same for a row whose columns are unchecked, watching on the way whether they
/// rise: four comparisons at a time, hidden behind additions that wait for each other.
template <class V, class I>
[[nodiscard, gnu::always_inline]] inline double dot(
    WeightView w, const UncheckedRow<V, I>& x) noexcept {
  using Four [[gnu::vector_size(4 * sizeof(I))]] = I;
  const I* const columns = x.columns.data();
  const std::size_t size = x.size();
  double sum = 0.0;
  if (size > 0) sum += w[x.index(0)] * x.value(0);
  Four rise = Four{} == Four{};
  std::size_t k = 1;
  for (; k + 4 <= size; k += 4) {
    Four before;
    Four here;
    std::memcpy(&before, columns + k - 1, sizeof before);
    std::memcpy(&here, columns + k, sizeof here);
    rise &= before < here;
    sum += w[x.index(k)] * x.value(k);
    sum += w[x.index(k + 1)] * x.value(k + 1);
    sum += w[x.index(k + 2)] * x.value(k + 2);
    sum += w[x.index(k + 3)] * x.value(k + 3);
  }
  bool rises = (rise[0] & rise[1] & rise[2] & rise[3]) != 0;
  for (; k < size; ++k) {
    rises &= columns[k - 1] < columns[k];
    sum += w[x.index(k)] * x.value(k);
  }
  x.seen_to_rise = rises;
  return sum;
}
#endif

/// The first value for which `refused` is true, or a clean finding.
template <class Row, class Refused>
[[nodiscard]] Finding first_value(const Row& x, Fault fault, Refused refused) noexcept {
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (refused(x.value(k))) return {fault, k};
  }
  return {};
}

/// What is wrong with a row whose score is not finite. A value that is NaN or infinite
/// always shows in the score, so a good row pays for one test and no more.
template <class Row>
[[nodiscard, gnu::noinline]] Finding why_not_finite(Row x) noexcept {
  const auto found =
      first_value(x, Fault::not_finite, [](double v) { return !std::isfinite(v); });
  return found.fault == Fault::none ? Finding{Fault::score_overflow, 0} : found;
}

/// One round: the score, whether the weights changed, and what stopped it if anything.
struct Round {
  double score = 0.0;
  bool updated = false;
  Finding finding{};
};

template <Rule R, class Row>
[[nodiscard]] Round scored(const R& rule, WeightView w, const Row& x) noexcept {
  if (const auto found = rule.fault(x); found.fault != Fault::none) {
    return {.finding = found};
  }
  const double score = rule.score(w, x);
  if (!std::isfinite(score)) return {.finding = why_not_finite(x)};
  return {.score = score};
}

template <Rule R, class Row>
Round play_one(R& rule, WeightView w, const Row& x, bool label) noexcept {
  Round round = scored(std::as_const(rule), w, x);
  if (round.finding.fault == Fault::none) {
    round.updated = rule.learn(w, x, round.score, label);
  }
  return round;
}

/// How far a block was played. The round that stopped it left nothing behind.
struct Played {
  std::size_t rounds = 0;
  std::size_t updates = 0;
  Finding finding{};
};

/// The one loop over rows [first, last): scores each row and hands it to `told`, which
/// answers whether the weights changed, until a row is refused.
template <Rule R, class B, class Told>
Played each_round(R& learned, WeightView w, const B& block, std::size_t first,
                  std::size_t last, Told told) {
  // Copies the compiler can keep in registers: no store to a weight changes them.
  const B rows = block;
  R rule = learned;
  std::vector<std::uint64_t> scratch;
  Finding found{};
  std::size_t updates = 0;
  std::size_t t = first;
  for (; t < last; ++t) {
    const auto x = rows.to_score(t);
    const double score = rule.score(w, x);
    if (!rows.sound(x)) [[unlikely]] {
      found = rows.check(t, scratch);
      if (found.fault != Fault::none) break;
    }
    found = rule.fault(rows[t]);
    if (found.fault != Fault::none) [[unlikely]]
      break;
    if (!std::isfinite(score)) [[unlikely]] {
      found = why_not_finite(rows[t]);
      break;
    }
    updates += told(rule, t, rows[t], score) ? 1U : 0U;
  }
  learned = rule;
  return {t, updates, found};
}

/// Plays rows [first, last) in order: predict, be told, learn.
template <Rule R, class B>
Played play(R& rule, WeightView w, const B& block, std::span<const bool> labels,
            std::span<bool> predictions, std::size_t first, std::size_t last) {
  return each_round(rule, w, block, first, last,
                    [=](R& learning, std::size_t t, const auto& x, double score) {
                      predictions[t] = says_yes(score);
                      return learning.learn(w, x, score, labels[t]);
                    });
}

/// Scores rows [first, last) without learning.
template <Rule R, class B>
Played score(R& rule, WeightView w, const B& block, std::span<double> scores,
             std::size_t first, std::size_t last) {
  return each_round(rule, w, block, first, last,
                    [=](R&, std::size_t t, const auto&, double score) {
                      scores[t] = score;
                      return false;
                    });
}

}  // namespace littlestone
