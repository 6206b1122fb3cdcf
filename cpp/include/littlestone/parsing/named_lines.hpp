// Lines whose features have names: a table of names, the ones that a block uses, and
// rows of references to those.
//
// No name of a line is entered before the whole line was read, so a line that is
// refused changes nothing.
#pragma once

#include <algorithm>  // std::max
#include <cmath>      // std::isfinite
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memcpy
#include <limits>
#include <string_view>
#include <vector>

#include "littlestone/names.hpp"
#include "littlestone/parsing/lines.hpp"
#include "littlestone/rows.hpp"

namespace littlestone {

/// Names composed from pieces of a line, concatenated. Names are identified by where
/// they begin, because the text moves as it grows.
class Spelling {
 public:
  void clear() noexcept { used_ = 0; }
  [[nodiscard]] std::size_t size() const noexcept { return used_; }
  void truncate(std::size_t size) noexcept { used_ = size; }

  void add(std::string_view piece) {
    char* const to = room_for(piece.size());
    if (!piece.empty()) std::memcpy(to, piece.data(), piece.size());
    used_ += piece.size();
  }
  void add(char c) {
    *room_for(1) = c;
    ++used_;
  }
  [[nodiscard]] std::string_view from(std::size_t begin) const noexcept {
    return {text_.data() + begin, used_ - begin};
  }
  [[nodiscard]] const char* at(std::size_t begin) const noexcept {
    return text_.data() + begin;
  }

 private:
  [[nodiscard]] char* room_for(std::size_t more) {
    if (used_ + more > text_.size()) {
      text_.resize(std::max(used_ + more, 2 * text_.size() + 256));
    }
    return text_.data() + used_;
  }

  std::vector<char> text_;
  std::size_t used_ = 0;
};

struct NamedLineBlock : LineBlock {
  /// The longest common prefix of many names: otherwise a short line could fill the
  /// memory.
  static constexpr std::size_t longest_prefix = 255;

  /// The names of this block's rows, in the order of their first occurrence.
  [[nodiscard]] BlockNames words() const noexcept { return {&names_, &used_}; }

  [[nodiscard]] WordsBlock rows() const noexcept {
    return {offsets, columns, values, {}};
  }

 protected:
  /// The table of names is kept from text to text, because most names come again.
  void clear() {
    LineBlock::clear();
    used_.clear();
    if (names_.size() > most_names || names_.text().size() > most_text ||
        stamp_ > std::numeric_limits<std::uint32_t>::max() / 2) {
      names_.clear();
      seen_.clear();
      stamp_ = 0;
    }
    block_ = ++stamp_;
  }

  void begin_line() noexcept {
    features_.clear();
    spelled.clear();
  }

  /// Notes a feature of the line whose name is written out in the line.
  void take(std::string_view name, double value) {
    const std::uint64_t hash = names_.hash_of(name);
    take(hash, Names::key_of(name, hash), in_line, name.size(), value, name);
  }
  /// The same for a short name that is packed.
  void take_packed(std::string_view name, std::uint64_t key, double value) {
    take(names_.hash_of(key, name.size()), key, in_line, name.size(), value, name);
  }
  /// The same for a composed name, from `begin` to the end.
  void take_spelled(std::size_t begin, double value, std::string_view written) {
    const std::string_view name = spelled.from(begin);
    const std::uint64_t hash = names_.hash_of(name);
    take(hash, Names::key_of(name, hash), begin, name.size(), value, written);
  }
  Spelling spelled;  // the composed names of a line

  /// Enters the features of the line as the entries of the next row. A duplicate
  /// feature is refused, or its values are added.
  [[nodiscard]] LineFault enter(bool sum) {
    const std::size_t known = used_.size();
    const std::size_t first = offsets.back();
    if (columns.size() < first + features_.size()) {
      columns.resize(std::max(first + features_.size(), 2 * columns.size()));
      values.resize(columns.size());
    }
    // Two passes over the features: the first prefetches what the second needs.
    std::uint32_t* const ids = columns.data() + first;
    const std::size_t count = features_.size();
    for (std::size_t k = 0; k < count; ++k) {
      ids[k] = slot_of(features_[k]);
#ifdef __GNUC__
      __builtin_prefetch(&seen_[ids[k]]);
#endif
    }
    const std::uint32_t line = ++stamp_;
    const std::uint32_t block = block_;
    double* const to = values.data() + first;
    Seen* const all = seen_.data();
    std::size_t entries = 0;
    for (std::size_t k = 0; k < count; ++k) {
      Seen& seen = all[ids[k]];
      if (seen.line == line) [[unlikely]] {
        double& value = to[seen.position];
        value += features_[k].value;
        if (sum && std::isfinite(value)) continue;
        while (used_.size() > known) {
          seen_[used_.back()].block = 0;
          used_.pop_back();
        }
        return blame(sum ? LineFault::not_finite : LineFault::duplicate,
                     {features_[k].written, features_[k].written_size});
      }
      if (seen.block != block) {
        seen.block = block;
        seen.id = static_cast<std::uint32_t>(used_.size());
        used_.push_back(ids[k]);
      }
      seen.line = line;
      seen.position = static_cast<std::uint32_t>(entries);
      ids[entries] = seen.id;
      to[entries] = features_[k].value;
      ++entries;
    }
    entries_ = entries;
    return LineFault::none;
  }

