// What a fixed vector loses on a stream, added up round by round: no rounding makes it
// less.
#pragma once

#include <algorithm>  // std::clamp, std::max, std::min
#include <array>
#include <bit>    // std::bit_ceil
#include <cmath>  // std::abs, std::isnan, std::sqrt
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>  // std::invalid_argument
#include <string_view>
#include <tuple>        // std::tie
#include <type_traits>  // std::is_same_v
#include <utility>      // std::move
#include <vector>

#include "littlestone/features.hpp"  // direct_columns
#include "littlestone/kept.hpp"      // place_of
#include "littlestone/names.hpp"
#include "littlestone/read_once.hpp"
#include "littlestone/rows.hpp"  // ParsedBlock

namespace littlestone {

/// What a round may do to the potential of a passive-aggressive learner, whatever its
/// loss was: a mistake, with a loss of at least 1, lowers it by a gain at least, and a
/// smaller loss raises it at most by a raise.
struct Steps {
  double cap = std::numeric_limits<double>::infinity();  // of a step
  double ridge = 0.0;  // added to the squared length by which a loss is divided

  struct Turn {
    double gain = 0.0;
    double raise = 0.0;
  };

  /// `shortfall` is 1 - y v.x, and `square` is |x|^2.
  [[nodiscard]] Turn turn(double shortfall, double square) const noexcept {
    if (!(square > 0.0)) return {};
    if (ridge > 0.0) {
      const double whole = square + ridge;
      const double bend = (2.0 * whole - square) / (whole * whole);
      const double slope = shortfall / whole;
      const double low = std::clamp(slope / bend, 0.0, 1.0);
      const double high = std::max(slope / bend, 1.0);
      return {bend * high * high - 2.0 * slope * high,
              2.0 * slope * low - bend * low * low};
    }
    const double low = std::min(std::clamp(shortfall, 0.0, 1.0), cap * square);
    const double high = std::max(std::min(shortfall, cap * square), 1.0);
    const double step = std::min(cap, high / square);
    return {step * (2.0 * high - step * square - 2.0 * shortfall),
            (2.0 * low * shortfall - low * low) / square};
  }
};

/// The losses of a vector, by several measures at once. Each is a sum over the rounds:
/// of max(0, level - y v.x), with one level for yes and one for no; or, with steps, of
/// what a round may cost in units of a mistake, if that is the price of the potential.
class Losses {
 public:
  struct Vector {
    double constant = 0.0;  // the value of the constant feature, 0 if there is none
    double at_constant = 0.0;
    bool normalize = false;  // whether rows are divided by their lengths
  };
  struct Measure {
    double yes = 0.0;  // the level, or the price
    double no = 0.0;
    double sum = 0.0;
  };

  /// What else it is to know: which features are not 0 in some row, and how small
  /// their values are.
  struct Asked {
    bool features = false;
    bool sizes = false;
  };

  Losses(Vector v, std::vector<Measure> measures, Asked asked)
      : v_(v),
        measures_(std::move(measures)),
        counts_(asked.features),
        measures_sizes_(asked.sizes),
        length_(v.at_constant * v.at_constant) {}

  /// From now on a level is a price.
  void set_steps(Steps steps) noexcept { steps_ = steps; }
  void set_column(std::uint64_t column, double weight) {
    if (weight == 0.0 && !counts_) return;
    if (column >= direct_columns) {
      const ColumnKey key = column_key(column);
      set_name({key.data(), key.size()}, weight);
      return;
    }
    if (column >= by_column_.size()) {
      make_room(std::min<std::size_t>(
          std::max<std::size_t>(column + 1, 2 * by_column_.size()), direct_columns));
    }
    met_ += std::isnan(by_column_[column]) ? 1 : 0;
    by_column_[column] = weight;
    length_ += weight * weight;
  }
  void set_name(std::string_view name, double weight) {
    if (weight == 0.0 && !counts_) return;
    const std::size_t slot = names_.enter(name);
    if (slot == by_slot_.size()) {
      by_slot_.push_back(0.0);
      ++met_;
    }
    by_slot_[slot] = weight;
    length_ += weight * weight;
  }

  /// Calls one of two functions with each feature: its column number, or its name.
  template <class Column, class Name>
  void each_feature(Column take_column, Name take_name) const {
    for (std::size_t column = 0; column < by_column_.size(); ++column) {
      if (!std::isnan(by_column_[column])) take_column(std::uint64_t{column});
    }
    for (std::size_t slot = 0; slot < names_.size(); ++slot) {
      const std::string_view key = names_[slot];
      if (is_column_key(key)) {
        take_column(column_of(key));
      } else {
        take_name(key);
      }
    }
  }
  /// How many there are, if it counts.
  [[nodiscard]] std::size_t met() const noexcept { return met_; }

  /// The weight of a feature that was not looked up yet.
  static constexpr double not_met = std::numeric_limits<double>::quiet_NaN();

