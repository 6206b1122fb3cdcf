// SHA-256, of one text or of sixteen of the same length at once.
//
// One hash is a chain in which every step waits for the one before. Sixteen of them are
// independent, so processors with SHA instructions do two to four at a time, and others
// put one in each lane of a vector register; with AVX-512, that is quicker still.
#pragma once

#include <algorithm>  // std::min
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memcpy
#include <span>
#include <string_view>

#if defined(__x86_64__) && defined(__GNUC__)
#define LITTLESTONE_SHA 1
#include <cpuid.h>
#include <immintrin.h>
#else
#define LITTLESTONE_SHA 0
#endif

namespace littlestone {

/// The state of a hash: eight words.
using ShaState = std::array<std::uint32_t, 8>;
/// A finished hash, in bytes.
using ShaDigest = std::array<char, 32>;

inline constexpr ShaState sha_begin = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
inline constexpr std::size_t sha_block = 64;  // bytes that are mixed in at once
inline constexpr std::size_t sha_together = 16;

namespace sha {

alignas(64) inline constexpr std::array<std::uint32_t, 64> constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2};

/// Word `k` of a block, which is big-endian.
[[nodiscard, gnu::always_inline]] inline std::uint32_t word(const char* block,
                                                            std::size_t k) noexcept {
  std::array<unsigned char, 4> bytes;
  std::memcpy(bytes.data(), block + 4 * k, bytes.size());
  return std::uint32_t{bytes[0]} << 24U | std::uint32_t{bytes[1]} << 16U |
         std::uint32_t{bytes[2]} << 8U | std::uint32_t{bytes[3]};
}

template <class Word>
[[nodiscard, gnu::always_inline]] inline Word turned(Word x, unsigned by) noexcept {
  return (x >> by) | (x << (32U - by));
}

/// Mixes a block into a state; a Word is one number, or a vector with one number for
/// each of several hashes.
template <class Word>
[[gnu::always_inline]] inline void mix(std::array<Word, 8>& state,
                                       std::array<Word, 16>& w) noexcept {
  std::array<Word, 8> s = state;
#ifdef __GNUC__
#pragma GCC unroll 64
#endif
  for (unsigned t = 0; t < 64; ++t) {
    if (t >= 16) {
      const Word far = w[(t + 1) % 16];
      const Word near = w[(t + 14) % 16];
      w[t % 16] += (turned(far, 7) ^ turned(far, 18) ^ (far >> 3U)) + w[(t + 9) % 16] +
                   (turned(near, 17) ^ turned(near, 19) ^ (near >> 10U));
    }
    // The names of the standard; instead of moving eight words, the names move.
    const Word a = s[(64 - t) % 8];
    const Word b = s[(65 - t) % 8];
    const Word c = s[(66 - t) % 8];
    const Word e = s[(68 - t) % 8];
    const Word f = s[(69 - t) % 8];
    const Word g = s[(70 - t) % 8];
    const Word first = s[(71 - t) % 8] +
                       (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
                       (g ^ (e & (f ^ g))) + constants[t] + w[t % 16];
    s[(67 - t) % 8] += first;
    s[(71 - t) % 8] = first + (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) +
                      ((a & b) | (c & (a | b)));
  }
  for (std::size_t k = 0; k < 8; ++k) state[k] += s[k];
}

/// Mixes blocks of one text into its state.
inline void mix_plain(ShaState& state, const char* text, std::size_t blocks) noexcept {
  for (std::size_t b = 0; b < blocks; ++b, text += sha_block) {
    std::array<std::uint32_t, 16> w{};
    for (std::size_t k = 0; k < 16; ++k) w[k] = word(text, k);
    mix(state, w);
  }
}

#ifdef __GNUC__
using FourLanes [[gnu::vector_size(16)]] = std::uint32_t;
using EightLanes [[gnu::vector_size(32)]] = std::uint32_t;

/// The same for several texts, `apart` bytes from one to the next, one in each lane.
template <class Word>
[[gnu::always_inline]] inline void mix_lanes(ShaState* states, const char* texts,
                                             std::size_t apart,
                                             std::size_t blocks) noexcept {
  constexpr std::size_t lanes = sizeof(Word) / sizeof(std::uint32_t);
  std::array<Word, 8> state{};
  for (std::size_t k = 0; k < 8; ++k) {
    for (std::size_t lane = 0; lane < lanes; ++lane) state[k][lane] = states[lane][k];
  }
  for (std::size_t b = 0; b < blocks; ++b, texts += sha_block) {
    std::array<Word, 16> w{};
    for (std::size_t k = 0; k < 16; ++k) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        w[k][lane] = word(texts + lane * apart, k);
      }
    }
    mix(state, w);
  }
  for (std::size_t k = 0; k < 8; ++k) {
    for (std::size_t lane = 0; lane < lanes; ++lane) states[lane][k] = state[k][lane];
  }
}

