// Rows and blocks of examples, borrowed from whoever owns the numbers.
//
// A row offers size(), index(k) and value(k), whatever its storage, so that a rule is
// written once for dense and sparse, float32 and float64 alike. Sums run over k in
// order: equal values in equal order give equal bits.
#pragma once

#include <algorithm>  // std::adjacent_find, std::sort
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace littlestone {

/// Why an example is refused.
enum class Fault : std::uint8_t {
  none,
  not_finite,      // a value is NaN or infinite
  outside_unit,    // a value is not in [0, 1]
  not_boolean,     // a value is neither 0 nor 1
  duplicate,       // a feature stands twice in one row
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

/// The row that one-at-a-time calls and name look-ups end in.
using ResolvedRow = SparseRow<double, std::int64_t>;

/// Asks the processor to load numbers it will soon need.
template <class T>
void prefetch_lines([[maybe_unused]] std::span<const T> numbers) noexcept {
#ifdef __GNUC__
  constexpr std::size_t line = 64 / sizeof(T);
  for (std::size_t k = 0; k < numbers.size(); k += line) {
    __builtin_prefetch(numbers.data() + k);
  }
#endif
}

/// True when each column number exceeds the one before it.
template <class I>
[[nodiscard]] bool ascending(std::span<const I> columns) noexcept {
  // No early exit, and a mask as wide as the numbers: the loop runs in vector
  // registers, and costs little beside the sum it protects.
  I rises = static_cast<I>(-1);
  for (std::size_t k = 1; k < columns.size(); ++k) {
    rises &= static_cast<I>(-static_cast<I>(columns[k - 1] < columns[k]));
  }
  return rises != 0;
}

/// The position of the first column number that stands earlier in the row too, or
/// size().
template <class I>
[[nodiscard]] std::size_t duplicate_in(std::span<const I> columns,
                                       std::vector<std::uint64_t>& scratch) {
  scratch.assign(columns.begin(), columns.end());
  std::sort(scratch.begin(), scratch.end());
  const auto twice = std::adjacent_find(scratch.begin(), scratch.end());
  if (twice == scratch.end()) return columns.size();
  for (std::size_t k = 0;; ++k) {
    const auto earlier = columns.first(k);
    if (std::find(earlier.begin(), earlier.end(), columns[k]) != earlier.end())
      return k;
  }
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
  void prefetch(std::size_t /*t*/) const noexcept {}
  [[nodiscard]] bool plain(std::size_t /*t*/) const noexcept { return true; }
  [[nodiscard]] Finding check(std::size_t, std::vector<std::uint64_t>&) const noexcept {
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
  void prefetch(std::size_t /*t*/) const noexcept {}
  [[nodiscard]] bool plain(std::size_t /*t*/) const noexcept { return true; }
  [[nodiscard]] Finding check(std::size_t, std::vector<std::uint64_t>&) const noexcept {
    return {};
  }
};

/// Compressed sparse rows. Offsets are checked by the border, once a block; columns
/// here, row by row, so that the rows before a bad one can be played.
template <class V, class I, class O = I>
struct CsrBlock {
  std::span<const O> offsets;
  std::span<const I> columns;
  std::span<const V> values;
  std::size_t width = 0;
  bool trusted = false;  // our own parser has checked the columns already

  [[nodiscard]] std::size_t size() const noexcept { return offsets.size() - 1; }
  [[nodiscard]] std::size_t nonzeros() const noexcept {
    return static_cast<std::size_t>(offsets.back() - offsets.front());
  }
  [[nodiscard]] SparseRow<V, I> operator[](std::size_t t) const noexcept {
    const auto first = static_cast<std::size_t>(offsets[t]);
    const auto count = static_cast<std::size_t>(offsets[t + 1]) - first;
    return {columns.subspan(first, count), values.subspan(first, count)};
  }

  /// Asks for the numbers of a row some rows ahead; two streams of short runs, one of
  /// columns and one of values, are more than the processor foresees by itself.
  void prefetch(std::size_t t) const noexcept {
    constexpr std::size_t ahead = 256;
    const std::size_t end = columns.size();
    const std::size_t from =
        std::min(static_cast<std::size_t>(offsets[t]) + ahead, end);
    const std::size_t next = std::min(t + 2, size());
    const std::size_t to =
        std::min(static_cast<std::size_t>(offsets[next]) + ahead, end);
    prefetch_lines(columns.subspan(from, to - from));
    prefetch_lines(values.subspan(from, to - from));
  }

  /// The quick answer for nearly every row: ascending columns are distinct, and within
  /// the width if the first and the last are.
  [[nodiscard]] bool plain(std::size_t t) const noexcept {
    if (trusted) return true;
    const auto row = (*this)[t].columns;
    return row.empty() ||
           (ascending(row) && in_width(row.front()) && in_width(row.back()));
  }

  /// The full answer, for rows that are not plain.
  [[nodiscard]] Finding check(std::size_t t,
                              std::vector<std::uint64_t>& scratch) const {
    const auto row = (*this)[t].columns;
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (!in_width(row[k])) return {Fault::beyond_width, k};
    }
    const auto k = duplicate_in(row, scratch);
    return k == row.size() ? Finding{} : Finding{Fault::duplicate, k};
  }

 private:
  // A negative column becomes huge when converted, so one comparison refuses both ends.
  [[nodiscard]] bool in_width(I column) const noexcept {
    return static_cast<std::size_t>(column) < width;
  }
};

using Block =
    std::variant<DenseBlock<float>, DenseBlock<double>, NamedBlock<float>,
                 NamedBlock<double>, CsrBlock<float, std::int32_t>,
                 CsrBlock<float, std::int64_t>, CsrBlock<double, std::int32_t>,
                 CsrBlock<double, std::int64_t>,
                 CsrBlock<double, std::uint32_t, std::uint64_t>>;

/// How many columns a block declares; none where the features have names.
[[nodiscard]] inline std::size_t width_of(const Block& block) noexcept {
  return std::visit(
      [](const auto& rows) -> std::size_t {
        if constexpr (requires { rows.width; }) return rows.width;
        return 0;
      },
      block);
}

}  // namespace littlestone
