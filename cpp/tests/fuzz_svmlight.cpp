// Compares the parser with a second one, slow and simple, on random files, bit by bit.
//
//   fuzz_svmlight COUNT [SEED]
//
// Parses COUNT texts and reads COUNT numbers. Equal seeds give equal inputs. Each input
// is in a buffer of exactly its size, so that the address sanitizer finds every read
// beyond it.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "littlestone/parsing/decimal.hpp"
#include "littlestone/parsing/svmlight.hpp"

using namespace littlestone;
using namespace std::string_view_literals;

namespace {

// Random inputs -------------------------------------------------------------

/// The standard's distributions differ between libraries; remainders do not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  std::size_t below(std::size_t n) { return engine_() % n; }
  bool once_in(std::size_t n) { return below(n) == 0; }
  template <std::size_t n>
  std::string_view any(const std::array<std::string_view, n>& words) {
    return words[below(n)];
  }

 private:
  std::mt19937_64 engine_;
};

std::string some_digits(Random& random, std::size_t count) {
  std::string digits;
  while (digits.size() < count) digits += static_cast<char>('0' + random.below(10));
  return digits;
}

template <class Float>
std::string written(const char* format, std::size_t precision, Float x) {
  std::array<char, 1200> buffer;
  const int size = std::snprintf(buffer.data(), buffer.size(), format,
                                 static_cast<int>(precision), x);
  return {buffer.data(), static_cast<std::size_t>(size)};
}

/// A number half-way between two doubles, to more digits or fewer.
std::string near_a_tie(Random& random) {
  // An odd integer of 54 bits lies half-way; a smaller one does among denormals. Where
  // a long double is no longer than a double, this is a number like any other. 54 bits
  // among denormals are left out: there the strtod of glibc 2.36 is itself wrong (its
  // bug 30220).
  const bool normal = random.once_in(2);
  const std::uint64_t odd = random.bits() >> (normal ? 10 : 11 + random.below(53)) | 1U;
  const int exponent = static_cast<int>(random.below(2040)) - (normal ? 1075 : 1130);
  const std::size_t precision = random.once_in(16) ? 780 : 15 + random.below(25);
  return written("%.*Le", precision,
                 std::ldexp(static_cast<long double>(odd), exponent));
}

/// Digits, point and exponent in any shape that the grammar allows.
std::string any_shape(Random& random) {
  static constexpr std::array signs{""sv, ""sv, ""sv, "-"sv, "+"sv};
  const std::size_t most = random.once_in(16) ? 40 : 12;
  std::string text(random.any(signs));
  if (random.once_in(8)) text.append(random.below(random.once_in(8) ? 400 : 30), '0');
  text += some_digits(random, random.below(most));
  if (!random.once_in(4)) {
    text += '.';
    if (random.once_in(8)) text.append(random.below(random.once_in(8) ? 400 : 30), '0');
    text += some_digits(random, random.below(most));
  }
  if (random.once_in(3)) {
    text += random.once_in(2) ? 'e' : 'E';
    text += random.any(signs);
    text += std::to_string(random.below(random.once_in(2) ? 30 : 420));
    if (random.once_in(32)) text += some_digits(random, random.below(20));
  }
  return text;
}

std::string some_number(Random& random) {
  std::string text;
  switch (random.below(8)) {
    case 0: return some_digits(random, 1);
    case 1: text = "0."; return text += some_digits(random, 1 + random.below(9));
    case 2: text = "-1."; return text += some_digits(random, 6);
    case 3: return written("%.*g", 17, std::bit_cast<double>(random.bits()));
    case 4:
      return written("%.*e", random.below(25), std::bit_cast<double>(random.bits()));
    case 5: return near_a_tie(random);
    default: return any_shape(random);
  }
}

std::string some_index(Random& random, std::uint64_t next) {
  switch (random.below(100)) {
    case 0: return std::to_string(0xFFFFFFFF - random.below(3));
    case 1: return std::to_string((std::uint64_t{1} << 32U) + random.below(3));
    case 2: return std::string(random.below(25), '0') + some_digits(random, 3);
    case 3: return some_digits(random, 1 + random.below(25));
    case 4: return std::to_string(random.below(1000));
    case 5: return "1844674407370955161" + std::to_string(random.below(10));  // 2^64
    default: return std::to_string(next);
  }
}