inline void mix_four(ShaState* states, const char* texts, std::size_t apart,
                     std::size_t blocks) noexcept {
  mix_lanes<FourLanes>(states, texts, apart, blocks);
}
#endif

#if LITTLESTONE_SHA
/// With SHA instructions, which do two rounds each, and wait four cycles for the
/// result.
template <std::size_t Texts>
[[gnu::target("sha,sse4.1")]] void mix_native(ShaState* states, const char* texts,
                                              std::size_t apart,
                                              std::size_t blocks) noexcept {
  const auto load = [](const void* from) __attribute__((target("sha,sse4.1"))) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  };
  const auto lay = [](std::uint32_t a, std::uint32_t b, std::uint32_t c,
                      std::uint32_t d) __attribute__((target("sha,sse4.1"))) {
    return _mm_set_epi32(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c),
                         static_cast<int>(d));
  };
  const __m128i flip = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i abef[Texts];
  __m128i cdgh[Texts];
  for (std::size_t i = 0; i < Texts; ++i) {
    const ShaState& s = states[i];
    abef[i] = lay(s[0], s[1], s[4], s[5]);
    cdgh[i] = lay(s[2], s[3], s[6], s[7]);
  }
  for (std::size_t b = 0; b < blocks; ++b, texts += sha_block) {
    __m128i w[Texts][4];
    __m128i first[Texts];
    __m128i second[Texts];
    for (std::size_t i = 0; i < Texts; ++i) {
      first[i] = abef[i];
      second[i] = cdgh[i];
    }
#pragma GCC unroll 16
    for (std::size_t four = 0; four < 16; ++four) {
      const __m128i k = load(constants.data() + 4 * four);
#pragma GCC unroll 4
      for (std::size_t i = 0; i < Texts; ++i) {
        __m128i& words = w[i][four % 4];
        if (four < 4) {
          words = _mm_shuffle_epi8(load(texts + i * apart + 16 * four), flip);
        } else {
          const __m128i before = w[i][(four + 3) % 4];
          const __m128i seven = _mm_alignr_epi8(before, w[i][(four + 2) % 4], 4);
          words = _mm_sha256msg1_epu32(words, w[i][(four + 1) % 4]);
          words = _mm_sha256msg2_epu32(_mm_add_epi32(words, seven), before);
        }
        const __m128i mixed = _mm_add_epi32(words, k);
        second[i] = _mm_sha256rnds2_epu32(second[i], first[i], mixed);
        first[i] =
            _mm_sha256rnds2_epu32(first[i], second[i], _mm_shuffle_epi32(mixed, 0x0E));
      }
    }
    for (std::size_t i = 0; i < Texts; ++i) {
      abef[i] = _mm_add_epi32(abef[i], first[i]);
      cdgh[i] = _mm_add_epi32(cdgh[i], second[i]);
    }
  }
  for (std::size_t i = 0; i < Texts; ++i) {
    std::array<std::uint32_t, 4> one;
    std::array<std::uint32_t, 4> other;
    std::memcpy(one.data(), &abef[i], sizeof one);
    std::memcpy(other.data(), &cdgh[i], sizeof other);
    states[i] = {one[3], one[2], other[3], other[2],
                 one[1], one[0], other[1], other[0]};
  }
}

[[gnu::target("avx2")]] inline void mix_eight(ShaState* states, const char* texts,
                                              std::size_t apart,
                                              std::size_t blocks) noexcept {
  mix_lanes<EightLanes>(states, texts, apart, blocks);
}

using SixteenLanes [[gnu::vector_size(64)]] = std::uint32_t;

/// The words of a block of each of sixteen texts: first four words of four texts change
/// places, then sixteen bytes of all.
[[gnu::target("avx512f,avx512bw"), gnu::always_inline]] inline void sixteen_words(
    std::array<SixteenLanes, 16>& w, const char* texts, std::size_t apart) noexcept {
  constexpr __mmask16 all = 0xFFFF;  // without it GCC 12 sees uninitialized numbers
  const __m512i flip =
      _mm512_set4_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203);
  __m512i four[4][4];  // of four texts: word j of each in every sixteen bytes
