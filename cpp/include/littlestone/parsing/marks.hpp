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
    // All processors with the last one have the others.
    const bool widest = __builtin_cpu_supports("avx512bw") != 0 &&
                        __builtin_cpu_supports("avx512cd") != 0 &&
                        __builtin_cpu_supports("avx512dq") != 0 &&
                        __builtin_cpu_supports("avx512vl") != 0 &&
                        __builtin_cpu_supports("avx512vbmi2") != 0;
    return widest ? Width::widest : Width::wide;
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
    find_all<false>(first, last, limit);
  }
  /// Finds the marks of several lines, and which of them are stops.
  void find_with_stops(const char* first, const char* last, const char* limit) {
    find_all<true>(first, last, limit);
    stop = found() ? stops_.data() : nullptr;
  }
  [[nodiscard]] bool found() const noexcept { return next != nullptr; }
  /// Whether there are `count` marks from a position on, and the first of them is the
  /// first after it; skips those before it.
  [[nodiscard]] bool reach(const char* p, std::size_t count) noexcept {
    if (!found() || p >= line + end) return false;
    const auto at = pass(p);
    while (*stop < at) ++stop;
    return static_cast<std::size_t>(last_ - next) >= count;
  }
  void forget() noexcept { next = nullptr; }

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

  /// Reads cells that end at successive marks, as long as each is [-]digits[.digits] of
  /// at most nine digits, or eight without a point. Writes the numbers, or those that
  /// are not 0, with the columns of their cells, and up to eight more in vain; stops
  /// before one whose column is `unknown`. Sixteen bytes before the first end must be
  /// readable. Reads none on processors that cannot read eight at once.
  struct Cells {
    std::size_t read = 0;
    std::size_t written = 0;
  };
  [[nodiscard]] Cells read_cells([[maybe_unused]] const std::uint32_t* mark,
                                 [[maybe_unused]] std::size_t most,
                                 [[maybe_unused]] bool zeros,
                                 [[maybe_unused]] const std::uint32_t* ids,
                                 [[maybe_unused]] std::uint32_t unknown,
                                 [[maybe_unused]] std::uint32_t* columns,
                                 [[maybe_unused]] double* values) const noexcept {
#if LITTLESTONE_MARKS
    if (width_ == Width::widest)
      return read_cells_widest(mark, most, zeros, ids, unknown, columns, values);
#endif
    return {};
  }
  [[nodiscard]] bool reads_cells() const noexcept { return width_ == Width::widest; }

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
    next = mark - std::min<std::ptrdiff_t>(2, mark - places_.data() - 1);
  }

  const char* line = nullptr;
  std::uint32_t end = 0;  // positions count from the beginning of the line
  const std::uint32_t* next = nullptr;  // the marks not skipped yet, then the end
  const std::uint32_t* stop = nullptr;  // those that are not `one`, then the end
  bool ascii = false;                   // whether the line is known to be ASCII

 private:
  static constexpr std::size_t eight = 8;
  static constexpr std::size_t step = margin;
  static constexpr int few = 12;
  static constexpr std::size_t spare =
      step + 1 + 16;  // room for what is written in vain

  template <bool Stops>
  void find_all(const char* first, const char* last, const char* limit) {
    line = first;
    end = static_cast<std::uint32_t>(last - first);
    next = nullptr;
    ascii = false;
    if (static_cast<std::size_t>(limit - last) < margin) return;
    if (places_.size() < end + spare) {
      places_.resize(std::max(end + spare, 2 * places_.size()));
    }
    if (Stops && stops_.size() < places_.size()) stops_.resize(places_.size());
    places_[0] = static_cast<std::uint32_t>(-1);
    next = places_.data() + 1;
    switch (width_) {
      case Width::narrow: return find_narrow<Stops>();
      case Width::wide: return find_wide<Stops>();
      case Width::widest: return find_widest<Stops>();
    }
  }

