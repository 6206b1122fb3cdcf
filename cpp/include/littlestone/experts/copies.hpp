// The vote of copies of a learner that start anew. Only a mistake of the vote changes
// the weights: those of the copies that were wrong are multiplied by beta, and all are
// scaled to sum to one. No mistake makes a weight so small that rounding loses it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace littlestone {

struct CopiesVote {
  double beta;
  std::span<double> weights;
  std::span<std::int64_t> mistakes;

  /// Votes in one round: `votes[k * stride]` is what copy k says. Returns by how much
  /// of the weight yes wins, with which a tie is a yes, and learns the label.
  double play(const bool* votes, std::size_t stride, bool label) const noexcept {
    double yes = 0.0;
    double no = 0.0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      (votes[k * stride] ? yes : no) += weights[k];
    }
    const bool wrong = (yes >= no) != label;
    double total = 0.0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (votes[k * stride] != label) {
        ++mistakes[k];
        if (wrong) {
          weights[k] = std::max(weights[k] * beta, std::numeric_limits<double>::min());
        }
      }
      total += weights[k];
    }
    if (wrong) {
      for (double& weight : weights) weight /= total;
    }
    return yes - no;
  }
};

}  // namespace littlestone
