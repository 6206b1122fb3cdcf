// Vowpal Wabbit text to rows:
// `[label [weight [initial]]] ['tag]|namespace[:scale] feature[:value] ... |...`.
//
// Tokens before the first bar are separated by spaces, as in Vowpal Wabbit; features by
// spaces and tabs. Features have names, `namespace^feature`, or are hashed as they are
// read: then no name is kept.
#pragma once

#include <algorithm>  // std::copy_n, std::fill, std::find
#include <array>
#include <bit>    // std::bit_ceil, std::endian
#include <cmath>  // std::isfinite, std::floor
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memcpy
#include <string>
#include <string_view>
#include <utility>  // std::exchange
#include <vector>

#include "littlestone/hashing.hpp"
#include "littlestone/parsing/decimal.hpp"
#include "littlestone/parsing/lines.hpp"
#include "littlestone/parsing/marks.hpp"
#include "littlestone/parsing/named_lines.hpp"
#include "littlestone/parsing/utf8.hpp"
#include "littlestone/rows.hpp"

namespace littlestone {

/// How weights other than 0 and 1 are treated; those that multiply the loss of a round
/// are handed on.
enum class ImportanceWeights : std::uint8_t { refuse, ignore, repeat, multiply };

/// Which lines and namespaces are read, and what the features become.
struct VwRule {
  LabelRule label_rule;
  ImportanceWeights weights = ImportanceWeights::refuse;
  bool sum = false;        // add the values of a duplicate feature
  unsigned hash_bits = 0;  // 0: features keep their names
  bool keeps = false;      // read only the namespaces listed, or all others
  std::vector<std::string>
      letters;                      // first characters of namespaces; " ": no namespace
  std::vector<std::string> spaces;  // whole names

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

/// Rows that the caller must repeat: which, and how often.
struct Repeated {
  std::size_t row = 0;
  std::uint32_t more = 0;
};

struct VwBlock : NamedLineBlock {
  /// With hash_bits, the hash of each entry, and where those of each row end; hashes
  /// beyond the last end are unused.
  std::vector<std::uint64_t> hashes;
  std::vector<std::size_t> hash_ends;
  /// Repetitions for which the block has no room.
  std::vector<Repeated> repeated;

  /// The rows; of buckets if the features were hashed.
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
    hashes_claimed_ = 0;
    repeated.clear();
    copied_ = 0;
    tags_.clear();
    tag_ends_.clear();
    std::fill(cells_.begin(), cells_.end(), Cell{});
    hash_bits_ = rule.hash_bits;
    limit_ = text.data() + text.size();
    each_line(text, skip, [&](const char* p, const char* end) {
      while (p != end && is_space(end[-1])) --end;
      if (p == end) return LineFault::none;
      marks_.find(p, end, limit_);
      if (!marks_.ascii && !is_utf8({p, static_cast<std::size_t>(end - p)})) {
        return LineFault::encoding;
      }
      return rule.hash_bits == 0 ? parse_line<false>(p, end, rule)
                                 : parse_line<true>(p, end, rule);
    });
  }

 private:
  static constexpr std::size_t most_copied = std::size_t{1} << 20U;  // in a block

  /// The part before the bar.
  struct Head {
    std::string_view label;
    std::string_view tag;
    double weight = 1.0;
    bool labelled = false;
  };
  /// A bucket of the current row, and the position of its entry, from 1. The position
  /// of an earlier row is where the entries of that row are.
  struct Cell {
    std::uint32_t bucket = 0;
    std::uint32_t place = 0;
  };

