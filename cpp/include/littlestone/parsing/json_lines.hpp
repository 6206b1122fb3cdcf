// JSON Lines to rows: each line is an object whose members are the features.
//
// The reader accepts only JSON: no comments, no trailing commas, no NaN, no lone
// surrogates. A line is checked as a whole first, so that reading the features needs no
// checks.
#pragma once

#include <algorithm>  // std::find, std::min
#include <array>
#include <charconv>  // std::to_chars
#include <cmath>     // std::isfinite
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "littlestone/parsing/decimal.hpp"
#include "littlestone/parsing/lines.hpp"
#include "littlestone/parsing/named_lines.hpp"
#include "littlestone/parsing/utf8.hpp"

namespace littlestone {

/// Checks JSON and finds where values end. The text must be UTF-8.
class JsonChecker {
 public:
  static constexpr int most_depth = 64;

  explicit JsonChecker(const char* end) noexcept : end_(end) {}

  /// What is wrong, and where.
  LineFault fault = LineFault::none;
  const char* where = nullptr;

  [[nodiscard]] const char* skip_space(const char* p) const noexcept {
    while (p != end_ && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) ++p;
    return p;
  }

  /// Skips a value; null if there is none.
  [[nodiscard]] const char* value(const char* p, int depth = 0) {
    if (p == end_) return wrong(p);
    switch (*p) {
      case '{': return items<true>(p, '}', depth);
      case '[': return items<false>(p, ']', depth);
      case '"': return string(p);
      case 't': return word(p, "true");
      case 'f': return word(p, "false");
      case 'n': return word(p, "null");
      default: return number(p);
    }
  }

  /// Skips a string, which begins with its quotation mark.
  [[nodiscard]] const char* string(const char* p) {
    if (p == end_ || *p != '"') return wrong(p);
    for (++p; p != end_; ++p) {
      if (*p == '"') return p + 1;
      if (static_cast<unsigned char>(*p) < 0x20) return wrong(p);
      if (*p == '\\') {
        const char* const last = escape(p);
        if (last == nullptr) return nullptr;
        p = last;
      }
    }
    return wrong(p);
  }

  /// Skips `"key":`, up to the value.
  [[nodiscard]] const char* key(const char* p) {
    p = string(p);
    if (p == nullptr) return nullptr;
    p = skip_space(p);
    if (p == end_ || *p != ':') return wrong(p);
    return skip_space(p + 1);
  }

 private:
  const char* end_;

  [[nodiscard]] const char* wrong(const char* p, LineFault what = LineFault::json) {
    fault = what;
    where = p;
    return nullptr;
  }

  [[nodiscard]] const char* word(const char* p, std::string_view name) {
    const auto left = static_cast<std::size_t>(end_ - p);
    const bool here = std::string_view(p, std::min(left, name.size())) == name;
    return here ? p + name.size() : wrong(p);
  }

  template <bool Keys>
  [[nodiscard]] const char* items(const char* p, char close, int depth) {
    if (depth == most_depth) return wrong(p, LineFault::depth);
    p = skip_space(p + 1);
    if (p != end_ && *p == close) return p + 1;
    while (true) {
      if constexpr (Keys) {
        p = key(p);
        if (p == nullptr) return nullptr;
      }
      p = value(p, depth + 1);
      if (p == nullptr) return nullptr;
      p = skip_space(p);
      if (p != end_ && *p == close) return p + 1;
      if (p == end_ || *p != ',') return wrong(p);
      p = skip_space(p + 1);
    }
  }

  /// -? (0 | [1-9] digits) (. digits)? ([eE] sign? digits)?
  [[nodiscard]] const char* number(const char* const first) {
    const char* p = first;
    if (p != end_ && *p == '-') ++p;
    const char* const whole = p;
    p = digits(p);
    if (p == whole || (*whole == '0' && p - whole > 1)) return wrong(first);
    if (p != end_ && *p == '.') {
      const char* const fraction = ++p;
      p = digits(p);
      if (p == fraction) return wrong(first);
    }
    if (p != end_ && (*p == 'e' || *p == 'E')) {
      ++p;
      if (p != end_ && (*p == '-' || *p == '+')) ++p;
      const char* const exponent = p;
      p = digits(p);
      if (p == exponent) return wrong(first);
    }
    return p;
  }
  [[nodiscard]] const char* digits(const char* p) const noexcept {
    while (p != end_ && is_digit(*p)) ++p;
    return p;
  }

