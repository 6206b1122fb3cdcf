// Examples that a learner keeps, laid out so that one pass over the features of a new
// example gives its products with all of them.
//
// A feature has a column of the kept examples' values. If most are not zero, or there
// are few features, the column is dense, in panels of sixteen examples; otherwise it is
// a list of pairs (example, value). Each product is summed in the order of the new
// example's features, as `dot` does, so the layout does not affect the result.
#pragma once

#include <algorithm>  // std::fill, std::lower_bound, std::min, std::ranges::sort
#include <array>
#include <bit>    // std::bit_cast
#include <cmath>  // std::isfinite
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>  // std::exchange, std::pair
#include <vector>

#include "littlestone/linear/rule.hpp"
#include "littlestone/math/wide.hpp"

namespace littlestone {

/// How many examples a panel has, and so how many sums are computed at once.
inline constexpr std::size_t panel_size = 16;

/// The part of a column in one panel: exactly two cache lines.
struct alignas(64) Strip {
  std::array<double, panel_size> values{};
};

/// A column and its factor.
struct Scaled {
  std::size_t at;  // the number of its strip in each panel
  double factor;
};

/// Successive columns, and the sums to which they are added.
struct Piece {
  const Scaled* columns;
  std::size_t count;
  double* sums;
};

/// For each piece: sums += each strip of a panel times its factor, in order. `first` is
/// where the panel's sums begin.
LITTLESTONE_WIDE inline void add_strips(const Strip* panel, std::size_t first,
                                        const Piece* pieces,
                                        std::size_t count) noexcept {
  // Four registers of four, written out because the compiler would mix the columns.
  using Four [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;
  for (const Piece* piece = pieces; piece < pieces + count; ++piece) {
    Four* const to = reinterpret_cast<Four*>(piece->sums + first);
    Four a = to[0];
    Four b = to[1];
    Four c = to[2];
    Four d = to[3];
    const Scaled* const end = piece->columns + piece->count;
    for (const Scaled* column = piece->columns; column < end; ++column) {
      const auto* const from =
          reinterpret_cast<const Four*>(panel[column->at].values.data());
      a += from[0] * column->factor;
      b += from[1] * column->factor;
      c += from[2] * column->factor;
      d += from[3] * column->factor;
    }
    to[0] = a;
    to[1] = b;
    to[2] = c;
    to[3] = d;
  }
}

class Supports {
 public:
  static constexpr std::size_t most_columns = std::size_t{1} << 32U;

  /// The cell of a feature: the number of its column, or -1 if it has none yet.
  struct Cell {
    double column = -1.0;
  };

  [[nodiscard]] std::size_t size() const noexcept { return kept_.size(); }
  [[nodiscard]] double square(std::size_t s) const noexcept { return kept_[s].square; }

  /// Keeps an example. `cell_of(index)` is the cell of a feature.
  template <class Row, class CellOf>
  void add(const Row& x, CellOf cell_of) {
    kept_.emplace_back();
    if (size() > panels_.size() * panel_size) {
      panels_.emplace_back(spread_);
    }
    fill(size() - 1, x, cell_of);
  }

  /// Replaces an example by another.
  template <class Row, class CellOf>
  void replace(std::size_t s, const Row& x, CellOf cell_of) {
    look_no_further();
    for (const std::uint32_t c : kept_[s].columns) drop(c, s);
    kept_[s] = {};
    fill(s, x, cell_of);
  }

  /// The products of an example with every example kept, valid until the next call.
  template <class Row, class CellOf>
  [[nodiscard]] std::span<double> products(const Row& x, CellOf cell_of) {
    if (!std::exchange(prepared_, false)) {
      products_.assign(padded(size()), 0.0);
      add_products(x, cell_of, 0);
    }
    return {products_.data(), size()};
  }

  /// Prepares the products of row t of a block that is played from `first` on; the next
  /// call of `products` must be for that row. Also computes the products of the next
  /// rows with the examples kept so far, so that a column is fetched once for many
  /// rows.
  template <class Rows, class CellOf>
  void prepare(const Rows& rows, std::size_t t, std::size_t first, std::size_t last,
               CellOf cell_of) {
    if (t == first) look_no_further();
    if (t < ahead_.first || t >= ahead_.last) look_ahead(rows, t, last, cell_of);
    const double* const found =
        ahead_.products.data() + (t - ahead_.first) * ahead_.room;
    products_.assign(found, found + ahead_.kept);
    products_.resize(padded(size()), 0.0);
    if (size() > ahead_.kept) add_products(rows.to_score(t), cell_of, ahead_.kept);
    prepared_ = true;
  }

  /// How many columns there are, including those that no kept example has any more.
  [[nodiscard]] std::size_t columns() const noexcept { return columns_.size(); }
  void make_columns(std::size_t columns) {
    columns_.resize(columns);
    strips_.resize(columns, in_pairs);
  }

  /// Whether this class can have written a cell.
  [[nodiscard]] bool sound(const Cell& cell) const noexcept {
    return cell.column == -1.0 || is_below(cell.column, static_cast<double>(columns()));
  }

  /// Everything kept: the columns and values of each example in its own order, on which
  /// the last bit of its square depends.
  [[nodiscard]] std::vector<std::vector<std::pair<double, double>>> rows() const {
    std::vector<std::vector<std::pair<double, double>>> all(size());
    for (std::size_t s = 0; s < size(); ++s) {
      for (const std::uint32_t c : kept_[s].columns) {
        all[s].emplace_back(static_cast<double>(c), value_of(c, s));
      }
    }
    return all;
  }

 private:
  struct Kept {
    std::vector<std::uint32_t> columns;  // of its features
    double square = 0.0;
  };

  static constexpr std::size_t in_pairs = static_cast<std::size_t>(-1);

  /// A column of pairs: the numbers of examples, ascending, and their values.
  struct Pairs {
    std::vector<std::uint32_t> who;
    std::vector<double> values;

    /// Where an example is, or would be inserted.
    [[nodiscard]] std::ptrdiff_t place(std::size_t s) const noexcept {
      return std::lower_bound(who.begin(), who.end(), s) - who.begin();
    }
  };

  [[nodiscard]] double& in_panel(std::size_t column, std::size_t s) noexcept {
    return panels_[s / panel_size][strips_[column]].values[s % panel_size];
  }

  [[nodiscard]] double value_of(std::size_t column, std::size_t s) const noexcept {
    if (strips_[column] != in_pairs) {
      return panels_[s / panel_size][strips_[column]].values[s % panel_size];
    }
    const Pairs& pairs = columns_[column];
    return pairs.values[static_cast<std::size_t>(pairs.place(s))];
  }

  void put(std::size_t column, std::size_t s, double value) {
    if (strips_[column] != in_pairs) {
      in_panel(column, s) = value;
      return;
    }
    Pairs& pairs = columns_[column];
    const auto at = pairs.place(s);
    pairs.who.insert(pairs.who.begin() + at, static_cast<std::uint32_t>(s));
    pairs.values.insert(pairs.values.begin() + at, value);
    // Up to 8 MB all columns are in panels, which is faster.
    const bool small = columns_.size() * size() <= std::size_t{1} << 20U;
    if (small || 8 * pairs.who.size() > size()) spread(column);
  }

  void drop(std::size_t column, std::size_t s) {
    if (strips_[column] != in_pairs) {
      in_panel(column, s) = 0.0;
      return;
    }
    Pairs& pairs = columns_[column];
    const auto at = pairs.place(s);
    pairs.who.erase(pairs.who.begin() + at);
    pairs.values.erase(pairs.values.begin() + at);
  }

  /// Moves a column from pairs into the panels.
  void spread(std::size_t column) {
    strips_[column] = spread_++;
    for (auto& panel : panels_) panel.resize(spread_);
    const Pairs pairs = std::exchange(columns_[column], {});
    for (std::size_t i = 0; i < pairs.who.size(); ++i) {
      in_panel(column, pairs.who[i]) = pairs.values[i];
    }
  }

  /// Drops the products found ahead: the block has changed, or an example was replaced.
  void look_no_further() noexcept { ahead_.first = ahead_.last = 0; }

  [[nodiscard]] static constexpr std::size_t padded(std::size_t size) noexcept {
    return (size + panel_size - 1) / panel_size * panel_size;
  }

  // Rows are split into pieces of nearby columns: their strips of one panel fit into
  // the first cache, and stay there while all the rows found ahead use them.
  static constexpr std::size_t rows_ahead = 16;
  static constexpr std::size_t columns_together = 128;
  static constexpr std::size_t most_pieces = 64;

  /// The columns that an example needs, in its order.
  struct Uses {
    std::vector<Scaled> scaled;
    std::vector<const Pairs*> pairs;  // of the columns that are pairs
    // Where each piece ends. A row that is not in order, or has names, has few.
    std::array<std::size_t, most_pieces> ends{};
  };

  /// The products found ahead: for rows [first, last) of a block, those with the first
  /// `kept` examples, `room` numbers for each row.
  struct Ahead {
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t kept = 0;
    std::size_t room = 0;
    std::vector<double> products;
    std::vector<Uses> uses = std::vector<Uses>(rows_ahead);
    std::vector<Piece> pieces;
  };

  template <class Row, class CellOf>
  void use(const Row& x, CellOf cell_of, Uses& uses) {
    // First find the nonzero values: zeros come at random, so branches would be
    // mispredicted.
    places_.resize(x.size());
    std::size_t count = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      places_[count] = k;
      count += std::bit_cast<std::uint64_t>(x.value(k)) << 1U != 0 ? 1 : 0;
    }
    uses.scaled.resize(count);
    uses.pairs.clear();
    std::size_t used = 0;
    std::size_t piece = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto index = x.index(places_[i]);
      const double number = cell_of(index).column;
      if (number < 0.0) continue;
      // Names, whose indices are negative, become huge.
      const auto wanted = std::min<std::uint64_t>(
          static_cast<std::uint64_t>(index) / columns_together, most_pieces - 1);
      for (; piece < wanted; ++piece) uses.ends[piece] = used;
      const auto column = static_cast<std::size_t>(number);
      uses.scaled[used++] = {strips_[column], x.value(places_[i])};
      if (strips_[column] == in_pairs) uses.pairs.push_back(&columns_[column]);
    }
    for (; piece < most_pieces; ++piece) uses.ends[piece] = used;
    uses.scaled.resize(used);
  }

