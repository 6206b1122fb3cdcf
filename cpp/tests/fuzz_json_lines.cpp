// Compares the parser with a second reader, which builds a tree first, on random JSON
// Lines.
//
//   fuzz_json_lines COUNT [SEED]
//
// Equal seeds give equal inputs. Half of them are JSON, with a byte changed now and
// then; the others are pieces of JSON in any order. Each text is in a buffer of exactly
// its size, so that the address sanitizer finds every read beyond it.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz.hpp"
#include "littlestone/parsing/json_lines.hpp"

using namespace littlestone;
using namespace std::string_view_literals;

namespace {

std::string some_value(Random& random, int depth);

std::string some_string(Random& random) {
  static constexpr std::array pieces{
      "a"sv,       "b"sv,        "."sv,        "="sv,
      "[0]"sv,     "label"sv,    "features"sv, "\\n"sv,
      "\\\""sv,    "\\u0041"sv,  "\\u00e9"sv,  "\\ud83d\\ude00"sv,
      "\\u20AC"sv, "\xC3\xA9"sv, "\\ud83d"sv,  "\\ude00"sv,
      "\\/"sv,     "\\\\"sv,     " "sv,        "\xE2\x82\xAC"sv,
      "\\u0000"sv};
  std::string text = "\"";
  for (std::size_t left = random.below(3); left > 0; --left) {
    text += pieces[random.below(pieces.size())];
  }
  return text + '"';
}

std::string some_items(Random& random, bool keys, int depth) {
  std::string text;
  for (std::size_t left = random.below(4); left > 0; --left) {
    if (!text.empty()) text += random.once_in(4) ? " , " : ",";
    if (keys) text += some_string(random) + (random.once_in(4) ? " : " : ":");
    text += some_value(random, depth + 1);
  }
  return text;
}

std::string some_value(Random& random, int depth) {
  static constexpr std::array plain{"1"sv,     "0"sv,    "-2.5"sv, "1e2"sv, "true"sv,
                                    "false"sv, "null"sv, "1E-3"sv, "-0"sv,  "1e999"sv};
  const std::size_t kind = random.below(depth > 3 ? 2 : 4);
  if (kind == 0) return some_string(random);
  if (kind == 1) return std::string(plain[random.below(plain.size())]);
  if (kind == 2) return "[" + some_items(random, false, depth) + "]";
  return "{" + some_items(random, true, depth) + "}";
}

std::string some_line(Random& random) {
  static constexpr std::array labels{"1"sv, "0"sv, "\"1\""sv, "true"sv, "false"sv};
  std::string line = "{";
  if (!random.once_in(6)) {
    line += "\"label\": " + std::string(labels[random.below(labels.size())]);
  }
  const std::string more = some_items(random, true, 0);
  if (line.size() > 1 && !more.empty()) line += ",";
  line += more;
  if (random.once_in(2)) {
    if (line.size() > 1) line += ",";
    line += "\"features\":" + some_value(random, 0);
  }
  line += "}";
  if (random.once_in(4))
    line[random.below(line.size())] ^= static_cast<char>(1U << random.below(8));
  return line;
}

std::string some_text(Random& random) {
  static constexpr std::array pieces{
      "{"sv,       "}"sv,       "["sv,     "]"sv,         ","sv,           ":"sv,
      "\""sv,      "a"sv,       "\"a\""sv, "\"label\""sv, "\"label\":1"sv, " "sv,
      "\n"sv,      "\r\n"sv,    "1"sv,     "-"sv,         "01"sv,          ".5"sv,
      "1."sv,      "e5"sv,      "NaN"sv,   "tru"sv,       "\\"sv,          "\\u12"sv,
      "\\ud800"sv, "\\udc00"sv, "\t"sv,    "\0"sv,        "null"sv,        "[[[["sv,
      "{\"a\":"sv, "\xFF"sv};
  std::string text;
  for (std::size_t lines = 1 + random.below(4); lines > 0; --lines) {
    if (random.once_in(4)) {
      for (std::size_t left = random.below(20); left > 0; --left) {
        text += pieces[random.below(pieces.size())];
      }
    } else if (random.once_in(200)) {
      const std::size_t depth = 60 + random.below(8);
      text += "{\"label\":1,\"a\":" + std::string(depth, '[') +
              std::string(depth, ']') + "}";
    } else {
      text += some_line(random);
    }
    text += random.once_in(4) ? "\r\n" : "\n";
  }
  if (random.once_in(2)) text.pop_back();
  return text;
}

JsonLinesRule some_rule(Random& random) {
  JsonLinesRule rule;
  rule.nests = random.once_in(2);
  rule.sum = random.once_in(2);
  if (random.once_in(4)) rule.ignore = {"a", "b.a", ""};
  if (random.once_in(2)) rule.label_rule = LabelRule(LabelKind::class_);
  rule.label_rule.unlabelled = static_cast<Unlabelled>(random.below(3));
  return rule;
}

// The second reader ---------------------------------------------------------

struct Node {
  char kind = 0;     // { [ " 1 t f n
  std::string text;  // of a string, decoded; of a number, as it is written
  std::vector<std::pair<std::string, Node>> items;  // keys are empty in an array
};

class Parser {
 public:
  explicit Parser(std::string text) : text_(std::move(text)) {}
  bool too_deep = false;

