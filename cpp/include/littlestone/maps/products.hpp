// Products of two features: all of them, or those of chosen pairs.
//
// If all are multiplied, the product of the columns i <= j, counted from 1, is column
// j (j + 1) / 2 + i, and column j itself is that of i = 0, so that d columns become
// (d + 1) (d + 2) / 2. If some are, columns stay, and products follow 2^31. Features
// with names are joined by "*", in the order of their bytes, after columns.
#pragma once

#include <algorithm>  // std::max, std::min
#include <cmath>      // std::isfinite
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>  // std::move, std::pair, std::swap
#include <vector>

#include "littlestone/hashing.hpp"
#include "littlestone/maps/map.hpp"

namespace littlestone {

/// The features themselves and products of two, each a feature of its own.
class ProductMap : public Map {
 public:
  /// Whether columns keep their numbers.
  explicit ProductMap(bool stay) : stay_(stay) {}

  [[nodiscard]] const Numbering& made() const noexcept override { return made_; }
  [[nodiscard]] std::size_t held() const noexcept override {
    return met.size() + made_.size();
  }

 protected:
  using Number = Numbering::Number;
  static constexpr std::uint64_t largest_column = 0xFFFFFFFFU;

  void meet(Number feature) override { alone_.push_back(number_alone(feature)); }
  void drop() override {
    Map::drop();
    made_ = {};
    alone_ = {};
    products_ = {};
    rows_ = {};
  }

  /// Adds the features themselves.
  [[nodiscard]] Finding put_alone(Entries x, Mapped& to) {
    ++row_;
    for (const Entry& entry : x) {
      const Finding found =
          put_one(alone_[entry.feature], entry.value, entry.position, to);
      if (found.fault != Fault::none) return found;
    }
    return {};
  }
  [[nodiscard]] Finding put_product(const Entry& left, const Entry& right, Mapped& to) {
    const double value = left.value * right.value;
    if (!std::isfinite(value)) return {Fault::map_overflow, right.position};
    if (value == 0.0) return {};
    const std::uint64_t both =
        std::uint64_t{left.feature} << 32U | std::uint64_t{right.feature};
    const auto [at, fresh] = products_.try_emplace(both, Numbering::none);
    if (fresh) at->second = number_product(left.feature, right.feature);
    return put_one(at->second, value, right.position, to);
  }
  /// Whether a feature comes before another.
  [[nodiscard]] bool before(Number left, Number right) const noexcept {
    const bool column = met.is_column(left);
    if (column != met.is_column(right)) return column;
    return column ? met.column(left) < met.column(right)
                  : met.name(left) < met.name(right);
  }

 private:
  [[nodiscard]] Finding put_one(Number feature, double value, std::size_t position,
                                Mapped& to) {
    if (feature == Numbering::none) return {Fault::beyond_width, position};
    if (feature >= rows_.size()) rows_.resize(made_.size(), 0);
    if (rows_[feature] == row_) return {Fault::duplicate, position};
    rows_[feature] = row_;
    to.add(feature, value);
    return {};
  }

  [[nodiscard]] Number number_alone(Number feature) {
    if (!met.is_column(feature)) return made_.of_name(met.name(feature));
    const std::uint64_t column = met.column(feature);
    if (!stay_) return number_of_columns(0, column + 1);
    return column < first_product ? made_.of_column(column) : Numbering::none;
  }
  [[nodiscard]] Number number_product(Number left, Number right) {
    if (met.is_column(left) && met.is_column(right)) {
      const std::uint64_t i = met.column(left) + 1;
      const std::uint64_t j = met.column(right) + 1;
      return number_of_columns(std::min(i, j), std::max(i, j));
    }
    return made_.of_name(text_of(left) + "*" + text_of(right));
  }
  [[nodiscard]] Number number_of_columns(std::uint64_t i, std::uint64_t j) {
    const std::uint64_t column = j * (j + 1) / 2 + i + (stay_ ? first_product : 0);
    return column > largest_column ? Numbering::none : made_.of_column(column);
  }
  [[nodiscard]] std::string text_of(Number feature) const {
    if (met.is_column(feature)) return std::to_string(met.column(feature));
    return std::string(met.name(feature));
  }

  static constexpr std::uint64_t first_product = std::uint64_t{1} << 31U;

  bool stay_;
  Numbering made_;
  std::vector<Number> alone_;  // the numbers of the features themselves
  std::unordered_map<std::uint64_t, Number, KeyedHash> products_;
  std::vector<std::uint64_t> rows_;  // the last one with each feature
  std::uint64_t row_ = 0;
};

/// All products of two features, squares included.
class QuadraticMap final : public ProductMap {
 public:
  static constexpr std::size_t most_features = 2048;  // of one example
  static constexpr std::size_t most_products = most_features * (most_features + 1) / 2;

  QuadraticMap() : ProductMap(false) {}

 protected:
  [[nodiscard]] Finding put(Entries x, Learning /*learning*/, Mapped& to) override {
    if (x.size() > most_features) {
      return {Fault::too_many_products, x[most_features].position};
    }
    Finding found = put_alone(x, to);
    for (std::size_t k = 0; k < x.size(); ++k) {
      for (std::size_t l = k; l < x.size() && found.fault == Fault::none; ++l) {
        found = before(x[l].feature, x[k].feature) ? put_product(x[l], x[k], to)
                                                   : put_product(x[k], x[l], to);
      }
    }
    return found;
  }
};

/// The same, hashed into 2^bits columns; values in one column are added.
class HashedQuadraticMap final : public Map {
 public:
  explicit HashedQuadraticMap(unsigned bits) : bits_(bits) {}

