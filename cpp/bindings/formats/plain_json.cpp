#include <algorithm>  // std::min
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>  // std::hash
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../border.hpp"
#include "littlestone/parsing/decimal.hpp"
#include "littlestone/parsing/ledger.hpp"
#include "littlestone/parsing/shortest.hpp"

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

[[nodiscard]] nb::bytes bytes_of(std::string_view text) {
  return nb::bytes(text.data(), text.size());
}

/// Keys that came before, which mostly come again: made and hashed once.
class Keys {
 public:
  std::vector<std::string_view> names;  // of one object, to be compared

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

/// Reads JSON whose meaning is beyond doubt: no escapes, no integer of more than 15
/// digits, no number that a double does not keep, no key twice. It gives up at anything
/// else, and the caller finds out whether that is right.
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

  /// What asks for a prediction: the id or None, {form: value}, and the text of the
  /// latter without spaces; or nothing.
  [[nodiscard]] nb::object asked() {
    nb::object example;
    const auto found = request([&](std::string_view) {
      example = value(1);
      return example.is_valid();
    });
    if (!found) return {};
    const nb::object id = found->id ? decoded(*found->id) : nb::none();
    const nb::object form = keys_.find(found->form);
    if (!id || !form) return {};
    nb::dict given;
    if (PyDict_SetItem(given.ptr(), form.ptr(), example.ptr()) != 0)
      throw nb::python_error();
    return nb::make_tuple(id, given, bytes_of(found->example));
  }

  struct Request {
    std::optional<std::string_view> id;
    std::string_view form;
    std::string example;  // {form: value} as JSON without spaces
  };

  /// The same, if its form is "features" and all values are numbers or truth values. No
  /// object of Python is made.
  [[nodiscard]] std::optional<Request> flat() {
    return request(
        [&](std::string_view form) { return form == "features" && pass_numbers(); });
  }

 private:
  static constexpr int deepest = 16;
  static constexpr std::ptrdiff_t most_digits = 15;  // which a double keeps