  /// Skips to the last byte of an escape, or of a surrogate pair.
  [[nodiscard]] const char* escape(const char* const p) {
    if (end_ - p < 2) return wrong(p);
    if (p[1] != 'u') {
      return std::string_view("\"\\/bfnrt").find(p[1]) == std::string_view::npos
                 ? wrong(p)
                 : p + 1;
    }
    const int unit = hexadecimal(p + 2);
    if (unit < 0 || (unit >= 0xDC00 && unit < 0xE000)) return wrong(p);
    if (unit < 0xD800 || unit >= 0xE000) return p + 5;
    if (end_ - p < 8 || p[6] != '\\' || p[7] != 'u') return wrong(p);
    const int second = hexadecimal(p + 8);
    return second >= 0xDC00 && second < 0xE000 ? p + 11 : wrong(p);
  }

  [[nodiscard]] int hexadecimal(const char* p) const noexcept {
    if (end_ - p < 4) return -1;
    int unit = 0;
    for (int k = 0; k < 4; ++k) {
      const char c = p[k];
      const int digit = is_digit(c)            ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return -1;
      unit = unit * 16 + digit;
    }
    return unit;
  }
};

/// Reads JSON that was checked.
namespace checked_json {

[[nodiscard]] inline const char* skip_space(const char* p) noexcept {
  while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n') ++p;
  return p;
}

[[nodiscard]] inline unsigned unit(const char* p) noexcept {
  unsigned value = 0;
  for (int k = 0; k < 4; ++k) {
    const auto c = static_cast<unsigned char>(p[k]);
    value = value * 16 + (c <= '9' ? c - '0' : (c & 0x0FU) + 9U);
  }
  return value;
}

inline void append_utf8(std::string& to, unsigned point) {
  const auto put = [&](unsigned byte) { to += static_cast<char>(byte); };
  if (point < 0x80) {
    put(point);
    return;
  }
  if (point < 0x800) {
    put(0xC0U | point >> 6U);
  } else {
    if (point < 0x10000) {
      put(0xE0U | point >> 12U);
    } else {
      put(0xF0U | point >> 18U);
      put(0x80U | (point >> 12U & 0x3FU));
    }
    put(0x80U | (point >> 6U & 0x3FU));
  }
  put(0x80U | (point & 0x3FU));
}

/// Appends the decoded string; returns where it ends.
inline const char* append_string(std::string& to, const char* p) {
  for (++p; *p != '"'; ++p) {
    if (*p != '\\') {
      to += *p;
      continue;
    }
    switch (*++p) {
      case 'b': to += '\b'; break;
      case 'f': to += '\f'; break;
      case 'n': to += '\n'; break;
      case 'r': to += '\r'; break;
      case 't': to += '\t'; break;
      case 'u': {
        unsigned point = unit(p + 1);
        p += 4;
        if (point >= 0xD800 && point < 0xE000) {
          point = 0x10000U + ((point - 0xD800U) << 10U) + (unit(p + 3) - 0xDC00U);
          p += 6;
        }
        append_utf8(to, point);
        break;
      }
      default: to += *p; break;
    }
  }
  return p + 1;
}

}  // namespace checked_json

/// Where the label and the features are.
struct JsonLinesRule {
  LabelRule label_rule;
  std::string label = "label";        // the member that is the label
  std::string features = "features";  // the one that holds the features, if it is there
  bool nests = true;                  // whether to look for that one
  std::string weight{};               // the member that says how much a line counts
  bool weighs = false;                // whether to look for that one
  bool sum = false;                   // add the values of a duplicate feature
  std::vector<std::string> ignore;    // names of members to skip, with all they hold
};

struct JsonLinesBlock : NamedLineBlock {
  void parse(std::string_view text, const JsonLinesRule& rule, bool skip) {
    clear();
    const bool sound = is_utf8(text);
    each_line(text, skip, [&](const char* p, const char* end) {
      const JsonChecker checker(end);
      p = checker.skip_space(p);
      if (p == end) return LineFault::none;
      if (!sound && !is_utf8({p, static_cast<std::size_t>(end - p)})) {
        return LineFault::encoding;
      }
      return parse_line(p, end, rule);
    });
  }