/// A line as most files have them, whose pairs are read four at a time: with up to
/// seven digits after the point, and now and then one that is just outside.
std::string plain_line(Random& random) {
  std::string line = random.once_in(2) ? "1" : "-1";
  const bool wide = random.once_in(2);
  for (std::size_t left = 1 + random.below(24); left > 0; --left) {
    line += random.once_in(60) ? "  " : " ";
    line +=
        some_digits(random, wide ? 1 + random.below(random.once_in(20) ? 10 : 8) : 8);
    line += random.once_in(4) ? ":-" : ":";
    line += some_digits(random, random.once_in(40) ? 2 : 1) + '.';
    line += some_digits(random, random.once_in(40) ? random.below(10) : 7);
    if (random.once_in(3)) line.resize(line.size() - random.below(5));
  }
  if (random.once_in(4)) line += ' ';
  return line;
}

std::string some_line(Random& random) {
  if (random.once_in(3)) return plain_line(random);
  static constexpr std::array spaces{" "sv, " "sv, " "sv,  " "sv,
                                     " "sv, " "sv, "\t"sv, "  \r"sv};
  static constexpr std::array labels{"1"sv,   "1"sv,   "-1"sv, "-1"sv,   "0"sv,
                                     "+1"sv,  "1.0"sv, "2"sv,  "-1e0"sv, "spam"sv,
                                     "nan"sv, "3:1"sv, "02"sv, "1e999"sv};
  static constexpr std::array oddities{"nan"sv, "-inf"sv,   "+Infinity"sv, ""sv,
                                       "-"sv,   "1e999"sv,  "1e"sv,        "0x1p3"sv,
                                       "."sv,   "nan(0)"sv, "1e-999"sv,    "1:2"sv};
  if (random.once_in(12)) return random.once_in(2) ? "" : "# 1 1:1";
  std::string line = random.once_in(16) ? " " : "";
  line += random.any(labels);
  if (random.once_in(12)) line += " qid:" + some_digits(random, random.below(3));
  if (random.once_in(16)) return line += " 0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9";
  std::uint64_t index = random.below(100);
  for (std::size_t left = random.below(10); left > 0; --left) {
    line += random.any(spaces);
    line += some_index(random, index) + ':';
    line +=
        random.once_in(50) ? std::string(random.any(oddities)) : some_number(random);
    index += random.once_in(100) ? 0 : 1 + random.below(1000);
  }
  if (random.once_in(12)) line += random.once_in(2) ? " # 7:7" : "#";
  if (random.once_in(12)) line += '\r';
  return line;
}

std::string some_text(Random& random) {
  std::string text;
  for (std::size_t left = random.below(4); left > 0; --left) {
    text += some_line(random) + '\n';
  }
  if (!random.once_in(4)) text += some_line(random);  // without its line end
  return text;
}

/// Breaks a text in one place, or joins it with another.
void mutate(std::string& text, const std::string& other, Random& random) {
  static constexpr auto telling = "0123456789+-.eE:# \t\r\n\0\v/;qn\x7F\x80\xB0\xFF"sv;
  const std::size_t at = random.below(text.size() + 1);
  const char c = random.once_in(4) ? static_cast<char>(random.bits() & 0xFFU)
                                   : telling[random.below(telling.size())];
  switch (random.below(6)) {
    case 0: text.insert(at, 1, c); break;
    case 1: text.erase(at, random.below(4)); break;
    case 2:
      text.insert(at, text, random.below(text.size() + 1), random.below(12));
      break;
    case 3: text.resize(at); break;
    case 4: text.replace(at, std::string::npos, other, other.size() / 2); break;
    default: text.replace(at, 1, 1, c);
  }
}

// The second parser ---------------------------------------------------------

/// How many characters at the beginning are a number; none if there is no number there.
std::size_t number_length(const std::string& text) {
  std::size_t at = 0;
  const auto next_is_any_of = [&](std::string_view wanted) {
    return at < text.size() && wanted.find(text[at]) != std::string_view::npos;
  };
  const auto pass_digits = [&] {
    const std::size_t before = at;
    while (next_is_any_of("0123456789")) ++at;
    return at - before;
  };
  if (next_is_any_of("+-")) ++at;
  std::size_t digits = pass_digits();
  if (next_is_any_of(".")) {
    ++at;
    digits += pass_digits();
  }
  if (digits == 0) return 0;
  if (next_is_any_of("eE")) {
    ++at;
    if (next_is_any_of("+-")) ++at;
    if (pass_digits() == 0) return 0;
  }
  return at;
}

