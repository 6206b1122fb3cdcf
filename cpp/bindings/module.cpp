#include "border.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The native core of littlestone. Private: use the Python front.";
  littlestone::bindings::bind_labels(m);
  littlestone::bindings::bind_rows(m);
  littlestone::bindings::bind_streams(m);
  littlestone::bindings::bind_linear(m);
}