  /// Refuses a duplicate feature of the line, or adds its values, and enters nothing.
  /// If there are duplicates, the hashes and values of the features that remain move to
  /// the front; those whose values add up to 0 are absent.
  [[nodiscard]] LineFault settle_twice(bool sum, std::uint64_t* hashes,
                                       double* values) {
    const std::uint32_t line = ++stamp_;
    std::size_t single = 0;
    for (std::size_t k = 0; k < features_.size(); ++k) {
      const Feature& feature = features_[k];
      Seen& seen = seen_[slot_of(feature)];
      if (seen.line != line) {
        seen.line = line;
        seen.position = static_cast<std::uint32_t>(single);
        hashes[single] = hashes[k];
        features_[single++].value = feature.value;
        continue;
      }
      double& value = features_[seen.position].value;
      value += feature.value;
      if (sum && std::isfinite(value)) continue;
      return blame(sum ? LineFault::not_finite : LineFault::duplicate,
                   {feature.written, feature.written_size});
    }
    entries_ = single;
    if (single == features_.size()) return LineFault::none;
    entries_ = 0;
    for (std::size_t k = 0; k < single; ++k) {
      if (features_[k].value == 0.0) continue;
      hashes[entries_] = hashes[k];
      values[entries_++] = features_[k].value;
    }
    return LineFault::none;
  }

  /// How many entries the last line has.
  [[nodiscard]] std::size_t entries() const noexcept { return entries_; }

 private:
  static constexpr std::size_t in_line = static_cast<std::size_t>(-1);
  // The table is cleared before a text if it has more names than this.
  static constexpr std::size_t most_names = std::size_t{1} << 17U;
  static constexpr std::size_t most_text = std::size_t{1} << 22U;

  struct Feature {
    std::uint64_t hash;
    std::uint64_t key;
    std::size_t begin;  // of a composed name; `in_line` if it is in the line
    const char* written;
    double value;
    std::uint32_t size;  // of the name
    std::uint32_t written_size;
  };
  struct Seen {
    std::uint32_t block = 0;     // the last block with this name
    std::uint32_t id = 0;        // its id in that block
    std::uint32_t line = 0;      // the last line with this name
    std::uint32_t position = 0;  // its position among the entries of that line
  };

  /// The slot of the name of a feature.
  [[nodiscard]] std::uint32_t slot_of(const Feature& feature) {
    std::size_t slot = Names::absent;
    if (feature.size <= Names::packed_size) {
      slot = names_.find_packed(feature.key, feature.size, feature.hash);
      if (slot != Names::absent) [[likely]]
        return static_cast<std::uint32_t>(slot);
    }
    slot = names_.enter({text_of(feature), feature.size}, feature.hash, feature.key);
    if (slot == seen_.size()) seen_.emplace_back();
    return static_cast<std::uint32_t>(slot);
  }
  void take(std::uint64_t hash, std::uint64_t key, std::size_t begin, std::size_t size,
            double value, std::string_view written) {
    names_.fetch(hash);
    features_.push_back({hash, key, begin, written.data(), value,
                         static_cast<std::uint32_t>(size),
                         static_cast<std::uint32_t>(written.size())});
  }

  [[nodiscard]] const char* text_of(const Feature& feature) const noexcept {
    return feature.begin == in_line ? feature.written : spelled.at(feature.begin);
  }

  std::vector<Feature> features_;
  Names names_;
  std::vector<std::uint32_t> used_;  // slots that this block uses
  std::vector<Seen> seen_;           // one for each name
  std::uint32_t stamp_ = 0;          // counts lines and blocks
  std::uint32_t block_ = 0;
  std::size_t entries_ = 0;
};

}  // namespace littlestone
