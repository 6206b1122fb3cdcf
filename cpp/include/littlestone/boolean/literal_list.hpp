// A decision list of single literals for all rows of a table at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace littlestone::boolean {

/// What a row is labelled; a row that is left out plays no part.
enum class Row : std::uint8_t { no, yes, left_out };

struct LiteralRule {
  std::size_t literal;  ///< feature j, or width + j for its negation
  bool label;
};

/// Rows, each by the features that are true in it, in which literals are counted. The
/// cost follows the entries of the rows and, for each rule, the features that are
/// still true somewhere.
class LiteralList {
 public:
  LiteralList(std::span<const std::int64_t> offsets,
              std::span<const std::int32_t> columns, std::span<Row> rows,
              std::size_t width)
      : offsets_(offsets), columns_(columns), rows_(rows), width_(width) {
    for (auto& counts : counts_) counts.resize(width);
    std::vector<std::size_t> begins(width + 1);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (rows[r] == Row::left_out) continue;
      ++left_[index(r)];
      for (const std::int32_t column : features(r)) {
        const auto j = static_cast<std::size_t>(column);
        ++counts_[index(r)][j];
        ++begins[j + 1];
      }
    }
    for (std::size_t j = 0; j < width; ++j) {
      if (begins[j + 1] > 0) active_.push_back(j);
      begins[j + 1] += begins[j];
    }
    begins_ = begins;
    true_in_.resize(begins.back());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (rows[r] == Row::left_out) continue;
      for (const std::int32_t j : features(r)) {
        true_in_[begins[static_cast<std::size_t>(j)]++] = r;
      }
    }
  }

  /// Takes each time the literal that covers most of the rows, all of one label, of
  /// equals the first, and leaves these rows out, until one label is left or there is
  /// no such literal.
  [[nodiscard]] std::vector<LiteralRule> rules() {
    std::vector<LiteralRule> found;
    while (left_[0] > 0 && left_[1] > 0) {
      const std::size_t literal = best();
      if (literal == none) break;
      const bool negated = literal >= width_;
      const std::size_t feature = negated ? literal - width_ : literal;
      const bool pure_yes = counts_[0][feature] == (negated ? left_[0] : 0);
      found.push_back({literal, pure_yes});
      take(feature, negated, pure_yes ? Row::yes : Row::no);
    }
    return found;
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  [[nodiscard]] std::size_t index(std::size_t r) const {
    return rows_[r] == Row::yes ? 1 : 0;
  }

  [[nodiscard]] std::span<const std::int32_t> features(std::size_t r) const {
    const auto begin = static_cast<std::size_t>(offsets_[r]);
    return columns_.subspan(begin, static_cast<std::size_t>(offsets_[r + 1]) - begin);
  }

  /// The literal that covers most rows of one label, and none of the other.
  [[nodiscard]] std::size_t best() {
    const auto pure = [](std::size_t no, std::size_t yes) {
      return no > 0 && yes > 0 ? 0 : no + yes;
    };
    std::array<std::size_t, 2> most{}, first{none, none};
    std::size_t kept = 0;
    for (const std::size_t j : active_) {
      const std::size_t no = counts_[0][j], yes = counts_[1][j];
      // False from now on: as its negation is always true, both are useless.
      if (no + yes == 0) continue;
      active_[kept++] = j;
      const std::array covered{pure(no, yes), pure(left_[0] - no, left_[1] - yes)};
      for (std::size_t sign = 0; sign < 2; ++sign) {
        if (covered[sign] > most[sign]) {
          most[sign] = covered[sign];
          first[sign] = j + sign * width_;
        }
      }
    }
    active_.resize(kept);
    return most[1] > most[0] ? first[1] : first[0];
  }

  /// Leaves out the rows of a label in which a feature is true, or false if negated.
  void take(std::size_t feature, bool negated, Row label) {
    const std::span<const std::size_t> rows{true_in_.data() + begins_[feature],
                                            begins_[feature + 1] - begins_[feature]};
    if (!negated) {
      for (const std::size_t r : rows) {
        if (rows_[r] == label) leave_out(r);
      }
      return;
    }
    std::size_t at = 0;  // rows are in ascending order
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      while (at < rows.size() && rows[at] < r) ++at;
      const bool is_true = at < rows.size() && rows[at] == r;
      if (!is_true && rows_[r] == label) leave_out(r);
    }
  }

  void leave_out(std::size_t r) {
    auto& counts = counts_[index(r)];
    for (const std::int32_t j : features(r)) --counts[static_cast<std::size_t>(j)];
    --left_[index(r)];
    rows_[r] = Row::left_out;
  }

  std::span<const std::int64_t> offsets_;
  std::span<const std::int32_t> columns_;
  std::span<Row> rows_;
  std::size_t width_;
  std::array<std::vector<std::size_t>, 2> counts_;  // of the rows left, by label
  std::array<std::size_t, 2> left_{};
  std::vector<std::size_t> active_;   // features that are true somewhere, ascending
  std::vector<std::size_t> begins_;   // where the rows of a feature begin ...
  std::vector<std::size_t> true_in_;  // ... in these
};

}  // namespace littlestone::boolean