 private:
  static constexpr std::ptrdiff_t shown = 20;  // of the text in an error

  std::string path_;  // the name of the current value
  std::string label_;
  std::string text_;
  JsonChecker* checker_ = nullptr;
  const char* weight_ = nullptr;  // where the line has it

  [[nodiscard]] static std::string_view piece(const char* from, const char* to) {
    return {from, static_cast<std::size_t>(to - from)};
  }

  [[nodiscard]] LineFault parse_line(const char* const first, const char* end,
                                     const JsonLinesRule& rule) {
    JsonChecker checker(end);
    if (*first != '{') return LineFault::object;
    const char* const last = checker.value(first);
    if (last != nullptr && checker.skip_space(last) != end) {
      checker.fault = LineFault::json;
      checker.where = checker.skip_space(last);
    }
    if (checker.fault != LineFault::none) {
      const char* const to = checker.where + std::min(end - checker.where, shown);
      return blame(checker.fault, whole_characters(checker.where, to, end));
    }

    checker_ = &checker;
    const char* label = nullptr;
    const char* nested = nullptr;
    weight_ = nullptr;
    LineFault fault = each_member(first, [&](const char* key, const char* value) {
      text_.clear();
      checked_json::append_string(text_, key);
      const char** const which = text_ == rule.label ? &label
                                 : rule.nests && text_ == rule.features && *value == '{'
                                     ? &nested
                                 : rule.weighs && text_ == rule.weight ? &weight_
                                                                       : nullptr;
      if (which == nullptr) return LineFault::none;
      if (*which != nullptr) return blame(LineFault::duplicate, piece(key, value));
      *which = value;
      return LineFault::none;
    });
    if (fault != LineFault::none) return fault;
    double weight = 1.0;
    if (!read_weight(weight)) {
      return blame(LineFault::weight, piece(weight_, checker.value(weight_)));
    }
    Label meaning = Label::none;
    label_.clear();
    if (label == nullptr || *label == 'n') {
      if (!rule.label_rule.may_miss()) return LineFault::unlabelled;
    } else {
      const std::string_view written = piece(label, checker.value(label));
      if (*label == '{' || *label == '[') {
        return blame(rule.label_rule.fault(), written);
      }
      if (*label == '"') {
        checked_json::append_string(label_, label);
      } else if (*label == 't' || *label == 'f') {
        label_ += *label == 't' ? '1' : '0';
      } else {
        label_ += written;
      }
      meaning = rule.label_rule(label_);
      if (meaning == Label::other) return blame(rule.label_rule.fault(), written);
    }
    if (rule.label_rule.skips(meaning) || weight == 0.0) {
      ++left_out;
      return LineFault::none;
    }

    begin_line();
    path_.clear();
    fault = read_members(nested == nullptr ? first : nested, rule,
                         nested == nullptr ? label : nullptr, true);
    if (fault == LineFault::none) fault = enter(rule.sum);
    if (fault != LineFault::none) return fault;
    add_row(meaning, label_, rule.label_rule, entries());
    if (rule.weighs) weights.push_back(weight);
    return LineFault::none;
  }

  /// Reads how much the line counts, if it says so; false if that is no weight.
  [[nodiscard]] bool read_weight(double& weight) const {
    if (weight_ == nullptr || *weight_ == 'n') return true;
    if (*weight_ != '-' && (*weight_ < '0' || *weight_ > '9')) return false;
    weight = read_decimal(weight_, checker_->value(weight_)).value;
    return std::isfinite(weight) && weight >= 0.0;
  }