#if LITTLESTONE_MARKS
  // The three loops below must stay alike: a function compiled for AVX2 cannot share
  // code with one compiled for every processor.
  template <bool Stops>
  void find_narrow() {
    std::uint32_t* to = places_.data() + 1;
    std::uint32_t* stops = stops_.data();
    int high = 0;
    const __m128i lowest = _mm_set1_epi8(low_);
    const __m128i ones = _mm_set1_epi8(one_);
    const __m128i others = _mm_set1_epi8(other_);
    for (std::size_t at = 0; at < end; at += step) {
      std::uint64_t marks = 0;
      std::uint64_t separators = 0;
      for (unsigned k = 0; k < step; k += 16) {
        const auto* const from = reinterpret_cast<const __m128i*>(line + at + k);
        const __m128i bytes = _mm_loadu_si128(from);
        const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, lowest), bytes);
        const __m128i one = _mm_cmpeq_epi8(bytes, ones);
        const __m128i other = _mm_cmpeq_epi8(bytes, others);
        const __m128i any = _mm_or_si128(low, _mm_or_si128(one, other));
        marks |= bits(_mm_movemask_epi8(any)) << k;
        if constexpr (Stops) separators |= bits(_mm_movemask_epi8(one)) << k;
        high |= _mm_movemask_epi8(bytes);
      }
      to = put(to, marks, at, end);
      if constexpr (Stops) stops = put(stops, marks & ~separators, at, end);
    }
    finish<Stops>(to, stops, high);
  }
  template <bool Stops>
  [[gnu::target("avx2,bmi,popcnt")]] void find_wide() {
    std::uint32_t* to = places_.data() + 1;
    std::uint32_t* stops = stops_.data();
    int high = 0;
    const __m256i lowest = _mm256_set1_epi8(low_);
    const __m256i ones = _mm256_set1_epi8(one_);
    const __m256i others = _mm256_set1_epi8(other_);
    for (std::size_t at = 0; at < end; at += step) {
      std::uint64_t marks = 0;
      std::uint64_t separators = 0;
      for (unsigned k = 0; k < step; k += 32) {
        const auto* const from = reinterpret_cast<const __m256i*>(line + at + k);
        const __m256i bytes = _mm256_loadu_si256(from);
        const __m256i low = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, lowest), bytes);
        const __m256i one = _mm256_cmpeq_epi8(bytes, ones);
        const __m256i other = _mm256_cmpeq_epi8(bytes, others);
        const __m256i any = _mm256_or_si256(low, _mm256_or_si256(one, other));
        marks |= bits(_mm256_movemask_epi8(any)) << k;
        if constexpr (Stops) separators |= bits(_mm256_movemask_epi8(one)) << k;
        high |= _mm256_movemask_epi8(bytes);
      }
      to = put(to, marks, at, end);
      if constexpr (Stops) stops = put(stops, marks & ~separators, at, end);
    }
    finish<Stops>(to, stops, high);
  }

  template <bool Stops>
  [[gnu::target("avx512bw,avx512vbmi2,popcnt")]] void find_widest() {
    std::uint32_t* to = places_.data() + 1;
    std::uint32_t* stops = stops_.data();
    __mmask64 high = 0;
    const __m512i lowest = _mm512_set1_epi8(low_);
    const __m512i ones = _mm512_set1_epi8(one_);
    const __m512i others = _mm512_set1_epi8(other_);
    const __m512i numbers = numbers_from_0();
    for (std::size_t at = 0; at < end; at += step) {
      const __m512i bytes = _mm512_loadu_si512(line + at);
      const std::uint64_t separators = _mm512_cmpeq_epi8_mask(bytes, ones);
      std::uint64_t marks = _mm512_cmple_epu8_mask(bytes, lowest) | separators |
                            _mm512_cmpeq_epi8_mask(bytes, others);
      high |= _mm512_movepi8_mask(bytes);
      if (end - at < step) marks &= (std::uint64_t{1} << (end - at)) - 1;
      to = put_widest(to, marks, at, numbers);
      if constexpr (Stops) {
        stops = put_widest(stops, marks & ~separators, at, numbers);
      }
    }
    finish<Stops>(to, stops, high == 0 ? 0 : 1);
  }
  /// Sixteen at a time, some in vain: few lines have more in sixty-four bytes.
  [[nodiscard, gnu::target("avx512bw,avx512vbmi2,popcnt"),
    gnu::always_inline]] static inline std::uint32_t*
  put_widest(std::uint32_t* to, std::uint64_t marks, std::size_t at,
             __m512i numbers) noexcept {
    constexpr __mmask16 every = 0xFFFF;  // without it GCC 12 sees uninitialized numbers
    __m512i found = _mm512_maskz_compress_epi8(marks, numbers);
    const __m512i here = _mm512_maskz_set1_epi32(every, static_cast<int>(at));
    const int count = std::popcount(marks);
    int k = 0;
    do {
      const __m512i places = _mm512_maskz_cvtepu8_epi32(
          every, _mm512_maskz_extracti32x4_epi32(0xF, found, 0));
      _mm512_storeu_si512(to + k, _mm512_add_epi32(places, here));
      found = _mm512_maskz_alignr_epi64(0xFF, found, found, 2);
      k += 16;
    } while (k < count);
    return to + count;
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

  /// Eight cells; their numbers are right unless they are in `wrong`.
  struct Eights {
    __mmask8 wrong;
    __mmask8 zero;
    __m512d values;
  };
  /// Reads [-]digits[.digits] from the sixteen bytes before each of eight marks: the
  /// last eight, those before them, and the length of the cell.
  [[nodiscard,
    gnu::target("avx512bw,avx512cd,avx512dq,avx512vbmi2,avx512vl,bmi,popcnt"),
    gnu::always_inline]] static inline Eights
  eight_cells(__m512i last, __m512i before, __m512i length) noexcept {
    const auto same = [](std::int64_t number)
                          __attribute__((target("avx512bw"), always_inline)) {
                            return _mm512_set1_epi64(number);
                          };
    constexpr __mmask8 every = 0xFF;
    // How far to shift what precedes a cell out of the last eight bytes, and out of
    // the eight before them.
    const auto from_last =
        [&](__m512i size) __attribute__((target("avx512bw"), always_inline)) {
          return _mm512_subs_epu16(same(64), _mm512_maskz_slli_epi64(every, size, 3));
        };
    const auto from_before =
        [&](__m512i size) __attribute__((target("avx512bw"), always_inline)) {
          return _mm512_subs_epu16(same(128), _mm512_maskz_slli_epi64(every, size, 3));
        };
    const __mmask8 more = _mm512_cmpgt_epi64_mask(length, same(8));
    __m512i first = _mm512_maskz_srlv_epi64(every, last, from_last(length));
    first = _mm512_mask_srlv_epi64(first, more, before, from_before(length));
    const __mmask8 negative =
        _mm512_cmpeq_epi64_mask(_mm512_and_si512(first, same(0xFF)), same('-'));
    length = _mm512_mask_sub_epi64(length, negative, length, same(1));
    const __m512i zeros = same(0x3030303030303030);
    const __m512i ones = same(-1);
    last = _mm512_and_si512(_mm512_xor_si512(last, zeros),
                            _mm512_maskz_sllv_epi64(every, ones, from_last(length)));
    before =
        _mm512_and_si512(_mm512_xor_si512(before, zeros),
                         _mm512_maskz_sllv_epi64(every, ones, from_before(length)));
    // The point goes, and what is before it takes its place.
    constexpr char point = '.' ^ '0';
    const __m512i points =
        _mm512_movm_epi8(_mm512_cmpeq_epi8_mask(last, _mm512_set1_epi8(point)));
    const __mmask8 within = _mm512_test_epi64_mask(points, points);
    const __m512i below =
        _mm512_maskz_andnot_epi64(every, points, _mm512_add_epi64(points, ones));
    const __m512i moved =
        _mm512_maskz_slli_epi64(every, _mm512_and_si512(last, below), 8);
    const __m512i passed =
        _mm512_or_si512(_mm512_maskz_slli_epi64(every, below, 8), same(0xFF));
    const __m512i top = _mm512_maskz_srli_epi64(every, before, 56);
    const __m512i digits =
        _mm512_mask_or_epi64(last, within, _mm512_or_si512(moved, top),
                             _mm512_maskz_andnot_epi64(every, passed, last));
    const __mmask8 eighth =
        _mm512_mask_cmpeq_epi64_mask(static_cast<__mmask8>(~within), top, same(point));
    const auto pointed = static_cast<__mmask8>(within | eighth);
    const __m512i lead =
        _mm512_and_si512(_mm512_maskz_srli_epi64(every, before, 48), same(0xFF));
    const __m512i nine = _mm512_set1_epi8(9);
    const __m512i odd =
        _mm512_or_si512(_mm512_subs_epu8(digits, nine), _mm512_subs_epu8(lead, nine));
    // A digit or more, and none that was not looked at.
    const __m512i least = _mm512_mask_blend_epi64(within, same(1), same(2));
    const __m512i most = _mm512_mask_blend_epi64(pointed, same(8), same(10));
    const auto wrong = static_cast<__mmask8>(_mm512_test_epi64_mask(odd, odd) |
                                             _mm512_cmplt_epi64_mask(length, least) |
                                             _mm512_cmpgt_epi64_mask(length, most));
    // Eight digits: first pairs, then fours, then all.
    const __m512i twos = _mm512_maddubs_epi16(digits, same(0x010A010A010A010A));
    const __m512i fours = _mm512_madd_epi16(twos, same(0x0001006400010064));
    const __m512i low = _mm512_maskz_srli_epi64(every, fours, 32);
    const __m512i high = _mm512_maskz_mul_epu32(every, fours, same(10000));
    const __m512i leading = _mm512_maskz_mul_epu32(every, lead, same(100000000));
    const __m512i integer = _mm512_add_epi64(_mm512_add_epi64(low, high), leading);
    const __m512i places =
        _mm512_maskz_srli_epi64(pointed, _mm512_maskz_lzcnt_epi64(every, points), 3);
    const __m512d powers = _mm512_setr_pd(1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7);
    const __m512d power =
        _mm512_maskz_permutex2var_pd(every, powers, places, _mm512_set1_pd(1e8));
    const __m512d size =
        _mm512_maskz_div_pd(every, _mm512_maskz_cvtepi64_pd(every, integer), power);
    const __m512d values =
        _mm512_mask_xor_pd(size, negative, size, _mm512_set1_pd(-0.0));
    return {wrong, _mm512_testn_epi64_mask(integer, integer), values};
  }

  [[nodiscard,
    gnu::target("avx512bw,avx512cd,avx512dq,avx512vbmi2,avx512vl,bmi,popcnt")]] Cells
  read_cells_widest(const std::uint32_t* mark, std::size_t most, bool zeros,
                    const std::uint32_t* ids, std::uint32_t unknown,
                    std::uint32_t* columns, double* values) const noexcept {
    constexpr std::size_t both = 16;
    Cells cells;
    while (cells.read < most) {
      const std::uint32_t* const at = mark + cells.read;
      const auto sixteen = [&](std::size_t k) __attribute__((target("avx512bw"),
                                                             always_inline)) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(line + at[k] - both));
      };
      __m512i even = _mm512_zextsi128_si512(sixteen(0));
      __m512i odd = _mm512_zextsi128_si512(sixteen(1));
      even = _mm512_mask_broadcast_i32x4(even, 0x00F0, sixteen(2));
      odd = _mm512_mask_broadcast_i32x4(odd, 0x00F0, sixteen(3));
      even = _mm512_mask_broadcast_i32x4(even, 0x0F00, sixteen(4));
      odd = _mm512_mask_broadcast_i32x4(odd, 0x0F00, sixteen(5));
      even = _mm512_mask_broadcast_i32x4(even, 0xF000, sixteen(6));
      odd = _mm512_mask_broadcast_i32x4(odd, 0xF000, sixteen(7));
      constexpr __mmask8 every = 0xFF;
      const auto load = [](const std::uint32_t* from) __attribute__((target("avx512bw"),
                                                                     always_inline)) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
      };
      const __m256i length = _mm256_sub_epi32(_mm256_sub_epi32(load(at), load(at - 1)),
                                              _mm256_set1_epi32(1));
      const Eights read = eight_cells(_mm512_maskz_unpackhi_epi64(every, even, odd),
                                      _mm512_maskz_unpacklo_epi64(every, even, odd),
                                      _mm512_maskz_cvtepu32_epi64(every, length));
      const std::size_t count = std::min(eight, most - cells.read);
      const __m256i id = load(ids + cells.read);
      const auto wanted = zeros ? every : static_cast<__mmask8>(~read.zero);
      const __mmask8 unnamed = _mm256_mask_cmpeq_epi32_mask(
          wanted, id, _mm256_set1_epi32(static_cast<int>(unknown)));
      const unsigned all = (1U << count) - 1;
      const unsigned wrong = (read.wrong | unnamed) & all;
      // The next eight must not wait for what is found out about these: that all are
      // right is predicted.
      const unsigned right = wrong == 0 ? all : (wrong & -wrong) - 1;
      const auto kept = static_cast<__mmask8>(wanted & right);
      _mm512_storeu_pd(values + cells.written,
                       _mm512_maskz_compress_pd(kept, read.values));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(columns + cells.written),
                          _mm256_maskz_compress_epi32(kept, id));
      cells.written += static_cast<std::size_t>(std::popcount(unsigned{kept}));
      if (wrong != 0) [[unlikely]] {
        cells.read += static_cast<std::size_t>(std::countr_zero(wrong));
        break;
      }
      cells.read += count;
    }
    return cells;
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
  template <bool Stops>
  void find_wide() {
    find_narrow<Stops>();
  }
  template <bool Stops>
  void find_widest() {
    find_narrow<Stops>();
  }
  template <bool Stops>
  void find_narrow() {
    std::uint32_t* to = places_.data() + 1;
    std::uint32_t* stops = stops_.data();
    int high = 0;
    for (std::uint32_t at = 0; at < end; ++at) {
      const char c = line[at];
      const auto byte = static_cast<unsigned char>(c);
      const bool low = byte <= static_cast<unsigned char>(low_);
      *to = at;
      to += low || c == one_ || c == other_;
      if constexpr (Stops) {
        *stops = at;
        stops += c != one_ && (low || c == other_);
      }
      high |= byte & 0x80;
    }
    finish<Stops>(to, stops, high);
  }
#endif
  template <bool Stops>
  void finish(std::uint32_t* to, std::uint32_t* stops, int high) noexcept {
    *to = end;
    last_ = to;
    ascii = high == 0;
    if constexpr (Stops) {
      std::fill_n(to, eight, end);  // eight marks are read at once
      *stops = end;
    }
  }

  std::vector<std::uint32_t> places_;  // from the second on: before the first is -1
  std::vector<std::uint32_t> stops_;
  const std::uint32_t* last_ = nullptr;  // the end of the positions
  char low_;
  char one_;
  char other_;
  Width width_;
};

}  // namespace littlestone
