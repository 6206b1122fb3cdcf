// Finds a linear witness with a large margin, which makes a bound small.
//
// With v = u/gamma, the bounds of linear learners are sums of |v|^2 and the losses of
// examples with y v.x < 1: the hinge loss, its square, or no loss allowed. The minimum
// is found by dual coordinate descent: Hsieh, Chang, Lin, Keerthi and Sundararajan
// (2008), A dual coordinate descent method for large-scale linear SVM. The duality gap
// says how close it is. Its correctness is not critical, because any vector is a valid
// witness.
#pragma once

#include <algorithm>  // std::copy, std::fill, std::min, std::max, std::sort, std::swap
#include <cmath>      // std::abs, std::isfinite, std::nextafter, std::sqrt
#include <cstddef>
#include <cstdint>
#include <functional>  // std::greater
#include <limits>
#include <numeric>  // std::iota
#include <span>
#include <tuple>    // std::tie
#include <utility>  // std::pair
#include <vector>

#include "littlestone/math/random.hpp"
#include "littlestone/read_once.hpp"

namespace littlestone {

/// Examples with labels -1 and +1, as compressed sparse rows over `width` columns.
/// Offsets and columns were checked, but may change, so they are clamped.
struct Signed {
  std::span<const std::int64_t> offsets;
  std::span<const std::int32_t> columns;
  std::span<const double> values;
  std::span<const double> signs;
  std::size_t width = 0;

  /// Where the entries of a row are.
  struct Range {
    std::size_t first;
    std::size_t last;
  };

  [[nodiscard]] std::size_t size() const noexcept { return signs.size(); }
  [[nodiscard]] Range entries(std::size_t row) const noexcept {
    return {offset(row), offset(row + 1)};
  }
  [[nodiscard]] std::size_t column(std::size_t at) const noexcept {
    return std::min(static_cast<std::size_t>(read_once(columns[at])), width - 1);
  }

  /// y x.v
  [[nodiscard]] double margin(std::size_t row, const double* v) const noexcept {
    double sum = 0.0;
    const auto [first, last] = entries(row);
    for (std::size_t k = first; k < last; ++k) sum += v[column(k)] * values[k];
    return signs[row] * sum;
  }
  void add(std::size_t row, double step, double* v) const noexcept {
    const auto [first, last] = entries(row);
    for (std::size_t k = first; k < last; ++k) {
      v[column(k)] += signs[row] * step * values[k];
    }
  }
  [[nodiscard]] double square(std::size_t row) const noexcept {
    double sum = 0.0;
    const auto [first, last] = entries(row);
    for (std::size_t k = first; k < last; ++k) sum += values[k] * values[k];
    return sum;
  }
  [[nodiscard]] std::size_t cost(std::size_t row) const noexcept {
    const auto [first, last] = entries(row);
    return last > first ? last - first : 0;
  }

 private:
  // A negative number becomes huge.
  [[nodiscard]] std::size_t offset(std::size_t at) const noexcept {
    return std::min(static_cast<std::size_t>(read_once(offsets[at])), values.size());
  }
};

/// The same if only inner products are known: v is the list of the scores y v.x of all
/// rows, and adding an example to v adds its row of the matrix.
struct SignedGram {
  std::span<const double> products;  // rows x rows
  std::span<const double> signs;

  [[nodiscard]] std::size_t size() const noexcept { return signs.size(); }
  [[nodiscard]] double margin(std::size_t row, const double* v) const noexcept {
    return signs[row] * v[row];
  }
  void add(std::size_t row, double step, double* v) const noexcept {
    const double* const line = products.data() + row * size();
    for (std::size_t j = 0; j < size(); ++j) v[j] += signs[row] * step * line[j];
  }
  [[nodiscard]] double square(std::size_t row) const noexcept {
    return products[row * size() + row];
  }
  [[nodiscard]] std::size_t cost(std::size_t /*row*/) const noexcept { return size(); }
};

/// The price of a margin below 1. `cap` alone: cap times the hinge loss. `ridge` alone:
/// 1/(2 ridge) times its square. Neither: not allowed.
struct Price {
  double cap = std::numeric_limits<double>::infinity();
  double ridge = 0.0;

  [[nodiscard]] bool hard() const noexcept {
    return ridge == 0.0 && !std::isfinite(cap);
  }
  [[nodiscard]] double operator()(double shortfall) const noexcept {
    return ridge > 0.0 ? shortfall * shortfall / (2.0 * ridge) : cap * shortfall;
  }
};

/// What differs from row to row, if anything does: the cap of its loss, and the level
/// that its margin should reach in place of 1.
struct Levels {
  std::span<const double> caps = {};
  std::span<const double> levels = {};

