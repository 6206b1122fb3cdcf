#include "littlestone/parsing/svmlight.hpp"

#include "../border.hpp"
#include "../line_blocks.hpp"

namespace littlestone::bindings {

void bind_svmlight(nb::module_& m) {
  bind_block<SvmlightBlock, LabelRule>(m, "SvmlightBlock", "Rows of svmlight text.");
}

}  // namespace littlestone::bindings