  std::optional<Node> line() {
    auto node = value(0);
    space();
    if (node && at_ != text_.size()) return std::nullopt;
    return node;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;

  char peek() const { return at_ < text_.size() ? text_[at_] : '\n'; }
  void space() {
    while (at_ < text_.size() && " \t\r"sv.find(text_[at_]) != std::string_view::npos) {
      ++at_;
    }
  }
  bool eat(std::string_view wanted) {
    if (text_.compare(at_, wanted.size(), wanted) != 0) return false;
    at_ += wanted.size();
    return true;
  }

  std::optional<Node> value(int depth) {
    space();
    Node node;
    node.kind = peek();
    if (node.kind == '{' || node.kind == '[') {
      if (depth == 64) {
        too_deep = true;
        return std::nullopt;
      }
      const char close = node.kind == '{' ? '}' : ']';
      ++at_;
      space();
      if (peek() == close) {
        ++at_;
        return node;
      }
      while (true) {
        std::string key;
        if (node.kind == '{') {
          space();
          const auto read = string();
          space();
          if (!read || !eat(":")) return std::nullopt;
          key = *read;
        }
        auto item = value(depth + 1);
        if (!item) return std::nullopt;
        node.items.emplace_back(key, std::move(*item));
        space();
        if (eat(std::string_view(&close, 1))) return node;
        if (!eat(",")) return std::nullopt;
      }
    }
    if (node.kind == '"') {
      const auto read = string();
      if (!read) return std::nullopt;
      node.text = *read;
      return node;
    }
    if (eat("true") || eat("false") || eat("null")) return node;
    node.kind = '1';
    const std::size_t from = at_;
    eat("-");
    const std::size_t whole = at_;
    digits();
    if (at_ == whole || (text_[whole] == '0' && at_ - whole > 1)) return std::nullopt;
    if (eat(".") && !digits()) return std::nullopt;
    if (eat("e") || eat("E")) {
      if (!eat("+")) eat("-");
      if (!digits()) return std::nullopt;
    }
    node.text = text_.substr(from, at_ - from);
    return node;
  }
  bool digits() {
    const std::size_t from = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ > from;
  }

  std::optional<std::string> string() {
    if (!eat("\"")) return std::nullopt;
    std::string read;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return read;
      if (c >= 0 && c < 32) return std::nullopt;
      if (c != '\\') {
        read += c;
        continue;
      }
      if (at_ == text_.size()) return std::nullopt;
      const std::string_view plain = "\"\\/bfnrt";
      const std::string_view meant = "\"\\/\b\f\n\r\t";
      const char named = text_[at_++];
      if (const auto k = plain.find(named); k != std::string_view::npos) {
        read += meant[k];
        continue;
      }
      if (named != 'u') return std::nullopt;
      auto point = unit();
      if (!point || (*point >= 0xDC00 && *point <= 0xDFFF)) return std::nullopt;
      if (*point >= 0xD800 && *point <= 0xDBFF) {
        if (!eat("\\u")) return std::nullopt;
        const auto low = unit();
        if (!low || *low < 0xDC00 || *low > 0xDFFF) return std::nullopt;
        point = 0x10000 + (*point - 0xD800) * 0x400 + (*low - 0xDC00);
      }
      read += utf8(*point);
    }
    return std::nullopt;
  }
  std::optional<unsigned long> unit() {
    const std::string four = text_.substr(at_, 4);
    if (four.size() != 4 ||
        four.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
      return std::nullopt;
    }
    at_ += 4;
    return std::strtoul(four.c_str(), nullptr, 16);
  }
  static std::string utf8(unsigned long point) {
    const auto tail = [&](unsigned shift) {
      return static_cast<char>(0x80 + point / (1UL << shift) % 64);
    };
    if (point < 0x80) return {static_cast<char>(point)};
    if (point < 0x800) return {static_cast<char>(0xC0 + point / 64), tail(0)};
    if (point < 0x10000) {
      return {static_cast<char>(0xE0 + point / 4096), tail(6), tail(0)};
    }
    return {static_cast<char>(0xF0 + point / 262144), tail(12), tail(6), tail(0)};
  }
};

void read_node(const Node& node, const std::string& name, const JsonLinesRule& rule,
               const Node* label, bool outermost, Line& line) {
  if (line.fault != LineFault::none) return;
  switch (node.kind) {
    case 't': line.features.emplace_back(name, 1.0); return;
    case '"': line.features.emplace_back(name + "=" + node.text, 1.0); return;
    case '1': {
      const double value = std::strtod(node.text.c_str(), nullptr);
      if (!std::isfinite(value)) line.fault = LineFault::not_finite;
      line.features.emplace_back(name, value);
      return;
    }
    case '{':
    case '[': {
      for (std::size_t k = 0; k < node.items.size(); ++k) {
        const auto& [key, item] = node.items[k];
        if (&item == label) continue;
        if (node.kind == '[') {
          const bool text = item.kind == '"';
          read_node(item, text ? name : name + "[" + std::to_string(k) + "]", rule,
                    nullptr, false, line);
          continue;
        }
        const std::string path = outermost ? key : name + "." + key;
        if (std::count(rule.ignore.begin(), rule.ignore.end(), path) == 0) {
          read_node(item, path, rule, nullptr, false, line);
        }
      }
      return;
    }
    default: return;
  }
}

Line read_line(const std::string& text, const JsonLinesRule& rule) {
  Line line;
  const std::size_t first = text.find_first_not_of(" \t\r");
  line.blank = first == std::string::npos;
  if (line.blank) return line;
  const auto fail = [&](LineFault fault) {
    line.fault = fault;
    return line;
  };
  if (!decodes(text)) return fail(LineFault::encoding);
  if (text[first] != '{') return fail(LineFault::object);
  Parser parser(text);
  const auto node = parser.line();
  if (!node) return fail(parser.too_deep ? LineFault::depth : LineFault::json);
  const Node* label = nullptr;
  const Node* nested = nullptr;
  for (const auto& [key, item] : node->items) {
    if (key == "label") {
      if (label != nullptr) return fail(LineFault::duplicate);
      label = &item;
    } else if (rule.nests && key == "features" && item.kind == '{') {
      if (nested != nullptr) return fail(LineFault::duplicate);
      nested = &item;
    }
  }
  if (label == nullptr || label->kind == 'n') {
    if (rule.label_rule.unlabelled == Unlabelled::refuse) {
      return fail(LineFault::unlabelled);
    }
  } else {
    line.label = label->kind == 't' ? "1" : label->kind == 'f' ? "0" : label->text;
    if (label->kind == '{' || label->kind == '[' ||
        (rule.label_rule.unlabelled == Unlabelled::refuse && line.label.empty()) ||
        rule.label_rule(line.label) == Label::other) {
      return fail(rule.label_rule.fault());
    }
  }
  line.left_out = line.label.empty() && rule.label_rule.unlabelled == Unlabelled::skip;
  if (line.left_out) return line;
  read_node(nested == nullptr ? *node : *nested, "", rule, label, true, line);
  if (line.fault != LineFault::none) return line;
  Row once;
  for (const auto& [name, value] : line.features) {
    const auto same = [&, &wanted = name](const auto& pair) {
      return pair.first == wanted;
    };
    const auto found = std::find_if(once.begin(), once.end(), same);
    if (found == once.end()) {
      once.emplace_back(name, value);
    } else if (!rule.sum) {
      return fail(LineFault::duplicate);
    } else {
      found->second += value;
    }
  }
  line.features = once;
  return line;
}

// The comparison ------------------------------------------------------------

void try_text(const std::string& text, const JsonLinesRule& rule, bool skip,
              JsonLinesBlock& block) {
  const std::vector<char> exact(text.begin(), text.end());
  block.parse({exact.data(), exact.size()}, rule, skip);
  std::size_t rows = 0;
  std::set<std::string> names;
  check_lines(
      text, skip, block, [&](const std::string& line) { return read_line(line, rule); },
      [&](const Line& line, std::size_t t) {
        if (rows >= block.size() || block.lines[rows] != t) report("line", text);
        if (row(block, rows) != line.features) report("row", text);
        if (!has_label(block, rows, rule.label_rule, line.label)) report("label", text);
        for (const auto& [name, value] : line.features) names.insert(name);
        ++rows;
      });
  if (block.size() != rows || block.words().size() != names.size()) {
    report("count", text);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return fuzz("fuzz_json_lines", argc, argv,
              [reused = JsonLinesBlock()](Random& random) mutable {
                try_text(some_text(random), some_rule(random), random.once_in(2),
                         reused);
              });
}
