#include "littlestone/parsing/text.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "../border.hpp"
#include "../line_blocks.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

void bind_text(nb::module_& m) {
  nb::class_<TextRule>(m, "TextRule",
                       "Which columns of a text are read, and what its words become.")
      .def(
          "__init__",
          [](TextRule* self, const LabelRule& label_rule,
             std::optional<std::size_t> label, const std::vector<std::size_t>& columns,
             std::size_t width, std::size_t shortest, std::size_t longest,
             bool lowercase, bool counts) {
            new (self) TextRule{label_rule, label.value_or(TextRule::no_column),
                                columns,    width,
                                shortest,   longest,
                                lowercase,  counts};
          },
          "label_rule"_a, nb::kw_only(), "label"_a.none(), "columns"_a, "width"_a,
          "shortest"_a, "longest"_a, "lowercase"_a, "counts"_a);

  bind_block<TextBlock, TextRule>(m, "TextBlock", "Rows of the words of a text.");
}

}  // namespace littlestone::bindings
