// A linear learner: a rule, its cells, and the table of its feature names.
//
// `LinearLearner` is the interface for the bindings; `Linear<R>` implements it for one
// rule. Predicting adds nothing to the table of names, nor does an example that is
// refused.
#pragma once

#include <algorithm>  // std::fill, std::max, std::ranges::copy
#include <bit>        // std::bit_ceil
#include <concepts>   // std::same_as
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memcmp, std::memcpy
#include <span>
#include <stdexcept>  // std::logic_error
#include <utility>    // std::as_const, std::move
#include <variant>
#include <vector>

#include "littlestone/features.hpp"
#include "littlestone/linear/rule.hpp"
#include "littlestone/linear/weights.hpp"
#include "littlestone/rows.hpp"

namespace littlestone {

/// The interface of learners whose labels are bool, for yes or no, ClassId, or double.
template <class Label>
class LinearLearner : public Features {
 public:
  LinearLearner() = default;
  LinearLearner(const LinearLearner&) = delete;
  LinearLearner& operator=(const LinearLearner&) = delete;
  virtual ~LinearLearner() = default;

  std::uint64_t updates = 0;

  /// Scores the example in `lookup`.
  [[nodiscard]] Finding score_looked_up(std::span<double> scores) {
    make_room();
    return score_row(lookup.row(), scores);
  }

  /// Plays the example in `lookup`, which counts `times` or `importance` times, as the
  /// rule takes it, and writes the prediction.
  [[nodiscard]] Finding play_looked_up(Label label, Label& predicted,
                                       std::uint32_t times = 1,
                                       double importance = 1.0) {
    make_room();
    const Played played = play_row(lookup.row(), label, predicted, times, importance);
    if (played.finding.fault != Fault::none) return played.finding;
    updates += played.updates;
    enter();
    return {};
  }

  /// Adds the example in `lookup` as after a mistake, whatever the learner says of it
  /// now; only for additive rules.
  [[nodiscard]] Finding add_looked_up(Label label) {
    make_room();
    const Finding found = add_row(lookup.row(), label);
    if (found.fault != Fault::none) return found;
    ++updates;
    enter();
    return {};
  }

  /// Plays rows [first, last). Counts the rounds before one that is refused.
  Played play(const Block& block, const Lesson<Label>& lesson, std::size_t first,
              std::size_t last) {
    const std::size_t columns = width_of(block);
    if (columns > direct_columns) {
      return each_looked_up(block, first, last, [&](std::size_t t) {
        Label predicted{};
        const std::uint64_t before = updates;
        if (!lesson.scores.empty()) {
          const Finding refused = score_looked_up(lesson.scores_of(t));
          if (refused.fault != Fault::none) return refused;
        }
        const Finding found = play_looked_up(
            lesson.labels[t], predicted, lesson.repeats.empty() ? 1 : lesson.repeats[t],
            lesson.importances.empty() ? 1.0 : lesson.importances[t]);
        if (!lesson.changed.empty()) lesson.changed[t] = updates > before;
        if (!lesson.predictions.empty()) lesson.predictions[t] = predicted;
        if (!lesson.losses.empty()) lesson.losses[t] = last_loss();
        return found;
      });
    }
    reserve(std::bit_ceil(columns), names.size());
    const Played played = play_rows(block, lesson, first, last);
    if (played.rounds > first) width = std::max<std::uint64_t>(width, columns);
    updates += played.updates;
    return played;
  }

  /// Scores rows [first, last) without learning; the block has `fresh` new names.
  Played score(const Block& block, std::span<double> scores, std::size_t first,
               std::size_t last, std::size_t fresh = 0) {
    const std::size_t columns = width_of(block);
    if (columns > direct_columns) {
      const std::size_t each = scores_a_row();
      return each_looked_up(block, first, last, [&](std::size_t t) {
        return score_looked_up(scores.subspan(t * each, each));
      });
    }
    reserve(std::bit_ceil(columns), names.size() + fresh);
    return score_rows(block, scores, first, last);
  }

