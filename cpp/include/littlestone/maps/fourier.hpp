// Random Fourier features: cosines whose products approximate a Gaussian kernel.
//
// Rahimi and Recht (2007). The frequencies of a feature are drawn from its hash and the
// seed, so that they depend on nothing else that the map has met.
#pragma once

#include <algorithm>  // std::all_of
#include <cmath>      // std::isfinite, std::sqrt
#include <cstddef>
#include <cstdint>
#include <vector>

#include "littlestone/maps/map.hpp"
#include "littlestone/math/cosine.hpp"
#include "littlestone/math/logarithm.hpp"
#include "littlestone/math/random.hpp"

namespace littlestone {

class FourierMap final : public Map {
 public:
  /// A scale of 0 stands for the root of the number of values of each example.
  FourierMap(std::size_t dim, double scale, std::uint64_t seed)
      : dim_(dim),
        scale_(scale),
        size_(std::sqrt(2.0 / static_cast<double>(dim))),
        key_(hash_of_column(seed)) {
    SplitMix random{~key_};
    for (std::size_t k = 0; k < dim; ++k) phases_.push_back(uniform(random));
  }

  [[nodiscard]] std::size_t width() const noexcept override { return dim_; }
  [[nodiscard]] std::size_t held() const noexcept override {
    return frequencies_.size();
  }

 protected:
  void drop() override {
    Map::drop();
    frequencies_ = {};
  }
  void meet(Numbering::Number feature) override {
    SplitMix random{hash_of(met, feature) ^ key_};
    for (std::size_t k = 0; k < dim_; ++k) {
      // Box and Muller's normal numbers, of which the sine's half is not used.
      const double u = uniform(random);
      const double v = uniform(random);
      frequencies_.push_back(std::sqrt(-2.0 * log_of(1.0 - u)) * cosine_of_turns(v));
    }
  }

  [[nodiscard]] Finding put(Entries x, Learning /*learning*/, Mapped& to) override {
    const std::size_t begin = to.values.size();
    to.values.resize(begin + dim_, 0.0);
    double* const out = to.values.data() + begin;
    for (const Entry& entry : x) {
      add_scaled(out, frequencies_.data() + entry.feature * dim_, dim_, entry.value);
    }
    if (!std::all_of(out, out + dim_, [](double v) { return std::isfinite(v); })) {
      return {Fault::map_overflow};
    }
    const double width =
        scale_ > 0.0 || x.empty() ? scale_ : std::sqrt(static_cast<double>(x.size()));
    wave_all(out, phases_.data(), dim_, width > 0.0 ? a_turn / width : 0.0, size_);
    return {};
  }

 private:
  static constexpr double a_turn = 0.15915494309189535;  // 1 / (2 pi)

  /// A number from 0 to below 1.
  [[nodiscard]] static double uniform(SplitMix& random) noexcept {
    return static_cast<double>(random() >> 11U) * 0x1p-53;
  }

  std::size_t dim_;
  double scale_;
  double size_;
  std::uint64_t key_;
  std::vector<double> phases_;       // in turns
  std::vector<double> frequencies_;  // dim_ of each feature, for a width of one
};

}  // namespace littlestone
