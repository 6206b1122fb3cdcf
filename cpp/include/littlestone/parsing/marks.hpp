// Finds the bytes that separate names and numbers in a line, many at a time.
//
// Reading byte by byte, a parser learns where a number begins only after it has read
// the one before. With the positions of the marks found beforehand, the processor reads
// several numbers at once.
#pragma once

#include <algorithm>  // std::max, std::min
#include <bit>        // std::countr_zero, std::popcount
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memcpy
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__)
#define LITTLESTONE_MARKS 1
#include <immintrin.h>
#else
#define LITTLESTONE_MARKS 0
#endif

namespace littlestone {

/// The current line, and the positions of its marks.
class Marks {
 public:
  /// How many bytes after a line must be readable.
  static constexpr std::size_t margin = 64;

  /// With which instructions marks are found: those that every processor has, AVX2, or
  /// AVX-512, with which numbers are read as with AVX2.
  enum class Width : std::uint8_t { narrow, wide, widest };

  /// Marks are two given bytes, and all bytes up to `low`.
  Marks(char low, char one, char other, Width width = widest())
      : low_(low), one_(one), other_(other), width_(width) {}

  /// What this processor has.
  [[nodiscard]] static Width widest() noexcept {
#if LITTLESTONE_MARKS
    const bool wide = __builtin_cpu_supports("avx2") != 0 &&
                      __builtin_cpu_supports("bmi") != 0 &&
                      __builtin_cpu_supports("popcnt") != 0;
    if (!wide) return Width::narrow;
    return __builtin_cpu_supports("avx512bw") != 0 &&
                   __builtin_cpu_supports("avx512vbmi2") != 0
               ? Width::widest
               : Width::wide;
#else
    return Width::narrow;
#endif
  }

  void look_for(char low, char one, char other) noexcept {
    low_ = low;
    one_ = one;
    other_ = other;
  }

  /// Finds the marks of a line in a text up to `limit`; none if the margin is not
  /// readable.
  void find(const char* first, const char* last, const char* limit) {
    line = first;
    end = static_cast<std::uint32_t>(last - first);
    next = nullptr;
    ascii = false;
    if (static_cast<std::size_t>(limit - last) < margin) return;
    if (places_.size() < end + spare) {
      places_.resize(std::max(end + spare, 2 * places_.size()));
    }
    next = places_.data();
    switch (width_) {
      case Width::narrow: return find_narrow();
      case Width::wide: return find_wide();
      case Width::widest: return find_widest();
    }
  }
  [[nodiscard]] bool found() const noexcept { return next != nullptr; }

  /// Skips the marks before `p`, and returns the position of `p` in the line.
  [[nodiscard]] std::uint32_t pass(const char* p) noexcept {
    const auto at = static_cast<std::uint32_t>(p - line);
    while (*next < at) ++next;
    return at;
  }

  /// Which marks are around numbers: the first and second of each pair of marks, or
  /// each mark and the next one.
  enum class Between : std::uint8_t { pairs, neighbours };

  /// Reads the numbers between marks, each multiplied by `scale`, as long as four in a
  /// row are [-]digit.digits, with at most seven digits after the point, not 0, and
  /// between two given bytes. Returns how many it read, at most `most`; 0 on processors
  /// that cannot read four at once.
  template <Between B>
  [[nodiscard]] std::size_t read_fours([[maybe_unused]] const std::uint32_t* mark,
                                       [[maybe_unused]] std::size_t most,
                                       [[maybe_unused]] char before,
                                       [[maybe_unused]] char after,
                                       [[maybe_unused]] double scale,
                                       [[maybe_unused]] double* to) const noexcept {
#if LITTLESTONE_MARKS
    if (width_ != Width::narrow)
      return read_fours_wide<B>(mark, most, before, after, scale, to);
#endif
    return 0;
  }