  /// The features of a block: their names, and their weights as far as they were looked
  /// up. Without names, features are columns.
  struct Known {
    std::vector<std::string_view> names;
    std::vector<double> weights = std::vector<double>(names.size(), not_met);
  };

  /// Adds the rows of [first, last).
  template <class B>
  void add(const B& rows, Known& features, std::span<const bool> labels,
           std::size_t first, std::size_t last) {
    // Where a weight is not known at once it is not a number, and nor is the score:
    // then the row is looked up again, which keeps calls out of the loop.
    if (auto& [names, weights] = features; !names.empty()) {
      const auto known = [&](const auto& x, std::size_t k) {
        return weights[place_of(x, k)];
      };
      const auto ask = [&](const auto& x, std::size_t k) {
        double& weight = weights[place_of(x, k)];
        if (std::isnan(weight) && x.value(k) != 0.0)
          weight = meet(names[place_of(x, k)]);
        return x.value(k) != 0.0 ? weight : 0.0;
      };
      add_rows(rows, labels, first, last, known, ask);
      return;
    }
    const auto column = [](const auto& x, std::size_t k) {
      return static_cast<std::uint64_t>(x.index(k));
    };
    if (const std::uint64_t width = width_of(rows); width <= direct_columns) {
      // As for the weights of learners, there is room up to a power of two, so that
      // columns that change meanwhile stay inside; those of our own parser do not.
      constexpr bool steady = std::is_same_v<B, ParsedBlock>;
      const std::uint64_t mask = std::bit_ceil(width) - 1;
      make_room(mask + 1);
      const auto inside = [=](const auto& x, std::size_t k) {
        return steady ? column(x, k) : column(x, k) & mask;
      };
      add_rows(
          rows, labels, first, last,
          [=, weights = by_column_.data()](const auto& x, std::size_t k) {
            return weights[inside(x, k)];
          },
          [=, this](const auto& x, std::size_t k) {
            return meet(inside(x, k), x.value(k));
          });
      return;
    }
    const auto ask = [=, this](const auto& x, std::size_t k) {
      return meet(column(x, k), x.value(k));
    };
    add_rows(
        rows, labels, first, last, [](const auto&, std::size_t) { return not_met; },
        ask);
  }

  [[nodiscard]] std::span<const Measure> measures() const noexcept { return measures_; }
  /// At least the largest squared length of a row.
  [[nodiscard]] double largest() const noexcept { return largest_; }
  /// The smallest size of a value that is not 0, or infinity.
  [[nodiscard]] double smallest() const noexcept { return smallest_; }
  /// Continues from what was saved.
  void restore(std::span<const double> sums, double largest, double smallest) {
    if (sums.size() != measures_.size()) throw std::invalid_argument("sums");
    for (std::size_t j = 0; j < sums.size(); ++j) measures_[j].sum = sums[j];
    largest_ = largest;
    smallest_ = smallest;
  }

 private:
  using Pair [[gnu::vector_size(16)]] = double;

  static constexpr std::size_t most = 256;  // rows at a time
  static constexpr std::size_t lanes = 4;   // sums that do not wait for each other
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
  static constexpr double tiny = std::numeric_limits<double>::min();

  void make_room(std::size_t columns) {
    if (columns > by_column_.size())
      by_column_.resize(columns, counts_ ? not_met : 0.0);
  }

  /// How many columns a block declares.
  template <class B>
  [[nodiscard]] static std::uint64_t width_of(const B& rows) noexcept {
    if constexpr (requires { rows.width; }) return rows.width;
    return 0;
  }

  /// The weight of a feature, which is met now unless its value is 0.
  [[nodiscard]] double meet(std::uint64_t column, double value) {
    if (value == 0.0) return 0.0;
    if (column >= direct_columns) {
      const ColumnKey key = column_key(column);
      return meet({key.data(), key.size()});
    }
    const bool there = column < by_column_.size();
    if (there && !std::isnan(by_column_[column])) return by_column_[column];
    if (counts_) set_column(column, 0.0);
    return 0.0;
  }
  [[nodiscard]] double meet(std::string_view name) {
    const std::size_t slot = names_.find(name);
    if (slot != Names::absent) return by_slot_[slot];
    if (counts_) set_name(name, 0.0);
    return 0.0;
  }

