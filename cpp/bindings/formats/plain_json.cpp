#include <algorithm>  // std::min
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>  // std::hash
#include <string>
#include <string_view>

#include "../border.hpp"
#include "littlestone/parsing/decimal.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

/// The string of a text; nothing if it is not UTF-8.
[[nodiscard]] nb::object decoded(std::string_view text) {
  PyObject* const made =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr);
  if (made == nullptr) PyErr_Clear();
  return nb::steal(made);
}

/// Keys that came before, which mostly come again: made and hashed once.
class Keys {
 public:
  [[nodiscard]] nb::object find(std::string_view text) {
    if (text.size() > longest) return decoded(text);
    Slot& slot = slots_[std::hash<std::string_view>()(text) % slots_.size()];
    if (!slot.key || slot.text != text) {
      slot.key = decoded(text);
      slot.text = text;
    }
    return slot.key;
  }

 private:
  static constexpr std::size_t longest = 64;
  struct Slot {
    std::string_view text;  // of what is read, which lives longer
    nb::object key;
  };
  std::array<Slot, 128> slots_;
};

/// Reads JSON whose meaning is beyond doubt: no escapes, no number of more than 15
/// digits or with an exponent, no key twice. It gives up at anything else, and the
/// caller finds out whether that is right.
class PlainJson {
 public:
  PlainJson(std::string_view text, Keys& keys)
      : at_(text.data()), end_(text.data() + text.size()), keys_(keys) {}

  /// The value of the whole text, or nothing.
  [[nodiscard]] nb::object whole() {
    nb::object found = value(0);
    skip();
    return at_ == end_ ? found : nb::object();
  }

  /// What asks for a prediction, {"id": text, form: value} or without the id: the id or
  /// None, {form: value}, and the text of the latter without spaces; or nothing.
  [[nodiscard]] nb::object asked() {
    nb::object id = nb::none();
    nb::object form;
    nb::object example;
    std::string copy;
    if (!take('{')) return {};
    do {
      skip();
      if (at_ == end_ || *at_ != '"') return {};
      const char* const first = at_;
      const nb::object key = string(&keys_);
      const std::string_view raw = since(first);
      if (!key || !take(':')) return {};
      if (raw == "\"id\"") {
        skip();
        if (!id.is_none() || at_ == end_ || *at_ != '"') return {};
        id = string();
        if (!id) return {};
      } else {
        if (form) return {};
        form = key;
        copy.append("{").append(raw).append(":");
        copy_ = &copy;
        example = value(1);
        copy_ = nullptr;
        copy += '}';
        if (!example) return {};
      }
    } while (take(','));
    if (!take('}') || !form) return {};
    skip();
    if (at_ != end_) return {};
    nb::dict given;
    if (PyDict_SetItem(given.ptr(), form.ptr(), example.ptr()) != 0)
      throw nb::python_error();
    return nb::make_tuple(id, given, nb::bytes(copy.data(), copy.size()));
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
    put({at_++, 1});
    return true;
  }

  [[nodiscard]] std::string_view since(const char* first) const {
    return {first, static_cast<std::size_t>(at_ - first)};
  }

  /// Copies what was read, if somebody wants it.
  void put(std::string_view text) {
    if (copy_ != nullptr) copy_->append(text);
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
      default: break;
    }
    const char* const first = at_;
    nb::object found = single();
    put(since(first));
    return found;
  }

  [[nodiscard]] nb::object single() {
    switch (*at_) {
      case '"': return string();
      case 't': return take("true") ? nb::bool_(true) : nb::object();
      case 'f': return take("false") ? nb::bool_(false) : nb::object();
      case 'n': return take("null") ? nb::none() : nb::object();
      default: return number();
    }
  }

  [[nodiscard]] nb::object object(int depth) {
    put({at_++, 1});
    nb::dict made;
    if (take('}')) return made;
    Py_ssize_t keys = 0;
    do {
      skip();
      if (at_ == end_ || *at_ != '"') return {};
      const char* const first = at_;
      const nb::object key = string(&keys_);
      put(since(first));
      if (!key || !take(':')) return {};
      const nb::object each = value(depth + 1);
      if (!each) return {};
      if (PyDict_SetItem(made.ptr(), key.ptr(), each.ptr()) != 0)
        throw nb::python_error();
      if (PyDict_Size(made.ptr()) != ++keys) return {};  // the key came before
    } while (take(','));
    return take('}') ? made : nb::object();
  }

  [[nodiscard]] nb::object array(int depth) {
    put({at_++, 1});
    nb::list made;
    if (take(']')) return made;
    do {
      const nb::object each = value(depth + 1);
      if (!each) return {};
      made.append(each);
    } while (take(','));
    return take(']') ? made : nb::object();
  }

  [[nodiscard]] nb::object string(Keys* keys = nullptr) {
    const char* const first = ++at_;
    while (at_ != end_ && *at_ != '"') {
      if (*at_ == '\\' || static_cast<unsigned char>(*at_) < ' ') return {};
      ++at_;
    }
    if (at_ == end_) return {};
    const std::string_view text(first, static_cast<std::size_t>(at_++ - first));
    return keys == nullptr ? decoded(text) : keys->find(text);
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
  Keys& keys_;
  std::string* copy_ = nullptr;
};

using Reader = nb::object (PlainJson::*)();

template <Reader read>
[[nodiscard]] nb::object read_one(std::string_view text, Keys& keys) {
  PlainJson json(text, keys);
  nb::object found = (json.*read)();
  return found ? found : nb::borrow(Py_NotImplemented);
}

template <Reader read>
[[nodiscard]] nb::object read_text(const nb::bytes& text) {
  Keys keys;
  return read_one<read>({text.c_str(), text.size()}, keys);
}

template <Reader read>
[[nodiscard]] nb::list read_lines(const nb::bytes& text) {
  nb::list made;
  Keys keys;
  std::string_view rest(text.c_str(), text.size());
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    made.append(read_one<read>(rest.substr(0, end), keys));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return made;
}

}  // namespace

void bind_plain_json(nb::module_& m) {
  m.def("plain_json", &read_text<&PlainJson::whole>, "text"_a,
        nb::sig("def plain_json(text: bytes) -> typing.Any"),
        "The value of a JSON text with one meaning beyond doubt, else NotImplemented.");
  m.def("plain_json_lines", &read_lines<&PlainJson::whole>, "text"_a,
        nb::sig("def plain_json_lines(text: bytes) -> list[typing.Any]"),
        "The same for each line.");
  m.def("asked_json", &read_text<&PlainJson::asked>, "text"_a,
        nb::sig("def asked_json(text: bytes) -> typing.Any"),
        "What asks for a prediction: the id or None, the example, and the example as "
        "JSON; NotImplemented if its meaning is not beyond doubt.");
  m.def("asked_json_lines", &read_lines<&PlainJson::asked>, "text"_a,
        nb::sig("def asked_json_lines(text: bytes) -> list[typing.Any]"),
        "The same for each line.");
}

}  // namespace littlestone::bindings
