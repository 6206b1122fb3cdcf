// What the readers are fuzzed with: numbers drawn from a seed, texts taken apart, and
// the loop over made-up inputs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }
  bool once_in(std::size_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

using Pairs = std::vector<std::pair<std::string, double>>;

[[noreturn]] inline void report(std::string_view what, std::string_view text) {
  std::fprintf(stderr, "%.*s differs for a text of %zu bytes:\n",
               static_cast<int>(what.size()), what.data(), text.size());
  for (const char c : text) {
    std::fprintf(stderr, c >= 32 && c < 127 ? "%c" : "\\x%02X",
                 static_cast<unsigned char>(c));
  }
  std::fputc('\n', stderr);
  std::exit(1);
}

inline std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> pieces{""};
  for (const char c : text) {
    if (c == by) {
      pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  return pieces;
}

/// A number of few digits, mostly written as many others are.
inline std::string short_number(Random& random) {
  std::string number = random.once_in(2) ? "-" : "";
  for (std::size_t left = random.once_in(8) ? random.below(9) : 1; left > 0; --left) {
    number += static_cast<char>('0' + random.below(10));
  }
  if (random.once_in(8)) return number;
  number += '.';
  const bool zeros = random.once_in(8);
  for (std::size_t left = random.below(random.once_in(8) ? 10 : 8); left > 0; --left) {
    number += static_cast<char>('0' + (zeros ? 0 : random.below(10)));
  }
  if (random.once_in(40))
    number[random.below(number.size())] = "x/;. e-\0"[random.below(8)];
  return number;
}

/// Whether bytes are UTF-8: decodes, and looks at the number, which is the other way to
/// tell overlong forms.
inline bool decodes(const std::string& text) {
  for (std::size_t k = 0; k < text.size();) {
    const auto lead = static_cast<unsigned char>(text[k++]);
    const int more = lead < 0x80             ? 0
                     : (lead & 0xE0) == 0xC0 ? 1
                     : (lead & 0xF0) == 0xE0 ? 2
                     : (lead & 0xF8) == 0xF0 ? 3
                                             : -1;
    if (more < 0) return false;
    std::uint32_t point =
        more == 0 ? lead : lead & (0x3FU >> static_cast<unsigned>(more));
    for (int i = 0; i < more; ++i) {
      if (k == text.size()) return false;
      const auto next = static_cast<unsigned char>(text[k++]);
      if ((next & 0xC0) != 0x80) return false;
      point = point << 6U | (next & 0x3F);
    }
    static constexpr std::array<std::uint32_t, 4> least{0, 0x80, 0x800, 0x10000};
    if (point < least[static_cast<std::size_t>(more)] || point > 0x10FFFF) return false;
    if (point >= 0xD800 && point < 0xE000) return false;
  }
  return true;
}

/// Tries as many inputs as the command line asks for.
template <class Try>
int fuzz(const char* name, int argc, char** argv, Try try_one) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: %s COUNT [SEED]\n", name);
    return 2;
  }
  const std::uint64_t count = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  Random random(seed);
  for (std::uint64_t n = 0; n < count; ++n) try_one(random);
  std::printf("%llu texts agree (seed %llu)\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(seed));
  return 0;
}
