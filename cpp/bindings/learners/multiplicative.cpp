#include "../learners.hpp"
#include "littlestone/linear/balanced_winnow.hpp"
#include "littlestone/linear/winnow.hpp"

namespace littlestone::bindings {

Binary winnow(double threshold, double promotion, double log_promotion,
              bool eliminate) {
  if (eliminate) {
    return std::make_unique<Linear<EliminatingWinnow>>(
        EliminatingWinnow{threshold, promotion, log_promotion});
  }
  return std::make_unique<Linear<Winnow>>(Winnow{threshold, promotion, log_promotion});
}

Binary balanced_winnow(double rate, double scale, double bias) {
  return std::make_unique<Linear<BalancedWinnow>>(BalancedWinnow{rate, scale, {bias}});
}

}  // namespace littlestone::bindings
