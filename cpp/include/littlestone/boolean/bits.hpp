// Sets of small numbers as bits, 64 to a word, and operations on a range that begins at
// any bit.
#pragma once

#include <algorithm>  // std::min
#include <bit>        // std::countr_zero
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace littlestone::boolean {

using Word = std::uint64_t;
inline constexpr std::size_t word_bits = 64;

/// A growing set of bits, with one spare word, so that any range can be read in whole
/// words. The bits beyond the last are 0.
class Bits {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<const Word> words() const noexcept { return words_; }
  [[nodiscard]] bool operator[](std::size_t at) const noexcept {
    return ((words_[at / word_bits] >> (at % word_bits)) & 1U) != 0;
  }

  /// More bits, or fewer; the new ones are 0.
  void resize(std::size_t size) {
    words_.resize(size / word_bits + 2);
    if (size < size_) {
      words_[size / word_bits] &= below(size % word_bits);
      std::fill(words_.begin() + static_cast<std::ptrdiff_t>(size / word_bits) + 1,
                words_.end(), Word{0});
    }
    size_ = size;
  }
  void clear() noexcept { std::fill(words_.begin(), words_.end(), Word{0}); }
  void set(std::size_t at) noexcept {
    words_[at / word_bits] |= Word{1} << (at % word_bits);
  }
  void reset(std::size_t at) noexcept {
    words_[at / word_bits] &= ~(Word{1} << (at % word_bits));
  }
  void set(std::size_t first, std::size_t count) noexcept {
    for (std::size_t done = 0; done < count; done += word_bits) {
      put(first + done, below(std::min(count - done, word_bits)));
    }
  }

  /// Adds the first bits of another set, shifted to begin at `first`.
  void put(std::size_t first, const Bits& other, std::size_t count) noexcept {
    each_word(other, count,
              [&](std::size_t done, Word word) { put(first + done, word); });
  }

  /// Removes them.
  void take(std::size_t first, const Bits& other, std::size_t count) noexcept {
    each_word(other, count, [&](std::size_t done, Word word) {
      const std::size_t at = (first + done) / word_bits;
      const std::size_t shift = (first + done) % word_bits;
      words_[at] &= ~(word << shift);
      if (shift != 0) words_[at + 1] &= ~(word >> (word_bits - shift));
    });
  }

  /// Whether any of them is in this set.
  [[nodiscard]] bool meets(std::size_t first, const Bits& other,
                           std::size_t count) const noexcept {
    const std::size_t shift = first % word_bits;
    const Word* mine = words_.data() + first / word_bits;
    const Word* theirs = other.words_.data();
    const std::size_t whole = count / word_bits;
    std::size_t i = 0;
    if (shift == 0) {
      for (; i < whole; ++i) {
        if ((mine[i] & theirs[i]) != 0) return true;
      }
      return (mine[i] & theirs[i] & below(count % word_bits)) != 0;
    }
    const auto moved = [&](std::size_t at) {
      return mine[at] >> shift | mine[at + 1] << (word_bits - shift);
    };
    // Four words before each branch, which fill a vector register.
    for (; i + 4 <= whole; i += 4) {
      const Word any = (moved(i) & theirs[i]) | (moved(i + 1) & theirs[i + 1]) |
                       (moved(i + 2) & theirs[i + 2]) | (moved(i + 3) & theirs[i + 3]);
      if (any != 0) return true;
    }
    for (; i < whole; ++i) {
      if ((moved(i) & theirs[i]) != 0) return true;
    }
    const std::size_t rest = count % word_bits;
    return rest != 0 && (moved(i) & theirs[i] & below(rest)) != 0;
  }

  /// Removes the members of the other set; returns whether there were any.
  bool subtract(const Bits& other) noexcept {
    Word taken = 0;
    const std::size_t common = std::min(words_.size(), other.words_.size());
    for (std::size_t i = 0; i < common; ++i) {
      taken |= words_[i] & other.words_[i];
      words_[i] &= ~other.words_[i];
    }
    return taken != 0;
  }

  /// Calls with each number in the set, the smallest first.
  template <class Call>
  void each(Call call) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (Word rest = words_[i]; rest != 0; rest &= rest - 1) {
        call(i * word_bits + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
  }

 private:
  /// The lowest bits of a word; there may be 64 of them.
  [[nodiscard]] static constexpr Word below(std::size_t count) noexcept {
    return count == word_bits ? ~Word{0} : (Word{1} << count) - 1;
  }

  void put(std::size_t first, Word word) noexcept {
    const std::size_t at = first / word_bits;
    const std::size_t shift = first % word_bits;
    words_[at] |= word << shift;
    if (shift != 0) words_[at + 1] |= word >> (word_bits - shift);
  }

  template <class Call>
  static void each_word(const Bits& other, std::size_t count, Call call) noexcept {
    const std::size_t whole = count / word_bits;
    for (std::size_t i = 0; i < whole; ++i) call(i * word_bits, other.words_[i]);
    if (count % word_bits != 0) {
      call(whole * word_bits, other.words_[whole] & below(count % word_bits));
    }
  }

  std::vector<Word> words_ = std::vector<Word>(2);
  std::size_t size_ = 0;
};

}  // namespace littlestone::boolean
