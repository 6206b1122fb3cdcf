// Learners of two labels, one for each of many classes, that play the same rows: each
// says yes to its class. A diagonal rule keeps what all classes have learned of a
// feature side by side, so that a row is read once for all of them; every number is the
// one that learners of their own would have.
#pragma once

#include <algorithm>  // std::copy_n, std::fill, std::fill_n, std::max
#include <array>
#include <bit>    // std::bit_cast
#include <cmath>  // std::abs, std::isfinite
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>  // std::move
#include <vector>

#include "littlestone/linear/arow.hpp"
#include "littlestone/linear/cells.hpp"
#include "littlestone/linear/class_blocks.hpp"
#include "littlestone/linear/learner.hpp"
#include "littlestone/linear/second_order.hpp"
#include "littlestone/math/wide.hpp"

namespace littlestone {

/// A learner of its own for each class.
class SeparateBlocks final : public ClassBlocks {
 public:
  using Make = std::function<std::unique_ptr<Learner>()>;

  explicit SeparateBlocks(Make make) : make_(std::move(make)), blank_(make_()) {}

  [[nodiscard]] std::size_t size() const noexcept override { return learners_.size(); }
  void add() override { learners_.push_back(make_()); }
  void clear() override { learners_.clear(); }

  [[nodiscard]] Finding score(const Row& x, std::size_t features,
                              std::span<double> scores) override {
    const Block block = block_of(x, features);
    double none = 0.0;
    Finding found = blank_->score(block, {&none, 1}, 0, 1).finding;
    for (std::size_t c = 0; c < size() && found.fault == Fault::none; ++c) {
      found = learners_[c]->score(block, scores.subspan(c, 1), 0, 1).finding;
    }
    return found;
  }

  std::uint64_t learn(const Row& x, std::size_t features, ClassId label,
                      std::uint32_t times) override {
    const Block block = block_of(x, features);
    std::uint64_t most = 0;
    for (std::size_t c = 0; c < size(); ++c) {
      const std::array<bool, 1> yes{static_cast<std::size_t>(label) == c};
      std::array<bool, 1> said{};
      const std::array<std::uint32_t, 1> repeats{times};
      const std::uint64_t before = learners_[c]->updates;
      learners_[c]->play(block, {yes, said, repeats}, 0, 1);
      most = std::max(most, learners_[c]->updates - before);
    }
    return most;
  }

  void weigh(std::size_t feature, std::span<double> weights) override {
    for (std::size_t c = 0; c < size(); ++c) {
      weights[c] = 0.0;
      if (feature >= learners_[c]->columns()) continue;
      learners_[c]->weigh(static_cast<std::int64_t>(feature), weights.subspan(c, 1));
    }
  }

  [[nodiscard]] Learner& block(std::size_t c) override { return *learners_[c]; }
  void take(std::unique_ptr<Learner> learner) override {
    learners_.push_back(std::move(learner));
  }
  [[nodiscard]] std::unique_ptr<Learner> newborn() const override { return make_(); }

  void limit_features(std::size_t most) override {
    make_ = [make = std::move(make_), most] {
      auto learner = make();
      learner->limit_features(most);
      return learner;
    };
    blank_->limit_features(most);
    for (const auto& learner : learners_) learner->limit_features(most);
  }

 private:
  [[nodiscard]] Block block_of(const Row& x, std::size_t features) {
    offsets_ = {0, x.size()};
    return ParsedBlock{offsets_, x.columns, x.values, features};
  }

  Make make_;
  std::unique_ptr<Learner>
      blank_;  // refuses what every class would, before there is one
  std::vector<std::unique_ptr<Learner>> learners_;
  std::array<std::uint64_t, 2> offsets_{};
};

/// Where the numbers of classes lie: `stride` first numbers of cells for each feature,
/// and then as many second ones.
struct ClassCells {
  const double* rows;
  std::size_t stride;

