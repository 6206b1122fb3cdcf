// Rows and blocks of examples, which borrow their numbers.
//
// Every row has size(), index(k) and value(k), so that a rule is written once for dense
// and sparse, float32 and float64. Sums run over k in order: equal values in equal
// order give equal bits.
#pragma once

#include <algorithm>  // std::adjacent_find, std::fill, std::max, std::min, std::sort
#include <bit>        // std::bit_ceil
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memcpy
#include <optional>
#include <span>
#include <type_traits>  // std::is_same_v, std::make_unsigned_t
#include <utility>      // std::pair
#include <variant>
#include <vector>

#include "littlestone/math/wide.hpp"
#include "littlestone/read_once.hpp"

namespace littlestone {

/// Why an example is refused.
enum class Fault : std::uint8_t {
  none,
  not_finite,         // a value is NaN or infinite
  outside_unit,       // a value is not in [0, 1]
  not_boolean,        // a value is neither 0 nor 1
  beyond_scale,       // a value is larger than the declared scale
  too_many,           // more features than a full matrix can have
  duplicate,          // a feature occurs twice in one row
  beyond_width,       // a column number outside the declared width
  score_overflow,     // every value is finite, but the score is not
  map_overflow,       // the same for what a map makes of them
  too_many_products,  // more features than are multiplied with each other
  too_many_centered,  // more features than are centered
  loss_overflow,      // the score is finite, but its loss is not
  beyond_gradient,    // a gradient is larger than the declared scale
  negative_label,     // the label is below 0, where counts are learned
};

/// A fault, the position in the row where it was found, and the number that is refused
/// if it is not the value there.
struct Finding {
  Fault fault = Fault::none;
  std::size_t position = 0;
  double amount = 0.0;
};

template <class V>
struct DenseRow {
  std::span<const V> values;

  [[nodiscard]] std::size_t size() const noexcept { return values.size(); }
  [[nodiscard]] std::size_t index(std::size_t k) const noexcept { return k; }
  [[nodiscard]] double value(std::size_t k) const noexcept {
    return static_cast<double>(values[k]);
  }
};

/// Columns are counted from zero; features known by name have negative indices.
template <class V, class I>
struct SparseRow {
  std::span<const I> columns;
  std::span<const V> values;

  [[nodiscard]] std::size_t size() const noexcept { return values.size(); }
  [[nodiscard]] I index(std::size_t k) const noexcept { return columns[k]; }
  [[nodiscard]] double value(std::size_t k) const noexcept {
    return static_cast<double>(values[k]);
  }
};

/// The row of an example that was looked up.
using ResolvedRow = SparseRow<double, std::int64_t>;

/// A sparse row whose features are entries of a table of names.
struct WordsRow {
  std::span<const std::uint32_t> ids;
  std::span<const double> values;
  std::span<const std::int64_t> indices;  // of the weights, by name

  [[nodiscard]] std::size_t size() const noexcept { return values.size(); }
  [[nodiscard]] std::int64_t index(std::size_t k) const noexcept {
    return indices[ids[k]];
  }
  [[nodiscard]] double value(std::size_t k) const noexcept { return values[k]; }
};

/// True when each column number exceeds the one before it.
template <class I>
[[nodiscard]] bool ascending(std::span<const I> columns) noexcept {
  bool rises = true;
  for (std::size_t k = 1; k < columns.size(); ++k) {
    rises &= columns[k - 1] < columns[k];
  }
  return rises;
}

/// For each column, which row had it last: tells whether a row has a column twice, far
/// faster than sorting the row would.
class Stamps {
 public:
  using Stamp = std::uint16_t;

  /// Makes room for the columns, up to the next power of two.
  void make_room(std::size_t width) {
    if (width == width_ && !last_row_.empty()) return;
    last_row_.assign(std::bit_ceil(width), Stamp{0});
    width_ = width;
    row_ = 0;
  }
  [[nodiscard]] Stamp* data() noexcept { return last_row_.data(); }
  [[nodiscard]] std::size_t width() const noexcept { return width_; }

