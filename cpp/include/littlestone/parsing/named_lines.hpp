// Lines whose features have names: a table of names, the ones that a block uses, and
// rows of references to those.
//
// No name of a line is entered before the whole line was read, so a line that is
// refused changes nothing.
#pragma once

#include <algorithm>  // std::fill, std::max, std::min
#include <cmath>      // std::isfinite
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memcpy
#include <limits>
#include <stdexcept>  // std::length_error
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

/// The names of a text and where each was met last. Names are found by a dense index
/// of four bytes a cell; what is known of them is in the order of their entry, in which
/// frequent names come first. So what most lookups need stays in the cache.
class MetNames : public NameList {
 public:
  struct Met {
    std::uint64_t key = 0;   // a short name itself, or the hash
    std::uint32_t line = 0;  // the last line with this name
    std::uint32_t id = 0;    // its id in the block of that line
  };
  /// What a name is looked up by.
  struct Sought {
    std::uint64_t key;
    std::uint32_t place;  // where the search begins
    std::uint32_t size;
  };

  [[nodiscard]] Sought sought(std::string_view name) const noexcept {
    const std::uint64_t hash = hash_of(name);
    return {name.size() <= packed_size ? packed(name) : hash,
            static_cast<std::uint32_t>(hash), static_cast<std::uint32_t>(name.size())};
  }
  /// The same for a short name that is packed.
  [[nodiscard]] Sought sought(std::uint64_t key, std::size_t size) const noexcept {
    return {key, static_cast<std::uint32_t>(hash_of_packed(key)),
            static_cast<std::uint32_t>(size)};
  }
  void fetch(const Sought& name) const noexcept {
#ifdef __GNUC__
    if (!index_.empty()) __builtin_prefetch(&index_[name.place & mask()]);
#endif
  }

  /// The slot that is probably that of a name, and is for certain if `is_at` agrees; or
  /// `absent`. What is known of it is fetched.
  [[nodiscard]] std::uint32_t guess(const Sought& name) const noexcept {
    if (index_.empty()) return absent;
    const std::uint32_t tag = tag_of(name);
    std::size_t at = name.place & mask();
    while (index_[at] != 0 && (index_[at] & tag_mask) != tag) at = (at + 1) & mask();
    const std::uint32_t slot = slot_of(index_[at]);
#ifdef __GNUC__
    __builtin_prefetch(met_.data() + slot);
#endif
    return slot;
  }
  [[nodiscard]] bool is_at(std::uint32_t slot, const Sought& name) const noexcept {
    return slot != absent && name.size <= packed_size && met_[slot].key == name.key;
  }

  /// The slot of a name; a new one gets the next.
  [[nodiscard, gnu::noinline]] std::uint32_t enter(const char* text,
                                                   const Sought& name) {
    if (2 * (size() + 1) > index_.size()) widen();
    const std::string_view whole(text, name.size);
    std::size_t at = name.place & mask();
    for (; index_[at] != 0; at = (at + 1) & mask()) {
      const std::uint32_t slot = slot_of(index_[at]);
      if ((index_[at] & tag_mask) == tag_of(name) && met_[slot].key == name.key &&
          (name.size <= packed_size || (*this)[slot] == whole)) {
        return slot;
      }
    }
    if (size() == most) throw std::length_error("too many names in one text");
    const auto slot = static_cast<std::uint32_t>(size());
    met_.push_back({name.key});
    append(whole);
    index_[at] = entry_of(slot, name);
    return slot;
  }

  [[nodiscard]] Met& met(std::uint32_t slot) noexcept { return met_[slot]; }
  [[nodiscard]] Met* data() noexcept { return met_.data(); }

  /// Forgets every name; keeps its memory.
  void clear() noexcept {
    truncate(0);
    met_.clear();
    std::fill(index_.begin(), index_.end(), 0);
  }

 private:
  static constexpr std::uint32_t absent = static_cast<std::uint32_t>(-1);
  static constexpr std::uint32_t tag_mask = 0xFF;
  static constexpr std::size_t most = (std::size_t{1} << 24U) - 1;

