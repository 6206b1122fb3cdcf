// Examples that a learner keeps, laid out so that the products of a new one with all of
// them come from one sweep over its features.
//
// A feature has a column of the kept examples' values: all of them where most are not
// zero, pairs (example, value) elsewhere. Each product is summed in the order of the
// new example's features, as `dot` does, so the layout never shows in the result.
#pragma once

#include <algorithm>  // std::find, std::max, std::swap
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>  // std::pair
#include <vector>

#include "littlestone/rule.hpp"
#include "littlestone/wide.hpp"

namespace littlestone {

/// sums += a column times a value, four columns after another.
LITTLESTONE_WIDE inline void add_columns(double* __restrict sums,
                                         const std::array<const double*, 4>& columns,
                                         const std::array<double, 4>& values,
                                         std::size_t first, std::size_t last) noexcept {
  const double* const __restrict a = columns[0];
  const double* const __restrict b = columns[1];
  const double* const __restrict c = columns[2];
  const double* const __restrict d = columns[3];
  for (std::size_t s = first; s < last; ++s) {
    sums[s] = (((sums[s] + a[s] * values[0]) + b[s] * values[1]) + c[s] * values[2]) +
              d[s] * values[3];
  }
}

LITTLESTONE_WIDE inline void add_column(double* __restrict sums,
                                        const double* __restrict column, double value,
                                        std::size_t first, std::size_t last) noexcept {
  for (std::size_t s = first; s < last; ++s) sums[s] += column[s] * value;
}

class Supports {
 public:
  /// The cell of a feature: the number of its column, -1 before it has one.
  struct Cell {
    double column = -1.0;
  };

  [[nodiscard]] std::size_t size() const noexcept { return kept_.size(); }
  [[nodiscard]] double square(std::size_t s) const noexcept { return kept_[s].square; }

  /// Keeps an example. `cell_of(k)` is the column number of its k-th feature.
  template <class Row, class CellOf>
  void add(const Row& x, CellOf cell_of) {
    kept_.emplace_back();
    fill(size() - 1, x, cell_of);
  }

  /// Keeps an example in the place of another.
  template <class Row, class CellOf>
  void replace(std::size_t s, const Row& x, CellOf cell_of) {
    for (const std::uint32_t column : kept_[s].columns) columns_[column].drop(s);
    kept_[s] = {};
    fill(s, x, cell_of);
  }

  /// The products of an example with every example kept, good until the next.
  template <class Row, class CellOf>
  [[nodiscard]] std::span<double> products(const Row& x, CellOf cell_of) {
    products_.assign(size(), 0.0);
    std::array<const double*, 4> columns{};
    std::array<double, 4> values{};
    std::size_t waiting = 0;
    std::size_t reach = 0;  // of the columns that wait
    const auto flush = [&] {
      if (waiting == 4) {
        add_columns(products_.data(), columns, values, 0, reach);
      } else {
        for (std::size_t i = 0; i < waiting; ++i) {
          add_column(products_.data(), columns[i], values[i], 0, reach);
        }
      }
      waiting = 0;
      reach = 0;
    };
    each_entry(x, [&](auto index, double value) {
      const double number = cell_of(index).column;
      if (number < 0.0 || value == 0.0) return;
      Column& column = columns_[static_cast<std::size_t>(number)];
      if (column.full) {
        column.values.resize(size(), 0.0);  // no examples since had the feature
        columns[waiting] = column.values.data();
        values[waiting] = value;
        reach = size();
        if (++waiting == 4) flush();
        return;
      }
      flush();
      for (std::size_t i = 0; i < column.who.size(); ++i) {
        products_[column.who[i]] += column.values[i] * value;
      }
    });
    flush();
    return products_;
  }

  /// Everything kept: for each example its features' columns and values.
  [[nodiscard]] std::vector<std::vector<std::pair<double, double>>> rows() const {
    std::vector<std::vector<std::pair<double, double>>> all(size());
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Column& column = columns_[c];
      for (std::size_t i = 0; i < column.values.size(); ++i) {
        if (column.values[i] == 0.0) continue;
        all[column.full ? i : column.who[i]].emplace_back(static_cast<double>(c),
                                                          column.values[i]);
      }
    }
    return all;
  }

 private:
  struct Kept {
    std::vector<std::uint32_t> columns;  // of its features
    double square = 0.0;
  };

  struct Column {
    bool full = false;  // one value an example, not pairs
    std::vector<double> values;
    std::vector<std::uint32_t> who;

    void put(std::size_t s, double value, std::size_t examples) {
      if (!full) {
        who.push_back(static_cast<std::uint32_t>(s));
        values.push_back(value);
        if (examples >= 16 && 4 * who.size() > examples) spread(examples);
        return;
      }
      values.resize(std::max(values.size(), s + 1), 0.0);
      values[s] = value;
    }

    void drop(std::size_t s) {
      if (full) {
        values[s] = 0.0;
        return;
      }
      const auto at = static_cast<std::size_t>(
          std::find(who.begin(), who.end(), static_cast<std::uint32_t>(s)) -
          who.begin());
      std::swap(who[at], who.back());
      std::swap(values[at], values.back());
      who.pop_back();
      values.pop_back();
    }

    void spread(std::size_t examples) {
      std::vector<double> wide(examples, 0.0);
      for (std::size_t i = 0; i < who.size(); ++i) wide[who[i]] = values[i];
      values.swap(wide);
      who = {};
      full = true;
    }
  };

  template <class Row, class CellOf>
  void fill(std::size_t s, const Row& x, CellOf cell_of) {
    Kept& kept = kept_[s];
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double value = x.value(k);
      if (value == 0.0) continue;
      Cell& cell = cell_of(x.index(k));
      if (cell.column < 0.0) cell.column = static_cast<double>(columns_.size());
      const auto number = static_cast<std::size_t>(cell.column);
      if (number >= columns_.size()) columns_.resize(number + 1);
      columns_[number].put(s, value, size());
      kept.columns.push_back(static_cast<std::uint32_t>(number));
      kept.square += value * value;
    }
  }

  std::vector<Kept> kept_;
  std::vector<Column> columns_;
  std::vector<double> products_;
};

/// What a learner that keeps examples tells of them: a head of numbers for each, then
/// how many features it has, and their columns and values.
[[nodiscard]] inline std::vector<double> saved(const Supports& supports,
                                               std::span<const double> heads) {
  std::vector<double> all;
  const auto rows = supports.rows();
  for (std::size_t s = 0; s < rows.size(); ++s) {
    all.push_back(heads[s]);
    all.push_back(static_cast<double>(rows[s].size()));
    for (const auto& [column, value] : rows[s]) {
      all.push_back(column);
      all.push_back(value);
    }
  }
  return all;
}

/// Puts back what `saved` told, and returns the heads.
[[nodiscard]] inline std::vector<double> restored(Supports& supports,
                                                  std::span<const double> all) {
  std::vector<double> heads;
  for (std::size_t at = 0; at < all.size();) {
    heads.push_back(all[at]);
    const auto size = static_cast<std::size_t>(all[at + 1]);
    std::vector<std::int64_t> indices;
    std::vector<double> values;
    at += 2;
    for (std::size_t k = 0; k < size; ++k, at += 2) {
      indices.push_back(static_cast<std::int64_t>(all[at]));
      values.push_back(all[at + 1]);
    }
    Supports::Cell cell;
    supports.add(ResolvedRow{indices, values}, [&cell](auto index) -> Supports::Cell& {
      cell.column = static_cast<double>(index);
      return cell;
    });
  }
  return heads;
}

}  // namespace littlestone
