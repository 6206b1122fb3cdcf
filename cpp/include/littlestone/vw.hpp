// Vowpal Wabbit text to rows:
// `[label [weight [initial]]] ['tag]|namespace[:scale] feature[:value] ... |...`.
//
// What is before the first bar is parted by spaces, as Vowpal Wabbit parts it; features
// by spaces and tabs. Features have names, `namespace^feature`, or are hashed as they
// are read: then no name is kept.
#pragma once

#include <algorithm>  // std::find, std::max, std::sort
#include <array>
#include <bit>    // std::bit_ceil, std::endian
#include <cmath>  // std::isfinite, std::floor
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memcpy
#include <span>
#include <string>
#include <string_view>
#include <utility>  // std::pair
#include <vector>

#include "littlestone/decimal.hpp"
#include "littlestone/hashing.hpp"
#include "littlestone/lines.hpp"
#include "littlestone/named_lines.hpp"
#include "littlestone/rows.hpp"
#include "littlestone/utf8.hpp"

namespace littlestone {

/// What becomes of a weight other than 0 and 1.
enum class ImportanceWeights : std::uint8_t { refuse, ignore, repeat };

/// Which lines and namespaces are read, and what becomes of the features.
struct VwRule {
  LabelRule label_rule;
  ImportanceWeights weights = ImportanceWeights::refuse;
  bool skip_unlabelled = false;
  bool sum = false;        // add up the values of a feature that stands twice
  unsigned hash_bits = 0;  // 0: features keep their names
  bool keeps = false;      // whether those listed are read, or are not
  std::vector<std::string> letters;  // first characters of namespaces; " ": without one
  std::vector<std::string> spaces;   // whole names

  [[nodiscard]] bool reads(std::string_view space) const {
    if (letters.empty() && spaces.empty()) return true;
    const auto begins = [&](const std::string& letter) {
      return space.empty() ? letter == " " : space.starts_with(letter);
    };
    const bool listed =
        std::find_if(letters.begin(), letters.end(), begins) != letters.end() ||
        std::find(spaces.begin(), spaces.end(), space) != spaces.end();
    return listed == keeps;
  }
};

/// Rows that are left to be repeated: which, and how often more.
struct Repeated {
  std::size_t row = 0;
  std::uint32_t more = 0;
};

struct VwBlock : NamedLineBlock {
  /// With hash_bits, of each entry that was read, and where those of each row end;
  /// beyond the last end there may be more.
  std::vector<std::uint64_t> hashes;
  std::vector<std::size_t> hash_ends;
  /// What a line's weight asks for beyond the copies there is room for in the block.
  std::vector<Repeated> repeated;

  /// The rows; buckets where the features were hashed.
  [[nodiscard]] Block rows() const noexcept {
    if (hash_bits_ == 0) return NamedLineBlock::rows();
    return ParsedBlock{offsets, columns, values, std::size_t{1} << hash_bits_};
  }
  [[nodiscard]] bool hashed() const noexcept { return hash_bits_ != 0; }

  [[nodiscard]] std::string_view tag(std::size_t row) const noexcept {
    const std::size_t begin = row == 0 ? 0 : tag_ends_[row - 1];
    return std::string_view(tags_).substr(begin, tag_ends_[row] - begin);
  }

  void parse(std::string_view text, const VwRule& rule, bool skip) {
    clear();
    hash_ends.clear();
    repeated.clear();
    copied_ = 0;
    tags_.clear();
    tag_ends_.clear();
    hash_bits_ = rule.hash_bits;
    sound_ = is_utf8(text);
    limit_ = text.data() + text.size();
    each_line(text, skip, [&](const char* p, const char* end) {
      while (p != end && is_space(end[-1])) --end;
      if (p == end) return LineFault::none;
      if (!sound_ && !is_utf8({p, static_cast<std::size_t>(end - p)})) {
        return LineFault::encoding;
      }
      return rule.hash_bits == 0 ? parse_line<false>(p, end, rule)
                                 : parse_line<true>(p, end, rule);
    });
  }

