// An exact table from feature to slot: no two features ever share a weight.
//
// Slots are numbered in the order of insertion. A column number too large to index an
// array is kept here as well, as nine bytes that no UTF-8 name can equal.
#pragma once

#include <algorithm>  // std::fill, std::min
#include <array>
#include <atomic>
#include <bit>  // std::endian
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memcpy
#include <random>   // std::random_device
#include <string>
#include <string_view>
#include <vector>

#include "littlestone/math/folded.hpp"

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

/// A hash for tables that a stranger may fill. Each process draws its own keys, and one
/// enters both factors of every product: without them, nobody can choose what
/// collides. (A key that is only added at the start does not help: changes of two words
/// that undo each other do so with every key.)
class KeyedHash {
 public:
  [[nodiscard]] std::uint64_t start() const noexcept { return keys_[2]; }
  [[nodiscard]] std::uint64_t with(std::uint64_t hash,
                                   std::uint64_t word) const noexcept {
    return folded(word ^ keys_[0], hash ^ keys_[1]);
  }
  /// The hash of one number.
  [[nodiscard]] std::size_t operator()(std::uint64_t number) const noexcept {
    return with(with(start(), number), 0);
  }

 private:
  using Keys = std::array<std::uint64_t, 3>;

  [[nodiscard]] static const Keys& drawn() {
    static const Keys keys = [] {
      std::random_device device;
      Keys all{};
      for (auto& key : all) key = (std::uint64_t{device()} << 32U) | device();
      return all;
    }();
    return keys;
  }

  Keys keys_ = drawn();
};

/// Names in the order of their entry: each has a slot.
class NameList {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }

  [[nodiscard]] std::string_view operator[](std::size_t slot) const noexcept {
    const std::size_t begin = slot == 0 ? 0 : ends_[slot - 1];
    return std::string_view(text_).substr(begin, ends_[slot] - begin);
  }

  /// All names, concatenated, and where each ends.
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] const std::vector<std::size_t>& ends() const noexcept { return ends_; }

  /// Differs between lists, and changes when a list forgets a name.
  [[nodiscard]] std::uint64_t edition() const noexcept { return edition_; }

  /// Names up to this size are compared as one number, as `packed`.
  static constexpr std::size_t packed_size = 8;

  /// The bytes of a short name as one little-endian number, on every machine.
  [[nodiscard]] static std::uint64_t packed(std::string_view name) noexcept {
    const char* const p = name.data();
    const std::size_t size = name.size();
    if constexpr (std::endian::native == std::endian::little) {
      // Pieces of fixed size, which may overlap: they agree on the bytes they share.
      if (size == 8) return word_at<std::uint64_t>(p);
      if (size >= 4) {
        return word_at<std::uint32_t>(p) |
               std::uint64_t{word_at<std::uint32_t>(p + size - 4)} << 8U * (size - 4);
      }
    }
    std::uint64_t key = 0;
    for (std::size_t k = 0; k < size; ++k) {
      key |= std::uint64_t{static_cast<unsigned char>(p[k])} << 8U * k;
    }
    return key;
  }

  /// The hash of a name, which says where it is in a table.
  [[nodiscard]] std::uint64_t hash_of(std::string_view name) const noexcept {
    const char* const p = name.data();
    const std::size_t size = name.size();
    if (size <= packed_size) return hash_of_packed(packed(name));
    std::uint64_t hash = keyed_.start();
    for (std::size_t k = 0; k + 8 < size; k += 8) {
      hash = keyed_.with(hash, word_at<std::uint64_t>(p + k));
    }
    // The rest is read as a whole word, which may overlap the one before.
    return keyed_.with(keyed_.with(hash, word_at<std::uint64_t>(p + size - 8)), size);
  }
  /// The same for a short name. Its size is not needed: only names that differ in zero
  /// bytes at their ends are packed alike.
  [[nodiscard]] std::uint64_t hash_of_packed(std::uint64_t key) const noexcept {
    return keyed_.with(keyed_.start(), key);
  }

 protected:
  void append(std::string_view name) {
    text_ += name;  // may be a part of text_ itself
    ends_.push_back(text_.size());
  }
  void truncate(std::size_t count) noexcept {
    if (size() > count) edition_ = next_edition();
    ends_.resize(std::min(count, size()));
    text_.resize(ends_.empty() ? 0 : ends_.back());
  }

 private:
  [[nodiscard]] static std::uint64_t next_edition() noexcept {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
  }

  template <class Word>
  [[nodiscard]] static Word word_at(const char* p) noexcept {
    Word word = 0;
    std::memcpy(&word, p, sizeof word);
    return word;
  }

  KeyedHash keyed_;  // decides where a name is in a table, never its slot
  std::uint64_t edition_ = next_edition();
  std::string text_;               // all names, concatenated
  std::vector<std::size_t> ends_;  // where each name ends
};

