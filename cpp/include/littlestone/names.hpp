// An exact table from feature to slot: no two features ever share a weight.
//
// Slots count up in the order of insertion. A column number too large to index an array
// is filed here as well, under nine bytes that no UTF-8 name can equal.
#pragma once

#include <algorithm>  // std::fill
#include <array>
#include <bit>  // std::rotl
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memcpy
#include <random>   // std::random_device
#include <string>
#include <string_view>
#include <vector>

namespace littlestone {

/// How a large column number is written as a name: 0xFF never begins UTF-8.
using ColumnKey = std::array<char, 9>;

[[nodiscard]] inline ColumnKey column_key(std::uint64_t column) noexcept {
  ColumnKey key{};
  key[0] = static_cast<char>(0xFF);
  std::memcpy(key.data() + 1, &column, sizeof column);
  return key;
}

[[nodiscard]] inline bool is_column_key(std::string_view name) noexcept {
  return name.size() == 9 && name[0] == static_cast<char>(0xFF);
}

[[nodiscard]] inline std::uint64_t column_of(std::string_view key) noexcept {
  std::uint64_t column = 0;
  std::memcpy(&column, key.data() + 1, sizeof column);
  return column;
}

class Names {
 public:
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);

  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }

  [[nodiscard]] std::string_view operator[](std::size_t slot) const noexcept {
    const std::size_t begin = slot == 0 ? 0 : ends_[slot - 1];
    return std::string_view(text_).substr(begin, ends_[slot] - begin);
  }

  /// Every name, end to end, and where each ends.
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] const std::vector<std::size_t>& ends() const noexcept { return ends_; }

  [[nodiscard]] std::size_t find(std::string_view name) const noexcept {
    return cells_.empty() ? absent : find(name, hash_of(name));
  }

  /// Gives a name that is not here yet the next slot.
  std::size_t insert(std::string_view name) { return insert(name, hash_of(name)); }

  /// Tells where a name is looked for. To fetch that early saves waiting for memory.
  [[nodiscard]] std::uint64_t hash_of(std::string_view name) const noexcept {
    std::uint64_t hash = seed_ ^ name.size();
    const auto stir = [&hash](std::uint64_t word) {
      hash = std::rotl((hash ^ word) * 0x9E3779B97F4A7C15U, 29);
    };
    const char* const p = name.data();
    const std::size_t size = name.size();
    for (std::size_t k = 0; k + 8 < size; k += 8) stir(word_at<std::uint64_t>(p + k));
    // What is left is read in pieces of fixed size, which may overlap what was read.
    if (size >= 8) {
      stir(word_at<std::uint64_t>(p + size - 8));
    } else if (size >= 4) {
      stir(std::uint64_t{word_at<std::uint32_t>(p)} << 32U |
           word_at<std::uint32_t>(p + size - 4));
    } else if (size > 0) {
      const auto byte = [p](std::size_t k) {
        return std::uint64_t{static_cast<unsigned char>(p[k])};
      };
      stir(byte(0) << 16U | byte(size / 2) << 8U | byte(size - 1));
    }
    hash *= 0xD6E8FEB86659FD93U;
    return hash ^ (hash >> 32U);
  }
  void fetch(std::uint64_t hash) const noexcept {
#ifdef __GNUC__
    if (!cells_.empty()) __builtin_prefetch(&cells_[hash & mask()]);
#endif
  }

  /// The slot of a name with this hash; a new one gets the next.
  std::size_t enter(std::string_view name, std::uint64_t hash) {
    const std::size_t slot = cells_.empty() ? absent : find(name, hash);
    return slot != absent ? slot : insert(name, hash);
  }
  std::size_t enter(std::string_view name) { return enter(name, hash_of(name)); }

  /// Forgets every name; the room stays.
  void clear() noexcept {
    text_.clear();
    ends_.clear();
    std::fill(cells_.begin(), cells_.end(), Cell{});
  }

 private:
  [[nodiscard]] std::size_t find(std::string_view name,
                                 std::uint64_t hash) const noexcept {
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Cell& cell = cells_[at];
      if (cell.slot == empty) return absent;
      if (cell.tag == tag_of(hash) && text_.compare(cell.begin, cell.size, name) == 0) {
        return cell.slot;
      }
    }
  }

  // The name may lie in text_ itself: it has been hashed before that grows.
  std::size_t insert(std::string_view name, std::uint64_t hash) {
    if (2 * (size() + 1) > cells_.size()) widen();
    text_ += name;
    ends_.push_back(text_.size());
    place(size() - 1, hash);
    return size() - 1;
  }

  static constexpr std::uint32_t empty = static_cast<std::uint32_t>(-1);
  struct Cell {
    std::uint32_t slot = empty;
    std::uint32_t tag = 0;  // the hash's upper half: most misses end without a look
    std::size_t begin = 0;  // where the name stands, so that a hit looks in two places
    std::size_t size = 0;
  };

  [[nodiscard]] std::size_t mask() const noexcept { return cells_.size() - 1; }
  [[nodiscard]] static std::uint32_t tag_of(std::uint64_t hash) noexcept {
    return static_cast<std::uint32_t>(hash >> 32U);
  }

  // Seeded anew in each process: names chosen by an adversary cannot be made to
  // collide. The seed decides where a name lies in the table, never which slot it has.
  [[nodiscard]] static std::uint64_t seed() {
    static const std::uint64_t drawn = [] {
      std::random_device device;
      return (std::uint64_t{device()} << 32U) | device();
    }();
    return drawn;
  }

  template <class Word>
  [[nodiscard]] static Word word_at(const char* p) noexcept {
    Word word = 0;
    std::memcpy(&word, p, sizeof word);
    return word;
  }

  void place(std::size_t slot, std::uint64_t hash) noexcept {
    std::size_t at = hash & mask();
    while (cells_[at].slot != empty) at = (at + 1) & mask();
    const std::string_view name = (*this)[slot];
    cells_[at] = {static_cast<std::uint32_t>(slot), tag_of(hash),
                  static_cast<std::size_t>(name.data() - text_.data()), name.size()};
  }

  void widen() {
    cells_.assign(cells_.empty() ? 16 : 2 * cells_.size(), Cell{});
    for (std::size_t slot = 0; slot < size(); ++slot)
      place(slot, hash_of((*this)[slot]));
  }

  std::uint64_t seed_ = seed();
  std::string text_;               // every name, end to end
  std::vector<std::size_t> ends_;  // where each name ends
  std::vector<Cell> cells_;        // open addressing, at most half full
};

}  // namespace littlestone
