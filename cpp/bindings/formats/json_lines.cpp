#include "littlestone/parsing/json_lines.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "../border.hpp"
#include "../line_blocks.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

void bind_json_lines(nb::module_& m) {
  nb::class_<JsonLinesRule>(m, "JsonLinesRule",
                            "Where in an object the label and the features are.")
      .def(
          "__init__",
          [](JsonLinesRule* self, const LabelRule& label_rule, const std::string& label,
             const std::optional<std::string>& features,
             const std::optional<std::string>& weight, bool sum,
             const std::vector<std::string>& ignore) {
            new (self) JsonLinesRule{label_rule,
                                     label,
                                     features.value_or(""),
                                     features.has_value(),
                                     weight.value_or(""),
                                     weight.has_value(),
                                     sum,
                                     ignore};
          },
          "label_rule"_a, nb::kw_only(), "label"_a, "features"_a.none(),
          "weight"_a.none(), "sum"_a, "ignore"_a);

  bind_block<JsonLinesBlock, JsonLinesRule>(m, "JsonLinesBlock", "Rows of JSON Lines.");
}

}  // namespace littlestone::bindings