  /// The stamp of a new row: larger than that of every row before.
  [[nodiscard]] Stamp next() noexcept {
    if (++row_ == 0) [[unlikely]] {
      std::fill(last_row_.begin(), last_row_.end(), Stamp{0});
      row_ = 1;
    }
    return row_;
  }

 private:
  std::vector<Stamp> last_row_;
  std::size_t width_ = 0;
  Stamp row_ = 0;
};

/// A sparse row whose column numbers may be anything, now or after they were checked:
/// the mask keeps every access inside the weights.
template <class V, class I>
struct MaskedRow {
  std::span<const I> columns;
  std::span<const V> values;
  std::make_unsigned_t<I> mask = 0;  // one less than a power of two

  [[nodiscard]] std::size_t size() const noexcept { return values.size(); }
  [[nodiscard]] std::make_unsigned_t<I> index(std::size_t k) const noexcept {
    return static_cast<std::make_unsigned_t<I>>(columns[k]) & mask;
  }
  [[nodiscard]] double value(std::size_t k) const noexcept {
    return static_cast<double>(values[k]);
  }
};

/// Whether column numbers of 64 bits rise. What every processor has compares numbers of
/// 32 bits at most, so this is a pass of its own, for wider registers, over what has
/// just been read.
LITTLESTONE_WIDE inline bool rises(std::span<const std::int64_t> row) noexcept {
  const std::int64_t* const columns = row.data();
  const std::size_t size = row.size();
  using Eight [[gnu::vector_size(64)]] = std::int64_t;
  Eight wrong{};
  std::size_t k = 1;
  for (; k + 8 <= size; k += 8) {
    Eight before;
    Eight here;
    std::memcpy(&before, columns + k - 1, sizeof before);
    std::memcpy(&here, columns + k, sizeof here);
    wrong |= before >= here;
  }
  std::int64_t any = 0;
  for (std::size_t lane = 0; lane < 8; ++lane) any |= wrong[lane];
  for (; k < size; ++k) any |= columns[k - 1] >= columns[k];
  return any == 0;
}

/// Whether all column numbers are from 0 on and below a width.
template <class I>
LITTLESTONE_WIDE bool within(std::span<const I> row, std::size_t width) noexcept {
  using Bits = std::make_unsigned_t<I>;
  Bits largest = 0;
  for (const I column : row) largest = std::max(largest, static_cast<Bits>(column));
  return row.empty() || largest < width;
}

/// A row whose column numbers are not checked yet. Checking it before it is scored
/// takes a quarter longer, so it is scored first, and the caller asks `distinct`
/// afterwards, while the row is in the nearest cache.
template <class V, class I>
struct UncheckedRow : MaskedRow<V, I> {
  Stamps* stamps = nullptr;  // if the columns may be in any order
  mutable std::optional<bool> seen_distinct{};