  /// Reads pairs `index:number` from position `from` on, where the first colon is
  /// `mark`, as long as four in a row have an index of at most eight digits, a number
  /// as `read_fours` takes it, and a space after it. Returns how many it read.
  [[nodiscard]] std::size_t read_four_pairs(
      [[maybe_unused]] const std::uint32_t* mark, [[maybe_unused]] std::uint32_t from,
      [[maybe_unused]] std::uint32_t* columns,
      [[maybe_unused]] double* values) const noexcept {
#if LITTLESTONE_MARKS
    if (width_ != Width::narrow)
      return read_four_pairs_wide(mark, from, columns, values);
#endif
    return 0;
  }

  /// Makes a mark the next one, or one of the two before it.
  void stop_before(const std::uint32_t* mark) noexcept {
    next = mark - std::min<std::ptrdiff_t>(2, mark - places_.data());
  }

  const char* line = nullptr;
  std::uint32_t end = 0;  // positions count from the beginning of the line
  const std::uint32_t* next = nullptr;  // the marks not skipped yet, then the end
  bool ascii = false;                   // whether the line is known to be ASCII

 private:
  static constexpr std::size_t step = margin;
  static constexpr int few = 12;
  static constexpr std::size_t spare = step + 16;  // room for what is written in vain

#if LITTLESTONE_MARKS
  // The three loops below must stay alike: a function compiled for AVX2 cannot share
  // code with one compiled for every processor.
  void find_narrow() {
    std::uint32_t* to = places_.data();
    int high = 0;
    const __m128i lowest = _mm_set1_epi8(low_);
    const __m128i ones = _mm_set1_epi8(one_);
    const __m128i others = _mm_set1_epi8(other_);
    for (std::size_t at = 0; at < end; at += step) {
      std::uint64_t marks = 0;
      for (unsigned k = 0; k < step; k += 16) {
        const auto* const from = reinterpret_cast<const __m128i*>(line + at + k);
        const __m128i bytes = _mm_loadu_si128(from);
        const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, lowest), bytes);
        const __m128i one = _mm_cmpeq_epi8(bytes, ones);
        const __m128i other = _mm_cmpeq_epi8(bytes, others);
        const __m128i any = _mm_or_si128(low, _mm_or_si128(one, other));
        marks |= bits(_mm_movemask_epi8(any)) << k;
        high |= _mm_movemask_epi8(bytes);
      }
      to = put(to, marks, at, end);
    }
    finish(to, high);
  }
  [[gnu::target("avx2,bmi,popcnt")]] void find_wide() {
    std::uint32_t* to = places_.data();
    int high = 0;
    const __m256i lowest = _mm256_set1_epi8(low_);
    const __m256i ones = _mm256_set1_epi8(one_);
    const __m256i others = _mm256_set1_epi8(other_);
    for (std::size_t at = 0; at < end; at += step) {
      std::uint64_t marks = 0;
      for (unsigned k = 0; k < step; k += 32) {
        const auto* const from = reinterpret_cast<const __m256i*>(line + at + k);
        const __m256i bytes = _mm256_loadu_si256(from);
        const __m256i low = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, lowest), bytes);
        const __m256i one = _mm256_cmpeq_epi8(bytes, ones);
        const __m256i other = _mm256_cmpeq_epi8(bytes, others);
        const __m256i any = _mm256_or_si256(low, _mm256_or_si256(one, other));
        marks |= bits(_mm256_movemask_epi8(any)) << k;
        high |= _mm256_movemask_epi8(bytes);
      }
      to = put(to, marks, at, end);
    }
    finish(to, high);
  }

  [[gnu::target("avx512bw,avx512vbmi2,popcnt")]] void find_widest() {
    std::uint32_t* to = places_.data();
    __mmask64 high = 0;
    const __m512i lowest = _mm512_set1_epi8(low_);
    const __m512i ones = _mm512_set1_epi8(one_);
    const __m512i others = _mm512_set1_epi8(other_);
    const __m512i numbers = numbers_from_0();
    constexpr __mmask16 every = 0xFFFF;  // without it GCC 12 sees uninitialized numbers
    for (std::size_t at = 0; at < end; at += step) {
      const __m512i bytes = _mm512_loadu_si512(line + at);
      std::uint64_t marks = _mm512_cmple_epu8_mask(bytes, lowest) |
                            _mm512_cmpeq_epi8_mask(bytes, ones) |
                            _mm512_cmpeq_epi8_mask(bytes, others);
      high |= _mm512_movepi8_mask(bytes);
      if (end - at < step) marks &= (std::uint64_t{1} << (end - at)) - 1;
      // Sixteen at a time, some in vain: few lines have more in sixty-four bytes.
      __m512i found = _mm512_maskz_compress_epi8(marks, numbers);
      const __m512i here = _mm512_maskz_set1_epi32(every, static_cast<int>(at));
      const int count = std::popcount(marks);
      for (int k = 0; k < count; k += 16) {
        const __m512i places = _mm512_maskz_cvtepu8_epi32(
            every, _mm512_maskz_extracti32x4_epi32(0xF, found, 0));
        _mm512_storeu_si512(to + k, _mm512_add_epi32(places, here));
        found = _mm512_maskz_alignr_epi64(0xFF, found, found, 2);
      }
      to += count;
    }
    finish(to, high == 0 ? 0 : 1);
  }
  [[nodiscard, gnu::target("avx512f"), gnu::always_inline]] static inline __m512i
  numbers_from_0() noexcept {
    alignas(64) std::uint8_t numbers[step];
    for (unsigned k = 0; k < step; ++k) numbers[k] = static_cast<std::uint8_t>(k);
    return _mm512_load_si512(numbers);
  }

  [[nodiscard, gnu::target("avx2,bmi,popcnt"),
    gnu::always_inline]] static inline __m256i
  each(std::int64_t number) noexcept {
    return _mm256_set1_epi64x(number);
  }
  /// Integers below 2^52 as doubles.
  [[nodiscard, gnu::target("avx2,bmi,popcnt"),
    gnu::always_inline]] static inline __m256d
  exact(__m256i numbers) noexcept {
    const __m256i shifted = _mm256_or_si256(numbers, each(0x4330000000000000));
    return _mm256_sub_pd(_mm256_castsi256_pd(shifted), _mm256_set1_pd(0x1p52));
  }
  [[nodiscard]] std::int64_t eight_from(std::uint32_t place) const noexcept {
    std::int64_t word = 0;
    std::memcpy(&word, line + place, 8);
    return word;
  }
  /// Four numbers; they are right if `wrong` is 0.
  struct Fours {
    __m256i wrong;
    __m256i digits;
    __m256i power;     // of ten, by which the digits are divided, in the low halves
    __m256i negative;  // all ones if there is a sign

    [[nodiscard, gnu::target("avx2,bmi,popcnt"), gnu::always_inline]] inline __m256d
    values() const noexcept {
      const __m256i powers = _mm256_and_si256(power, each(0xFFFFFFFF));
      const __m256d sizes = _mm256_div_pd(exact(digits), exact(powers));
      return _mm256_or_pd(sizes, _mm256_castsi256_pd(_mm256_slli_epi64(negative, 63)));
    }
  };
  /// Reads [-]digit.digits from the bytes from the mark before on, the eight bytes up
  /// to the mark after, and the distance of the marks.
  [[nodiscard, gnu::target("avx2,bmi,popcnt"), gnu::always_inline]] static inline Fours
  four_numbers(__m256i begin, __m256i finish, __m256i size, char before,
               char after) noexcept {
    const __m256i powers =
        _mm256_setr_epi32(1, 10, 100, 1000, 10000, 100000, 1000000, 10000000);
    const __m256i zeros_closed = each(std::int64_t{after} << 56U | 0x30303030303030);
    const __m256i negative =
        _mm256_cmpeq_epi64(_mm256_and_si256(begin, each(0xFF00)), each('-' * 0x100));
    const __m256i head = _mm256_srlv_epi64(
        begin, _mm256_add_epi64(each(8), _mm256_and_si256(negative, each(8))));
    const __m256i places = _mm256_add_epi64(_mm256_sub_epi64(size, each(3)), negative);
    const __m256i digit =
        _mm256_xor_si256(_mm256_and_si256(head, each(0xFF)), each('0'));
    // The digits after the point, and 0 above them in place of the mark.
    const __m256i kept = _mm256_sllv_epi64(
        each(-1), _mm256_sub_epi64(each(56), _mm256_slli_epi64(places, 3)));
    const __m256i fraction =
        _mm256_and_si256(kept, _mm256_xor_si256(finish, zeros_closed));
    __m256i wrong = _mm256_xor_si256(_mm256_and_si256(begin, each(0xFF)), each(before));
    wrong = _mm256_or_si256(
        wrong,
        _mm256_xor_si256(_mm256_and_si256(head, each(0xFF00)), each('.' * 0x100)));
    wrong = _mm256_or_si256(wrong, _mm256_cmpgt_epi64(places, each(7)));
    wrong = _mm256_or_si256(wrong, _mm256_subs_epu8(digit, each(9)));
    wrong =
        _mm256_or_si256(wrong, _mm256_subs_epu8(fraction, each(0x0009090909090909)));
    // Seven digits: first pairs, then four and three, then all.
    const __m256i twos = _mm256_maddubs_epi16(fraction, each(0x0001010A010A010A));
    const __m256i parts = _mm256_madd_epi16(twos, each(0x0001000A00010064));
    const __m256i behind = _mm256_add_epi64(_mm256_mul_epu32(parts, each(1000)),
                                            _mm256_srli_epi64(parts, 32));
    const __m256i power = _mm256_permutevar8x32_epi32(powers, places);
    const __m256i digits = _mm256_add_epi64(behind, _mm256_mul_epu32(digit, power));
    wrong = _mm256_or_si256(wrong, _mm256_cmpeq_epi64(digits, _mm256_setzero_si256()));
    return {wrong, digits, power, negative};
  }

  template <Between B>
  [[nodiscard, gnu::target("avx2,bmi,popcnt")]] std::size_t read_fours_wide(
      const std::uint32_t* mark, std::size_t most, char before, char after,
      double scale, double* const to) const noexcept {
    constexpr std::size_t stride = B == Between::pairs ? 2 : 1;
    const auto marks = static_cast<std::size_t>(last_ - mark);
    if (marks < 2 || mark[1] < 7) return 0;
    most = std::min(most, (marks - 1) / stride + 1);
    std::size_t count = 0;
    for (; count + 4 <= most; count += 4, mark += 4 * stride) {
      const __m256i begin = _mm256_setr_epi64x(
          eight_from(mark[0]), eight_from(mark[stride]), eight_from(mark[2 * stride]),
          eight_from(mark[3 * stride]));
      const __m256i finish = _mm256_setr_epi64x(
          eight_from(mark[1] - 7), eight_from(mark[stride + 1] - 7),
          eight_from(mark[2 * stride + 1] - 7), eight_from(mark[3 * stride + 1] - 7));
      __m256i size;
      if constexpr (B == Between::pairs) {
        const __m256i both = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mark));
        size = _mm256_sub_epi64(_mm256_srli_epi64(both, 32),
                                _mm256_and_si256(both, each(0xFFFFFFFF)));
      } else {
        const auto four_from = [](const std::uint32_t* from) {
          return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
        };
        size =
            _mm256_cvtepu32_epi64(_mm_sub_epi32(four_from(mark + 1), four_from(mark)));
      }
      const Fours read = four_numbers(begin, finish, size, before, after);
      if (_mm256_testz_si256(read.wrong, read.wrong) == 0) break;
      _mm256_storeu_pd(to + count, _mm256_mul_pd(read.values(), _mm256_set1_pd(scale)));
    }
    return count;
  }

  [[nodiscard, gnu::target("avx2,bmi,popcnt")]] std::size_t read_four_pairs_wide(
      const std::uint32_t* mark, std::uint32_t from, std::uint32_t* columns,
      double* values) const noexcept {
    const auto marks = static_cast<std::size_t>(last_ - mark);
    if (marks < 2 || mark[1] < 7) return 0;
    const std::size_t most = (marks - 1) / 2 + 1;
    std::size_t count = 0;
    for (; count + 4 <= most; count += 4, mark += 8, from = mark[-1] + 1) {
      const __m256i begin =
          _mm256_setr_epi64x(eight_from(mark[0]), eight_from(mark[2]),
                             eight_from(mark[4]), eight_from(mark[6]));
      const __m256i finish =
          _mm256_setr_epi64x(eight_from(mark[1] - 7), eight_from(mark[3] - 7),
                             eight_from(mark[5] - 7), eight_from(mark[7] - 7));
      const __m256i both = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mark));
      const __m256i colons = _mm256_and_si256(both, each(0xFFFFFFFF));
      const __m256i size = _mm256_sub_epi64(_mm256_srli_epi64(both, 32), colons);
      // An index begins after the mark that ends the number before it.
      const __m256i starts =
          _mm256_setr_epi64x(from, mark[1] + 1, mark[3] + 1, mark[5] + 1);
      const __m256i names =
          _mm256_setr_epi64x(eight_from(from), eight_from(mark[1] + 1),
                             eight_from(mark[3] + 1), eight_from(mark[5] + 1));
      const __m256i length = _mm256_sub_epi64(colons, starts);
      const __m256i index =
          _mm256_sllv_epi64(_mm256_xor_si256(names, each(0x3030303030303030)),
                            _mm256_sub_epi64(each(64), _mm256_slli_epi64(length, 3)));
      const Fours read = four_numbers(begin, finish, size, ':', ' ');
      __m256i wrong = _mm256_or_si256(
          read.wrong, _mm256_subs_epu8(index, each(0x0909090909090909)));
      wrong = _mm256_or_si256(wrong, _mm256_cmpgt_epi64(length, each(8)));
      wrong = _mm256_or_si256(wrong, _mm256_cmpgt_epi64(each(1), length));
      if (_mm256_testz_si256(wrong, wrong) == 0) break;
      // Eight digits: first pairs, then fours, then all.
      const __m256i twos = _mm256_maddubs_epi16(index, each(0x010A010A010A010A));
      const __m256i parts = _mm256_madd_epi16(twos, each(0x0001006400010064));
      const __m256i found = _mm256_add_epi64(_mm256_mul_epu32(parts, each(10000)),
                                             _mm256_srli_epi64(parts, 32));
      const __m256i packed =
          _mm256_permutevar8x32_epi32(found, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(columns + count),
                       _mm256_castsi256_si128(packed));
      _mm256_storeu_pd(values + count, read.values());
    }
    return count;
  }

  [[nodiscard, gnu::always_inline]] static inline std::uint64_t bits(
      int found) noexcept {
    return static_cast<std::uint32_t>(found);
  }
  [[nodiscard, gnu::always_inline]] static inline std::uint32_t* put(
      std::uint32_t* to, std::uint64_t marks, std::size_t at,
      std::size_t size) noexcept {
    if (size - at < step) marks &= (std::uint64_t{1} << (size - at)) - 1;
    // A fixed number at a time, some in vain, so that no branch depends on their
    // number.
    std::uint32_t* const next = to + std::popcount(marks);
    do {
      for (int k = 0; k < few; ++k) {
        *to++ = static_cast<std::uint32_t>(at) +
                static_cast<std::uint32_t>(std::countr_zero(marks));
        marks &= marks - 1;
      }
    } while (marks != 0);
    return next;
  }
#else
  void find_wide() { find_narrow(); }
  void find_widest() { find_narrow(); }
  void find_narrow() {
    std::uint32_t* to = places_.data();
    int high = 0;
    for (std::uint32_t at = 0; at < end; ++at) {
      const char c = line[at];
      const auto byte = static_cast<unsigned char>(c);
      *to = at;
      to += byte <= static_cast<unsigned char>(low_) || c == one_ || c == other_;
      high |= byte & 0x80;
    }
    finish(to, high);
  }
#endif
  void finish(std::uint32_t* to, int high) noexcept {
    *to = end;
    last_ = to;
    ascii = high == 0;
  }

  std::vector<std::uint32_t> places_;
  const std::uint32_t* last_ = nullptr;  // the end of the positions
  char low_;
  char one_;
  char other_;
  Width width_;
};

}  // namespace littlestone