  /// Reads {"id": text, form: value}, or the same without the id; `read` takes the
  /// form, reads the value, and returns whether it could.
  template <class Read>
  [[nodiscard]] std::optional<Request> request(Read read) {
    Request found;
    if (!take('{')) return std::nullopt;
    do {
      skip();
      const char* const first = at_;
      const auto key = text();
      const std::string_view raw = since(first);
      if (!key || !take(':')) return std::nullopt;
      if (*key == "id") {
        skip();
        if (found.id) return std::nullopt;
        found.id = text();
        if (!found.id) return std::nullopt;
      } else {
        if (!found.example.empty()) return std::nullopt;
        found.form = *key;
        found.example.append("{").append(raw).append(":");
        copy_ = &found.example;
        const bool could = read(*key);
        copy_ = nullptr;
        if (!could) return std::nullopt;
        found.example += '}';
      }
    } while (take(','));
    if (!take('}') || found.example.empty()) return std::nullopt;
    skip();
    if (at_ != end_) return std::nullopt;
    return found;
  }

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
      case '"': {
        const auto found = text();
        return found ? decoded(*found) : nb::object();
      }
      case 't': return take("true") ? nb::bool_(true) : nb::object();
      case 'f': return take("false") ? nb::bool_(false) : nb::object();
      case 'n': return take("null") ? nb::none() : nb::object();
      default: {
        const auto found = number();
        if (!found) return {};
        return found->integer ? nb::object(nb::int_(found->whole))
                              : nb::object(nb::float_(found->value));
      }
    }
  }

  [[nodiscard]] nb::object object(int depth) {
    put({at_++, 1});
    nb::dict made;
    if (take('}')) return made;
    Py_ssize_t keys = 0;
    do {
      const auto name = key_text();
      const nb::object key = name ? keys_.find(*name) : nb::object();
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

  /// Passes over an object whose values are numbers or truth values.
  [[nodiscard]] bool pass_numbers() {
    skip();
    if (at_ == end_ || *at_ != '{') return false;
    put({at_++, 1});
    if (take('}')) return true;
    std::vector<std::string_view>& names = keys_.names;
    names.clear();
    do {
      const auto name = key_text();
      if (!name || !take(':')) return false;
      names.push_back(*name);
      skip();
      const char* const first = at_;
      if (!take("true") && !take("false") && !number()) return false;
      put(since(first));
    } while (take(','));
    std::sort(names.begin(), names.end());
    return take('}') && std::adjacent_find(names.begin(), names.end()) == names.end();
  }

  [[nodiscard]] std::optional<std::string_view> text() { return plain_text(at_, end_); }

  [[nodiscard]] std::optional<std::string_view> key_text() {
    skip();
    const char* const first = at_;
    const auto found = text();
    put(since(first));
    return found;
  }

  struct Number {
    bool integer;
    std::int64_t whole;  // of an integer
    double value;        // of another
  };

  [[nodiscard]] std::optional<Number> number() {
    const char* const start = at_;
    auto found = short_number();
    if (!found) {
      at_ = start;
      found = long_number();
    }
    return found;
  }

  /// A number without an exponent, of at most 15 digits, which a double always keeps.
  [[nodiscard]] std::optional<Number> short_number() {
    const bool negative = at_ != end_ && *at_ == '-';
    if (negative) ++at_;
    const char* const first = at_;
    std::uint64_t digits = 0;
    while (at_ != end_ && is_digit(*at_) && at_ - first <= most_digits)
      digits = digits * 10 + static_cast<std::uint64_t>(*at_++ - '0');
    const std::ptrdiff_t whole = at_ - first;
    if (whole == 0 || whole > most_digits || (*first == '0' && whole > 1))
      return std::nullopt;
    if (at_ == end_ || (*at_ != '.' && *at_ != 'e' && *at_ != 'E')) {
      const auto size = static_cast<std::int64_t>(digits);
      return Number{true, negative ? -size : size, 0.0};
    }
    if (*at_ != '.') return std::nullopt;
    const char* const point = at_++;
    while (at_ != end_ && is_digit(*at_) && at_ - first <= most_digits + 1)
      digits = digits * 10 + static_cast<std::uint64_t>(*at_++ - '0');
    const std::ptrdiff_t places = at_ - point - 1;
    if (places == 0 || whole + places > most_digits) return std::nullopt;
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) return std::nullopt;
    // Both are exact, so the quotient is rounded once: correctly.
    const double size = static_cast<double>(digits) / detail::exact_power[places];
    return Number{false, 0, negative ? -size : size};
  }

  /// Another number that is no integer, if a double keeps it.
  [[nodiscard]] std::optional<Number> long_number() {
    const char* const first = at_;
    const auto found = json_number(at_, end_);
    if (!found || found->integer || !is_shortest(since(first), found->value))
      return std::nullopt;
    return Number{false, 0, found->value};
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

/// What asks in each line; nothing if one of them is not flat.
[[nodiscard]] std::optional<std::vector<PlainJson::Request>> flat_requests(
    std::string_view text, Keys& keys) {
  const nb::gil_scoped_release release;
  std::vector<PlainJson::Request> found;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    auto request = PlainJson(text.substr(0, end), keys).flat();
    if (!request) return std::nullopt;
    found.push_back(std::move(*request));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

[[nodiscard]] nb::object flat_lines(const nb::bytes& text) {
  Keys keys;
  const auto found = flat_requests({text.c_str(), text.size()}, keys);
  if (!found) return nb::none();
  nb::list ids;
  nb::list examples;
  for (const PlainJson::Request& each : *found) {
    ids.append(each.id ? decoded(*each.id) : nb::none());
    examples.append(bytes_of(each.example));
  }
  return nb::make_tuple(ids, examples);
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
  m.def(
      "flat_lines", &flat_lines, "text"_a,
      nb::sig("def flat_lines(text: bytes) "
              "-> tuple[list[str | None], list[bytes]] | None"),
      "The same for lines that all have an example of named numbers: the ids, and the "
      "examples as JSON; None if one of them is another.");
}

}  // namespace littlestone::bindings