  /// What it has lost in all rounds, and in the latest; 0 without a loss.
  [[nodiscard]] virtual double loss() const noexcept { return 0.0; }
  [[nodiscard]] virtual double last_loss() const noexcept { return 0.0; }
  /// What the scores of a row predict.
  [[nodiscard]] virtual Label said(std::span<const double> scores) const = 0;
  [[nodiscard]] virtual std::size_t scores_a_row() const noexcept = 0;
  /// Whether it can learn from blocks without room for predictions.
  [[nodiscard]] virtual bool quiet() const noexcept = 0;
  virtual void reserve(std::size_t columns, std::size_t named) = 0;
  /// Lets a rule with a full matrix refuse rows beyond so many features.
  virtual void limit_features(std::size_t most) noexcept = 0;

  /// How many columns have a cell, and how many numbers there are in one.
  [[nodiscard]] virtual std::size_t columns() const noexcept = 0;
  [[nodiscard]] virtual std::size_t numbers() const noexcept = 0;
  virtual void read(std::int64_t index, std::span<double> cell) = 0;
  virtual void write(std::int64_t index, std::span<const double> cell) = 0;
  virtual void initial(std::span<double> cell) const = 0;

  /// The same for many features at once: columns [0, out.size() / numbers()), the
  /// columns in `which`, or the names in the order of their slots.
  virtual void read_columns(std::span<double> out) = 0;
  virtual void read_columns(std::span<const std::uint32_t> which,
                            std::span<double> out) = 0;
  virtual void read_names(std::span<double> out) = 0;
  /// The columns whose cells have changed: how many, and one more than the last.
  struct Changed {
    std::size_t count = 0;
    std::size_t end = 0;
  };
  [[nodiscard]] virtual Changed count_changed() = 0;
  [[nodiscard]] virtual std::vector<std::uint32_t> changed_columns() = 0;
  /// Whether the rule can have written a cell.
  [[nodiscard]] virtual bool sound(std::int64_t index) = 0;

  /// What a feature adds to the score of each class, or to the score.
  virtual void weigh(std::int64_t index, std::span<double> weights) = 0;
  [[nodiscard]] virtual double initial_weight() const { return 0.0; }

  /// What was learned besides the cells.
  [[nodiscard]] virtual std::vector<double> state() const = 0;
  /// Only for a new learner; `features` is how many features it will have.
  virtual void restore(std::span<const double> state, std::size_t features) = 0;

 protected:
  virtual Finding score_row(ResolvedRow x, std::span<double> scores) = 0;
  virtual Played play_row(ResolvedRow x, Label label, Label& predicted,
                          std::uint32_t times, double importance) = 0;
  virtual Finding add_row(ResolvedRow x, Label label) = 0;
  virtual Played play_rows(const Block& block, const Lesson<Label>& lesson,
                           std::size_t first, std::size_t last) = 0;
  virtual Played score_rows(const Block& block, std::span<double> scores,
                            std::size_t first, std::size_t last) = 0;

  Stamps met_;  // of rows whose columns are not in order

 private:
  /// Plays or scores rows whose columns must be looked up one by one.
  template <class OneRound>
  Played each_looked_up(const Block& block, std::size_t first, std::size_t last,
                        OneRound one_round) {
    std::vector<std::uint64_t> scratch;
    return std::visit(
        [&](const auto& rows) -> Played {
          for (std::size_t t = first; t < last; ++t) {
            const auto x = rows[t];
            const Finding found = rows.check(x, scratch);
            if (found.fault != Fault::none) return {t, 0, found};
            lookup.clear();
            for (std::size_t k = 0; k < x.size(); ++k) {
              look_up_column(static_cast<std::uint64_t>(x.index(k)), x.value(k));
            }
            const Finding refused = one_round(t);
            if (refused.fault != Fault::none) return {t, 0, refused};
          }
          return {last, 0, {}};
        },
        block);
  }

  void make_room() { reserve(lookup.direct, names.size() + lookup.fresh.size()); }
};

template <Rule R>
class Linear final : public LinearLearner<LabelOf<R>> {
 public:
  using Cell = CellOf<R>;
  using Label = LabelOf<R>;
  // With many classes, the rule keeps the numbers of a feature, one for each class.
  static constexpr bool many = std::same_as<Label, ClassId>;

