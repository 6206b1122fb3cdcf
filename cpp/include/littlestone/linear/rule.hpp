// What an update rule is, and the one loop that plays every rule.
#pragma once

#include <algorithm>  // std::all_of, std::copy
#include <cmath>      // std::floor, std::isfinite
#include <concepts>   // std::same_as
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memcpy
#include <span>
#include <stdexcept>  // std::invalid_argument
#include <utility>    // std::as_const
#include <vector>

#include "littlestone/linear/weights.hpp"
#include "littlestone/rows.hpp"
#include "littlestone/values.hpp"

namespace littlestone {

/// Yes exactly when the score is at least 0.
[[nodiscard]] constexpr bool says(double score) noexcept { return score >= 0.0; }

/// The number of a class, in the order in which classes were first met.
using ClassId = std::int32_t;
inline constexpr ClassId no_class = -1;

/// One score for each class. The class with the largest is predicted, the first in a
/// tie; no class if none is known.
using ClassScores = std::span<const double>;

[[nodiscard]] constexpr ClassId says(ClassScores scores) noexcept {
  ClassId best = scores.empty() ? no_class : 0;
  for (std::size_t c = 1; c < scores.size(); ++c) {
    if (scores[c] > scores[static_cast<std::size_t>(best)]) {
      best = static_cast<ClassId>(c);
    }
  }
  return best;
}

[[nodiscard]] inline bool is_finite(double score) noexcept {
  return std::isfinite(score);
}
[[nodiscard]] inline bool is_finite(ClassScores scores) noexcept {
  return std::all_of(scores.begin(), scores.end(),
                     [](double s) { return std::isfinite(s); });
}

template <class R>
using CellOf = typename R::Cell;
template <class R>
using ScoreOf =
    decltype(std::declval<const R&>().score(View<CellOf<R>>{}, ResolvedRow{}));
/// What the labels of a rule are: as its scores say, unless the rule itself does.
template <class R>
struct LabelsOf {
  using Type = decltype(says(std::declval<ScoreOf<R>>()));
};
template <class R>
  requires requires { typename R::Label; }
struct LabelsOf<R> {
  using Type = typename R::Label;
};
template <class R>
using LabelOf = typename LabelsOf<R>::Type;

/// A rule scores a row and, given the label, may change the cells. The prediction
/// follows from the score. It may have a `fault` that refuses rows that void its
/// theorem.
template <class R>
concept Rule = requires(R rule, const R fixed, View<CellOf<R>> w, ResolvedRow x,
                        ScoreOf<R> score, LabelOf<R> label) {
  { fixed.initial() } -> std::convertible_to<CellOf<R>>;
  { rule.learn(w, x, score, label) } -> std::same_as<bool>;  // changed?
  { fixed.state() } -> std::same_as<std::vector<double>>;  // learned besides the cells
  rule.restore(std::span<const double>{});
};

/// The weighted sum, in the order of the row.
template <class Row>
[[nodiscard, gnu::always_inline]] inline double dot(View<double> w,
                                                    const Row& x) noexcept {
  double sum = 0.0;
  each_entry(x, [&](auto index, double value) { sum += w[index] * value; });
  return sum;
}

/// The sum of the squares, in the order of the row.
template <class Row>
[[nodiscard]] double square_of(const Row& x) noexcept {
  double sum = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += x.value(k) * x.value(k);
  return sum;
}

/// A saved state may come from anywhere, and the loops trust it.
inline void check_state(bool sound) {
  if (!sound) throw std::invalid_argument("expected numbers that the learner can have");
}

/// Whether a double is a whole number from 0 to below `end`.
[[nodiscard]] inline bool is_below(double number, double end) noexcept {
  return number >= 0.0 && number < end && number == std::floor(number);
}

/// The constant feature after the others in every row: its value, 0 if there is none,
/// and its cell.
template <class Cell>
struct Constant {
  double value = 0.0;
  Cell cell{};