  /// sums += the products with the examples of panels [first, last), in the order of
  /// the uses.
  void add(const Uses& uses, double* sums, std::size_t first, std::size_t last) const {
    const std::vector<Scaled>& scaled = uses.scaled;
    auto pairs = uses.pairs.begin();
    for (std::size_t k = 0; k < scaled.size();) {
      const std::size_t begin = k;
      while (k < scaled.size() && scaled[k].at != in_pairs) ++k;
      if (k > begin) {
        const Piece piece{scaled.data() + begin, k - begin, sums};
        for (std::size_t p = first; p < last; ++p) {
          add_strips(panels_[p].data(), p * panel_size, &piece, 1);
        }
        continue;
      }
      const Pairs& column = **pairs++;
      const auto end = static_cast<std::size_t>(column.place(last * panel_size));
      auto i = static_cast<std::size_t>(column.place(first * panel_size));
      for (; i < end; ++i) sums[column.who[i]] += column.values[i] * scaled[k].factor;
      ++k;
    }
  }

  /// Adds the products with the examples from `first` on.
  template <class Row, class CellOf>
  void add_products(const Row& x, CellOf cell_of, std::size_t first) {
    Uses& uses = ahead_.uses.back();  // the last one that a row ahead would need
    use(x, cell_of, uses);
    // The first panel may hold earlier examples too, whose sums are recomputed, to the
    // same values.
    const std::size_t panel = first / panel_size;
    std::fill(products_.begin() + static_cast<std::ptrdiff_t>(panel * panel_size),
              products_.end(), 0.0);
    add(uses, products_.data(), panel, panels_.size());
  }

