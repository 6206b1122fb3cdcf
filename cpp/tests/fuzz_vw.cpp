// Compares the parser and the hasher with second ones, slow and simple, on random text.
//
//   fuzz_vw COUNT [SEED]
//
// Equal seeds give equal inputs. Each text is in a buffer of exactly its size, so that
// the address sanitizer finds every read beyond it.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz.hpp"
#include "littlestone/hashing.hpp"
#include "littlestone/parsing/vw.hpp"

using namespace littlestone;
using namespace std::string_view_literals;

namespace {

/// Lines as most files have them.
std::string orderly(Random& random) {
  std::string text;
  for (std::size_t lines = 1 + random.below(3); lines > 0; --lines) {
    text += random.once_in(4) ? "1 |n:2" : "1 |";
    const std::size_t features = random.below(14);
    for (std::size_t k = 0; k < features; ++k) {
      text += random.once_in(30) ? "  " : random.once_in(30) ? "\t" : " ";
      text += random.once_in(30) ? "" : "f" + std::to_string(k * k * k);
      if (!random.once_in(30)) text += ':' + short_number(random);
    }
    if (random.once_in(4)) text += random.once_in(2) ? " " : "\r";
    text += '\n';
  }
  return text;
}

std::string some_text(Random& random) {
  static constexpr std::array pieces{
      "a"sv,         "b"sv,           "n"sv,
      "m"sv,         "ab"sv,          " "sv,
      " "sv,         " "sv,           " a"sv,
      " b"sv,        "|"sv,           " |"sv,
      " |n"sv,       "|m"sv,          ":"sv,
      ":1"sv,        ":2.5"sv,        ":-3e2"sv,
      ":0"sv,        ":x"sv,          ":1x"sv,
      ":nan"sv,      ":-Inf"sv,       ":1e999"sv,
      "1"sv,         "0"sv,           "-1"sv,
      "2"sv,         "0.5"sv,         "'t"sv,
      "'"sv,         "\t"sv,          "\r"sv,
      "\r\n"sv,      "\n"sv,          "\n1 | "sv,
      "\n-1 "sv,     "^"sv,           "="sv,
      ":1e200"sv,    "\xC3\xA9"sv,    "\xF0\x9F\x99\x82"sv,
      "\n1 2 |"sv,   "\n1 1 0 'q|"sv, "\0"sv,
      "+"sv,         ".5"sv,          "infinity"sv,
      ":0.25 "sv,    ":-12.5 "sv,     ":7 "sv,
      "eightbyt"sv,  "ninebytes"sv,   ":1.12345678 "sv,
      ":1234567|"sv, ":0.000 "sv,     ":1.123456789 "sv};
  std::string text = random.once_in(8) ? "" : random.once_in(2) ? "1 |" : "1 2 | ";
  text = random.once_in(3) ? orderly(random) : text + some_pieces(pieces, 300, random);
  // Lines that are followed by others are read in a quicker way.
  if (random.once_in(2)) text += std::string(70, '\n');
  return text;
}

VwRule some_rule(Random& random) {
  VwRule rule;
  rule.weights = static_cast<ImportanceWeights>(random.below(4));
  if (random.once_in(2)) {
    rule.hash_bits = 1 + static_cast<unsigned>(random.below(6));
  } else {
    rule.sum = random.once_in(2);
  }
  if (random.once_in(3)) {
    rule.keeps = random.once_in(2);
    rule.letters = {random.once_in(2) ? "n" : " "};
    if (random.once_in(2)) rule.spaces = {"m1", "ma"};
  }
  if (random.once_in(2)) rule.label_rule = LabelRule(LabelKind::class_);
  rule.label_rule.unlabelled = static_cast<Unlabelled>(random.below(3));
  return rule;
}

// The second reader ---------------------------------------------------------

std::vector<std::string> words(const std::string& text, std::string_view spaces) {
  std::vector<std::string> found{""};
  for (const char c : text) {
    if (spaces.find(c) != std::string_view::npos) {
      if (!found.back().empty()) found.emplace_back();
    } else {
      found.back() += c;
    }
  }
  if (found.back().empty()) found.pop_back();
  return found;
}

enum class Kind { number, not_finite, like_a_number, text };

Kind kind_of(const std::string& text, double& value) {
  const bool sign = text.starts_with('+') || text.starts_with('-');
  const std::string lower = lowercase(text.substr(sign ? 1 : 0));
  if (lower == "nan" || lower == "inf" || lower == "infinity") return Kind::not_finite;
  if (is_decimal(text)) {
    value = std::strtod(text.c_str(), nullptr);
    return Kind::number;
  }
  const bool like =
      text.empty() || "0123456789+-."sv.find(text[0]) != std::string::npos;
  return like || text.find(':') != std::string::npos ? Kind::like_a_number : Kind::text;
}

struct VwLine : Line {
  bool labelled = false;
  std::string tag;
  std::size_t times = 1;
  double weight = 1.0;
};

void read_features(const std::string& text, const VwRule& rule, VwLine& line) {
  std::vector<std::string> sections{""};
  for (const char c : text) {
    if (c == '|') {
      sections.emplace_back();
    } else {
      sections.back() += c;
    }
  }
  Row met;
  std::set<std::string> twice;
  for (const auto& section : sections) {
    auto tokens = words(section, " \t\r");
    std::string space;
    double scale = 1.0;
    if (!section.empty() && " \t\r"sv.find(section[0]) == std::string_view::npos) {
      const std::string head = tokens.front();
      tokens.erase(tokens.begin());
      space = head.substr(0, head.find(':'));
      if (space.size() < head.size()) {
        const bool sound =
            kind_of(head.substr(space.size() + 1), scale) == Kind::number;
        if (space.empty() || !sound || !std::isfinite(scale)) {
          line.fault = LineFault::scale;
          return;
        }
      }
    }
    bool listed = false;
    for (const auto& letter : rule.letters) {
      listed |= space.empty() ? letter == " " : space[0] == letter[0];
    }
    for (const auto& name : rule.spaces) listed |= name == space;
    if (!(rule.letters.empty() && rule.spaces.empty()) && listed != rule.keeps)
      continue;
    for (const auto& token : tokens) {
      std::string name = token.substr(0, token.find(':'));
      double value = 1.0;
      double factor = scale;
      const bool nameless = name.empty();
      if (name.size() < token.size()) {
        const std::string written = token.substr(name.size() + 1);
        switch (kind_of(written, value)) {
          case Kind::number: break;
          case Kind::not_finite: line.fault = LineFault::not_finite; return;
          case Kind::like_a_number: line.fault = LineFault::value; return;
          case Kind::text:
            name += "=" + written;
            factor = 1.0;
            break;
        }
      }
      if (nameless) {
        line.fault = LineFault::name;
        return;
      }
      value *= factor;
      if (!std::isfinite(value)) {
        line.fault = LineFault::not_finite;
        return;
      }
      if (value == 0.0) continue;
      met.emplace_back(space.empty() ? name : space + "^" + name, value);
    }
  }
  for (const auto& [name, value] : met) {
    const auto same = [&, &wanted = name](const auto& pair) {
      return pair.first == wanted;
    };
    const auto found = std::find_if(line.features.begin(), line.features.end(), same);
    if (found == line.features.end()) {
      line.features.emplace_back(name, value);
      continue;
    }
    found->second += value;
    if (!rule.sum || !std::isfinite(found->second)) {
      line.fault = rule.sum ? LineFault::not_finite : LineFault::duplicate;
      return;
    }
  }
}

VwLine read_line(std::string text, const VwRule& rule) {
  VwLine line;
  while (!text.empty() && " \t\r"sv.find(text.back()) != std::string_view::npos) {
    text.pop_back();
  }
  line.blank = text.empty();
  if (line.blank) return line;
  const auto fail = [&](LineFault fault) {
    line.fault = fault;
    return line;
  };
  if (!decodes(text)) return fail(LineFault::encoding);
  const std::size_t bar = text.find('|');
  if (bar == std::string::npos) return fail(LineFault::bar);
  std::string head = text.substr(0, bar);
  auto tokens = words(head, " ");
  if (!tokens.empty() && (head.back() != ' ' || tokens.back()[0] == '\'')) {
    line.tag = tokens.back();
    if (line.tag[0] == '\'') line.tag.erase(0, 1);
    tokens.pop_back();
  }
  if (tokens.size() > 3) return fail(LineFault::head);
  double weight = 1.0;
  double initial = 0.0;
  if (tokens.size() > 1) {
    const bool number = kind_of(tokens[1], weight) == Kind::number;
    const bool plain = weight == 0.0 || weight == 1.0;
    const bool sound = number && std::isfinite(weight) && weight >= 0.0;
    const bool whole = weight == std::floor(weight) && weight < 4294967296.0;
    if (!sound || (!plain && rule.weights == ImportanceWeights::refuse) ||
        (!whole && rule.weights == ImportanceWeights::repeat)) {
      return fail(LineFault::weight);
    }
  }
  if (tokens.size() > 2 &&
      (kind_of(tokens[2], initial) != Kind::number || initial != 0.0)) {
    return fail(LineFault::initial);
  }
  line.labelled = !tokens.empty();
  if (!line.labelled && rule.label_rule.unlabelled == Unlabelled::refuse) {
    return fail(LineFault::unlabelled);
  }
  line.left_out = (!line.labelled && rule.label_rule.unlabelled == Unlabelled::skip) ||
                  weight == 0.0;
  if (line.left_out) return line;
  if (line.labelled) line.label = tokens[0];
  line.weight = weight;
  if (rule.weights == ImportanceWeights::repeat) {
    line.times = static_cast<std::size_t>(weight);
  }
  const bool any = rule.label_rule.kind() == LabelKind::class_;
  if (line.labelled && (any ? line.label.find(':') != std::string::npos
                            : rule.label_rule(line.label) == Label::other)) {
    return fail(rule.label_rule.fault());
  }
  read_features(text.substr(bar + 1), rule, line);
  return line;
}

// The comparison ------------------------------------------------------------

using Buckets = std::vector<std::pair<std::uint32_t, double>>;

bool same_row(const VwBlock& block, std::size_t t, const Row& features, unsigned bits) {
  const std::size_t begin = block.offsets[t];
  const std::size_t count = block.offsets[t + 1] - begin;
  Buckets expected;
  if (bits == 0) {
    if (count != features.size()) return false;
    for (std::size_t k = 0; k < count; ++k) {
      if (block.words()[block.columns[begin + k]] != features[k].first ||
          block.values[begin + k] != features[k].second) {
        return false;
      }
    }
    return true;
  }
  for (const auto& [name, value] : features) {
    const std::uint32_t bucket = bucket_of(hash_of_name(name), bits);
    const auto same = [&](const auto& pair) { return pair.first == bucket; };
    const auto found = std::find_if(expected.begin(), expected.end(), same);
    if (found == expected.end()) {
      expected.emplace_back(bucket, value);
    } else {
      found->second += value;
    }
  }
  if (count != expected.size()) return false;
  for (std::size_t k = 0; k < count; ++k) {
    if (block.columns[begin + k] != expected[k].first) return false;
    if (block.values[begin + k] != expected[k].second &&
        !std::isnan(expected[k].second)) {
      return false;
    }
  }
  return true;
}

void try_text(const std::string& text, const VwRule& rule, bool skip, VwBlock& block) {
  const std::vector<char> exact(text.begin(), text.end());
  block.parse({exact.data(), exact.size()}, rule, skip);
  std::size_t rows = 0;
  std::size_t collided = 0;
  std::set<std::string> names;
  std::map<std::uint32_t, std::string> owners;
  const auto check_row = [&](const VwLine& line, std::size_t t) {
    if (rows >= block.size() || block.lines[rows] != t) report("line", text);
    if (!same_row(block, rows, line.features, rule.hash_bits)) report("row", text);
    if (block.tag(rows) != line.tag) report("tag", text);
    const auto& unlabelled = block.unlabelled;
    if (std::count(unlabelled.begin(), unlabelled.end(), rows) !=
        (line.labelled ? 0 : 1)) {
      report("unlabelled", text);
    }
    const bool weighs = rule.weights == ImportanceWeights::multiply;
    if (block.weights.size() != (weighs ? block.size() : 0) ||
        (weighs && block.weights[rows] != line.weight)) {
      report("weight", text);
    }
    // The label of a row without one may be anything.
    if (line.labelled && !has_label(block, rows, rule.label_rule, line.label)) {
      report("label", text);
    }
    for (const auto& [name, value] : line.features) {
      names.insert(name);
      const std::uint32_t bucket = bucket_of(hash_of_name(name), rule.hash_bits);
      collided += owners.emplace(bucket, name).first->second != name;
    }
    ++rows;
  };
  check_lines(
      text, skip, block, [&](const std::string& line) { return read_line(line, rule); },
      [&](const VwLine& line, std::size_t t) {
        for (std::size_t k = 0; k < line.times; ++k) check_row(line, t);
      });
  if (block.size() != rows) report("count", text);
  if (rule.hash_bits == 0) {
    if (block.words().size() != names.size()) report("names", text);
    return;
  }
  Hasher hasher(rule.hash_bits);
  const std::size_t read = block.hash_ends.empty() ? 0 : block.hash_ends.back();
  hasher.count(std::span(block.hashes).first(read));
  if (hasher.collided() != collided || hasher.buckets() != owners.size()) {
    report("collisions", text);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return fuzz("fuzz_vw", argc, argv, [reused = VwBlock()](Random& random) mutable {
    try_text(some_text(random), some_rule(random), random.once_in(2), reused);
  });
}
