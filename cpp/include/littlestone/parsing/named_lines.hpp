// Lines whose features have names: a table of names, the ones that a block uses, and
// rows of references to those.
//
// No name of a line is entered before the whole line was read, so a line that is
// refused changes nothing.
#pragma once

#include <algorithm>  // std::fill, std::max, std::min
#include <array>
#include <bit>    // std::countl_zero
#include <cmath>  // std::isfinite
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memcpy
#include <limits>
#include <string>
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

/// The names of a text and where each was met last. What is known of a name is beside
/// it in the table, three names to a line of the cache: one look at memory, which was
/// fetched while the rest of the line was read, finds it all.
class MetNames : public NameList {
 private:
  static constexpr std::size_t ways = 3;
  struct alignas(64) Bucket {
    std::array<std::uint64_t, ways> keys{};  // 0 in those that are free, the last ones
    std::array<std::uint32_t, ways> lines{};
    std::array<std::uint32_t, ways> ids{};
    std::array<std::uint32_t, ways> slots{};
    std::array<std::uint8_t, ways> spaces{};
  };

 public:
  /// What a name is looked up by. The key of one of at most eight bytes is the name
  /// itself. A longer one is often the name of a namespace, `^`, and at most eight
  /// bytes without another `^`: those are the key then, beside the number of the
  /// namespace. The key of any other is its hash with a last byte that is in no UTF-8,
  /// and its text is compared, too.
  struct Sought {
    std::uint64_t key;
    std::uint32_t place;  // where the search begins
    std::uint32_t more;   // the number of the namespace, or the size of the name
  };
  /// What is known of a name, until the next one is entered.
  class Met {
   public:
    Met(Bucket& bucket, std::size_t way) : bucket_(&bucket), way_(way) {}
    /// The last line with this name.
    [[nodiscard]] std::uint32_t& line() const noexcept { return bucket_->lines[way_]; }
    /// Its id in the block of that line.
    [[nodiscard]] std::uint32_t& id() const noexcept { return bucket_->ids[way_]; }
    [[nodiscard]] std::uint32_t slot() const noexcept { return bucket_->slots[way_]; }

   private:
    Bucket* bucket_;
    std::size_t way_;
  };

  /// Whether a name, or what follows its namespace, can be a key.
  [[nodiscard]] static bool is_key(std::string_view name) noexcept {
    return name.size() - 1 < packed_size && name.back() != 0;
  }
  [[nodiscard]] Sought sought(std::string_view name) {
    if (is_key(name)) return sought(packed(name), 0);
    const std::size_t mark = name.rfind('^');
    if (mark != std::string_view::npos && is_key(name.substr(mark + 1))) {
      const std::uint32_t number = number_of(name.substr(0, mark));
      if (number != 0) return sought(packed(name.substr(mark + 1)), number);
    }
    const std::uint64_t hash = hash_of(name);
    return {hash | by_hash, static_cast<std::uint32_t>(hash),
            static_cast<std::uint32_t>(name.size())};
  }
  /// The same for a key that is no hash.
  [[nodiscard]] Sought sought(std::uint64_t key, std::uint32_t number) const noexcept {
    return {key, place_of(key, number), number};
  }
  /// The number of a namespace, from 1; 0 if it has none, because there are too many.
  [[nodiscard]] std::uint32_t number_of(std::string_view space) {
    std::size_t slot = spaces_.find(space);
    if (slot == Names::absent) {
      if (spaces_.size() == most_spaces) return 0;
      slot = spaces_.insert(space);
    }
    return static_cast<std::uint32_t>(slot) + 1;
  }
  void fetch(const Sought& name) const noexcept {
#ifdef __GNUC__
    if (!buckets_.empty()) __builtin_prefetch(&buckets_[name.place & mask()]);
#endif
  }

  /// What is known of a name; a new one gets the next slot. The text is needed if the
  /// key is a hash.
  [[nodiscard, gnu::always_inline]] inline Met meet(const char* text,
                                                    const Sought& name) {
    if (!buckets_.empty() && name.key < by_hash) [[likely]] {
      Bucket& bucket = buckets_[name.place & mask()];
      // Which of the three it is comes at random: a branch would be mispredicted.
      const auto is = [&](std::size_t way) -> std::size_t {
        return bucket.keys[way] == name.key ? 1 : 0;
      };
      const std::size_t way = is(2) << 1U | (is(1) & ~is(2));
      if (bucket.keys[way] == name.key && bucket.spaces[way] == name.more) [[likely]]
        return {bucket, way};
    }
    return enter(text, name);
  }

  /// Forgets every name; keeps its memory.
  void clear() noexcept {
    truncate(0);
    spaces_.clear();
    buckets_.resize(std::min(buckets_.size(), most_kept));
    std::fill(buckets_.begin(), buckets_.end(), Bucket{});
  }

 private:
  static constexpr std::uint64_t by_hash = std::uint64_t{0xFF} << 56U;
  static constexpr std::size_t most_spaces = 255;
  // A table that is emptied keeps no more, which would have to be emptied next time.
  static constexpr std::size_t most_kept = std::size_t{1} << 16U;