  [[nodiscard]] const Numbering& made() const noexcept override { return made_; }
  [[nodiscard]] std::size_t held() const noexcept override { return met.size(); }

 protected:
  void drop() override {
    Map::drop();
    hashes_ = {};
  }
  void meet(Numbering::Number feature) override {
    hashes_.push_back(hash_of(met, feature));
  }

  [[nodiscard]] Finding put(Entries x, Learning /*learning*/, Mapped& to) override {
    if (x.size() > QuadraticMap::most_features) {
      return {Fault::too_many_products, x[QuadraticMap::most_features].position};
    }
    ++row_;
    for (const Entry& entry : x) add(hashes_[entry.feature], entry.value, to);
    for (std::size_t k = 0; k < x.size(); ++k) {
      for (std::size_t l = k; l < x.size(); ++l) {
        const double value = x[k].value * x[l].value;
        if (!std::isfinite(value)) return {Fault::map_overflow, x[l].position};
        if (value == 0.0) continue;
        const auto [low, high] =
            std::minmax(hashes_[x[k].feature], hashes_[x[l].feature]);
        add(stirred(low + high * 0x9E3779B97F4A7C15U), value, to);
      }
    }
    for (std::size_t at = to.offsets.back(); at < to.values.size(); ++at) {
      if (!std::isfinite(to.values[at])) return {Fault::map_overflow};
    }
    return {};
  }

 private:
  /// Where the value of a column is in the row that had it last.
  struct Place {
    std::uint64_t row = 0;
    std::size_t at = 0;
  };

  void add(std::uint64_t hash, double value, Mapped& to) {
    const Numbering::Number column = made_.of_column(bucket_of(hash, bits_));
    if (column >= places_.size()) places_.resize(made_.size());
    Place& place = places_[column];
    if (place.row == row_) {
      to.values[place.at] += value;
    } else {
      place = {row_, to.values.size()};
      to.add(column, value);
    }
  }

  unsigned bits_;
  Numbering made_;
  std::vector<std::uint64_t> hashes_;
  std::vector<Place> places_;  // by the number of the column
  std::uint64_t row_ = 0;
};

/// One of the groups that are crossed: a column, or a name, which is also the group of
/// the names that begin with it and "=" or "^".
struct Crossing {
  bool is_column = false;
  std::uint64_t column = 0;
  std::string name;

  [[nodiscard]] bool has(const Numbering& features,
                         Numbering::Number number) const noexcept {
    if (features.is_column(number)) {
      return is_column && features.column(number) == column;
    }
    const std::string_view text = features.name(number);
    if (is_column || !text.starts_with(name)) return false;
    return text.size() == name.size() || text[name.size()] == '=' ||
           text[name.size()] == '^';
  }
  [[nodiscard]] bool operator==(const Crossing&) const = default;
};

/// Products of each feature of one group with each of another.
class CrossedMap final : public ProductMap {
 public:
  explicit CrossedMap(std::vector<std::pair<Crossing, Crossing>> pairs)
      : ProductMap(true), pairs_(std::move(pairs)) {}

 protected:
  void meet(Numbering::Number feature) override {
    ProductMap::meet(feature);
    for (const auto& [left, right] : pairs_) {
      sides_.push_back({left.has(met, feature), right.has(met, feature)});
    }
  }
  void drop() override {
    ProductMap::drop();
    sides_ = {};
  }

  [[nodiscard]] Finding put(Entries x, Learning /*learning*/, Mapped& to) override {
    if (products(x) > QuadraticMap::most_products) {
      return {Fault::too_many_products, x.back().position};
    }
    Finding found = put_alone(x, to);
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const bool same = pairs_[p].first == pairs_[p].second;
      rights_.clear();
      for (std::size_t l = 0; l < x.size(); ++l) {
        if (side(x[l], p).right) rights_.push_back(l);
      }
      for (std::size_t k = 0; k < x.size(); ++k) {
        if (!side(x[k], p).left) continue;
        for (const std::size_t l : rights_) {
          if (same && l < k) continue;  // within one group each product is there once
          if (found.fault != Fault::none) return found;
          const bool swapped = same && before(x[l].feature, x[k].feature);
          found = put_product(swapped ? x[l] : x[k], swapped ? x[k] : x[l], to);
        }
      }
    }
    return found;
  }

 private:
  struct Sides {
    bool left;
    bool right;
  };

  /// How many products an example has at most.
  [[nodiscard]] std::size_t products(Entries x) const noexcept {
    std::size_t all = 0;
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      std::size_t lefts = 0;
      std::size_t rights = 0;
      for (const Entry& entry : x) {
        lefts += side(entry, p).left ? 1 : 0;
        rights += side(entry, p).right ? 1 : 0;
      }
      const bool same = pairs_[p].first == pairs_[p].second;
      all += same ? lefts * (lefts + 1) / 2 : lefts * rights;
    }
    return all;
  }

  [[nodiscard]] Sides side(const Entry& entry, std::size_t pair) const noexcept {
    return sides_[entry.feature * pairs_.size() + pair];
  }

  std::vector<std::pair<Crossing, Crossing>> pairs_;
  std::vector<Sides> sides_;         // of each feature, for each pair
  std::vector<std::size_t> rights_;  // entries of a row on the right of a pair
};

}  // namespace littlestone
