#include <algorithm>  // std::ranges::copy, std::ranges::is_sorted
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>  // std::errc
#include <vector>

#include "border.hpp"
#include "littlestone/parsing/utf8.hpp"
#include "saved.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

/// Features end to end, where each ends, and which are columns.
[[nodiscard]] nb::dict pack_features(const nb::list& features) {
  std::string text;
  std::vector<std::uint64_t> ends;
  std::vector<std::uint8_t> kinds;
  ends.reserve(nb::len(features));
  kinds.reserve(nb::len(features));
  const auto append = [&](nb::handle name) {
    Py_ssize_t size = 0;
    const char* const utf8 = PyUnicode_AsUTF8AndSize(name.ptr(), &size);
    if (utf8 == nullptr) throw nb::python_error();
    text.append(utf8, static_cast<std::size_t>(size));
  };
  for (const nb::handle feature : features) {
    kinds.push_back(PyUnicode_Check(feature.ptr()) ? 0 : 1);
    if (kinds.back() == 0) {
      append(feature);
    } else if (const auto column = column_of_int(feature.ptr())) {
      std::array<char, 20> digits;
      char* const end =
          std::to_chars(digits.data(), digits.data() + digits.size(), *column).ptr;
      text.append(digits.data(), end);
    } else {
      append(nb::str(feature));
    }
    ends.push_back(text.size());
  }
  nb::dict packed;
  std::ranges::copy(text, add_array<std::uint8_t>(packed, "text", text.size()));
  std::ranges::copy(ends, add_array<std::uint64_t>(packed, "ends", ends.size()));
  std::ranges::copy(kinds, add_array<std::uint8_t>(packed, "kinds", kinds.size()));
  return packed;
}

[[nodiscard]] nb::object column_written(std::string_view digits) {
  std::uint64_t column = 0;
  const char* const end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, column);
  const bool padded = digits.size() > 1 && digits.front() == '0';
  check_saved(error == std::errc() && at == end && !padded && column <= largest_column,
              "column numbers below 2**32");
  return nb::cast(column);
}

/// The features of these arrays, which may come from anywhere.
[[nodiscard]] nb::list unpack_features(const Vector<const std::uint8_t>& text,
                                       const Vector<const std::uint64_t>& ends,
                                       const Vector<const std::uint8_t>& kinds) {
  const std::string_view written(reinterpret_cast<const char*>(text.data()),
                                 text.shape(0));
  const auto bounds = as_span(ends);
  check_saved(kinds.shape(0) == bounds.size() && std::ranges::is_sorted(bounds) &&
                  (bounds.empty() ? 0 : bounds.back()) == written.size() &&
                  std::ranges::all_of(as_span(kinds), [](auto k) { return k <= 1; }),
              "features one after another");
  nb::list features;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    const std::string_view feature = written.substr(begin, bounds[k] - begin);
    begin = bounds[k];
    if (kinds.data()[k] == 1) {
      features.append(column_written(feature));
    } else {
      check_saved(is_utf8(feature), "names in UTF-8");
      features.append(nb::str(feature.data(), feature.size()));
    }
  }
  return features;
}

}  // namespace

void bind_packing(nb::module_& m) {
  m.def("pack_features", &pack_features, "features"_a,
        nb::sig("def pack_features(features: list[str | int]) -> "
                "dict[str, numpy.typing.NDArray[typing.Any]]"),
        "Features end to end as UTF-8, where each ends, and which are columns.");
  m.def("unpack_features", &unpack_features, "text"_a, "ends"_a, "kinds"_a,
        nb::sig("def unpack_features(text: numpy.typing.NDArray[numpy.uint8], "
                "ends: numpy.typing.NDArray[numpy.uint64], "
                "kinds: numpy.typing.NDArray[numpy.uint8]) -> list[str | int]"),
        "The features of these arrays.");
}

}  // namespace littlestone::bindings