  unsigned hash_bits_ = 0;
  const char* limit_ = nullptr;  // where the text ends
  Marks marks_{' ', ':', '|'};
  std::string tags_;
  std::vector<std::size_t> tag_ends_;
  std::vector<Cell> cells_;         // open addressing, at most a quarter full
  std::size_t met_ = 0;             // how many features of the line were hashed
  std::size_t first_hash_ = 0;      // where their hashes begin
  std::size_t hashes_claimed_ = 0;  // up to where room was claimed
  bool may_meet_ = false;           // whether two of them may be in one bucket
  // The last line that had a bucket with these low bits: in most lines no two agree.
  std::array<std::uint8_t, std::size_t{1} << 15U> last_with_{};
  std::uint8_t line_ = 0;
  std::size_t row_entries_ = 0;
  std::size_t copied_ = 0;  // room that copies of rows have taken

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
    if (!head.labelled && !rule.label_rule.may_miss()) return LineFault::unlabelled;
    const Label label = head.labelled ? rule.label_rule(head.label) : Label::none;
    if (rule.label_rule.skips(label) || head.weight == 0.0) {
      ++left_out;
      return LineFault::none;
    }
    if (label == Label::other ||
        (label == Label::zero && head.label.find(':') != std::string_view::npos)) {
      return blame(rule.label_rule.fault(), head.label);
    }

    begin_line();
    if constexpr (Hash) make_room_to_hash(static_cast<std::size_t>(end - bar));
    if (const auto fault = read_spaces<Hash>(bar, end, rule);
        fault != LineFault::none) {
      return fault;
    }
    if constexpr (Hash) {
      row_entries_ = may_meet_ ? put_in_buckets() : met_;
      // Two are in one bucket: by chance, or because of a duplicate feature; compare
      // names.
      if (row_entries_ < met_) {
        marks_.find(p, end, limit_);
        std::fill(cells_.begin(), cells_.end(), Cell{});
        LineFault fault = read_spaces<false>(bar, end, rule);
        if (fault == LineFault::none) {
          fault = settle_twice(rule.sum, hashes.data() + first_hash_);
        }
        if (fault != LineFault::none) return fault;
        met_ = entries();
        row_entries_ = put_in_buckets();
      }
    } else {
      if (const auto fault = enter(rule.sum); fault != LineFault::none) return fault;
      row_entries_ = entries();
    }
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
      // A tag touches the bar, or is last and begins with an apostrophe.
      const bool last = std::find_if(stop, bar, [](char c) { return c != ' '; }) == bar;
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
    if (rule.weights == ImportanceWeights::ignore ||
        rule.weights == ImportanceWeights::multiply) {
      return true;
    }
    return rule.weights == ImportanceWeights::repeat && weight < 4294967296.0 &&
           std::floor(weight) == weight;
  }

  template <bool Hash>
  [[nodiscard]] LineFault read_spaces(const char* p, const char* end,
                                      const VwRule& rule) {
    while (p != end) {
      if (const auto fault = read_space<Hash>(p, end, rule); fault != LineFault::none) {
        return fault;
      }
    }
    return LineFault::none;
  }

  /// Reads a namespace and its features, from its bar to the next.
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