  [[nodiscard, gnu::noinline]] Met enter(const char* text, const Sought& name) {
    if (2 * (size() + 1) > ways * buckets_.size()) widen();
    const bool hashed = name.key >= by_hash;
    for (std::size_t at = name.place;; ++at) {
      Bucket& bucket = buckets_[at & mask()];
      for (std::size_t way = 0; way < ways; ++way) {
        if (bucket.keys[way] == 0) {
          bucket.keys[way] = name.key;
          bucket.slots[way] = static_cast<std::uint32_t>(size());
          if (hashed) {
            append({text, name.more});
          } else {
            bucket.spaces[way] = static_cast<std::uint8_t>(name.more);
            append_key(name);
          }
          return {bucket, way};
        }
        if (bucket.keys[way] == name.key &&
            (hashed ? (*this)[bucket.slots[way]] == std::string_view(text, name.more)
                    : bucket.spaces[way] == name.more)) {
          return {bucket, way};
        }
      }
    }
  }
  /// Appends a name whose key is no hash.
  void append_key(const Sought& name) {
    std::array<char, packed_size> bytes{};
    for (std::size_t k = 0; k < packed_size; ++k) {
      bytes[k] = static_cast<char>(name.key >> 8U * k & 0xFFU);
    }
    const auto zeros = static_cast<std::size_t>(std::countl_zero(name.key)) / 8;
    const std::string_view last(bytes.data(), packed_size - zeros);
    if (name.more == 0) {
      append(last);
    } else {
      append(std::string(spaces_[name.more - 1]).append(1, '^').append(last));
    }
  }
  [[nodiscard]] std::uint32_t place_of(std::uint64_t key,
                                       std::uint32_t number) const noexcept {
    return static_cast<std::uint32_t>(hash_of_packed(key)) + number * 0x9E3779B9U;
  }
  [[nodiscard]] std::size_t mask() const noexcept { return buckets_.size() - 1; }

  void widen() {
    std::vector<Bucket> before(std::max(std::size_t{16}, 2 * buckets_.size()));
    before.swap(buckets_);
    for (const Bucket& bucket : before) {
      for (std::size_t way = 0; way < ways && bucket.keys[way] != 0; ++way) {
        const std::uint64_t key = bucket.keys[way];
        std::size_t at = key < by_hash ? place_of(key, bucket.spaces[way])
                                       : static_cast<std::uint32_t>(key);
        while (buckets_[at & mask()].keys[ways - 1] != 0) ++at;
        Bucket& to = buckets_[at & mask()];
        const std::size_t free = to.keys[0] == 0 ? 0 : to.keys[1] == 0 ? 1 : 2;
        to.keys[free] = key;
        to.lines[free] = bucket.lines[way];
        to.ids[free] = bucket.ids[way];
        to.slots[free] = bucket.slots[way];
        to.spaces[free] = bucket.spaces[way];
      }
    }
  }

  std::vector<Bucket> buckets_;  // open addressing, at most half full
  Names spaces_;                 // the namespaces that have numbers
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
  /// Notes a feature of the line whose name is looked up by its last bytes and the
  /// number of its namespace. There must be room for it, and its value must be there.
  void take_packed(const char* name, std::size_t size, std::uint64_t key,
                   std::uint32_t number) noexcept {
    take({names_.sought(key, number), name, in_line, static_cast<std::uint32_t>(size)});
  }
  /// The number of a namespace, 0 if it has none.
  [[nodiscard]] std::uint32_t number_of(std::string_view space) {
    return names_.number_of(space);
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
    const std::uint32_t line = ++stamp_;
    const std::uint32_t block = block_;
    const std::size_t known = used_.size();
    used_.resize(known + count);
    std::uint32_t* const used = used_.data();
    std::size_t next = known;
    std::size_t entries = 0;
    bool twice = false;
    for (std::size_t k = 0; k < count; ++k) {
      const MetNames::Met met = meet(k);
      if (met.line() == line) [[unlikely]] {
        if (!twice) {
          place_entries(ids, entries);
          twice = true;
        }
        double& value = to[position_[met.slot()]];
        value += to[k];
        if (sum && std::isfinite(value)) continue;
        for (std::size_t before = 0; before < k; ++before) {
          if (meet(before).id() >= known) meet(before).line() = 0;
        }
        used_.resize(known);
        return blame(sum ? LineFault::not_finite : LineFault::duplicate,
                     features_[k].shown());
      }
      if (twice) place(met.slot(), entries);
      // Names are new to the block at random: a branch would be mispredicted.
      const std::uint32_t fresh = met.line() <= block ? 1 : 0;
      const std::uint32_t id =
          met.id() ^ ((met.id() ^ static_cast<std::uint32_t>(next)) & (0 - fresh));
      used[next] = met.slot();
      next += fresh;
      met.line() = line;
      met.id() = id;
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
    double* const to = values.data() + offsets.back();
    const std::uint32_t line = ++stamp_;
    std::size_t single = 0;
    for (std::size_t k = 0; k < count_; ++k) {
      const MetNames::Met met = meet(k);
      if (met.line() != line) {
        met.line() = line;
        place(met.slot(), single);
        hashes[single] = hashes[k];
        to[single++] = to[k];
        continue;
      }
      double& value = to[position_[met.slot()]];
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
  static constexpr std::size_t most_names = std::size_t{1} << 16U;
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

  /// What is known of the name of a feature of the line.
  [[nodiscard, gnu::always_inline]] inline MetNames::Met meet(std::size_t k) {
    const Feature& feature = features_[k];
    const bool whole = feature.begin == in_line;
    return names_.meet(whole ? feature.written : spelled.at(feature.begin),
                       feature.name);
  }

  /// Notes where the entries of the line are; `ids` are those of the block.
  void place_entries(const std::uint32_t* ids, std::size_t entries) {
    for (std::size_t k = 0; k < entries; ++k) place(used_[ids[k]], k);
  }
  void place(std::uint32_t slot, std::size_t entry) {
    if (position_.size() < names_.size()) position_.resize(names_.size());
    position_[slot] = static_cast<std::uint32_t>(entry);
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