  explicit Linear(R rule) : weights(rule.initial()), rule_(std::move(rule)) {}

  Weights<Cell> weights;

  [[nodiscard]] const R& rule() const noexcept { return rule_; }

  [[nodiscard]] double loss() const noexcept override {
    if constexpr (ChargedRule<R>) return rule_.lost;
    return 0.0;
  }
  [[nodiscard]] double last_loss() const noexcept override {
    if constexpr (ChargedRule<R>) return rule_.last;
    return 0.0;
  }
  [[nodiscard]] Label said(std::span<const double> scores) const override {
    if constexpr (many) {
      return says(ClassScores(scores));
    } else {
      return said_by(rule_, scores[0]);
    }
  }
  [[nodiscard]] std::size_t scores_a_row() const noexcept override {
    if constexpr (many) return rule_.known;
    return 1;
  }
  [[nodiscard]] bool quiet() const noexcept override { return HasMargin<R>; }
  void reserve(std::size_t columns, std::size_t named) override {
    weights.reserve(columns, named);
  }
  void limit_features(std::size_t most) noexcept override {
    if constexpr (requires { rule_.limit_features(most); }) rule_.limit_features(most);
  }
  [[nodiscard]] std::size_t columns() const noexcept override {
    return weights.columns();
  }
  [[nodiscard]] std::size_t numbers() const noexcept override {
    if constexpr (requires { rule_.numbers(); }) return rule_.numbers();
    return many ? scores_a_row() : numbers_in<Cell>;
  }
  void read(std::int64_t index, std::span<double> cell) override {
    copy_cell(index, cell.data());
  }
  void write(std::int64_t index, std::span<const double> cell) override {
    if constexpr (many) {
      rule_.set_weights(cell_at(index), cell);
    } else {
      std::memcpy(static_cast<void*>(&cell_at(index)), cell.data(), sizeof(Cell));
    }
  }
  void initial(std::span<double> cell) const override {
    if constexpr (many) {
      std::fill(cell.begin(), cell.end(), 0.0);
    } else {
      std::ranges::copy(numbers_of(weights.initial()), cell.begin());
    }
  }
  void read_columns(std::span<double> out) override {
    const std::size_t each = numbers();
    for (std::size_t at = 0, j = 0; at < out.size(); at += each, ++j) {
      copy_cell(static_cast<std::int64_t>(j), out.data() + at);
    }
  }
  void read_columns(std::span<const std::uint32_t> which,
                    std::span<double> out) override {
    const std::size_t each = numbers();
    for (std::size_t k = 0; k < which.size(); ++k) {
      copy_cell(which[k], out.data() + k * each);
    }
  }
  void read_names(std::span<double> out) override {
    const std::size_t each = numbers();
    for (std::size_t at = 0, slot = 0; at < out.size(); at += each, ++slot) {
      copy_cell(index_of_slot(slot), out.data() + at);
    }
  }
  [[nodiscard]] typename LinearLearner<Label>::Changed count_changed() override {
    typename LinearLearner<Label>::Changed found;
    each_changed([&](std::size_t j) {
      ++found.count;
      found.end = j + 1;
    });
    return found;
  }
  [[nodiscard]] std::vector<std::uint32_t> changed_columns() override {
    std::vector<std::uint32_t> changed;
    each_changed(
        [&](std::size_t j) { changed.push_back(static_cast<std::uint32_t>(j)); });
    return changed;
  }
  [[nodiscard]] bool sound(std::int64_t index) override {
    if constexpr (requires(Cell cell) { rule_.sound(cell); }) {
      return rule_.sound(cell_at(index));
    } else {
      return true;
    }
  }
  void weigh(std::int64_t index, std::span<double> out) override {
    if constexpr (requires { rule_.weigh(cell_at(index), out); }) {
      rule_.weigh(cell_at(index), out);
    } else if constexpr (many) {
      read(index, out);
    } else {
      out[0] = rule_.weight(cell_at(index));
    }
  }
  [[nodiscard]] double initial_weight() const override {
    if constexpr (many)
      return 0.0;
    else
      return rule_.weight(weights.initial());
  }
  [[nodiscard]] std::vector<double> state() const override { return rule_.state(); }
  void restore(std::span<const double> state, std::size_t features) override {
    if constexpr (requires { rule_.restore(state, features); }) {
      rule_.restore(state, features);
    } else {
      rule_.restore(state);
    }
  }