 private:
  static constexpr std::size_t most_copied = std::size_t{1} << 20U;  // a block

  /// What is before the bar.
  struct Head {
    std::string_view label;
    std::string_view tag;
    double weight = 1.0;
    bool labelled = false;
  };
  /// A feature on its way to its bucket.
  struct Hashed {
    std::uint64_t hash;
    double value;
    const char* at;
    std::uint32_t size;   // of the name; with a text behind it, of both
    std::uint32_t space;  // the number of its namespace in the line
  };
  /// A bucket of the row under way, and where its value stands.
  struct Cell {
    std::uint64_t stamp = 0;
    std::uint32_t bucket = 0;
    std::uint32_t position = 0;
  };

  unsigned hash_bits_ = 0;
  bool sound_ = true;
  const char* limit_ = nullptr;  // where the text ends
  std::string tags_;
  std::vector<std::size_t> tag_ends_;
  std::vector<Hashed> hashed_;  // maybe more: hashed_count_ are in use
  std::size_t hashed_count_ = 0;
  std::vector<std::string_view> line_spaces_;
  std::vector<Cell> cells_;  // open addressing, at most half full
  std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted_;
  std::uint64_t cell_stamp_ = 0;
  std::size_t row_entries_ = 0;
  std::size_t copied_ = 0;  // what copies of rows have taken

  [[nodiscard]] static constexpr bool is_space(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\r';
  }
  /// Bytes that end a name.
  static constexpr std::array<bool, 256> stops = [] {
    std::array<bool, 256> table{};
    for (const char c : {' ', '\t', '\r', '|', ':'}) {
      table[static_cast<unsigned char>(c)] = true;
    }
    return table;
  }();
  [[nodiscard]] static bool ends(const char* p, const char* end) noexcept {
    return p == end || is_space(*p) || *p == '|';
  }
  [[nodiscard]] static const char* token_end(const char* p, const char* end) noexcept {
    while (!ends(p, end)) ++p;
    return p;
  }

  template <bool Hash>
  [[nodiscard]] LineFault parse_line(const char* p, const char* end,
                                     const VwRule& rule) {
    const char* const bar = std::find(p, end, '|');
    if (bar == end) return LineFault::bar;
    Head head;
    if (const auto fault = read_head(p, bar, rule, head); fault != LineFault::none) {
      return fault;
    }
    if (!head.labelled && !rule.skip_unlabelled) return LineFault::unlabelled;
    if (!head.labelled || head.weight == 0.0) {
      ++left_out;
      return LineFault::none;
    }
    const Label label = rule.label_rule(head.label);
    if (label == Label::other ||
        (label == Label::zero && head.label.find(':') != std::string_view::npos)) {
      return blame(rule.label_rule.fault(), head.label);
    }

    begin_line();
    line_spaces_.clear();
    if constexpr (Hash) {
      // A feature takes two bytes at least, so that this is room for all of them.
      hashed_.resize(std::max(hashed_.size(), static_cast<std::size_t>(end - bar) / 2));
      hashed_count_ = 0;
    }
    for (p = bar; p != end;) {
      if (const auto fault = read_space<Hash>(p, end, rule); fault != LineFault::none) {
        return fault;
      }
    }
    const LineFault fault = Hash ? enter_hashed() : enter(rule.sum);
    if (fault != LineFault::none) return fault;
    if constexpr (!Hash) row_entries_ = entries();
    add(label, head, rule);
    return LineFault::none;
  }