  /// Whether the columns rise or, with stamps, are distinct and within the width.
  [[nodiscard]] bool distinct() const noexcept {
    if constexpr (std::is_same_v<I, std::int64_t>) {
      if (stamps == nullptr) return rises(this->columns);
    }
    if (!seen_distinct) each_entry(*this, [](auto, double) {});
    if (stamps == nullptr) return *seen_distinct;
    return *seen_distinct && within<I>(this->columns, stamps->width());
  }
};

/// Each feature of a row with its value, in the order of the row.
template <class Row, class Take>
[[gnu::always_inline]] inline void each_entry(const Row& x, Take take) noexcept {
  for (std::size_t k = 0; k < x.size(); ++k) take(x.index(k), x.value(k));
}

/// Asks for what is read 2 kB after an entry, because processors fetch ahead only to
/// the end of a page.
template <class V, class I>
[[gnu::always_inline]] inline void fetch_beyond(const UncheckedRow<V, I>& x,
                                                std::size_t k) noexcept {
#ifdef __GNUC__
  __builtin_prefetch(x.columns.data() + k + 2048 / sizeof(I));
  __builtin_prefetch(x.values.data() + k + 2048 / sizeof(V));
#endif
}

/// The same as `each_entry`, without a check.
template <class V, class I, class Take>
[[gnu::always_inline]] inline void each_unchecked(const UncheckedRow<V, I>& x,
                                                  Take take) noexcept {
  std::size_t k = 0;
  for (; k + 4 <= x.size(); k += 4) {
    fetch_beyond(x, k);
    take(x.index(k), x.value(k));
    take(x.index(k + 1), x.value(k + 1));
    take(x.index(k + 2), x.value(k + 2));
    take(x.index(k + 3), x.value(k + 3));
  }
  for (; k < x.size(); ++k) take(x.index(k), x.value(k));
}

/// The same, and whether the columns rise: four comparisons at a time, which cost
/// nothing beside additions that wait for each other. The caller checks the first one.
template <class V, class I, class Take>
[[nodiscard, gnu::always_inline]] inline bool each_rising(const UncheckedRow<V, I>& x,
                                                          Take take) noexcept {
  const I* const columns = x.columns.data();
  const std::size_t size = x.size();
  if (size > 0) take(x.index(0), x.value(0));
  bool rises = true;
  std::size_t k = 1;
#ifdef __GNUC__
  // The difference of two that are not negative cannot overflow, so its highest bit
  // tells which is larger.
  using Bits = std::make_unsigned_t<I>;
  using Four [[gnu::vector_size(4 * sizeof(I))]] = Bits;
  Four rise = ~Four{};
  Four negative{};
  for (; k + 4 <= size; k += 4) {
    fetch_beyond(x, k);
    Four before;
    Four here;
    std::memcpy(&before, columns + k - 1, sizeof before);
    std::memcpy(&here, columns + k, sizeof here);
    rise &= before - here;
    negative |= here;
    take(x.index(k), x.value(k));
    take(x.index(k + 1), x.value(k + 1));
    take(x.index(k + 2), x.value(k + 2));
    take(x.index(k + 3), x.value(k + 3));
  }
  rise &= ~negative;
  rises = static_cast<I>(rise[0] & rise[1] & rise[2] & rise[3]) < 0;
#endif
  for (; k < size; ++k) {
    rises &= columns[k - 1] < columns[k];
    take(x.index(k), x.value(k));
  }
  return rises;
}

/// The same, and whether the columns are distinct and within the width.
template <class V, class I, class Take>
[[nodiscard, gnu::always_inline]] inline bool each_stamped(const UncheckedRow<V, I>& x,
                                                           Take take) noexcept {
  const std::size_t size = x.size();
  const Stamps::Stamp row = x.stamps->next();
  Stamps::Stamp* const last_row = x.stamps->data();
  std::uint32_t latest = 0;
  const auto one = [&](std::size_t k) __attribute__((always_inline)) {
    const auto index = x.index(k);
    latest = std::max<std::uint32_t>(latest, last_row[index]);
    last_row[index] = row;
    take(index, x.value(k));
  };
  std::size_t k = 0;
  for (; k + 4 <= size; k += 4) {
    fetch_beyond(x, k);
    one(k);
    one(k + 1);
    one(k + 2);
    one(k + 3);
  }
  for (; k < size; ++k) one(k);
  return latest < row;
}

template <class V, class I, class Take>
[[gnu::always_inline]] inline void each_entry(const UncheckedRow<V, I>& x,
                                              Take take) noexcept {
  if (x.stamps != nullptr) {
    x.seen_distinct = each_stamped(x, take);
  } else if constexpr (std::is_same_v<I, std::int64_t>) {
    each_unchecked(x, take);
  } else {
    x.seen_distinct = each_rising(x, take);
  }
}

/// The row to learn from: a copy, so that the one that is scored can be in registers.
template <class Row>
[[nodiscard]] Row to_learn(const Row& scored) noexcept {
  return scored;
}
template <class V, class I>
[[nodiscard]] MaskedRow<V, I> to_learn(const UncheckedRow<V, I>& scored) noexcept {
  return scored;
}

/// The position of the first column number that occurred earlier in the row, or size().
template <class I>
[[nodiscard]] std::size_t duplicate_in(std::span<const I> columns,
                                       std::vector<std::uint64_t>& scratch) {
  scratch.assign(columns.begin(), columns.end());
  std::sort(scratch.begin(), scratch.end());
  if (std::adjacent_find(scratch.begin(), scratch.end()) == scratch.end()) {
    return columns.size();
  }
  // Sorting puts equal numbers side by side: the second of a pair is a duplicate.
  std::vector<std::pair<std::uint64_t, std::size_t>> placed;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    placed.emplace_back(columns[k], k);
  }
  std::sort(placed.begin(), placed.end());
  std::size_t first = columns.size();
  for (std::size_t k = 1; k < placed.size(); ++k) {
    if (placed[k - 1].first == placed[k].first) {
      first = std::min(first, placed[k].second);
    }
  }
  return first;
}