  /// At most y v.x, and at least |x|^2.
  template <class Row, class Known, class Ask>
  [[nodiscard, gnu::always_inline]] std::pair<double, double> margin_and_square(
      const Row& x, bool yes, Known known, Ask ask) {
    const std::size_t n = x.size();
    std::array<Pair, 2> scores{};
    std::array<Pair, 2> sums{};
    std::size_t k = 0;
    for (; k + 4 <= n; k += 4) {
      for (std::size_t j = 0; j < 2; ++j) {
        const std::size_t at = k + 2 * j;
        const Pair values{x.value(at), x.value(at + 1)};
        scores[j] += Pair{known(x, at), known(x, at + 1)} * values;
        sums[j] += values * values;
      }
    }
    for (; k < n; ++k) {
      scores[0][0] += known(x, k) * x.value(k);
      sums[0][0] += x.value(k) * x.value(k);
    }
    const Pair both = scores[0] + scores[1];
    double score = both[0] + both[1];
    if (std::isnan(score)) [[unlikely]]
      score = asked(x, yes, ask);
    const Pair squares = sums[0] + sums[1];
    double square = squares[0] + squares[1];
    if (measures_sizes_) note_smallest(x);
    if (v_.normalize && square > 0.0) {
      score /= std::sqrt(square);
      square = 1.0;
    }
    score += v_.at_constant * v_.constant;
    square += v_.constant * v_.constant;
    // More than twice what n products, their sums and the steps here can round, as no
    // sum of the sizes of these terms exceeds |v||x|.
    const double more = (static_cast<double>(n) + 16.0) * epsilon;
    square *= 1.0 + more;
    const double error = (length_ + square) * more + static_cast<double>(n + 1) * tiny;
    return {std::array{-1.0, 1.0}[yes] * score - error, square};
  }

  template <class Row, class Ask>
  [[nodiscard, gnu::noinline]] double asked(const Row& x, bool yes, Ask ask) {
    double score = 0.0;
    for (std::size_t k = 0; k < x.size(); ++k) score += ask(x, k) * x.value(k);
    if (!std::isnan(score)) return score;
    return yes ? -infinity : infinity;  // beyond all numbers
  }

  template <class Row>
  [[gnu::always_inline]] void note_smallest(const Row& x) noexcept {
    unsigned smaller = 0;  // which is rare
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double size = std::abs(x.value(k));
      smaller |=
          static_cast<unsigned>(size < smallest_) & static_cast<unsigned>(size > 0.0);
    }
    for (std::size_t k = 0; smaller != 0 && k < x.size(); ++k) {
      const double size = std::abs(x.value(k));
      if (size > 0.0) smallest_ = std::min(smallest_, size);
    }
  }

  /// Some rows at a time, so that sums over rounds wait for nothing else.
  template <class B, class Known, class Ask>
  void add_rows(const B& rows, std::span<const bool> labels, std::size_t first,
                std::size_t last, Known known, Ask ask) {
    std::array<double, most> margins;
    std::array<double, most> squares;
    std::array<bool, most> yes;
    while (first < last) {
      const std::size_t count = std::min(last - first, margins.size());
      for (std::size_t t = 0; t < count; ++t) {
        yes[t] = read_once(labels[first + t]);
        std::tie(margins[t], squares[t]) =
            margin_and_square(rows[first + t], yes[t], known, ask);
      }
      for (std::size_t t = 0; t < count; ++t) largest_ = std::max(largest_, squares[t]);
      if (steps_) {
        std::array<Steps::Turn, most> turns;
        for (std::size_t t = 0; t < count; ++t) {
          turns[t] = steps_->turn(1.0 - margins[t], squares[t]);
        }
        add_up(count, yes, [&](std::size_t t, double price) {
          const auto [gain, raise] = turns[t];
          return std::max({0.0, 1.0 - price * gain, price * raise});
        });
      } else {
        add_up(count, yes, [&](std::size_t t, double level) {
          return std::max(0.0, level - margins[t]);
        });
      }
      first += count;
    }
  }

  /// Adds by some measures at a time, whose sums do not wait for each other.
  template <class Cost>
  void add_up(std::size_t count, const std::array<bool, most>& yes,
              Cost cost) noexcept {
    for (std::size_t from = 0; from < measures_.size(); from += lanes) {
      const std::size_t some = std::min(measures_.size() - from, lanes);
      std::array<std::array<double, lanes>, 2> levels{};
      std::array<double, lanes> sums{};
      for (std::size_t j = 0; j < some; ++j) {
        const Measure& each = measures_[from + j];
        levels[0][j] = each.no;
        levels[1][j] = each.yes;
        sums[j] = each.sum;
      }
      for (std::size_t t = 0; t < count; ++t) {
        const auto& level = levels[static_cast<std::size_t>(yes[t])];
        for (std::size_t j = 0; j < lanes; ++j) sums[j] += cost(t, level[j]);
      }
      for (std::size_t j = 0; j < some; ++j) measures_[from + j].sum = sums[j];
    }
  }

  Vector v_;
  std::vector<Measure> measures_;
  std::optional<Steps> steps_;
  std::vector<double> by_column_;
  std::vector<double> by_slot_;
  Names names_;
  bool counts_;
  bool measures_sizes_;
  double length_ = 0.0;  // the square of the length of the vector, or more
  std::size_t met_ = 0;
  double largest_ = 0.0;
  double smallest_ = infinity;
};

}  // namespace littlestone
