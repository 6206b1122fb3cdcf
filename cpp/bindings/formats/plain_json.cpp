#include <algorithm>  // std::min
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../border.hpp"
#include "littlestone/parsing/decimal.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

/// Reads JSON whose meaning is beyond doubt: no escapes, no number of more than 15
/// digits or with an exponent, no key twice. It gives up at anything else, and the
/// caller finds out whether that is right.
class PlainJson {
 public:
  explicit PlainJson(std::string_view text)
      : at_(text.data()), end_(text.data() + text.size()) {}

  /// The value of the whole text, or nothing.
  [[nodiscard]] nb::object whole() {
    nb::object found = value(0);
    skip();
    return at_ == end_ ? found : nb::object();
  }

 private:
  static constexpr int deepest = 16;
  static constexpr std::ptrdiff_t most_digits = 15;  // which a double keeps

  void skip() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n'))
      ++at_;
  }

  [[nodiscard]] bool take(char expected) {
    skip();
    if (at_ == end_ || *at_ != expected) return false;
    ++at_;
    return true;
  }

  [[nodiscard]] bool take(std::string_view word) {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word))
      return false;
    at_ += word.size();
    return true;
  }

  [[nodiscard]] nb::object value(int depth) {
    skip();
    if (at_ == end_ || depth == deepest) return {};
    switch (*at_) {
      case '{': return object(depth);
      case '[': return array(depth);
      case '"': return string();
      case 't': return take("true") ? nb::bool_(true) : nb::object();
      case 'f': return take("false") ? nb::bool_(false) : nb::object();
      case 'n': return take("null") ? nb::none() : nb::object();
      default: return number();
    }
  }

  [[nodiscard]] nb::object object(int depth) {
    ++at_;
    nb::dict made;
    if (take('}')) return made;
    std::size_t keys = 0;
    do {
      skip();
      if (at_ == end_ || *at_ != '"') return {};
      const nb::object key = string();
      if (!key || !take(':')) return {};
      const nb::object each = value(depth + 1);
      if (!each) return {};
      if (PyDict_SetItem(made.ptr(), key.ptr(), each.ptr()) != 0)
        throw nb::python_error();
      if (nb::len(made) != ++keys) return {};  // the key came before
    } while (take(','));
    return take('}') ? made : nb::object();
  }

  [[nodiscard]] nb::object array(int depth) {
    ++at_;
    nb::list made;
    if (take(']')) return made;
    do {
      const nb::object each = value(depth + 1);
      if (!each) return {};
      made.append(each);
    } while (take(','));
    return take(']') ? made : nb::object();
  }

  [[nodiscard]] nb::object string() {
    const char* const first = ++at_;
    while (at_ != end_ && *at_ != '"') {
      if (*at_ == '\\' || static_cast<unsigned char>(*at_) < ' ') return {};
      ++at_;
    }
    if (at_ == end_) return {};
    PyObject* const made = PyUnicode_DecodeUTF8(first, at_++ - first, nullptr);
    if (made == nullptr) PyErr_Clear();  // not UTF-8
    return nb::steal(made);
  }

  [[nodiscard]] nb::object number() {
    const bool negative = *at_ == '-';
    if (negative) ++at_;
    const char* const first = at_;
    std::uint64_t digits = 0;
    while (at_ != end_ && is_digit(*at_) && at_ - first <= most_digits)
      digits = digits * 10 + static_cast<std::uint64_t>(*at_++ - '0');
    const std::ptrdiff_t whole = at_ - first;
    if (whole == 0 || whole > most_digits || (*first == '0' && whole > 1)) return {};
    if (at_ == end_ || (*at_ != '.' && *at_ != 'e' && *at_ != 'E')) {
      const auto size = static_cast<std::int64_t>(digits);
      return nb::int_(negative ? -size : size);
    }
    if (*at_ != '.') return {};
    const char* const point = at_++;
    while (at_ != end_ && is_digit(*at_) && at_ - first <= most_digits + 1)
      digits = digits * 10 + static_cast<std::uint64_t>(*at_++ - '0');
    const std::ptrdiff_t places = at_ - point - 1;
    if (places == 0 || whole + places > most_digits) return {};
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) return {};
    // Both are exact, so the quotient is rounded once: correctly.
    const double size = static_cast<double>(digits) / detail::exact_power[places];
    return nb::float_(negative ? -size : size);
  }

  const char* at_;
  const char* end_;
};

[[nodiscard]] nb::object read(std::string_view text) {
  nb::object found = PlainJson(text).whole();
  return found ? found : nb::borrow(Py_NotImplemented);
}

[[nodiscard]] std::string_view view(const nb::bytes& text) {
  return {text.c_str(), text.size()};
}

}  // namespace

void bind_plain_json(nb::module_& m) {
  m.def(
      "plain_json", [](const nb::bytes& text) { return read(view(text)); }, "text"_a,
      nb::sig("def plain_json(text: bytes) -> typing.Any"),
      "The value of a JSON text with one meaning beyond doubt, else NotImplemented.");
  m.def(
      "plain_json_lines",
      [](const nb::bytes& text) {
        nb::list made;
        std::string_view rest = view(text);
        while (!rest.empty()) {
          const std::size_t end = std::min(rest.find('\n'), rest.size());
          made.append(read(rest.substr(0, end)));
          rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        return made;
      },
      "text"_a, nb::sig("def plain_json_lines(text: bytes) -> list[typing.Any]"),
      "The same for each line.");
}

}  // namespace littlestone::bindings