/// Rows of a C-ordered matrix; column j is feature j.
template <class V>
struct DenseBlock {
  std::span<const V> values;
  std::size_t rows = 0;
  std::size_t width = 0;

  [[nodiscard]] std::size_t size() const noexcept { return rows; }
  [[nodiscard]] std::size_t nonzeros() const noexcept { return values.size(); }
  [[nodiscard]] DenseRow<V> operator[](std::size_t t) const noexcept {
    return {values.subspan(t * width, width)};
  }
  [[nodiscard]] auto to_score(std::size_t t,
                              Stamps* /*stamps*/ = nullptr) const noexcept {
    return (*this)[t];
  }
  template <class Row>
  [[nodiscard]] bool sound(const Row& /*scored*/) const noexcept {
    return true;
  }
  template <class Row>
  [[nodiscard]] Finding check(const Row&, std::vector<std::uint64_t>&) const noexcept {
    return {};
  }
};

/// Rows of a C-ordered matrix whose columns have names, looked up beforehand.
template <class V>
struct NamedBlock {
  std::span<const V> values;
  std::span<const std::int64_t> indices;
  std::size_t rows = 0;

  [[nodiscard]] std::size_t size() const noexcept { return rows; }
  [[nodiscard]] std::size_t nonzeros() const noexcept { return values.size(); }
  [[nodiscard]] SparseRow<V, std::int64_t> operator[](std::size_t t) const noexcept {
    return {indices, values.subspan(t * indices.size(), indices.size())};
  }
  [[nodiscard]] auto to_score(std::size_t t,
                              Stamps* /*stamps*/ = nullptr) const noexcept {
    return (*this)[t];
  }
  template <class Row>
  [[nodiscard]] bool sound(const Row& /*scored*/) const noexcept {
    return true;
  }
  template <class Row>
  [[nodiscard]] Finding check(const Row&, std::vector<std::uint64_t>&) const noexcept {
    return {};
  }
};

/// Compressed sparse rows. The border checks the offsets once for each block, so that a
/// bad one is an error, and here they are clamped, because they may change; columns are
/// checked row by row, so that the rows before a bad one can be played. Rows of our own
/// parser are trusted.
template <class V, class I, class O = I, bool Trusted = false>
struct CsrBlock {
  std::span<const O> offsets;
  std::span<const I> columns;
  std::span<const V> values;
  std::size_t width = 0;
  std::make_unsigned_t<I> mask = static_cast<decltype(mask)>(std::bit_ceil(width) - 1);
  static constexpr std::size_t far = std::size_t{1} << 23U;  // more than caches have

  [[nodiscard]] std::size_t size() const noexcept { return offsets.size() - 1; }
  [[nodiscard]] std::size_t nonzeros() const noexcept {
    return between(0, size()).second;
  }
  [[nodiscard]] SparseRow<V, I> operator[](std::size_t t) const noexcept {
    const auto [first, count] = between(t, t + 1);
    return {columns.subspan(first, count), values.subspan(first, count)};
  }

  /// The row to be scored: there are weights up to the next power of two.
  [[nodiscard]] auto to_score(std::size_t t, Stamps* stamps = nullptr) const noexcept {
    const SparseRow<V, I> x = (*this)[t];
    if constexpr (Trusted) {
      return x;
    } else {
      return UncheckedRow<V, I>{{x.columns, x.values, mask}, stamps};
    }
  }