  template <class Rows, class CellOf>
  void look_ahead(const Rows& rows, std::size_t t, std::size_t last, CellOf cell_of) {
    const std::size_t count = std::min(last - t, rows_ahead);
    ahead_.first = t;
    ahead_.last = t + count;
    ahead_.kept = size();
    ahead_.room = padded(size());
    ahead_.products.assign(count * ahead_.room, 0.0);
    for (std::size_t u = 0; u < count; ++u) {
      use(rows.to_score(t + u), cell_of, ahead_.uses[u]);
    }
    const auto sums_of = [&](std::size_t u) {
      return ahead_.products.data() + u * ahead_.room;
    };
    for (std::size_t u = 0; u < count; ++u) {
      if (ahead_.uses[u].pairs.empty()) continue;
      add(ahead_.uses[u], sums_of(u), 0, panels_.size());
    }
    std::array<std::size_t, most_pieces + 1> ends{};
    ahead_.pieces.clear();
    for (std::size_t k = 0; k < most_pieces; ++k) {
      for (std::size_t u = 0; u < count; ++u) {
        const Uses& uses = ahead_.uses[u];
        const std::size_t begin = k == 0 ? 0 : uses.ends[k - 1];
        if (!uses.pairs.empty() || begin == uses.ends[k]) continue;
        ahead_.pieces.push_back(
            {uses.scaled.data() + begin, uses.ends[k] - begin, sums_of(u)});
      }
      ends[k + 1] = ahead_.pieces.size();
    }
    for (std::size_t p = 0; p < panels_.size(); ++p) {
      for (std::size_t k = 0; k < most_pieces; ++k) {
        if (ends[k] == ends[k + 1]) continue;
        add_strips(panels_[p].data(), p * panel_size, ahead_.pieces.data() + ends[k],
                   ends[k + 1] - ends[k]);
      }
    }
  }

