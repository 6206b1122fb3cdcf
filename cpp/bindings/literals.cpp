#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>  // std::all_of
#include <cstdint>
#include <utility>
#include <vector>

#include "border.hpp"
#include "littlestone/boolean/literal_list.hpp"
#include "rows.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

/// Covers rows by literals, and leaves out in `rows` what the rules cover.
std::vector<std::pair<std::size_t, bool>> literal_rules(
    const Vector<const std::int64_t>& offsets,
    const Vector<const std::int32_t>& columns, const Vector<std::uint8_t>& rows,
    std::size_t width) {
  const auto starts = as_span(offsets);
  const auto places = as_span(columns);
  check_offsets(starts, starts.size() == rows.shape(0) + 1 && starts.front() == 0 &&
                            static_cast<std::size_t>(starts.back()) == places.size());
  const bool inside =
      std::all_of(places.begin(), places.end(), [=](std::int32_t column) {
        return column >= 0 && static_cast<std::size_t>(column) < width;
      });
  if (!inside) throw nb::value_error("a column must be below the width");
  std::vector<boolean::Row> labels;
  labels.reserve(rows.shape(0));
  for (const std::uint8_t row : as_span(rows)) {
    if (row > 2) throw nb::value_error("a row must be 0, 1 or 2");
    labels.push_back(static_cast<boolean::Row>(row));
  }
  std::vector<std::pair<std::size_t, bool>> found;
  for (const auto& [literal, label] :
       boolean::LiteralList(starts, places, labels, width).rules()) {
    found.emplace_back(literal, label);
  }
  std::transform(labels.begin(), labels.end(), as_span(rows).begin(),
                 [](boolean::Row row) { return static_cast<std::uint8_t>(row); });
  return found;
}

}  // namespace

void bind_literals(nb::module_& m) {
  m.def("literal_rules", &literal_rules, "offsets"_a.noconvert(),
        "columns"_a.noconvert(), "rows"_a.noconvert(), "width"_a,
        "Cover rows labelled 0 or 1 by literals, each of one label; 2 is left out.");
}

}  // namespace littlestone::bindings