  /// Asks for the cells of a row that comes soon, if there are so many that they are
  /// far away.
  template <class Cells>
  [[gnu::always_inline]] void fetch([[maybe_unused]] const Cells& cells,
                                    [[maybe_unused]] std::size_t t) const noexcept {
#ifdef __GNUC__
    if (width * sizeof(cells[0]) < far || t >= size()) return;
    for (const I column : (*this)[t].columns) {
      __builtin_prefetch(&cells[static_cast<std::make_unsigned_t<I>>(column) & mask]);
    }
#endif
  }

  /// A quick check of a row that was scored: ascending columns are distinct, and within
  /// the width if the first and the last are.
  template <class Row>
  [[nodiscard]] bool sound(const Row& scored) const noexcept {
    if constexpr (Trusted) {
      return true;
    } else {
      if (scored.size() == 0) return true;
      const bool ends_in_width =
          in_width(scored.columns.front()) & in_width(scored.columns.back());
      return scored.distinct() & ends_in_width;
    }
  }

  /// The full check, for rows that fail the quick one.
  template <class Row>
  [[nodiscard]] Finding check(const Row& x, std::vector<std::uint64_t>& scratch) const {
    return Trusted ? Finding{} : check_columns(x.columns, scratch);
  }

 private:
  [[nodiscard, gnu::noinline]] Finding check_columns(
      std::span<const I> row, std::vector<std::uint64_t>& scratch) const {
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (!in_width(row[k])) return {Fault::beyond_width, k};
    }
    const auto k = duplicate_in(row, scratch);
    return k == row.size() ? Finding{} : Finding{Fault::duplicate, k};
  }

  /// Where the rows [from, to) begin, and how many entries they have.
  [[nodiscard]] std::pair<std::size_t, std::size_t> between(
      std::size_t from, std::size_t to) const noexcept {
    const auto first = static_cast<std::size_t>(read_once(offsets[from]));
    const std::size_t count = static_cast<std::size_t>(read_once(offsets[to])) - first;
    if constexpr (Trusted) return {first, count};
    // Offsets that are negative, or fall, become huge.
    const std::size_t begin = std::min(first, values.size());
    return {begin, std::min(count, values.size() - begin)};
  }

  // A negative column becomes huge when converted, so one comparison refuses both ends.
  [[nodiscard]] bool in_width(I column) const noexcept {
    return static_cast<std::size_t>(column) < width;
  }
};

/// The rows of our own parsers.
using ParsedBlock = CsrBlock<double, std::uint32_t, std::uint64_t, true>;

/// Sparse rows over a table of names, looked up beforehand.
struct WordsBlock {
  std::span<const std::uint64_t> offsets;
  std::span<const std::uint32_t> ids;
  std::span<const double> values;
  std::span<const std::int64_t> indices;

  [[nodiscard]] std::size_t size() const noexcept { return offsets.size() - 1; }
  [[nodiscard]] std::size_t nonzeros() const noexcept {
    return offsets.back() - offsets.front();
  }
  [[nodiscard]] WordsRow operator[](std::size_t t) const noexcept {
    const std::size_t count = offsets[t + 1] - offsets[t];
    return {ids.subspan(offsets[t], count), values.subspan(offsets[t], count), indices};
  }
  [[nodiscard]] auto to_score(std::size_t t,
                              Stamps* /*stamps*/ = nullptr) const noexcept {
    return (*this)[t];
  }
  template <class Row>
  [[nodiscard]] bool sound(const Row& /*scored*/) const noexcept {
    return true;
  }
  template <class Row>
  [[nodiscard]] Finding check(const Row&, std::vector<std::uint64_t>&) const noexcept {
    return {};
  }
};

using Block =
    std::variant<DenseBlock<float>, DenseBlock<double>, NamedBlock<float>,
                 NamedBlock<double>, CsrBlock<float, std::int32_t>,
                 CsrBlock<float, std::int64_t>, CsrBlock<double, std::int32_t>,
                 CsrBlock<double, std::int64_t>, ParsedBlock, WordsBlock>;

/// How many columns a block declares; 0 if its features have names.
[[nodiscard]] inline std::size_t width_of(const Block& block) noexcept {
  return std::visit(
      [](const auto& rows) -> std::size_t {
        if constexpr (requires { rows.width; }) return rows.width;
        return 0;
      },
      block);
}

}  // namespace littlestone
