// What the fuzzers share: random numbers from a seed, pieces of a second reader, and
// the loop over random inputs.
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

#include "littlestone/labels.hpp"
#include "littlestone/parsing/lines.hpp"
#include "named_rows.hpp"

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }
  bool once_in(std::size_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

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

/// A number of few digits, mostly in a usual form.
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

/// Up to 40 of these pieces, and once in `rare` any byte.
template <class Pieces>
std::string some_pieces(const Pieces& pieces, std::size_t rare, Random& random) {
  std::string text;
  for (std::size_t left = random.below(40); left > 0; --left) {
    if (random.once_in(rare)) {
      text += static_cast<char>(random.below(256));
    } else {
      text += pieces[random.below(pieces.size())];
    }
  }
  return text;
}

/// Whether a text is a decimal number: sign, digits, point, exponent, and no more.
inline bool is_decimal(std::string_view text) {
  std::size_t k = 0;
  const auto one_of = [&](std::string_view any) {
    const bool found = k < text.size() && any.find(text[k]) != std::string_view::npos;
    k += found ? 1 : 0;
    return found;
  };
  const auto digits = [&] {
    const std::size_t from = k;
    while (one_of("0123456789")) {
    }
    return k - from;
  };
  one_of("+-");
  std::size_t count = digits();
  if (one_of(".")) count += digits();
  if (count == 0) return false;
  if (one_of("eE")) {
    one_of("+-");
    if (digits() == 0) return false;
  }
  return k == text.size();
}

inline std::string lowercase(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

/// A line as a second reader sees it.
struct Line {
  littlestone::LineFault fault = littlestone::LineFault::none;
  bool blank = false;
  bool left_out = false;
  std::string label;
  Row features;
};

/// Holds a block against the second reader's lines, except for the rows: `take(line,
/// t)` checks those of line t.
template <class Block, class ReadLine, class Take>
void check_lines(const std::string& text, bool skip, const Block& block,
                 ReadLine read_line, Take take) {
  using littlestone::LineFault;
  auto lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  std::size_t skipped = 0;
  std::size_t left_out = 0;
  LineFault fault = LineFault::none;
  for (std::size_t t = 0; t < lines.size() && fault == LineFault::none; ++t) {
    const auto line = read_line(lines[t]);
    const bool bad = line.fault != LineFault::none;
    if (bad && !skip) {
      fault = line.fault;
      if (block.fault_line != t) report("fault line", text);
      break;
    }
    skipped += bad ? 1 : 0;
    left_out += line.left_out ? 1 : 0;
    if (!bad && !line.blank && !line.left_out) take(line, t);
  }
  if (block.fault != fault) report("fault", text);
  if (block.skipped != skipped || block.left_out != left_out) report("count", text);
}

/// Whether a row has the label that is written.
template <class Block>
bool has_label(const Block& block, std::size_t row, const littlestone::LabelRule& rule,
               std::string_view written) {
  if (rule.kind() == littlestone::LabelKind::class_)
    return block.label_names[block.label_codes[row]] == written;
  return (block.labels[row] != 0) == (rule(written) == littlestone::Label::yes);
}

/// Whether bytes are UTF-8: decodes, and checks the code point, which is another way to
/// find overlong forms.
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