  template <class Row, class CellOf>
  void fill(std::size_t s, const Row& x, CellOf cell_of) {
    Kept& kept = kept_[s];
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double value = x.value(k);
      if (value == 0.0) continue;
      Cell& cell = cell_of(x.index(k));
      if (cell.column < 0.0) cell.column = static_cast<double>(columns_.size());
      const auto number = static_cast<std::size_t>(cell.column);
      if (number >= columns()) make_columns(number + 1);
      put(number, s, value);
      kept.columns.push_back(static_cast<std::uint32_t>(number));
      kept.square += value * value;
    }
  }

  std::vector<Kept> kept_;
  std::vector<Pairs> columns_;
  std::vector<std::size_t> strips_;  // the number of a column's strip in each panel
  std::size_t spread_ = 0;           // columns in the panels
  std::vector<std::vector<Strip>> panels_;
  std::vector<double> products_;
  bool prepared_ = false;  // products_ belong to the next row
  std::vector<std::size_t> places_;
  Ahead ahead_;
};

/// The state of a learner that keeps examples: for each its head, the number of its
/// features, and their columns and values.
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

/// Restores what `saved` returned, with at most so many columns; returns the heads.
[[nodiscard]] inline std::vector<double> restored(Supports& supports,
                                                  std::span<const double> all,
                                                  std::size_t columns) {
  std::vector<double> heads;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t left = all.size() - at;
    check_state(left >= 2 && is_below(all[at + 1], static_cast<double>(left / 2)));
    heads.push_back(all[at]);
    const auto size = static_cast<std::size_t>(all[at + 1]);
    std::vector<std::int64_t> indices;
    std::vector<double> values;
    at += 2;
    for (std::size_t k = 0; k < size; ++k, at += 2) {
      check_state(is_below(all[at], static_cast<double>(columns)) &&
                  std::isfinite(all[at + 1]) && all[at + 1] != 0.0);
      indices.push_back(static_cast<std::int64_t>(all[at]));
      values.push_back(all[at + 1]);
    }
    std::vector<std::int64_t> once = indices;
    std::ranges::sort(once);
    check_state(std::ranges::adjacent_find(once) == once.end());
    Supports::Cell cell;
    supports.add(ResolvedRow{indices, values}, [&cell](auto index) -> Supports::Cell& {
      cell.column = static_cast<double>(index);
      return cell;
    });
  }
  return heads;
}

}  // namespace littlestone