  [[nodiscard]] std::vector<double> state() const {
    const auto numbers = numbers_of(cell);
    return {numbers.begin(), numbers.end()};
  }
  void restore(std::span<const double> state) {
    check_state(state.size() == numbers_in<Cell>);
    std::memcpy(static_cast<void*>(&cell), state.data(), sizeof cell);
  }
  /// The same, if the rule can have written such a cell.
  template <class Sound>
  void restore(std::span<const double> state, Sound sound) {
    restore(state);
    check_state(sound(cell));
  }
};

/// The cell of each feature of a row with its value, the constant feature last.
template <class Cell, class Row, class Take>
[[gnu::always_inline]] inline void each_cell(View<Cell> w, const Row& x,
                                             Constant<Cell>& constant, Take take) {
  for (std::size_t k = 0; k < x.size(); ++k) take(w[x.index(k)], x.value(k));
  if (constant.value != 0.0) take(constant.cell, constant.value);
}

/// What a rule checks in every row, besides a finite score.
enum class RowCheck : std::uint8_t {
  values,   // each is finite: a bad one may not show in the score
  squares,  // so is their sum of squares, and not too small: the rule divides by it
};

/// What a rule finds wrong with a row: by a `fault` of its own, or by its `row_check`.
template <Rule R, class Row>
[[nodiscard, gnu::always_inline]] inline Finding fault_of(const R& rule,
                                                          View<CellOf<R>> w,
                                                          const Row& x) noexcept {
  if constexpr (requires { rule.fault(w, x); }) {
    return rule.fault(w, x);
  } else if constexpr (requires { R::row_check; }) {
    return R::row_check == RowCheck::squares ? square_fault(x) : not_finite_in(x);
  } else {
    return {};
  }
}

/// What a score predicts.
template <Rule R>
[[nodiscard, gnu::always_inline]] inline LabelOf<R> said_by(const R& rule,
                                                            ScoreOf<R> score) noexcept {
  if constexpr (requires { rule.said(score); }) {
    return rule.said(score);
  } else {
    return says(score);
  }
}

/// A rule that is charged by a loss, whose rounds may count more or less than once.
template <class R>
concept ChargedRule = requires(R rule) {
  rule.importance;
  rule.last;
  rule.lost;
};

/// What a rule finds wrong with a round once it sees the label.
template <Rule R, class Row>
[[nodiscard, gnu::always_inline]] inline Finding objection_of(
    R& rule, View<CellOf<R>> w, const Row& x, ScoreOf<R> score, LabelOf<R> label) {
  if constexpr (requires { rule.objection(w, x, score, label); }) {
    return rule.objection(w, x, score, label);
  } else {
    return {};
  }
}

/// Labels and the arrays to write. Without `repeats` each round is learned once, and
/// without `importances` it counts once; a rule takes the one or the other.
/// `predictions` may be empty only for a rule with a margin. Unless they are empty,
/// `changed` says which rounds changed the cells, and `scores` and `losses` what each
/// round scored and cost before. The scores of classes are `apart` from round to round,
/// and begin with the first round that is played.
template <class Label>
struct Lesson {
  std::span<const Label> labels;
  std::span<Label> predictions;
  std::span<const std::uint32_t> repeats;
  std::span<bool> changed{};
  std::span<const double> importances{};
  std::span<double> scores{};
  std::span<double> losses{};
  std::size_t apart = 1;
  std::size_t begin = 0;  // the round with the first scores

  [[nodiscard]] std::span<double> scores_of(std::size_t t) const noexcept {
    return scores.subspan((t - begin) * apart, apart);
  }