  [[nodiscard]] LineFault read_head(const char* p, const char* bar, const VwRule& rule,
                                    Head& head) {
    std::array<std::string_view, 3> numbers;
    std::size_t count = 0;
    while (true) {
      while (p != bar && *p == ' ') ++p;
      if (p == bar) break;
      const char* const stop = std::find(p, bar, ' ');
      const std::string_view token(p, static_cast<std::size_t>(stop - p));
      // A tag touches the bar, or is the last and begins with an apostrophe.
      const bool last =
          std::find_if(stop, bar, [](char c) { return c != ' '; }) == bar;
      if (stop == bar || (last && *p == '\'')) {
        head.tag = token.substr(*p == '\'' ? 1 : 0);
        break;
      }
      if (count == numbers.size()) return blame(LineFault::head, token);
      numbers[count++] = token;
      p = stop;
    }
    head.labelled = count > 0;
    head.label = numbers[0];
    double initial = 0.0;
    if (count > 1 && !(number(numbers[1], head.weight) && takes(head.weight, rule))) {
      return blame(LineFault::weight, numbers[1]);
    }
    if (count > 2 && !(number(numbers[2], initial) && initial == 0.0)) {
      return blame(LineFault::initial, numbers[2]);
    }
    return LineFault::none;
  }

  [[nodiscard]] static bool number(std::string_view token, double& value) noexcept {
    const char* const end = token.data() + token.size();
    const Decimal read = read_decimal(token.data(), end);
    value = read.value;
    return read.ok && read.end == end;
  }

  [[nodiscard]] static bool takes(double weight, const VwRule& rule) noexcept {
    if (weight == 0.0 || weight == 1.0) return true;
    if (!std::isfinite(weight) || weight < 0.0) return false;
    if (rule.weights == ImportanceWeights::ignore) return true;
    return rule.weights == ImportanceWeights::repeat && weight < 4294967296.0 &&
           std::floor(weight) == weight;
  }

  /// Reads a namespace and its features, from its bar up to the next.
  template <bool Hash>
  [[nodiscard]] LineFault read_space(const char*& p, const char* end,
                                     const VwRule& rule) {
    const char* const name = ++p;
    while (p != end && !stops_at(*p)) ++p;
    const std::string_view space(name, static_cast<std::size_t>(p - name));
    double scale = 1.0;
    if (p != end && *p == ':') {
      const char* const stop = token_end(p, end);
      const std::string_view written(p + 1, static_cast<std::size_t>(stop - p - 1));
      if (space.empty() || !number(written, scale) || !std::isfinite(scale)) {
        return blame(LineFault::scale, name, stop);
      }
      p = stop;
    }
    if (!rule.reads(space)) {
      p = std::find(p, end, '|');
      return LineFault::none;
    }
    if (space.size() > longest_prefix) return blame(LineFault::prefix, space);

    // The hash of a name goes on from that of what all names here begin with.
    std::uint64_t begun = unnamed_hash;
    const auto place = static_cast<std::uint32_t>(line_spaces_.size());
    if constexpr (Hash) {
      line_spaces_.push_back(space);
      for (const char c : space) begun = hashed_on(begun, c);
      if (!space.empty()) begun = hashed_on(begun, '^');
    }
    while (true) {
      while (p != end && is_space(*p)) ++p;
      if (p == end || *p == '|') return LineFault::none;
      const char* const at = p;
      const Name read_name = name_at<Hash>(p, end, begun);
      p = read_name.end;
      const char* const name_end = p;
      std::uint64_t hash = read_name.hash;
      double value = 1.0;
      bool text = false;
      if (p != end && *p == ':') {
        const Decimal read = read_decimal(p + 1, end);
        if (read.ok && ends(read.end, end)) [[likely]] {
          value = read.value;
          p = read.end;
        } else {
          text = true;
          p = token_end(p, end);
          const LineFault fault = text_fault(name_end + 1, p);
          if (fault != LineFault::none) return blame(fault, at, p);
          if constexpr (Hash) {
            hash = hashed_on(hash, '=');
            for (const char* q = name_end + 1; q != p; ++q) hash = hashed_on(hash, *q);
          }
        }
      }
      if (name_end == at) return blame(LineFault::name, at, p);
      value *= scale;
      if (!std::isfinite(value)) return blame(LineFault::not_finite, at, p);
      if (value == 0.0) continue;  // which says that it is absent
      const auto size = static_cast<std::size_t>((text ? p : name_end) - at);
      if constexpr (Hash) {
        hashed_[hashed_count_++] = {stirred(hash), value, at,
                                    static_cast<std::uint32_t>(size), place};
      } else {
        const std::string_view written(at, size);
        if (!space.empty() || text) {
          const std::size_t begin = spelled.size();
          spell(space, at, name_end, text ? p : name_end);
          take_spelled(begin, value, written);
        } else if (read_name.is_packed) {
          take_packed(written, read_name.packed, value);
        } else {
          take(written, value);
        }
      }
    }
  }

