// Compares the parser and the hasher with second ones, slow and simple, on random
// texts.
//
//   fuzz_text COUNT [SEED]
//
// Equal seeds give equal inputs. Each text is in a buffer of exactly its size, so that
// the address sanitizer finds every read beyond it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz.hpp"
#include "littlestone/hashing.hpp"
#include "littlestone/parsing/text.hpp"

using namespace littlestone;
using namespace std::string_view_literals;

namespace {

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
  return text + some_pieces(pieces, 200, random);
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
  if (random.once_in(2)) rule.label_rule = LabelRule(LabelKind::class_);
  rule.label_rule.unlabelled = static_cast<Unlabelled>(random.below(3));
  return rule;
}

// The second reader ---------------------------------------------------------

Line read_line(std::string text, const TextRule& rule) {
  Line line;
  if (text.ends_with('\r')) text.pop_back();
  line.blank = text.empty();
  if (line.blank) return line;
  auto fields = split(text, '\t');
  std::size_t needed = std::max<std::size_t>(rule.label + 1, 2);
  if (!rule.columns.empty()) needed = std::max(rule.label, rule.columns[0]) + 1;
  const bool may_miss = rule.label_rule.unlabelled != Unlabelled::refuse;
  if (may_miss && fields.size() + 1 == (rule.width != 0 ? rule.width : needed)) {
    fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(rule.label), "");
  }
  if (rule.width != 0 ? fields.size() != rule.width : fields.size() < needed) {
    line.fault = LineFault::columns;
    return line;
  }
  line.label = fields[rule.label];
  line.left_out = line.label.empty() && rule.label_rule.unlabelled == Unlabelled::skip;
  if (line.left_out) return line;
  const bool any = rule.label_rule.kind() == LabelKind::class_;
  if (line.label.empty() ? !may_miss
                         : !any && rule.label_rule(line.label) == Label::other) {
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

void try_text(const std::string& text, const TextRule& rule, bool skip,
              TextBlock& block, std::vector<Row>& rows) {
  const std::vector<char> exact(text.begin(), text.end());
  block.parse({exact.data(), exact.size()}, rule, skip);
  rows.clear();
  check_lines(
      text, skip, block, [&](const std::string& line) { return read_line(line, rule); },
      [&](const Line& line, std::size_t t) {
        const std::size_t at = rows.size();
        if (at >= block.size() || block.lines[at] != t) report("line", text);
        if (row(block, at) != line.features) report("row", text);
        if (!has_label(block, at, rule.label_rule, line.label)) report("label", text);
        rows.push_back(line.features);
      });
  if (block.size() != rows.size()) report("count", text);
}

void try_hashing(const std::string& text, const TextBlock& block,
                 const std::vector<Row>& rows, unsigned bits) {
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
  return fuzz(
      "fuzz_text", argc, argv,
      [reused = TextBlock(), rows = std::vector<Row>()](Random& random) mutable {
        const std::string text = some_text(random);
        try_text(text, some_rule(random), random.once_in(2), reused, rows);
        try_hashing(text, reused, rows, 1 + static_cast<unsigned>(random.below(6)));
      });
}