  [[nodiscard]] double cap(std::size_t row, const Price& price) const noexcept {
    return caps.empty() ? price.cap : caps[row];
  }
  [[nodiscard]] double level(std::size_t row) const noexcept {
    return levels.empty() ? 1.0 : levels[row];
  }
};

/// When to stop: close enough, after `work` multiplications, or once no margin can
/// reach `least` if none was found, or `useful` whatever was found.
struct Effort {
  double tolerance = 0.005;
  double work = 1e8;
  double least = 0.0;
  std::uint64_t seed = 0;
  double useful = 0.0;
};

/// What was found. With a price, the least sum |v|^2/2 + losses lies in [below, above].
/// Without, the largest margin min y v.x/|v| does, and `below` is that of the vector;
/// 0 if it does not separate.
struct Found {
  double below = 0.0;
  double above = std::numeric_limits<double>::infinity();
  std::size_t passes = 0;
  bool close = false;
};

template <class Examples>
class Descent {
 public:
  Descent(Examples examples, Price price, std::span<double> duals, std::span<double> v,
          Levels each = {})
      : examples_(examples), price_(price), each_(each), duals_(duals), v_(v) {
    squares_.reserve(examples_.size());
    for (std::size_t row = 0; row < examples_.size(); ++row) {
      squares_.push_back(examples_.square(row) + price_.ridge);
    }
    wake_all();
  }