  /// A name as it was found, packed if it is short; with its hash, if that is wanted.
  struct Name {
    const char* end;
    std::uint64_t packed;
    std::uint64_t hash;
    bool is_packed;
  };

  template <bool Hash>
  [[nodiscard]] Name name_at(const char* p, const char* end,
                             std::uint64_t begun) const noexcept {
    // A loop whose end the processor guesses lets it read on to the next feature, where
    // an end that is computed from eight bytes at once makes it wait.
    Name name{p, 0, begun, false};
    for (; name.end != end && !stops_at(*name.end); ++name.end) {
      if constexpr (Hash) name.hash = hashed_on(name.hash, *name.end);
    }
    if constexpr (!Hash && std::endian::native == std::endian::little) {
      const auto size = name.end - p;
      if (size < 8 && limit_ - p >= 8) [[likely]] {
        std::memcpy(&name.packed, p, 8);
        name.packed &= (std::uint64_t{1} << 8 * size) - 1;
        name.is_packed = true;
      }
    }
    return name;
  }

  [[nodiscard]] static bool stops_at(char c) noexcept {
    return stops[static_cast<unsigned char>(c)];
  }

  void spell(std::string_view space, const char* at, const char* name_end,
             const char* stop) {
    if (!space.empty()) {
      spelled.add(space);
      spelled.add('^');
    }
    spelled.add({at, static_cast<std::size_t>(name_end - at)});
    if (stop == name_end) return;
    spelled.add('=');
    spelled.add({name_end + 1, static_cast<std::size_t>(stop - name_end - 1)});
  }

  /// What is wrong with a value that is no number: a text may not begin like one.
  [[nodiscard]] static LineFault text_fault(const char* p, const char* end) {
    if (names_not_finite(p, end)) return LineFault::not_finite;
    const bool like_a_number =
        p == end || is_digit(*p) || *p == '+' || *p == '-' || *p == '.';
    return like_a_number || std::find(p, end, ':') != end ? LineFault::value
                                                          : LineFault::none;
  }

  // Buckets ------------------------------------------------------------------

  /// Puts the features of the line into their buckets; those in one are added up in the
  /// place of the first.
  [[nodiscard]] LineFault enter_hashed() {
    const std::size_t count = hashed_count_;
    const std::size_t first = offsets.back();
    if (columns.size() < first + count) {
      columns.resize(std::max(first + count, 2 * columns.size()));
      values.resize(columns.size());
    }
    if (2 * count > cells_.size()) cells_.assign(std::bit_ceil(2 * count), Cell{});
    ++cell_stamp_;
    std::size_t entries = 0;
    for (const Hashed& feature : std::span(hashed_).first(count)) {
      const std::uint32_t bucket = bucket_of(feature.hash, hash_bits_);
      Cell& cell = cell_of(bucket);
      if (cell.stamp == cell_stamp_) {
        values[first + cell.position] += feature.value;
        continue;
      }
      cell = {cell_stamp_, bucket, static_cast<std::uint32_t>(entries)};
      columns[first + entries] = bucket;
      values[first + entries] = feature.value;
      ++entries;
    }
    if (entries < count) {  // some met: by chance, or since one stands twice
      const std::size_t twice = twice_in_line();
      if (twice != count) {
        const Hashed& feature = hashed_[twice];
        return blame(LineFault::duplicate, {feature.at, feature.size});
      }
    }
    row_entries_ = entries;
    return LineFault::none;
  }