#pragma GCC unroll 4
  for (std::size_t g = 0; g < 4; ++g) {
    __m512i text[4];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < 4; ++i) {
      const __m512i bytes = _mm512_loadu_si512(texts + (4 * g + i) * apart);
      text[i] = _mm512_maskz_shuffle_epi8(~__mmask64{0}, bytes, flip);
    }
    const __m512i low = _mm512_maskz_unpacklo_epi32(all, text[0], text[1]);
    const __m512i high = _mm512_maskz_unpackhi_epi32(all, text[0], text[1]);
    const __m512i lower = _mm512_maskz_unpacklo_epi32(all, text[2], text[3]);
    const __m512i higher = _mm512_maskz_unpackhi_epi32(all, text[2], text[3]);
    four[g][0] = _mm512_maskz_unpacklo_epi64(0xFF, low, lower);
    four[g][1] = _mm512_maskz_unpackhi_epi64(0xFF, low, lower);
    four[g][2] = _mm512_maskz_unpacklo_epi64(0xFF, high, higher);
    four[g][3] = _mm512_maskz_unpackhi_epi64(0xFF, high, higher);
  }
#pragma GCC unroll 4
  for (std::size_t j = 0; j < 4; ++j) {
    const __m512i a = _mm512_maskz_shuffle_i32x4(all, four[0][j], four[1][j], 0x44);
    const __m512i b = _mm512_maskz_shuffle_i32x4(all, four[2][j], four[3][j], 0x44);
    const __m512i c = _mm512_maskz_shuffle_i32x4(all, four[0][j], four[1][j], 0xEE);
    const __m512i d = _mm512_maskz_shuffle_i32x4(all, four[2][j], four[3][j], 0xEE);
    w[j] = (SixteenLanes)_mm512_maskz_shuffle_i32x4(all, a, b, 0x88);
    w[4 + j] = (SixteenLanes)_mm512_maskz_shuffle_i32x4(all, a, b, 0xDD);
    w[8 + j] = (SixteenLanes)_mm512_maskz_shuffle_i32x4(all, c, d, 0x88);
    w[12 + j] = (SixteenLanes)_mm512_maskz_shuffle_i32x4(all, c, d, 0xDD);
  }
}

[[gnu::target("avx512f,avx512bw")]] inline void mix_sixteen(
    ShaState* states, const char* texts, std::size_t apart,
    std::size_t blocks) noexcept {
  std::array<SixteenLanes, 8> state;
  for (std::size_t k = 0; k < 8; ++k) {
    for (std::size_t lane = 0; lane < 16; ++lane) state[k][lane] = states[lane][k];
  }
  for (std::size_t b = 0; b < blocks; ++b, texts += sha_block) {
    std::array<SixteenLanes, 16> w;
    sixteen_words(w, texts, apart);
    mix(state, w);
  }
  for (std::size_t k = 0; k < 8; ++k) {
    for (std::size_t lane = 0; lane < 16; ++lane) states[lane][k] = state[k][lane];
  }
}
#endif

/// How to compute it; every way gives the same.
enum class Way : std::uint8_t { plain, four_lanes, eight_lanes, native, sixteen_lanes };

[[nodiscard]] inline bool can(Way way) noexcept {
#if LITTLESTONE_SHA
  if (way == Way::native) {
    // __builtin_cpu_supports does not know "sha" in all compilers.
    std::array<unsigned, 4> told{};
    return __get_cpuid_count(7, 0, &told[0], &told[1], &told[2], &told[3]) != 0 &&
           (told[1] >> 29U & 1U) != 0 && __builtin_cpu_supports("sse4.1") != 0;
  }
  if (way == Way::sixteen_lanes) return __builtin_cpu_supports("avx512bw") != 0;
  return way != Way::eight_lanes || __builtin_cpu_supports("avx2") != 0;
#elif defined(__GNUC__)
  return way == Way::plain || way == Way::four_lanes;
#else
  return way == Way::plain;
#endif
}

/// The quickest way here.
[[nodiscard]] inline Way best_way() noexcept {
  static const Way best = [] {
    for (const Way way :
         {Way::sixteen_lanes, Way::native, Way::eight_lanes, Way::four_lanes}) {
      if (can(way)) return way;
    }
    return Way::plain;
  }();
  return best;
}