  /// Descends until close enough. Vector and duals are the best ones checked.
  Found run(Effort effort) {
    SplitMix draw{effort.seed};
    Found found;
    Found best;
    std::vector<double> kept(v_.begin(), v_.end());
    std::vector<double> kept_duals(duals_.begin(), duals_.end());
    std::size_t next = 2;
    double spent = 0.0;
    bool first = true;
    while (true) {
      if (found.passes == next || spent >= effort.work) {
        const Found now = check(found.passes, effort.tolerance);
        spent += work_;
        if (first || better(now, best)) {
          best = now;
          std::copy(v_.begin(), v_.end(), kept.begin());
          std::copy(duals_.begin(), duals_.end(), kept_duals.begin());
        }
        first = false;
        best.close |= now.close;
        best.above = std::min(best.above, now.above);
        best.passes = found.passes;
        // If nothing separates the examples, the duals grow without limit, and the
        // upper bound on the margin goes to 0.
        const bool hopeless =
            price_.hard() &&
            best.above < (best.below == 0.0 ? std::max(effort.least, effort.useful)
                                            : effort.useful);
        if (now.close || hopeless || spent >= effort.work) break;
        next += 1 + next / 2;
      }
      spent += pass(draw);
      ++found.passes;
    }
    std::copy(kept.begin(), kept.end(), v_.begin());
    std::copy(kept_duals.begin(), kept_duals.end(), duals_.begin());
    return best;
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  void wake_all() {
    awake_.resize(examples_.size());
    std::iota(awake_.begin(), awake_.end(), std::size_t{0});
    highest_ = infinity;
    lowest_ = -infinity;
  }

  /// One step for each active row, in random order. A row whose dual is at an end of
  /// its range, and would clearly stay there, is inactive until the next check.
  double pass(SplitMix& draw) {
    double work = 0.0;
    double highest = -infinity;
    double lowest = infinity;
    std::size_t i = 0;
    while (i < awake_.size()) {
      std::swap(awake_[i], awake_[i + draw.below(awake_.size() - i)]);
      const std::size_t row = awake_[i];
      const double square = squares_[row];
      const double cap = each_.cap(row, price_);
      double& dual = duals_[row];
      work += static_cast<double>(examples_.cost(row));
      const double slope =
          examples_.margin(row, v_.data()) - each_.level(row) + price_.ridge * dual;
      const bool sleeps =
          (dual == 0.0 && slope > highest_) || (dual == cap && slope < lowest_);
      if (!(square > 0.0)) dual = std::isfinite(cap) && slope < 0.0 ? cap : 0.0;
      if (sleeps || !(square > 0.0)) {  // a zero row never changes
        awake_[i] = awake_.back();
        awake_.pop_back();
        continue;
      }
      ++i;
      double pull = slope;
      if (dual == 0.0) pull = std::min(slope, 0.0);
      if (dual == cap) pull = std::max(slope, 0.0);
      highest = std::max(highest, pull);
      lowest = std::min(lowest, pull);
      if (pull == 0.0) continue;
      const double before = dual;
      dual = std::min(std::max(dual - slope / square, 0.0), cap);
      if (dual == before) continue;
      work += static_cast<double>(examples_.cost(row));
      examples_.add(row, dual - before, v_.data());
    }
    highest_ = highest > 0.0 ? highest : infinity;
    lowest_ = lowest < 0.0 ? lowest : -infinity;
    return work + 1.0;
  }

  /// How close it is, over all rows, which then become active again.
  Found check(std::size_t passes, double tolerance) {
    work_ = 1.0;
    double least = infinity;
    double losses = 0.0;
    double duals = 0.0;
    double dual_squares = 0.0;
    double length = 0.0;  // |v|^2 = sum of duals times margins
    for (std::size_t row = 0; row < examples_.size(); ++row) {
      const double margin = examples_.margin(row, v_.data());
      work_ += static_cast<double>(examples_.cost(row));
      const double level = each_.level(row);
      least = std::min(least, margin);
      if (margin < level && !price_.hard()) {
        losses += Price{each_.cap(row, price_), price_.ridge}(level - margin);
      }
      duals += duals_[row] * level;
      dual_squares += duals_[row] * duals_[row];
      length += duals_[row] * margin;
    }
    wake_all();
    Found found;
    found.passes = passes;
    if (price_.hard()) {
      const double size = std::sqrt(std::max(length, 0.0));
      found.below = size > 0.0 ? std::max(least / size, 0.0) : 0.0;
      found.above = duals > 0.0 ? size / duals : infinity;
      found.close = found.below > 0.0 && found.below >= (1.0 - tolerance) * found.above;
    } else {
      found.above = 0.5 * length + losses;
      found.below = duals - 0.5 * length - 0.5 * price_.ridge * dual_squares;
      found.close = found.above - found.below <= tolerance * found.above;
    }
    return found;
  }

  [[nodiscard]] bool better(const Found& now, const Found& best) const noexcept {
    return price_.hard() ? now.below > best.below : now.above < best.above;
  }

  Examples examples_;
  Price price_;
  Levels each_;
  std::span<double> duals_;
  std::span<double> v_;
  std::vector<double> squares_;
  std::vector<std::size_t> awake_;
  double highest_ = infinity;
  double lowest_ = -infinity;
  double work_ = 0.0;
};

/// The scale g > 0 that minimizes R^2 g^2 + 2 sum of max(0, 1 - g m), or with squares
/// R^2 g^2 + sum of max(0, 1 - g m)^2; 0 if no g > 0 is better. Both are convex, and
/// quadratic between the points 1/m: sort, then solve piece by piece.
inline double best_scale(std::span<const double> margins, double radius, bool squares) {
  double sum = 0.0;
  double sum_of_squares = 0.0;
  std::vector<double> ends;
  ends.reserve(margins.size());
  for (const double m : margins) {
    sum += m;
    sum_of_squares += m * m;
    if (m > 0.0) ends.push_back(m);
  }
  std::sort(ends.begin(), ends.end(), std::greater<>());
  double scale = 0.0;
  for (std::size_t i = 0; i <= ends.size(); ++i) {
    // Between the last point and this one, the i largest margins are reached.
    const double curve = radius * radius + (squares ? sum_of_squares : 0.0);
    const double end =
        i < ends.size() ? 1.0 / ends[i] : std::numeric_limits<double>::infinity();
    const double least = curve > 0.0 ? sum / curve : end;
    if (least <= scale) return scale;
    if (least <= end) return least;
    if (i == ends.size()) return scale;
    scale = end;
    sum -= ends[i];
    sum_of_squares = std::max(sum_of_squares - ends[i] * ends[i], 0.0);
  }
  return scale;
}

/// A sum of products, with a bound on its rounding error; 0 if every operation was
/// exact.
class Watched {
 public:
  void add(double a, double b) noexcept {
    const double product = a * b;
    if (product == 0.0 && (a == 0.0 || b == 0.0)) return;
    // Far from overflow and underflow, the rounding error of a product is a double:
    // Dekker.
    if (std::abs(product) > 0x1p-900 && std::abs(a) < 0x1p500 &&
        std::abs(b) < 0x1p500) {
      const auto [a_high, a_low] = split(a);
      const auto [b_high, b_low] = split(b);
      error_ +=
          std::abs(((a_high * b_high - product) + a_high * b_low + a_low * b_high) +
                   a_low * b_low);
    } else {
      error_ += std::abs(product) * 0x1p-52 + std::numeric_limits<double>::denorm_min();
    }
    // The rounding error of a sum: Knuth.
    const double total = sum_ + product;
    const double other = total - sum_;
    error_ += std::abs((sum_ - (total - other)) + (product - other));
    sum_ = total;
    ++terms_;
  }