  [[nodiscard]] Cell& cell_of(std::uint32_t bucket) noexcept {
    const std::size_t mask = cells_.size() - 1;
    std::size_t at = bucket & mask;
    while (cells_[at].stamp == cell_stamp_ && cells_[at].bucket != bucket) {
      at = (at + 1) & mask;
    }
    return cells_[at];
  }

  /// The first feature of the line that stands earlier in it too, or how many there
  /// are.
  [[nodiscard]] std::size_t twice_in_line() {
    sorted_.clear();
    for (std::size_t k = 0; k < hashed_count_; ++k) {
      sorted_.emplace_back(hashed_[k].hash, static_cast<std::uint32_t>(k));
    }
    std::sort(sorted_.begin(), sorted_.end());
    std::size_t first = hashed_count_;
    for (std::size_t k = 0; k < sorted_.size();) {
      std::size_t next = k + 1;
      while (next < sorted_.size() && sorted_[next].first == sorted_[k].first) ++next;
      if (next - k > 1) first = std::min(first, twice_among(k, next));
      k = next;
    }
    return first;
  }

  /// The same among features of one hash, by their names: names can be made to share
  /// one.
  [[nodiscard]] std::size_t twice_among(std::size_t from, std::size_t to) {
    std::vector<std::pair<std::string, std::uint32_t>> spelled;
    for (std::size_t k = from; k < to; ++k) {
      const Hashed& feature = hashed_[sorted_[k].second];
      const std::string_view space = line_spaces_[feature.space];
      std::string name(space);
      if (!space.empty()) name += '^';
      name.append(feature.at, feature.size);
      std::replace(name.begin(), name.end(), ':', '=');
      spelled.emplace_back(std::move(name), sorted_[k].second);
    }
    std::sort(spelled.begin(), spelled.end());
    std::size_t first = hashed_count_;
    for (std::size_t k = 1; k < spelled.size(); ++k) {
      if (spelled[k - 1].first == spelled[k].first) {
        first = std::min<std::size_t>(first, spelled[k].second);
      }
    }
    return first;
  }

  // Rows ---------------------------------------------------------------------

  /// Completes the row, as often as its weight says.
  void add(Label label, const Head& head, const VwRule& rule) {
    const std::size_t first = offsets.back();
    const std::size_t count = row_entries_;
    const bool repeats = rule.weights == ImportanceWeights::repeat;
    auto left = static_cast<std::uint32_t>(repeats ? head.weight : 1.0);
    for (bool copy = false; left > 0; --left, copy = true) {
      if (copy) {
        copied_ += count + (hash_bits_ == 0 ? 0 : hashed_count_) + head.tag.size() + 1;
        if (copied_ > most_copied) {
          repeated.push_back({size() - 1, left});
          return;
        }
        copy_entries(first, count);
      }
      if (hash_bits_ != 0) {
        const std::size_t before = hash_ends.empty() ? 0 : hash_ends.back();
        if (hashes.size() < before + hashed_count_) {
          hashes.resize(std::max(before + hashed_count_, 2 * hashes.size()));
        }
        for (std::size_t k = 0; k < hashed_count_; ++k) {
          hashes[before + k] = hashed_[k].hash;
        }
        hash_ends.push_back(before + hashed_count_);
      }
      tags_ += head.tag;
      tag_ends_.push_back(tags_.size());
      add_row(label, head.label, rule.label_rule, count);
    }
  }

  void copy_entries(std::size_t first, std::size_t count) {
    const std::size_t to = offsets.back();
    if (columns.size() < to + count) {
      columns.resize(std::max(to + count, 2 * columns.size()));
      values.resize(columns.size());
    }
    std::copy_n(columns.begin() + static_cast<std::ptrdiff_t>(first), count,
                columns.begin() + static_cast<std::ptrdiff_t>(to));
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), count,
                values.begin() + static_cast<std::ptrdiff_t>(to));
  }
};

}  // namespace littlestone
