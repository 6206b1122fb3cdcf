// Rows and blocks of examples, which borrow their numbers.
//
// Every row has size(), index(k) and value(k), so that a rule is written once for dense
// and sparse, float32 and float64. Sums run over k in order: equal values in equal
// order give equal bits.
#pragma once

#include <algorithm>  // std::adjacent_find, std::min, std::sort
#include <bit>        // std::bit_ceil
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>  // std::make_unsigned_t
#include <utility>      // std::pair
#include <variant>
#include <vector>

#include "littlestone/read_once.hpp"

namespace littlestone {

/// Why an example is refused.
enum class Fault : std::uint8_t {
  none,
  not_finite,      // a value is NaN or infinite
  outside_unit,    // a value is not in [0, 1]
  not_boolean,     // a value is neither 0 nor 1
  beyond_scale,    // a value is larger than the declared scale
  too_many,        // more features than a full matrix can have
  duplicate,       // a feature occurs twice in one row
  beyond_width,    // a column number outside the declared width
  score_overflow,  // every value is finite, but the score is not
};

/// A fault and the position in the row where it was found.
struct Finding {
  Fault fault = Fault::none;
  std::size_t position = 0;
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

/// A row whose column numbers are not checked yet. Two passes, one to check and one to
/// score, would take a quarter longer, so it is scored first, and the caller asks
/// `rises` afterwards.
template <class V, class I>
struct UncheckedRow : MaskedRow<V, I> {
  mutable std::optional<bool> seen_to_rise{};

  [[nodiscard]] bool rises() const noexcept {
    return seen_to_rise ? *seen_to_rise : ascending(this->columns);
  }
};

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
  [[nodiscard]] auto to_score(std::size_t t) const noexcept { return (*this)[t]; }
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
  [[nodiscard]] auto to_score(std::size_t t) const noexcept { return (*this)[t]; }
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

  [[nodiscard]] std::size_t size() const noexcept { return offsets.size() - 1; }
  [[nodiscard]] std::size_t nonzeros() const noexcept {
    return between(0, size()).second;
  }
  [[nodiscard]] SparseRow<V, I> operator[](std::size_t t) const noexcept {
    const auto [first, count] = between(t, t + 1);
    return {columns.subspan(first, count), values.subspan(first, count)};
  }

  /// The row to be scored: there are weights up to the next power of two.
  [[nodiscard]] auto to_score(std::size_t t) const noexcept {
    const SparseRow<V, I> x = (*this)[t];
    if constexpr (Trusted) {
      return x;
    } else {
      return UncheckedRow<V, I>{{x.columns, x.values, mask}};
    }
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
      return scored.rises() & ends_in_width;
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
  [[nodiscard]] std::size_t nonzeros() const noexcept { return offsets.back(); }
  [[nodiscard]] WordsRow operator[](std::size_t t) const noexcept {
    const std::size_t count = offsets[t + 1] - offsets[t];
    return {ids.subspan(offsets[t], count), values.subspan(offsets[t], count), indices};
  }
  [[nodiscard]] auto to_score(std::size_t t) const noexcept { return (*this)[t]; }
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