/// Mixes blocks of one text into its state.
inline void mix_one(Way way, ShaState& state, const char* text,
                    std::size_t blocks) noexcept {
#if LITTLESTONE_SHA
  static const bool native = can(Way::native);
  if (way == Way::native || (way == Way::sixteen_lanes && native)) {
    return mix_native<1>(&state, text, 0, blocks);
  }
#endif
  mix_plain(state, text, blocks);
}

/// Mixes blocks of all texts, which lie `apart`, into their states.
inline void mix_all(Way way, std::array<ShaState, sha_together>& states,
                    const char* texts, std::size_t apart, std::size_t blocks) noexcept {
  const auto by = [&](std::size_t count, auto mix_some) {
    for (std::size_t i = 0; i < sha_together; i += count) {
      mix_some(states.data() + i, texts + i * apart, apart, blocks);
    }
  };
  switch (way) {
#if LITTLESTONE_SHA
    case Way::sixteen_lanes: return by(16, mix_sixteen);
    case Way::native: return by(4, mix_native<4>);
    case Way::eight_lanes: return by(8, mix_eight);
#endif
#ifdef __GNUC__
    case Way::four_lanes: return by(4, mix_four);
#endif
    default:
      by(1, [](ShaState* state, const char* text, std::size_t, std::size_t some) {
        mix_plain(*state, text, some);
      });
  }
}

[[nodiscard]] inline ShaDigest bytes_of(const ShaState& state) noexcept {
  ShaDigest bytes;
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    bytes[k] = static_cast<char>(state[k / 4] >> (24U - 8U * (k % 4)) & 0xFFU);
  }
  return bytes;
}

/// What ends a text of `size` bytes after its last whole block: the rest, a bit, zeros
/// and the size. One or two blocks.
class Ending {
 public:
  Ending(std::string_view rest, std::uint64_t size) noexcept
      : blocks_(rest.size() < sha_block - 8 ? 1 : 2) {
    if (!rest.empty()) std::memcpy(bytes_.data(), rest.data(), rest.size());
    bytes_[rest.size()] = '\x80';
    const std::size_t end = blocks_ * sha_block;
    for (std::size_t k = 0; k < 8; ++k) {
      bytes_[end - 1 - k] = static_cast<char>(8 * size >> 8 * k & 0xFFU);
    }
  }
  [[nodiscard]] const char* data() const noexcept { return bytes_.data(); }
  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }

 private:
  std::array<char, 2 * sha_block> bytes_{};
  std::size_t blocks_;
};

}  // namespace sha

/// The hash of a text that comes in pieces.
class Sha256 {
 public:
  explicit Sha256(sha::Way way = sha::best_way()) noexcept : way_(way) {}

  void add(std::string_view text) noexcept {
    size_ += text.size();
    if (held_ > 0) {
      const std::size_t some = std::min(text.size(), sha_block - held_);
      std::memcpy(rest_.data() + held_, text.data(), some);
      held_ += some;
      text.remove_prefix(some);
      if (held_ < sha_block) return;
      sha::mix_one(way_, state_, rest_.data(), 1);
      held_ = 0;
    }
    const std::size_t blocks = text.size() / sha_block;
    sha::mix_one(way_, state_, text.data(), blocks);
    text.remove_prefix(blocks * sha_block);
    if (!text.empty()) std::memcpy(rest_.data(), text.data(), text.size());
    held_ = text.size();
  }

  /// The hash of what came so far; more may follow.
  [[nodiscard]] ShaDigest digest() const noexcept {
    const sha::Ending ending({rest_.data(), held_}, size_);
    ShaState state = state_;
    sha::mix_one(way_, state, ending.data(), ending.blocks());
    return sha::bytes_of(state);
  }

 private:
  sha::Way way_;
  ShaState state_ = sha_begin;
  std::uint64_t size_ = 0;
  std::array<char, sha_block> rest_{};
  std::size_t held_ = 0;
};

/// The hashes of sixteen texts of the same length, a multiple of 64, one after another.
[[nodiscard]] inline std::array<ShaDigest, sha_together> sha256_of_each(
    std::span<const char> texts, sha::Way way = sha::best_way()) noexcept {
  const std::size_t each = texts.size() / sha_together;
  std::array<ShaState, sha_together> states;
  states.fill(sha_begin);
  sha::mix_all(way, states, texts.data(), each, each / sha_block);
  const sha::Ending ending({}, each);
  sha::mix_all(way, states, ending.data(), 0, ending.blocks());
  std::array<ShaDigest, sha_together> digests;
  for (std::size_t i = 0; i < sha_together; ++i) digests[i] = sha::bytes_of(states[i]);
  return digests;
}

}  // namespace littlestone
