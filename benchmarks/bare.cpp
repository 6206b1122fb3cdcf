// The Perceptron as one would write it by hand: the yardstick that `speed.py` holds to
// ours.
//
// It checks nothing and knows one kind of row. The sums run in the order of the row, so
// the weights must come out equal to ours bit for bit.

#include <cstddef>
#include <cstdint>

extern "C" void perceptron(const std::int32_t* offsets, const std::int32_t* columns,
                           const float* values, const std::int64_t* labels,
                           std::size_t rows, double* weights, bool* predictions) {
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
