// Makes the learners that follow the leader or a mirror, from parameters that Python
// has checked.
#pragma once

#include "learners.hpp"

namespace littlestone::bindings {

template <class L>
[[nodiscard]] Learns<L> ftrl(ScoreLoss loss, double rate, double l1, double l2,
                             bool normalize, double bias);
template <class L>
[[nodiscard]] Learns<L> exponentiated_gradient(ScoreLoss loss, double rate,
                                               double scale, double bias);
[[nodiscard]] Numeric vovk_azoury_warmuth(double a, double bias);
[[nodiscard]] Binary aioli(double a, double reach, double bias);

}  // namespace littlestone::bindings