  [[nodiscard]] const double* operator[](std::size_t feature) const noexcept {
    return rows + feature * 2 * stride;
  }
  /// Asks for the numbers of a feature that comes soon.
  void fetch([[maybe_unused]] std::size_t feature) const noexcept {
#ifdef __GNUC__
    for (std::size_t c = 0; c < 2 * stride; c += 8) {
      __builtin_prefetch((*this)[feature] + c);
    }
#endif
  }
};

inline constexpr std::size_t classes_ahead = 12;  // features that are fetched early

/// The scores of a row and their variances.
LITTLESTONE_WIDE inline void add_classes(const DiagonalArow& /*rule*/, ClassCells cells,
                                         const ClassBlocks::Row& x,
                                         double* __restrict sums,
                                         double* __restrict spreads) noexcept {
  const std::size_t stride = cells.stride;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (k + classes_ahead < x.size()) cells.fetch(x.index(k + classes_ahead));
    const double value = x.value(k);
    const double square = value * value;
    const double* const __restrict means = cells[x.index(k)];
    const double* const __restrict variances = means + stride;
    for (std::size_t c = 0; c < stride; ++c) {
      sums[c] += means[c] * value;
      spreads[c] += square * variances[c];
    }
  }
}
LITTLESTONE_WIDE inline void add_classes(const DiagonalSecondOrderPerceptron& rule,
                                         ClassCells cells, const ClassBlocks::Row& x,
                                         double* __restrict sums,
                                         double* __restrict /*spreads*/) noexcept {
  const std::size_t stride = cells.stride;
  const double r = rule.r;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (k + classes_ahead < x.size()) cells.fetch(x.index(k + classes_ahead));
    const double value = x.value(k);
    const double square = value * value;
    const double* const __restrict first = cells[x.index(k)];
    const double* const __restrict squares = first + stride;
    for (std::size_t c = 0; c < stride; ++c) {
      sums[c] += first[c] * value / (r + squares[c] + square);
    }
  }
}

/// The learners of a diagonal rule, with the cells of all classes side by side.
template <class R>
class SideBySide final : public ClassBlocks {
 public:
  using Cell = typename R::Cell;
  static_assert(numbers_in<Cell> == 2);

  explicit SideBySide(R rule) : rule_(std::move(rule)) {}

  [[nodiscard]] std::size_t size() const noexcept override { return classes_.size(); }
  void add() override {
    classes_.push_back({{rule_.constant.value, R::initial()}});
    if (size() > stride_) {
      make_room(room_, stride_ + std::max<std::size_t>(4, stride_ / 8 * 4));
    }
    sums_.resize(stride_);
    spreads_.resize(stride_);
    fresh_ = true;
  }
  void clear() override {
    classes_.clear();
    cells_ = {};
    features_ = room_ = stride_ = 0;
  }

  [[nodiscard]] Finding score(const Row& x, std::size_t features,
                              std::span<double> scores) override {
    const Finding found = square_fault(x);
    if (found.fault != Fault::none) return found;
    reach(features);
    score_all(x);
    std::copy_n(sums_.begin(), size(), scores.begin());
    return is_finite(ClassScores(scores.first(size()))) ? Finding{} : why_not_finite(x);
  }

  std::uint64_t learn(const Row& x, std::size_t features, ClassId label,
                      std::uint32_t times) override {
    reach(features);
    if (fresh_) score_all(x);  // a class has come since
    std::uint64_t most = 0;
    active_.clear();
    for (std::size_t c = 0; c < size(); ++c) {
      active_.push_back({c});
      classes_[c].width = std::max<std::uint64_t>(classes_[c].width, features);
    }
    for (std::uint32_t done = 0; done < times; ++done) {
      if (done > 0) score_all(x);
      // What changed nothing once will change nothing again.
      std::erase_if(active_, [&](Active& each) {
        const bool yes = static_cast<std::size_t>(label) == each.c;
        each.step = 0.0;
        return !std::isfinite(sums_[each.c]) ||
               !rule_.moves(sums_[each.c], spreads_[each.c], yes, each.step);
      });
      if (active_.empty()) break;
      for (std::size_t k = 0; k < x.size(); ++k) move(x.index(k), x.value(k));
      for (const auto& [c, step] : active_) {
        auto& [value, cell] = classes_[c].constant;
        if (value != 0.0) rule_.move(cell, value, step);
        ++classes_[c].updates;
      }
      ++most;
    }
    return most;
  }

  void weigh(std::size_t feature, std::span<double> weights) override {
    for (std::size_t c = 0; c < size(); ++c)
      weights[c] = rule_.weight(cell(feature, c));
  }

