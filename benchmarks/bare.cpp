// The Perceptron and exponential weights as one would write them by hand: the
// yardsticks that `speed.py` holds to ours.
//
// They check nothing and know one kind of row. The Perceptron's sums run in the order
// of the row, so the weights must come out equal to ours bit for bit.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

template <class V>
static void play(const std::int32_t* offsets, const std::int32_t* columns,
                 const V* values, const std::int64_t* labels, std::size_t rows,
                 double* weights, bool* predictions) {
  for (std::size_t t = 0; t < rows; ++t) {
    double score = 0.0;
    for (std::int32_t k = offsets[t]; k < offsets[t + 1]; ++k) {
      score += weights[columns[k]] * static_cast<double>(values[k]);
    }
    predictions[t] = score >= 0.0;
    if (predictions[t] == (labels[t] > 0)) continue;
    const double side = labels[t] > 0 ? 1.0 : -1.0;
    for (std::int32_t k = offsets[t]; k < offsets[t + 1]; ++k) {
      weights[columns[k]] += side * static_cast<double>(values[k]);
    }
  }
}

extern "C" void perceptron(const std::int32_t* offsets, const std::int32_t* columns,
                           const float* values, const std::int64_t* labels,
                           std::size_t rows, double* weights, bool* predictions) {
  play(offsets, columns, values, labels, rows, weights, predictions);
}

extern "C" void perceptron_of_doubles(const std::int32_t* offsets,
                                      const std::int32_t* columns, const double* values,
                                      const std::int64_t* labels, std::size_t rows,
                                      double* weights, bool* predictions) {
  play(offsets, columns, values, labels, rows, weights, predictions);
}

extern "C" void hedge(const double* advice, const double* outcomes, std::size_t rounds,
                      std::size_t experts, double eta, double* losses,
                      double* predictions) {
  for (std::size_t t = 0; t < rounds; ++t) {
    const double* f = advice + t * experts;
    const double best = *std::min_element(losses, losses + experts);
    double total = 0.0;
    double moment = 0.0;
    for (std::size_t i = 0; i < experts; ++i) {
      const double weight = std::exp(-eta * (losses[i] - best));
      total += weight;
      moment += weight * f[i];
    }
    predictions[t] = moment / total;
    for (std::size_t i = 0; i < experts; ++i) {
      losses[i] += (f[i] - outcomes[t]) * (f[i] - outcomes[t]);
    }
  }
}