std::optional<double> number(const std::string& text) {
  if (text.empty() || number_length(text) != text.size()) return std::nullopt;
  return std::strtod(text.c_str(), nullptr);
}

using Positive = std::optional<std::string>;

Label label_meant(const std::string& token, const Positive& positive) {
  const auto y = number(token);
  if (positive) {
    if (token == *positive || (y && y == number(*positive))) return Label::yes;
    return token.find(':') == std::string::npos ? Label::zero : Label::other;
  }
  if (y == 1.0) return Label::yes;
  if (y == 0.0) return Label::zero;
  return y == -1.0 ? Label::minus : Label::other;
}

LineFault read_pair(const std::string& token, std::uint32_t& column, double& value) {
  const std::size_t colon = token.find(':');
  std::string index = token.substr(0, colon);
  if (colon == std::string::npos || index.empty() ||
      index.find_first_not_of("0123456789") != std::string::npos) {
    return LineFault::pair;
  }
  index.erase(0, index.find_first_not_of('0'));
  if (index.size() > 10) return LineFault::index_too_large;
  const auto large = std::strtoull(index.c_str(), nullptr, 10);
  if (large > std::numeric_limits<std::uint32_t>::max()) {
    return LineFault::index_too_large;
  }
  column = static_cast<std::uint32_t>(large);

  std::string text = token.substr(colon + 1);
  if (const auto read = number(text)) {
    value = *read;
    return std::isfinite(value) ? LineFault::none : LineFault::not_finite;
  }
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.erase(0, 1);
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  const bool named = text == "nan" || text == "inf" || text == "infinity";
  return named ? LineFault::not_finite : LineFault::pair;
}

struct Line {
  LineFault fault = LineFault::none;
  bool blank = false;
  Label label = Label::other;
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
};