 protected:
  Finding score_row(ResolvedRow x, std::span<double> scores) override {
    ScoreOf<R> score{};
    const Finding found = scored(x, score);
    if (found.fault == Fault::none) note(scores, score);
    return found;
  }

  Played play_row(ResolvedRow x, Label label, Label& predicted, std::uint32_t times,
                  [[maybe_unused]] double importance) override {
    if constexpr (many) rule_.make_room_for(static_cast<std::size_t>(label) + 1);
    ScoreOf<R> score{};
    Finding found = scored(x, score);
    if (found.fault != Fault::none) return {.finding = found};
    if constexpr (ChargedRule<R>) rule_.importance = importance;
    found = objection_of(rule_, weights.view(), x, score, label);
    if constexpr (ChargedRule<R>) rule_.importance = 1.0;
    if (found.fault != Fault::none) return {.finding = found};
    predicted = said_by(rule_, score);
    return {1, learn_again(rule_, weights.view(), x, score, label, times), {}};
  }

  Finding add_row(ResolvedRow x, Label label) override {
    if constexpr (Additive<R>) {
      double score = 0.0;
      const Finding found = scored(x, score);
      if (found.fault != Fault::none) return found;
      rule_.learn(weights.view(), x, label ? -1.0 : 1.0, label);
      return {};
    } else {
      throw std::logic_error("this rule does not add examples");
    }
  }

  Played play_rows(const Block& block, const Lesson<Label>& lesson, std::size_t first,
                   std::size_t last) override {
    if constexpr (many) {
      for (std::size_t t = first; t < last; ++t) {
        rule_.make_room_for(static_cast<std::size_t>(lesson.labels[t]) + 1);
      }
    }
    return std::visit(
        [&](const auto& rows) {
          return littlestone::play(rule_, weights.view(), rows, lesson, this->met_,
                                   first, last);
        },
        block);
  }

  Played score_rows(const Block& block, std::span<double> scores, std::size_t first,
                    std::size_t last) override {
    return std::visit(
        [&](const auto& rows) {
          return littlestone::score(rule_, weights.view(), rows, scores, this->met_,
                                    first, last);
        },
        block);
  }

 private:
  [[nodiscard]] Cell& cell_at(std::int64_t index) noexcept {
    return weights.view()[index];
  }

  [[nodiscard]] bool has_changed(const Cell& cell) const noexcept {
    if constexpr (many) {
      return rule_.has_changed(cell);
    } else {
      return std::memcmp(&cell, &weights.initial(), sizeof(Cell)) != 0;
    }
  }

  template <class Take>
  void each_changed(Take take) {
    const std::size_t count = columns();
    for (std::size_t j = 0; j < count; ++j) {
      if (has_changed(cell_at(static_cast<std::int64_t>(j)))) take(j);
    }
  }

  /// Copies the numbers of a feature.
  void copy_cell(std::int64_t index, double* out) noexcept {
    if constexpr (requires { rule_.copy(cell_at(index), out); }) {
      rule_.copy(cell_at(index), out);
    } else if constexpr (many) {
      std::ranges::copy(rule_.weights_of(cell_at(index)), out);
    } else {
      std::memcpy(out, &cell_at(index), sizeof(Cell));
    }
  }

  [[nodiscard]] Finding scored(ResolvedRow x, ScoreOf<R>& score) {
    const View<Cell> w = weights.view();
    const Finding found = fault_of(rule_, w, x);
    if (found.fault != Fault::none) return found;
    score = std::as_const(rule_).score(w, x);
    return is_finite(score) ? Finding{} : why_not_finite(x);
  }

  R rule_;
};

}  // namespace littlestone