  /// Calls a function with the beginning of each member of an object and of its value,
  /// until one is at fault.
  template <class Take>
  [[nodiscard]] LineFault each_member(const char* p, Take take) {
    p = checked_json::skip_space(p + 1);
    while (*p != '}') {
      const char* const value = checker_->key(p);
      if (const auto fault = take(p, value); fault != LineFault::none) return fault;
      p = checked_json::skip_space(checker_->value(value));
      if (*p == ',') p = checked_json::skip_space(p + 1);
    }
    return LineFault::none;
  }

  /// Reads the members of an object, all but the label and the weight.
  [[nodiscard]] LineFault read_members(const char* object, const JsonLinesRule& rule,
                                       const char* label, bool outermost) {
    const std::size_t length = path_.size();
    return each_member(object, [&](const char* key, const char* value) {
      if (value == label || value == weight_) return LineFault::none;
      if (!outermost) path_ += '.';
      checked_json::append_string(path_, key);
      LineFault fault = LineFault::none;
      if (rule.ignore.empty() || std::find(rule.ignore.begin(), rule.ignore.end(),
                                           path_) == rule.ignore.end()) {
        fault = read_value(key, value, rule);
      }
      path_.resize(length);
      return fault;
    });
  }

  /// Reads the features of a value; `from` is where it begins in the text, including
  /// its key.
  [[nodiscard]] LineFault read_value(const char* from, const char* value,
                                     const JsonLinesRule& rule) {
    switch (*value) {
      case 'f':
      case 'n': return LineFault::none;
      case 't': take_path(1.0, piece(from, value + 4)); return LineFault::none;
      case '"': take_text(from, value); return LineFault::none;
      case '{':
      case '[': {
        if (path_.size() > longest_prefix) {
          return blame(LineFault::prefix, piece(from, value));
        }
        return *value == '{' ? read_members(value, rule, nullptr, false)
                             : read_items(value, rule);
      }
      default: break;
    }
    const char* const end = checker_->value(value);
    const double number = read_decimal(value, end).value;
    if (!std::isfinite(number)) return blame(LineFault::not_finite, piece(from, end));
    take_path(number, piece(from, end));
    return LineFault::none;
  }

  /// Reads an array: its texts are a bag of words, other values are named by position.
  [[nodiscard]] LineFault read_items(const char* p, const JsonLinesRule& rule) {
    const std::size_t length = path_.size();
    p = checked_json::skip_space(p + 1);
    for (std::size_t place = 0; *p != ']'; ++place) {
      if (*p == '"') {
        take_text(p, p);
      } else {
        std::array<char, 24> number{};
        const auto written =
            std::to_chars(number.data(), number.data() + number.size(), place);
        path_ += '[';
        path_.append(number.data(), written.ptr);
        path_ += ']';
        const LineFault fault = read_value(p, p, rule);
        path_.resize(length);
        if (fault != LineFault::none) return fault;
      }
      p = checked_json::skip_space(checker_->value(p));
      if (*p == ',') p = checked_json::skip_space(p + 1);
    }
    return LineFault::none;
  }

  void take_path(double value, std::string_view written) {
    const std::size_t begin = spelled.size();
    spelled.add(path_);
    take_spelled(begin, value, written);
  }
  void take_text(const char* from, const char* value) {
    const std::size_t length = path_.size();
    path_ += '=';
    const char* const end = checked_json::append_string(path_, value);
    take_path(1.0, piece(from, end));
    path_.resize(length);
  }

  /// Cuts the text between characters.
  [[nodiscard]] static std::string_view whole_characters(const char* from,
                                                         const char* to,
                                                         const char* end) {
    while (to != end && to != from &&
           (static_cast<unsigned char>(*to) & 0xC0U) == 0x80U)
      --to;
    return piece(from, to);
  }
};

}  // namespace littlestone