    Space here(space, scale);
    if constexpr (!Hash) {
      if (!space.empty()) here.number = number_of(space);
    }
    while (true) {
      if (marks_.found() && here.mild()) p = take_plain<Hash>(p, here);
      while (p != end && is_space(*p)) ++p;
      if (p == end || *p == '|') return LineFault::none;
      if (const auto fault = read_feature<Hash>(p, end, here);
          fault != LineFault::none) {
        return fault;
      }
    }
  }

  /// What the features of a namespace have in common.
  struct Space {
    Space(std::string_view space, double factor) : name(space), scale(factor) {
      if (name.empty()) return;
      begin.append(name).push_back('^');
      begun.add(begin);
    }
    std::string_view name;
    double scale;
    std::string begin;         // with what all names begin
    NameHash begun;            // the hash of that
    std::uint32_t number = 0;  // by which names are looked up

    /// Whether no short number becomes 0 or infinite when it is scaled.
    [[nodiscard]] bool mild() const noexcept {
      return std::abs(scale) > 1e-200 && std::abs(scale) < 1e200;
    }
  };

  /// Reads a feature of any form.
  template <bool Hash>
  [[nodiscard]] LineFault read_feature(const char*& p, const char* end,
                                       const Space& space) {
    const char* const at = p;
    while (p != end && !stops_at(*p)) ++p;
    const std::string_view name(at, static_cast<std::size_t>(p - at));
    double value = 1.0;
    std::string_view text;
    if (p != end && *p == ':') {
      const char* const written = p + 1;
      const Decimal read = read_decimal(written, end);
      if (read.ok && ends(read.end, end)) {
        value = read.value;
        p = read.end;
      } else {
        p = token_end(p, end);
        text = {written, static_cast<std::size_t>(p - written)};
        const LineFault fault = text_fault(written, p);
        if (fault != LineFault::none) return blame(fault, at, p);
      }
    }
    if (name.empty()) return blame(LineFault::name, at, p);
    if (text.empty()) value *= space.scale;  // a text has no number to scale
    if (!std::isfinite(value)) return blame(LineFault::not_finite, at, p);
    if (value == 0.0) return LineFault::none;  // 0 means absent
    if (text.empty()) {
      if constexpr (Hash) {
        take_hashed(hash_in(space, name), value);
      } else {
        take_named(space, name, value);
      }
    } else if constexpr (Hash) {
      NameHash hash = space.begun;
      hash.add(name);
      hash.add("=");
      hash.add(text);
      take_hashed(hash.value(), value);
    } else {
      const std::size_t begin = spell(space, name);
      spelled.add('=');
      spelled.add(text);
      take_spelled(begin, value, {at, static_cast<std::size_t>(p - at)});
    }
    return LineFault::none;
  }

  /// Reads features from `p` on as long as each is a name without a value or with a
  /// short number; returns where anything else begins.
  template <bool Hash>
  [[nodiscard]] const char* take_plain(const char* p, const Space& space) {
    const char* const line = marks_.line;
    const std::uint32_t line_end = marks_.end;
    std::uint32_t from = marks_.pass(p);
    const std::uint32_t* mark = marks_.next;
    const NameHash::Ending ending = space.begun.ending();
    const double scale = space.scale;
    const std::size_t begin = space.begin.size();
    const std::uint64_t start =
        begin < Names::packed_size ? Names::packed(space.begin) : 0;
    std::uint64_t* hash = nullptr;
    std::uint32_t* column = nullptr;
    double* to = nullptr;
    std::size_t met = met_;
    bool may_meet = false;
    const std::uint8_t number = line_;
    const auto buckets =
        static_cast<std::uint32_t>((std::uint64_t{1} << hash_bits_) - 1);
    if constexpr (Hash) {
      hash = hashes.data() + first_hash_;
      column = columns.data() + offsets.back();
      to = values.data() + offsets.back();
    }
    // A value of 0, which means absent, is written but not counted. With names, there
    // is room for a feature, and its value may be there already.
    const auto take = [&](const char* name, std::size_t size, double value,
                          bool there) __attribute__((always_inline)) {
      if constexpr (Hash) {
        const std::uint64_t hashed = size <= ending.room
                                         ? ending.with(packed(name, size), size)
                                         : hash_in(space, {name, size});
        const auto bucket = static_cast<std::uint32_t>(hashed) & buckets;
        std::uint8_t& last = last_with(bucket);
        may_meet |= last == number;
        last = number;
        hash[met] = hashed;
        column[met] = bucket;
        to[met] = value;
        met += there ? 1 : 0;
      } else if (!there) {
        return;
      } else if (size > Names::packed_size) {
        take_named(space, {name, size}, value);
      } else if (begin + size <= Names::packed_size) {
        take_packed(name, size, packed(name, size) << (8 * begin) | start, 0);
      } else if (space.number != 0 && !has_hat(packed(name, size))) {
        take_packed(name, size, packed(name, size), space.number);
      } else {
        take_named(space, {name, size}, value);
      }
    };
    constexpr std::size_t at_once = 64;  // features
    std::size_t rest = 0;  // features until four at a time are tried again
    while (from < line_end) {
      if (*mark == from && is_space(line[from])) {
        ++mark;
        ++from;
        continue;
      }
      if (rest-- == 0) {
        double* const numbers = Hash ? to + met : room_for(at_once);
        const std::size_t ready = marks_.read_fours<Marks::Between::pairs>(
            mark, Hash ? line_end : at_once, ':', ' ', scale, numbers);
        std::size_t taken = 0;
        for (; taken < ready && from != mark[0]; ++taken, mark += 2) {
          take(line + from, mark[0] - from, numbers[taken], true);
          from = mark[1] + 1;
        }
        if (from >= line_end) break;  // the space after the last was cut off
        rest = !Hash && taken == at_once ? 0 : 3;
        if (rest == 0) continue;
      }
      const std::uint32_t name_end = *mark++;
      std::uint32_t stop = name_end;
      ShortDecimal read{1, 0};
      if (line[name_end] == ':') [[likely]] {
        stop = *mark++;
        if (!read_short_token(line + name_end + 1, line + stop, read)) break;
      }
      if (!is_space(line[stop]) && stop != line_end) [[unlikely]]
        break;
      if (name_end == from) break;
      if constexpr (!Hash) *room_for(1) = read.value() * scale;
      take(line + from, name_end - from, read.value() * scale, read.digits != 0);
      from = stop + 1;
    }
    marks_.stop_before(mark);
    if constexpr (Hash) {
      met_ = met;
      may_meet_ |= may_meet;
    }
    return line + std::min(from, line_end);
  }

  /// Adds a feature whose name is in the line, except for its namespace.
  void take_named(const Space& space, std::string_view name, double value) {
    if (!space.name.empty()) {
      take_spelled(spell(space, name), value, name);
    } else {
      take(name, value);
    }
  }
  [[nodiscard]] std::uint64_t hash_in(const Space& space,
                                      std::string_view name) const noexcept {
    NameHash hash = space.begun;
    if (is_short(name)) {
      hash.add(packed(name.data(), name.size()), name.size());
    } else {
      hash.add(name);
    }
    return hash.value();
  }
  /// Whether a name can be packed by reading eight bytes.
  [[nodiscard]] bool is_short(std::string_view name) const noexcept {
    return std::endian::native == std::endian::little &&
           name.size() <= Names::packed_size && limit_ - name.data() >= 8;
  }
  [[nodiscard]] static std::uint64_t packed(const char* name,
                                            std::size_t size) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, name, 8);
    return word & (~std::uint64_t{0} >> ((0 - 8 * size) % 64));
  }

  /// Whether a byte of a packed name is `^`.
  [[nodiscard]] static bool has_hat(std::uint64_t name) noexcept {
    const std::uint64_t same = name ^ 0x5E5E5E5E5E5E5E5EU;
    return ((same - 0x0101010101010101U) & ~same & 0x8080808080808080U) != 0;
  }

  [[nodiscard]] static bool stops_at(char c) noexcept {
    return stops[static_cast<unsigned char>(c)];
  }

  /// Composes a name, and returns where it begins.
  [[nodiscard]] std::size_t spell(const Space& space, std::string_view name) {
    const std::size_t begin = spelled.size();
    if (!space.name.empty()) {
      spelled.add(space.name);
      spelled.add('^');
    }
    spelled.add(name);
    return begin;
  }

  /// The fault of a value that is not a number, if any: a text must not look like one.
  [[nodiscard]] static LineFault text_fault(const char* p, const char* end) {
    if (names_not_finite(p, end)) return LineFault::not_finite;
    const bool like_a_number =
        p == end || is_digit(*p) || *p == '+' || *p == '-' || *p == '.';
    return like_a_number || std::find(p, end, ':') != end ? LineFault::value
                                                          : LineFault::none;
  }

  // Buckets ------------------------------------------------------------------

  /// A feature takes at least two bytes, so this is enough room for all of them, and
  /// writing needs no checks.
  void make_room_to_hash(std::size_t bytes) {
    make_room(offsets.back() + bytes / 2);
    met_ = 0;
    may_meet_ = false;
    if (++line_ == 0) {
      last_with_.fill(0);
      line_ = 1;
    }
    first_hash_ = hash_ends.empty() ? 0 : hash_ends.back();
    if (hashes.size() < first_hash_ + bytes / 2) {
      hashes.resize(enough(first_hash_ + bytes / 2, hashes.size()));
    }
    claim(hashes, first_hash_, hashes_claimed_);
  }

  [[nodiscard]] std::uint8_t& last_with(std::uint32_t bucket) noexcept {
    return last_with_[bucket % last_with_.size()];
  }
  void take_hashed(std::uint64_t hash, double value) noexcept {
    hashes[first_hash_ + met_] = hash;
    columns[offsets.back() + met_] = bucket_of(hash, hash_bits_);
    values[offsets.back() + met_] = value;
    may_meet_ |= std::exchange(last_with(bucket_of(hash, hash_bits_)), line_) == line_;
    ++met_;
  }

  /// Puts the features of the line into buckets, and adds those in one bucket. Returns
  /// how many buckets there are.
  [[nodiscard]] std::size_t put_in_buckets() {
    const std::size_t first = offsets.back();
    if (4 * met_ > cells_.size()) cells_.assign(std::bit_ceil(4 * met_), Cell{});
    Cell* const cells = cells_.data();
    const std::size_t mask = cells_.size() - 1;
    const unsigned bits = hash_bits_;
    const std::uint64_t* const hash = hashes.data() + first_hash_;
    std::uint32_t* const column = columns.data() + first;
    double* const value = values.data() + first;
    std::size_t entries = 0;
    for (std::size_t k = 0; k < met_; ++k) {
      const std::uint32_t bucket = bucket_of(hash[k], bits);
      std::size_t at = bucket & mask;
      while (cells[at].place > first && cells[at].bucket != bucket) {
        at = (at + 1) & mask;
      }
      Cell& cell = cells[at];
      if (cell.place > first) [[unlikely]] {
        value[cell.place - 1 - first] += value[k];
        continue;
      }
      column[entries] = bucket;
      value[entries] = value[k];
      ++entries;
      cell = {bucket, static_cast<std::uint32_t>(first + entries)};
    }
    return entries;
  }

  // Rows ---------------------------------------------------------------------

  /// Completes the row, and repeats it by its weight.
  void add(Label label, const Head& head, const VwRule& rule) {
    const std::size_t first = offsets.back();
    const std::size_t count = row_entries_;
    const bool repeats = rule.weights == ImportanceWeights::repeat;
    auto left = static_cast<std::uint32_t>(repeats ? head.weight : 1.0);
    for (bool copy = false; left > 0; --left, copy = true) {
      if (copy) {
        copied_ += count + (hash_bits_ == 0 ? 0 : met_) + head.tag.size() + 1;
        if (copied_ > most_copied) {
          repeated.push_back({size() - 1, left});
          return;
        }
        copy_entries(first, count);
      }
      if (hash_bits_ != 0) {
        if (copy) copy_hashes();
        hash_ends.push_back((hash_ends.empty() ? 0 : hash_ends.back()) + met_);
      }
      tags_ += head.tag;
      tag_ends_.push_back(tags_.size());
      if (rule.weights == ImportanceWeights::multiply) weights.push_back(head.weight);
      add_row(label, head.label, rule.label_rule, count);
    }
  }

  void copy_hashes() {
    const std::size_t to = hash_ends.back();
    if (hashes.size() < to + met_) {
      hashes.resize(enough(to + met_, hashes.size()));
    }
    std::copy_n(hashes.data() + first_hash_, met_, hashes.data() + to);
  }
  void copy_entries(std::size_t first, std::size_t count) {
    const std::size_t to = offsets.back();
    make_room(to + count);
    std::copy_n(columns.data() + first, count, columns.data() + to);
    std::copy_n(values.data() + first, count, values.data() + to);
  }
};

}  // namespace littlestone