  /// An entry is one more than the slot, and a tag: four bits of the hash, and the size
  /// of a short name, because names that end with zero bytes are packed alike.
  [[nodiscard]] static std::uint32_t tag_of(const Sought& name) noexcept {
    return name.place >> 28U << 4U |
           std::min(name.size, std::uint32_t{packed_size} + 1);
  }
  [[nodiscard]] static std::uint32_t entry_of(std::uint32_t slot,
                                              const Sought& name) noexcept {
    return (slot + 1) << 8U | tag_of(name);
  }
  /// The slot of an entry; `absent` if there is none.
  [[nodiscard]] static std::uint32_t slot_of(std::uint32_t entry) noexcept {
    return (entry >> 8U) - 1;
  }
  [[nodiscard]] std::size_t mask() const noexcept { return index_.size() - 1; }

  void widen() {
    index_.assign(index_.empty() ? 16 : 2 * index_.size(), 0);
    for (std::uint32_t slot = 0; slot < size(); ++slot) {
      const Sought name = sought((*this)[slot]);
      std::size_t at = name.place & mask();
      while (index_[at] != 0) at = (at + 1) & mask();
      index_[at] = entry_of(slot, name);
    }
  }

  std::vector<std::uint32_t> index_;  // open addressing, at most half full
  std::vector<Met> met_;              // one for each name
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
      stamp_ = 0;
    }
    block_ = stamp_;
  }

  void begin_line() noexcept {
    count_ = 0;
    spelled.clear();
  }

  /// Makes room for some more features of the line, and returns where to write their
  /// values, before each is taken.
  [[nodiscard]] double* room_for(std::size_t more) {
    if (features_.size() < count_ + more) {
      features_.resize(std::max(count_ + more, 2 * features_.size()));
    }
    make_room(offsets.back() + count_ + more);
    return values.data() + offsets.back() + count_;
  }
  /// Notes a feature of the line with a short name, which is packed. There must be room
  /// for it, and its value must be there.
  void take_packed(const char* name, std::size_t size, std::uint64_t key) noexcept {
    take({names_.sought(key, size), name, in_line, static_cast<std::uint32_t>(size)});
  }
  /// Notes a feature whose name is written out in the line.
  void take(std::string_view name, double value) { take(name, in_line, value, name); }
  /// The same for a composed name, from `begin` to the end.
  void take_spelled(std::size_t begin, double value, std::string_view written) {
    take(spelled.from(begin), begin, value, written);
  }
  Spelling spelled;  // the composed names of a line

  /// Enters the features of the line as the entries of the next row. A duplicate
  /// feature is refused, or its values are added.
  [[nodiscard, gnu::noinline]] LineFault enter(bool sum) {
    const std::size_t first = offsets.back();
    const std::size_t count = count_;
    std::uint32_t* const ids = columns.data() + first;
    double* const to = values.data() + first;
    find_slots(ids);
    const std::uint32_t line = ++stamp_;
    const std::uint32_t block = block_;
    const std::size_t known = used_.size();
    used_.resize(known + count);
    std::uint32_t* const used = used_.data();
    MetNames::Met* const all = names_.data();
    std::size_t next = known;
    std::size_t entries = 0;
    bool twice = false;
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t slot = ids[k];
      MetNames::Met& met = all[slot];
      if (met.line == line) [[unlikely]] {
        if (!twice) {
          place_entries(ids, entries);
          twice = true;
        }
        double& value = to[position_[slot]];
        value += to[k];
        if (sum && std::isfinite(value)) continue;
        for (std::size_t id = known; id < next; ++id) all[used[id]].line = 0;
        used_.resize(known);
        return blame(sum ? LineFault::not_finite : LineFault::duplicate,
                     features_[k].shown());
      }
      if (twice) position_[slot] = static_cast<std::uint32_t>(entries);
      // Names are new to the block at random: a branch would be mispredicted.
      const std::uint32_t fresh = met.line <= block ? 1 : 0;
      const std::uint32_t id =
          met.id ^ ((met.id ^ static_cast<std::uint32_t>(next)) & (0 - fresh));
      used[next] = slot;
      next += fresh;
      met.line = line;
      met.id = id;
      ids[entries] = id;
      to[entries] = to[k];
      ++entries;
    }
    used_.resize(next);
    entries_ = entries;
    return LineFault::none;
  }

  /// Refuses a duplicate feature of the line, or adds its values, and enters nothing.
  /// If there are duplicates, the hashes and values of the features that remain move to
  /// the front; those whose values add up to 0 are absent.
  [[nodiscard]] LineFault settle_twice(bool sum, std::uint64_t* hashes) {
    std::uint32_t* const slots = columns.data() + offsets.back();
    double* const to = values.data() + offsets.back();
    find_slots(slots);
    const std::uint32_t line = ++stamp_;
    position_.resize(names_.size());
    std::size_t single = 0;
    for (std::size_t k = 0; k < count_; ++k) {
      MetNames::Met& met = names_.met(slots[k]);
      if (met.line != line) {
        met.line = line;
        position_[slots[k]] = static_cast<std::uint32_t>(single);
        hashes[single] = hashes[k];
        to[single++] = to[k];
        continue;
      }
      double& value = to[position_[slots[k]]];
      value += to[k];
      if (sum && std::isfinite(value)) continue;
      return blame(sum ? LineFault::not_finite : LineFault::duplicate,
                   features_[k].shown());
    }
    entries_ = single;
    if (single == count_) return LineFault::none;
    entries_ = 0;
    for (std::size_t k = 0; k < single; ++k) {
      if (to[k] == 0.0) continue;
      hashes[entries_] = hashes[k];
      to[entries_++] = to[k];
    }
    return LineFault::none;
  }

  /// How many entries the last line has.
  [[nodiscard]] std::size_t entries() const noexcept { return entries_; }

 private:
  static constexpr std::uint32_t in_line = static_cast<std::uint32_t>(-1);
  // The table is cleared before a text if it has more names than this.
  static constexpr std::size_t most_names = std::size_t{1} << 17U;
  static constexpr std::size_t most_text = std::size_t{1} << 22U;

  /// A feature of the line; its value is among those of the block.
  struct Feature {
    MetNames::Sought name;
    const char* written;
    std::uint32_t begin;  // of a composed name; `in_line` if it is in the line
    std::uint32_t written_size;

    [[nodiscard]] std::string_view shown() const noexcept {
      return {written, written_size};
    }
  };

  void take(std::string_view name, std::size_t begin, double value,
            std::string_view written) {
    *room_for(1) = value;
    take({names_.sought(name), written.data(), static_cast<std::uint32_t>(begin),
          static_cast<std::uint32_t>(written.size())});
  }
  void take(const Feature& feature) noexcept {
    names_.fetch(feature.name);
    features_[count_++] = feature;
  }

  /// Finds the slots of the names of the line. Two passes, because the first fetches
  /// what the second needs.
  void find_slots(std::uint32_t* slots) {
    const std::size_t count = count_;
    const Feature* const features = features_.data();
    for (std::size_t k = 0; k < count; ++k) slots[k] = names_.guess(features[k].name);
    for (std::size_t k = 0; k < count; ++k) {
      const Feature& feature = features[k];
      if (names_.is_at(slots[k], feature.name)) [[likely]]
        continue;
      const char* const text =
          feature.begin == in_line ? feature.written : spelled.at(feature.begin);
      slots[k] = names_.enter(text, feature.name);
    }
  }

  /// Notes where the entries of the line are; `ids` are those of the block.
  void place_entries(const std::uint32_t* ids, std::size_t entries) {
    position_.resize(names_.size());
    for (std::size_t k = 0; k < entries; ++k) {
      position_[used_[ids[k]]] = static_cast<std::uint32_t>(k);
    }
  }

  std::vector<Feature> features_;  // of the line; maybe more
  std::size_t count_ = 0;
  MetNames names_;
  std::vector<std::uint32_t> used_;      // slots that this block uses
  std::vector<std::uint32_t> position_;  // of names in a line that has one twice
  std::uint32_t stamp_ = 0;              // counts lines
  std::uint32_t block_ = 0;              // what it was before this block
  std::size_t entries_ = 0;
};

}  // namespace littlestone
