// Where the bytes stand that part a line into names and numbers, found many at a time.
//
// Whoever walks along a line byte by byte learns where a number begins only when the
// one before it has been read. With the marks found beforehand the processor reads
// several at once.
#pragma once

#include <algorithm>  // std::max, std::min
#include <bit>        // std::countr_zero, std::popcount
#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__)
#define LITTLESTONE_MARKS 1
#include <immintrin.h>
#else
#define LITTLESTONE_MARKS 0
#endif

namespace littlestone {

/// The line that is being read, and where its colons, bars and spaces are, and what is
/// below a space.
class Marks {
 public:
  /// How many bytes after a line must be there to be read.
  static constexpr std::size_t margin = 64;

  /// With AVX2, or with what every processor has.
  explicit Marks(bool wide = has_wide()) : wide_(wide) {}

  /// Finds the marks of a line in a text up to `limit`; none if the margin is missing.
  void find(const char* first, const char* last, const char* limit) {
    line = first;
    end = static_cast<std::uint32_t>(last - first);
    next = nullptr;
    ascii = false;
#if LITTLESTONE_MARKS
    if (static_cast<std::size_t>(limit - last) < margin) return;
    if (places_.size() < end + spare) {
      places_.resize(std::max(end + spare, 2 * places_.size()));
    }
    next = places_.data();
    wide_ ? find_wide() : find_narrow();
#else
    static_cast<void>(limit);
#endif
  }
  [[nodiscard]] bool found() const noexcept { return next != nullptr; }

  /// Passes the marks before `p`, and returns where it is in the line.
  [[nodiscard]] std::uint32_t pass(const char* p) noexcept {
    const auto at = static_cast<std::uint32_t>(p - line);
    while (*next < at) ++next;
    return at;
  }

  /// Takes a mark for the next, or one of the two before it.
  void stop_before(const std::uint32_t* mark) noexcept {
    next = mark - std::min<std::ptrdiff_t>(2, mark - places_.data());
  }

  const char* line = nullptr;
  std::uint32_t end = 0;  // and all places, counted from where the line begins
  const std::uint32_t* next = nullptr;  // the marks that are not passed, then the end
  bool ascii = false;                   // whether the line is known to be

 private:
  static constexpr std::size_t step = margin;
  static constexpr int few = 12;
  static constexpr std::size_t spare = step + few;  // what is written for nothing

#if LITTLESTONE_MARKS
  [[nodiscard]] static bool has_wide() noexcept {
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
           __builtin_cpu_supports("popcnt") != 0;
  }

  // Two loops over 64 bytes at a time, since what is compiled for one processor cannot
  // be part of what is compiled for all.
  void find_narrow() {
    std::uint32_t* to = places_.data();
    int high = 0;
    const __m128i space = _mm_set1_epi8(' ');
    for (std::size_t at = 0; at < end; at += step) {
      std::uint64_t marks = 0;
      for (unsigned k = 0; k < step; k += 16) {
        const auto* const from = reinterpret_cast<const __m128i*>(line + at + k);
        const __m128i bytes = _mm_loadu_si128(from);
        const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, space), bytes);
        const __m128i colon = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(':'));
        const __m128i bar = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('|'));
        const __m128i any = _mm_or_si128(low, _mm_or_si128(colon, bar));
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
    const __m256i space = _mm256_set1_epi8(' ');
    for (std::size_t at = 0; at < end; at += step) {
      std::uint64_t marks = 0;
      for (unsigned k = 0; k < step; k += 32) {
        const auto* const from = reinterpret_cast<const __m256i*>(line + at + k);
        const __m256i bytes = _mm256_loadu_si256(from);
        const __m256i low = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, space), bytes);
        const __m256i colon = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(':'));
        const __m256i bar = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('|'));
        const __m256i any = _mm256_or_si256(low, _mm256_or_si256(colon, bar));
        marks |= bits(_mm256_movemask_epi8(any)) << k;
        high |= _mm256_movemask_epi8(bytes);
      }
      to = put(to, marks, at, end);
    }
    finish(to, high);
  }

  [[nodiscard, gnu::always_inline]] static inline std::uint64_t bits(
      int found) noexcept {
    return static_cast<std::uint32_t>(found);
  }
  [[nodiscard, gnu::always_inline]] static inline std::uint32_t* put(
      std::uint32_t* to, std::uint64_t marks, std::size_t at,
      std::size_t size) noexcept {
    if (size - at < step) marks &= (std::uint64_t{1} << (size - at)) - 1;
    // A fixed number at a time, some for nothing: how many there are is no guess then.
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
  void finish(std::uint32_t* to, int high) noexcept {
    *to = end;
    ascii = high == 0;
  }
#else
  [[nodiscard]] static bool has_wide() noexcept { return false; }
#endif

  std::vector<std::uint32_t> places_;
  [[maybe_unused]] bool wide_;
};

}  // namespace littlestone