/// A list in which names are looked up.
class Names : public NameList {
 public:
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);

  [[nodiscard]] std::size_t find(std::string_view name) const noexcept {
    if (cells_.empty()) return absent;
    const std::uint64_t hash = hash_of(name);
    const Cell& cell = cells_[place_of(name, hash, key_of(name, hash))];
    return cell.slot == empty ? absent : cell.slot;
  }

  /// Gives a new name the next slot.
  std::size_t insert(std::string_view name) { return enter(name); }

  /// The key by which names are compared: the name itself if it is short, or else its
  /// hash, after which the text is compared too.
  [[nodiscard]] static std::uint64_t key_of(std::string_view name,
                                            std::uint64_t hash) noexcept {
    return name.size() <= packed_size ? packed(name) : hash;
  }

  /// Fetches where a name with this hash is in the table.
  void fetch(std::uint64_t hash) const noexcept {
#ifdef __GNUC__
    if (!cells_.empty()) __builtin_prefetch(&cells_[hash & mask()]);
#endif
  }

  /// The slot of a name with this hash and key; a new one gets the next.
  std::size_t enter(std::string_view name, std::uint64_t hash, std::uint64_t key) {
    if (2 * (size() + 1) > cells_.size()) widen();
    const std::size_t at = place_of(name, hash, key);
    if (cells_[at].slot != empty) return cells_[at].slot;
    cells_[at] = {key, static_cast<std::uint32_t>(size()),
                  static_cast<std::uint32_t>(name.size())};
    append(name);
    return size() - 1;
  }
  std::size_t enter(std::string_view name, std::uint64_t hash) {
    return enter(name, hash, key_of(name, hash));
  }
  std::size_t enter(std::string_view name) { return enter(name, hash_of(name)); }

  /// Forgets the names from `count` on. Each was placed after the ones before it, so no
  /// search for those passes its cell.
  void truncate(std::size_t count) noexcept {
    for (std::size_t slot = size(); slot-- > count;) {
      std::size_t at = hash_of((*this)[slot]) & mask();
      while (cells_[at].slot != slot) at = (at + 1) & mask();
      cells_[at] = Cell{};
    }
    NameList::truncate(count);
  }

  /// Forgets every name; keeps its memory.
  void clear() noexcept {
    NameList::truncate(0);
    std::fill(cells_.begin(), cells_.end(), Cell{});
  }

 private:
  /// The cell of a name, or the empty one where it would be.
  [[nodiscard]] std::size_t place_of(std::string_view name, std::uint64_t hash,
                                     std::uint64_t key) const noexcept {
    const auto size = static_cast<std::uint32_t>(name.size());
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Cell& cell = cells_[at];
      if (cell.slot == empty ||
          (cell.key == key && cell.size == size &&
           (name.size() <= packed_size || (*this)[cell.slot] == name))) {
        return at;
      }
    }
  }

  static constexpr std::uint32_t empty = static_cast<std::uint32_t>(-1);
  struct Cell {
    std::uint64_t key = 0;  // a short name itself, or the hash
    std::uint32_t slot = empty;
    std::uint32_t size = 0;  // of the name, modulo 2^32
  };

  [[nodiscard]] std::size_t mask() const noexcept { return cells_.size() - 1; }

  void widen() {
    cells_.assign(cells_.empty() ? 16 : 2 * cells_.size(), Cell{});
    for (std::size_t slot = 0; slot < size(); ++slot) {
      const std::string_view name = (*this)[slot];
      const std::uint64_t hash = hash_of(name);
      std::size_t at = hash & mask();
      while (cells_[at].slot != empty) at = (at + 1) & mask();
      cells_[at] = {key_of(name, hash), static_cast<std::uint32_t>(slot),
                    static_cast<std::uint32_t>(name.size())};
    }
  }

  std::vector<Cell> cells_;  // open addressing, at most half full
};

/// The names to which the ids of a block's rows refer: all of a table, or some of it.
struct BlockNames {
  const NameList* table = nullptr;
  const std::vector<std::uint32_t>* used = nullptr;  // slots of the table

  [[nodiscard]] bool any() const noexcept { return table != nullptr; }
  [[nodiscard]] std::size_t size() const noexcept {
    if (used != nullptr) return used->size();
    return table == nullptr ? 0 : table->size();
  }
  [[nodiscard]] std::string_view operator[](std::size_t id) const noexcept {
    return (*table)[used == nullptr ? id : (*used)[id]];
  }
};

}  // namespace littlestone
