// Plays made-up texts against a second reader and hasher, slow and simple.
//
//   fuzz_text COUNT [SEED]
//
// Equal seeds give equal inputs. Each text lies in a buffer of exactly its size: under
// the address sanitizer, to read one byte too many is an error.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "littlestone/hashing.hpp"
#include "littlestone/text.hpp"

using namespace littlestone;
using namespace std::string_view_literals;

namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }
  bool once_in(std::size_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

[[noreturn]] void report(std::string_view what, std::string_view text) {
  std::fprintf(stderr, "%.*s differs for a text of %zu bytes:\n",
               static_cast<int>(what.size()), what.data(), text.size());
  for (const char c : text) {
    std::fprintf(stderr, c >= 32 && c < 127 ? "%c" : "\\x%02X",
                 static_cast<unsigned char>(c));
  }
  std::fputc('\n', stderr);
  std::exit(1);
}

std::string some_text(Random& random) {
  static constexpr std::array pieces{"a"sv,        "b"sv,
                                     "B"sv,        "ab"sv,
                                     "Zz9"sv,      " "sv,
                                     " "sv,        "\t"sv,
                                     "\t"sv,       "\n"sv,
                                     "\r"sv,       "\r\n"sv,
                                     "1\t"sv,      "\n1\t"sv,
                                     "-"sv,        "'"sv,
                                     "_"sv,        "\0"sv,
                                     "\xC3\xA9"sv, "\xE2\x82\xAC"sv,
                                     "\n0\t"sv,    "\xF0\x9F\x99\x82"sv,
                                     "0"sv,        "."sv};
  std::string text = random.once_in(8) ? "" : "1\t";
  for (std::size_t left = random.below(40); left > 0; --left) {
    if (random.once_in(200)) {
      text += static_cast<char>(random.below(256));
    } else {
      text += pieces[random.below(pieces.size())];
    }
  }
  return text;
}

TextRule some_rule(Random& random) {
  TextRule rule;
  rule.label = random.below(2);
  if (random.once_in(2)) rule.columns = {random.once_in(2) ? 2U : 1 - rule.label};
  if (random.once_in(4)) rule.width = 2 + random.below(2);
  rule.shortest = 1 + random.below(2);
  rule.longest = rule.shortest + random.below(3);
  rule.lowercase = random.once_in(2);
  rule.counts = random.once_in(2);
  if (random.once_in(2)) rule.label_rule = LabelRule::any();
  return rule;
}

// The second reader ---------------------------------------------------------

std::vector<std::string> split(const std::string& text, char by) {
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

/// Decodes, and looks at the number: the other way to tell overlong forms.
bool decodes(const std::string& text) {
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

using Pairs = std::vector<std::pair<std::string, double>>;

struct Line {
  LineFault fault = LineFault::none;
  bool blank = false;
  std::string label;
  Pairs features;
};

Line read_line(std::string text, const TextRule& rule) {
  Line line;
  if (text.ends_with('\r')) text.pop_back();
  line.blank = text.empty();
  if (line.blank) return line;
  const auto fields = split(text, '\t');
  std::size_t needed = std::max<std::size_t>(rule.label + 1, 2);
  if (!rule.columns.empty()) needed = std::max(rule.label, rule.columns[0]) + 1;
  if (rule.width != 0 ? fields.size() != rule.width : fields.size() < needed) {
    line.fault = LineFault::columns;
    return line;
  }
  line.label = fields[rule.label];
  if (rule.label_rule.takes_any() ? line.label.empty()
                                  : rule.label_rule(line.label) == Label::other) {
    line.fault = rule.label_rule.fault();
    return line;
  }
  for (std::size_t at = 0; at < fields.size(); ++at) {
    const bool text_column =
        rule.columns.empty() ? at != rule.label : at == rule.columns[0];
    if (at != rule.label && !text_column) continue;
    if (!decodes(fields[at])) line.fault = LineFault::encoding;
    if (!text_column) continue;
    std::vector<std::string> words{""};
    for (char c : fields[at]) {
      const bool upper = c >= 'A' && c <= 'Z';
      if (upper && rule.lowercase) c = static_cast<char>(c + 32);
      const bool word = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                        static_cast<unsigned char>(c) >= 0x80;
      if (word) {
        words.back() += c;
      } else if (!words.back().empty()) {
        words.emplace_back();
      }
    }
    if (words.back().empty()) words.pop_back();
    for (std::size_t first = 0; first < words.size(); ++first) {
      std::string joined;
      for (std::size_t n = 1; n <= rule.longest && first + n <= words.size(); ++n) {
        joined += (n > 1 ? " " : "") + words[first + n - 1];
        if (n < rule.shortest) continue;
        const auto same = [&](const auto& pair) { return pair.first == joined; };
        const auto found =
            std::find_if(line.features.begin(), line.features.end(), same);
        if (found == line.features.end()) {
          line.features.emplace_back(joined, 1.0);
        } else if (rule.counts) {
          found->second += 1.0;
        }
      }
    }
  }
  return line;
}

// The comparison ------------------------------------------------------------

Pairs features(const TextBlock& block, std::size_t t) {
  Pairs made;
  const WordsRow x = block.rows()[t];
  for (std::size_t k = 0; k < x.size(); ++k) {
    made.emplace_back(block.names[x.ids[k]], x.value(k));
  }
  return made;
}

void try_text(const std::string& text, const TextRule& rule, bool skip,
              TextBlock& block, std::vector<Pairs>& rows) {
  const std::vector<char> exact(text.begin(), text.end());
  block.parse({exact.data(), exact.size()}, rule, skip);
  auto lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  std::size_t skipped = 0;
  rows.clear();
  for (std::size_t t = 0; t < lines.size(); ++t) {
    const Line line = read_line(lines[t], rule);
    if (line.fault != LineFault::none && !skip) {
      if (block.fault != line.fault || block.fault_line != t) report("fault", text);
      break;
    }
    skipped += line.fault != LineFault::none;
    if (line.fault != LineFault::none || line.blank) continue;
    const std::size_t row = rows.size();
    if (row >= block.size() || block.lines[row] != t) report("line", text);
    if (features(block, row) != line.features) report("row", text);
    if (rule.label_rule.takes_any()
            ? block.label_names[block.label_codes[row]] != line.label
            : block.labels[row] != (rule.label_rule(line.label) == Label::yes)) {
      report("label", text);
    }
    rows.push_back(line.features);
  }
  if (block.size() != rows.size() || block.skipped != skipped) report("count", text);
}

void try_hashing(const std::string& text, const TextBlock& block,
                 const std::vector<Pairs>& rows, unsigned bits) {
  Hasher hasher(bits);
  std::vector<std::uint64_t> hashes;
  for (std::size_t id = 0; id < block.names.size(); ++id) {
    hashes.push_back(hash_of_name(block.names[id]));
  }
  const std::vector<std::int64_t> places(hashes.size());
  WordsBlock source = block.rows();
  source.indices = places;
  const HashedBlock made = hasher.hash(source, 0, rows.size(), hashes);
  std::map<std::uint32_t, std::string> owners;
  std::size_t collided = 0;
  for (std::size_t t = 0; t < rows.size(); ++t) {
    std::vector<std::pair<std::uint32_t, double>> expected;
    for (const auto& [name, value] : rows[t]) {
      const std::uint32_t bucket = bucket_of(hash_of_name(name), bits);
      collided += owners.emplace(bucket, name).first->second != name;
      const auto same = [&, at = bucket](const auto& pair) { return pair.first == at; };
      const auto found = std::find_if(expected.begin(), expected.end(), same);
      if (found == expected.end()) {
        expected.emplace_back(bucket, value);
      } else {
        found->second += value;
      }
    }
    const auto x = made.rows()[t];
    bool equal = x.size() == expected.size();
    for (std::size_t k = 0; equal && k < x.size(); ++k) {
      equal = x.index(k) == expected[k].first && x.value(k) == expected[k].second;
    }
    if (!equal) report("hashed row", text);
  }
  if (hasher.collided() != collided || hasher.buckets() != owners.size()) {
    report("collisions", text);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: fuzz_text COUNT [SEED]\n");
    return 2;
  }
  const std::uint64_t count = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  Random random(seed);
  TextBlock reused;
  std::vector<Pairs> rows;
  for (std::uint64_t n = 0; n < count; ++n) {
    const std::string text = some_text(random);
    try_text(text, some_rule(random), random.once_in(2), reused, rows);
    try_hashing(text, reused, rows, 1 + static_cast<unsigned>(random.below(6)));
  }
  std::printf("%llu texts agree (seed %llu)\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(seed));
  return 0;
}