Line read_line(const std::string& text, const Positive& positive) {
  static constexpr auto spaces = " \t\r"sv;
  const std::string code = text.substr(0, text.find('#'));
  std::vector<std::string> tokens;
  for (std::size_t at = 0; (at = code.find_first_not_of(spaces, at)) != code.npos;) {
    const std::size_t end = std::min(code.find_first_of(spaces, at), code.size());
    tokens.push_back(code.substr(at, end - at));
    at = end;
  }

  Line line;
  line.blank = tokens.empty();
  if (line.blank) return line;
  line.label = label_meant(tokens[0], positive);
  if (line.label == Label::other) {
    line.fault = positive ? LineFault::no_label : LineFault::label;
  }
  const bool query = tokens.size() > 1 && tokens[1].starts_with("qid:");
  for (std::size_t k = query ? 2 : 1; k < tokens.size(); ++k) {
    if (line.fault != LineFault::none) return line;
    line.fault =
        read_pair(tokens[k], line.columns.emplace_back(), line.values.emplace_back());
  }
  const std::set<std::uint32_t> distinct(line.columns.begin(), line.columns.end());
  if (line.fault == LineFault::none && distinct.size() < line.columns.size()) {
    line.fault = LineFault::duplicate;
  }
  return line;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// The block that ought to come out.
SvmlightBlock expected(const std::vector<std::string>& texts,
                       const std::vector<Line>& lines, bool skip) {
  SvmlightBlock block;
  for (std::size_t t = 0; t < lines.size(); ++t) {
    const Line& line = lines[t];
    if (line.fault != LineFault::none && !skip) {
      block.fault = line.fault;
      block.fault_line = t;
      block.fault_text = texts[t].substr(0, 200);
      break;
    }
    ++block.line_count;
    if (line.fault != LineFault::none) ++block.skipped;
    if (line.fault != LineFault::none || line.blank) continue;
    std::size_t& first = line.label == Label::zero ? block.alphabet.first_zero
                                                   : block.alphabet.first_minus;
    if (line.label != Label::yes) first = std::min(first, block.labels.size());
    for (const auto column : line.columns)
      block.largest = std::max(block.largest, column);
    block.columns.insert(block.columns.end(), line.columns.begin(), line.columns.end());
    block.values.insert(block.values.end(), line.values.begin(), line.values.end());
    block.offsets.push_back(block.columns.size());
    block.labels.push_back(line.label == Label::yes);
    block.lines.push_back(static_cast<std::uint32_t>(t));
  }
  return block;
}

// The comparison ------------------------------------------------------------

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Names what differs; nothing if nothing does.
std::string_view difference(const SvmlightBlock& got, const SvmlightBlock& wanted) {
  if (got.fault != wanted.fault) return "fault";
  if (got.fault_line != wanted.fault_line) return "fault_line";
  if (got.fault_text != wanted.fault_text) return "fault_text";
  if (got.line_count != wanted.line_count) return "line_count";
  if (got.skipped != wanted.skipped) return "skipped";
  if (got.offsets != wanted.offsets) return "offsets";
  if (got.labels != wanted.labels) return "labels";
  if (got.lines != wanted.lines) return "lines";
  if (got.largest != wanted.largest) return "largest";
  if (got.alphabet.first_zero != wanted.alphabet.first_zero) return "first_zero";
  if (got.alphabet.first_minus != wanted.alphabet.first_minus) return "first_minus";
  const std::size_t used = wanted.columns.size();
  if (got.columns.size() < used || got.values.size() < used) return "room";
  const std::span<const std::uint32_t> columns(got.columns.data(), used);
  if (!std::ranges::equal(columns, wanted.columns)) return "columns";
  const std::span<const double> values(got.values.data(), used);
  if (!std::ranges::equal(values, wanted.values, same_bits)) return "values";
  return "";
}

[[noreturn]] void report(std::string_view what, std::string_view input) {
  std::printf("%.*s differs for \"", static_cast<int>(what.size()), what.data());
  for (const char c : input) {
    const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
    if (plain) std::printf("%c", c);
    if (!plain)
      std::printf("\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  std::printf("\"\n");
  std::exit(1);
}

void try_text(const std::string& text, const Positive& positive, SvmlightBlock& reused,
              bool fresh) {
  const std::vector<char> exact(text.begin(), text.end());
  const LabelRule label_rule = positive ? LabelRule(*positive) : LabelRule();
  const auto texts = split(text);
  std::vector<Line> lines;
  for (const auto& line : texts) lines.push_back(read_line(line, positive));
  for (const bool skip : {false, true}) {
    // A fresh block has no room from earlier texts to hide an overflow in.
    SvmlightBlock made;
    SvmlightBlock& block = fresh ? made : reused;
    block.parse({exact.data(), exact.size()}, label_rule, skip);
    const auto what = difference(block, expected(texts, lines, skip));
    if (what.empty()) continue;
    const std::string mode = skip ? " (bad lines left out" : " (up to a bad line";
    const std::string rule = positive ? ", yes is " + *positive + ")" : ")";
    report(std::string(what) + mode + rule, text);
  }
}

void try_number(const std::string& text) {
  const std::vector<char> exact(text.begin(), text.end());
  const Decimal read = read_decimal(exact.data(), exact.data() + exact.size());
  const std::size_t length = number_length(text);
  if (read.ok != (length > 0)) report("read_decimal: ok", text);
  if (static_cast<std::size_t>(read.end - exact.data()) != length) {
    report("read_decimal: end", text);
  }
  const auto value = number(text.substr(0, length));
  if (read.ok && !same_bits(read.value, *value)) report("read_decimal: value", text);

  std::vector<char> followed(text.begin(), text.end());
  followed.insert(followed.end(), 9, ' ');
  ShortDecimal token;
  const char* const end = followed.data() + text.size();
  if (read_short_token(followed.data(), end, token) &&
      (length != text.size() || !same_bits(token.value(), *value))) {
    report("read_short_token", text);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: fuzz_svmlight COUNT [SEED]\n");
    return 2;
  }
  const std::uint64_t count = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::vector<Positive> positives{
      std::nullopt, std::nullopt, std::nullopt, "1",     "-1", "2.0",
      "spam",       "nan",        "3:1",        "1e400", ""};
  Random random(seed);
  SvmlightBlock reused;
  std::string text;
  for (std::uint64_t n = 0; n < count; ++n) {
    const std::string previous = text;
    text = some_text(random);
    for (std::size_t left = random.below(4); left > 0; --left) {
      mutate(text, previous, random);
    }
    // Lines that are followed by others are read in a quicker way.
    if (random.once_in(2)) text += std::string(70, '\n');
    try_text(text, positives[random.below(positives.size())], reused,
             random.once_in(2));

    std::string number = some_number(random);
    if (random.once_in(4)) mutate(number, some_number(random), random);
    try_number(number);
  }
  std::printf("%llu texts and as many numbers agree (seed %llu)\n",
              static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(seed));
  return 0;
}