  [[nodiscard]] Learner& block(std::size_t c) override {
    shown_ = newborn();
    shown_->reserve(features_, 0);
    for (std::size_t j = 0; j < features_; ++j) {
      shown_->write(static_cast<std::int64_t>(j), numbers_of(cell(j, c)));
    }
    shown_->restore(classes_[c].constant.state(), 0);
    shown_->updates = classes_[c].updates;
    shown_->width = classes_[c].width;
    return *shown_;
  }
  void take(std::unique_ptr<Learner> learner) override {
    add();
    const std::size_t c = size() - 1;
    reach(learner->columns());
    std::array<double, 2> numbers{};
    for (std::size_t j = 0; j < learner->columns(); ++j) {
      learner->read(static_cast<std::int64_t>(j), numbers);
      put(j, c, std::bit_cast<Cell>(numbers));
    }
    classes_[c].constant.restore(learner->state());
    classes_[c].updates = learner->updates;
    classes_[c].width = learner->width;
  }
  [[nodiscard]] std::unique_ptr<Learner> newborn() const override {
    return std::make_unique<Linear<R>>(rule_);
  }

 private:
  struct Class {
    Constant<Cell> constant;
    std::uint64_t updates = 0;
    std::uint64_t width = 0;
  };
  struct Active {  // a class that learns from the row
    std::size_t c;
    double step = 0.0;
  };

  [[nodiscard]] double* row(std::size_t feature) noexcept {
    return cells_.data() + feature * 2 * stride_;
  }
  [[nodiscard]] Cell cell(std::size_t feature, std::size_t c) noexcept {
    if (feature >= features_) return R::initial();
    return {row(feature)[c], row(feature)[stride_ + c]};
  }
  void put(std::size_t feature, std::size_t c, const Cell& cell) noexcept {
    const auto [first, second] = numbers_of(cell);
    row(feature)[c] = first;
    row(feature)[stride_ + c] = second;
  }

  /// Makes room for so many features and classes; all cells move.
  void make_room(std::size_t features, std::size_t stride) {
    Cells<double> wider(features * 2 * stride, 0.0);
    const auto [first, second] = numbers_of(R::initial());
    double* to = wider.data();
    for (std::size_t j = 0; j < features_; ++j) {
      const double* const from = row(j);
      std::fill(std::copy_n(from, stride_, to), to + stride, first);
      to += stride;
      std::fill(std::copy_n(from + stride_, stride_, to), to + stride, second);
      to += stride;
    }
    cells_ = std::move(wider);
    room_ = features;
    stride_ = stride;
  }
  /// Gives features that have come their first cells.
  void reach(std::size_t features) {
    if (features <= features_ || stride_ == 0) return;
    if (features > room_) make_room(std::max(features, room_ + room_ / 2), stride_);
    const auto [first, second] = numbers_of(R::initial());
    for (; features_ < features; ++features_) {
      double* const to = row(features_);
      std::fill_n(std::fill_n(to, stride_, first), stride_, second);
    }
  }

  void score_all(const Row& x) {
    fresh_ = false;
    std::ranges::fill(sums_, 0.0);
    std::ranges::fill(spreads_, 0.0);
    add_classes(rule_, {cells_.data(), stride_}, x, sums_.data(), spreads_.data());
    for (std::size_t c = 0; c < size(); ++c) {
      const auto& [value, cell] = classes_[c].constant;
      rule_.add(cell, value, sums_[c], spreads_[c]);
      if (std::abs(sums_[c]) < small_score) [[unlikely]]
        sums_[c] = cleared(x, c);
    }
  }
  /// The score of a class, or 0 if it is no more than rounding.
  [[nodiscard]] double cleared(const Row& x, std::size_t c) noexcept {
    if (sums_[c] == 0.0) return 0.0;
    return unless_rounding(sums_[c], [&](auto take) {
      for (std::size_t k = 0; k < x.size(); ++k) {
        take(rule_.share(cell(x.index(k), c), x.value(k)));
      }
      take(rule_.share(classes_[c].constant.cell, classes_[c].constant.value));
    });
  }

  void move(std::size_t feature, double value) noexcept {
    double* const first = row(feature);
    double* const second = first + stride_;
    for (const auto& [c, step] : active_) {
      Cell cell{first[c], second[c]};
      rule_.move(cell, value, step);
      first[c] = numbers_of(cell)[0];
      second[c] = numbers_of(cell)[1];
    }
  }

  R rule_;  // with the value of the constant feature; each class has its own cell
  std::vector<Class> classes_;
  Cells<double> cells_;
  std::size_t features_ = 0;  // that have cells
  std::size_t room_ = 0;      // for so many features
  std::size_t stride_ = 0;    // and classes
  std::vector<double> sums_;  // the scores of the row last scored
  std::vector<double> spreads_;
  bool fresh_ = false;  // whether a class has come since then
  std::vector<Active> active_;
  std::unique_ptr<Learner> shown_;
};

}  // namespace littlestone