  /// Whether it is more than labels and predictions.
  [[nodiscard]] bool special() const noexcept {
    return !(repeats.empty() && changed.empty() && importances.empty() &&
             scores.empty() && losses.empty());
  }
};

/// A rule whose `margin`, which is all it learns from, is cheaper than its score.
template <class R>
concept HasMargin = requires(const R rule, View<CellOf<R>> w, ResolvedRow x) {
  { rule.margin(w, x) } -> std::same_as<ScoreOf<R>>;
};

/// A rule that adds an example to its weights, and looks at the score only to see
/// whether to.
template <class R>
concept Additive = R::additive;

/// A rule that scores rows faster if it sees the next ones.
template <class R>
concept LooksAhead =
    requires(const R rule, View<CellOf<R>> w, const DenseBlock<double>& rows) {
      rule.look_ahead(w, rows, std::size_t{}, std::size_t{}, std::size_t{});
    };

template <Rule R, class Row>
[[nodiscard, gnu::always_inline]] inline auto score_to_learn(const R& rule,
                                                             View<CellOf<R>> w,
                                                             const Row& x) {
  if constexpr (HasMargin<R>) {
    return rule.margin(w, x);
  } else {
    return rule.score(w, x);
  }
}

/// Learns from one round `times` times, as if it occurred that often in the stream.
/// Returns how often the cells changed.
template <Rule R, class Row>
std::size_t learn_again(R& rule, View<CellOf<R>> w, const Row& x, ScoreOf<R> score,
                        LabelOf<R> label, std::uint32_t times) {
  for (std::uint32_t done = 0; done < times; ++done) {
    if (done > 0) score = score_to_learn(std::as_const(rule), w, x);
    if (is_finite(score) && rule.learn(w, x, score, label)) continue;
    // What changed nothing once will change nothing again, but some rules count rounds.
    if constexpr (requires { rule.survive(times); }) rule.survive(times - done - 1);
    return done;
  }
  return times;
}

/// How far a block was played. The round that stopped it changed nothing.
struct Played {
  std::size_t rounds = 0;
  std::size_t updates = 0;
  Finding finding{};
};

/// The one loop over rows [first, last): scores each row, asks if there is an
/// `objection`, and calls `learn`, which returns how often the cells changed, until a
/// row is refused. Only a rule that computes full scores may look ahead.
template <bool FullScore, Rule R, class B, class Scored, class Objection, class Learn>
Played each_round(R& learned, View<CellOf<R>> w, const B& block, Stamps& met,
                  std::size_t first, std::size_t last, Scored scored,
                  Objection objection, Learn learn) {
  // Copies that the compiler can keep in registers: no store to a weight changes them.
  // That holds only while no call can reach them, so rules hand copies to the functions
  // that settle ties.
  const B rows = block;
  R rule = learned;
  std::vector<std::uint64_t> scratch;
  Stamps* stamps = nullptr;
  Finding found{};
  std::size_t updates = 0;
  std::size_t t = first;
  for (; t < last; ++t) {
    const auto x = rows.to_score(t, stamps);
    // Two rows ahead: to play one takes less time than what is far away takes to come.
    if constexpr (requires { rows.fetch(w, t); }) rows.fetch(w, t + 2);
    if constexpr (FullScore && LooksAhead<R>) rule.look_ahead(w, rows, t, first, last);
    const ScoreOf<R> score = scored(std::as_const(rule), x);
    if (!rows.sound(x)) [[unlikely]] {
      found = rows.check(to_learn(x), scratch);
      if (found.fault != Fault::none) break;
      // Where one row is out of order, the next are likely to be.
      if constexpr (requires { rows.width; }) met.make_room(rows.width);
      stamps = &met;
    }
    found = fault_of(rule, w, to_learn(x));
    if (found.fault != Fault::none) [[unlikely]]
      break;
    if (!is_finite(score)) [[unlikely]] {
      found = why_not_finite(to_learn(x));
      break;
    }
    found = objection(rule, t, to_learn(x), score);
    if (found.fault != Fault::none) [[unlikely]]
      break;
    updates += learn(rule, t, to_learn(x), score);
  }
  learned = rule;
  return {t, updates, found};
}

inline void put(std::span<double> scores, std::size_t t, double score) noexcept {
  scores[t] = score;
}
inline void put(std::span<double> scores, std::size_t t, ClassScores score) noexcept {
  std::copy(score.begin(), score.end(), scores.begin() + t * score.size());
}

/// Writes what a round scored; a label may have changed since room was made.
inline void note(std::span<double> room, double score) noexcept { room[0] = score; }
inline void note(std::span<double> room, ClassScores score) noexcept {
  std::ranges::copy(score.first(std::min(score.size(), room.size())), room.begin());
}

/// Plays rows [first, last) with what a lesson may ask for beside predictions.
template <Rule R, class B>
[[gnu::noinline]] Played play_specially(R& rule, View<CellOf<R>> w, const B& block,
                                        const Lesson<LabelOf<R>>& lesson, Stamps& met,
                                        std::size_t first, std::size_t last) {
  const Played played = each_round<true>(
      rule, w, block, met, first, last,
      [=](const R& r, const auto& x)
          __attribute__((always_inline)) { return r.score(w, x); },
      [=](R& learning, std::size_t t, const auto& x, auto score) {
        if constexpr (ChargedRule<R>) {
          learning.importance =
              lesson.importances.empty() ? 1.0 : read_once(lesson.importances[t]);
        }
        return objection_of(learning, w, x, score, read_once(lesson.labels[t]));
      },
      [=](R& learning, std::size_t t, const auto& x, auto score) -> std::size_t {
        lesson.predictions[t] = said_by(learning, score);
        if (!lesson.scores.empty()) note(lesson.scores_of(t), score);
        const std::uint32_t times =
            lesson.repeats.empty() ? 1 : read_once(lesson.repeats[t]);
        const std::size_t updates =
            learn_again(learning, w, x, score, read_once(lesson.labels[t]), times);
        if (!lesson.changed.empty()) lesson.changed[t] = updates > 0;
        if constexpr (ChargedRule<R>) {
          if (!lesson.losses.empty()) lesson.losses[t] = learning.last;
        }
        return updates;
      });
  if constexpr (ChargedRule<R>) rule.importance = 1.0;
  return played;
}

/// Plays rows [first, last) in order: predict, get the label, learn.
template <Rule R, class B>
Played play(R& rule, View<CellOf<R>> w, const B& block,
            const Lesson<LabelOf<R>>& lesson, Stamps& met, std::size_t first,
            std::size_t last) {
  const auto labels = lesson.labels;
  const auto predictions = lesson.predictions;
  const auto full = [=](const R& r, const auto& x)
                        __attribute__((always_inline)) { return r.score(w, x); };
  const auto object = [=](R& learning, std::size_t t, const auto& x,
                          auto score) __attribute__((always_inline)) {
    return objection_of(learning, w, x, score, read_once(labels[t]));
  };
  // The usual call must not pay for these options.
  if (lesson.special()) return play_specially(rule, w, block, lesson, met, first, last);
  if constexpr (HasMargin<R>) {
    if (predictions.empty()) {
      return each_round<false>(
          rule, w, block, met, first, last,
          [=](const R& r, const auto& x)
              __attribute__((always_inline)) { return r.margin(w, x); },
          object,
          [=](R& learning, std::size_t t, const auto& x, auto score) -> std::size_t {
            return learning.learn(w, x, score, read_once(labels[t])) ? 1 : 0;
          });
    }
  }
  return each_round<true>(
      rule, w, block, met, first, last, full, object,
      [=](R& learning, std::size_t t, const auto& x, auto score) -> std::size_t {
        predictions[t] = said_by(learning, score);
        return learning.learn(w, x, score, read_once(labels[t])) ? 1 : 0;
      });
}

/// Scores rows [first, last) without learning.
template <Rule R, class B>
Played score(R& rule, View<CellOf<R>> w, const B& block, std::span<double> scores,
             Stamps& met, std::size_t first, std::size_t last) {
  return each_round<true>(
      rule, w, block, met, first, last,
      [=](const R& r, const auto& x)
          __attribute__((always_inline)) { return r.score(w, x); },
      [](R&, std::size_t, const auto&, auto) { return Finding{}; },
      [=](R&, std::size_t t, const auto&, auto score) -> std::size_t {
        put(scores, t, score);
        return 0;
      });
}

}  // namespace littlestone