  /// Lower and upper bounds on the exact sum.
  [[nodiscard]] std::pair<double, double> bounds() const noexcept {
    if (error_ == 0.0 && std::isfinite(sum_)) return {sum_, sum_};
    // Adding the errors rounds as well, by far less than this.
    const double error = error_ * (1.0 + 4.0 * static_cast<double>(terms_) * 0x1p-52);
    const double low = std::nextafter(sum_ - error, -infinity);
    const double high = std::nextafter(sum_ + error, infinity);
    if (!std::isfinite(low) || !std::isfinite(high)) return {-infinity, infinity};
    return {low, high};
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  [[nodiscard]] static std::pair<double, double> split(double a) noexcept {
    const double scaled = a * 0x1.0000002p27;  // 2^27 + 1
    const double high = scaled - (scaled - a);
    return {high, a - high};
  }

  double sum_ = 0.0;
  double error_ = 0.0;
  std::size_t terms_ = 0;
};

/// Lower and upper bounds on the exact x.v of each row.
inline void scores(const Signed& examples, std::span<const double> v,
                   std::span<double> low, std::span<double> high) noexcept {
  for (std::size_t row = 0; row < examples.size(); ++row) {
    Watched sum;
    const auto [first, last] = examples.entries(row);
    for (std::size_t k = first; k < last; ++k) {
      sum.add(examples.values[k], v[examples.column(k)]);
    }
    std::tie(low[row], high[row]) = sum.bounds();
  }
}

/// Upper bounds on the exact x.x of each row.
inline void squares(const Signed& examples, std::span<double> high) noexcept {
  for (std::size_t row = 0; row < examples.size(); ++row) {
    Watched sum;
    const auto [first, last] = examples.entries(row);
    for (std::size_t k = first; k < last; ++k) {
      sum.add(examples.values[k], examples.values[k]);
    }
    high[row] = sum.bounds().second;
  }
}

/// Rows divided by their lengths, as the normalizing Perceptron does it: squares are
/// added in the order given, and a zero row is not changed.
inline void scale_rows(const Signed& examples, std::span<double> scaled) noexcept {
  for (std::size_t row = 0; row < examples.size(); ++row) {
    const double square = examples.square(row);
    const double length = square > 0.0 ? std::sqrt(square) : 1.0;
    const auto [first, last] = examples.entries(row);
    for (std::size_t k = first; k < last; ++k) {
      scaled[k] = examples.values[k] / length;
    }
  }
}

/// What a passive-aggressive learner whose losses have this price does on these rows:
/// the size of each step, and how much closer it came to all that lose nothing there.
/// The steps add up to v.
inline void replay_steps(const Signed& rows, Price price, std::span<double> steps,
                         std::span<double> gains, std::span<double> v) {
  std::fill(v.begin(), v.end(), 0.0);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const double square = rows.square(row);
    const double loss = std::max(0.0, 1.0 - rows.margin(row, v.data()));
    const double step = std::min(price.cap, loss / (square + price.ridge));
    rows.add(row, step, v.data());
    steps[row] = step;
    gains[row] = 2.0 * step * loss - step * step * square;
  }
}

/// What the replay of a learner leaves, for each column: its mean, and the sums of x^2
/// times the mean, and times its square, after each row that has the column.
struct Travelled {
  std::span<double> means;
  std::span<double> ones;
  std::span<double> twos;
};

/// The same for AROW in diagonal form, with the parameter r.
inline void replay_means(const Signed& rows, double r, Travelled to,
                         std::span<double> steps, std::span<double> gains) {
  std::vector<double> variances(rows.width, 1.0);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto [first, last] = rows.entries(row);
    double spread = 0.0;
    for (std::size_t k = first; k < last; ++k) {
      spread += variances[rows.column(k)] * rows.values[k] * rows.values[k];
    }
    const double loss = 1.0 - rows.margin(row, to.means.data());
    const double step = loss / (spread + r);
    for (std::size_t k = first; k < last; ++k) {
      const std::size_t at = rows.column(k);
      const double x = rows.values[k];
      const double pull = variances[at] * x;
      const double mean = to.means[at] += rows.signs[row] * step * pull;
      variances[at] *= r / (r + pull * x);
      to.ones[at] += x * x * mean;
      to.twos[at] += x * x * mean * mean;
    }
    steps[row] = std::max(step, 0.0);
    gains[row] = 2.0 * step * loss - step * step * spread;
  }
}

}  // namespace littlestone
