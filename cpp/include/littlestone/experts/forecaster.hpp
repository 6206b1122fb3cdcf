// What every learner from expert advice offers, whatever its rule and its loss.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "littlestone/experts/loss.hpp"
#include "littlestone/experts/weighing.hpp"

namespace littlestone {

/// How the advice becomes a prediction.
enum class Combine : int {
  mean,        // the weighted mean
  vote,        // the label with more weight; yes in a tie
  draw,        // the advice of an expert drawn by weight
  substitute,  // what loses at most the mix loss, whatever the outcome
  plurality,   // the class with the most weight, of equals the first; below 0 abstains
};

/// What is wrong with a round; the names are those of littlestone.errors.
enum class AdviceFault : int {
  none,
  finite,        // an expert's prediction is not a finite number
  label,         // it is not a label
  probability,   // it is not between 0 and 1
  distribution,  // it does not sum to one
  interval,      // it lies outside the interval of numbers
  awake,         // no expert is awake
  outcome,       // the outcome does not suit the loss
  loss,          // a loss is not finite
  range,         // a loss lies outside the range
  overflow,      // the sum of losses would overflow
};

struct AdviceFinding {
  AdviceFault fault = AdviceFault::none;
  std::size_t expert = 0;
  double value = 0.0;
};

struct Setting {
  Loss loss{};
  Combine combine = Combine::mean;
  bool gradient = false;  // charge by the slope at the learner's own prediction
  bool hedge = false;     // the learner is charged the weighted mean of the charges
  bool labels = false;    // advice and outcomes are 0 and 1
  bool probabilities = false;
  double low = -HUGE_VAL;  // the range of losses
  double high = HUGE_VAL;
  double least = -HUGE_VAL;  // the interval of advice and outcomes, to substitute in
  double most = HUGE_VAL;
  double eta = 0.0;  // the rate to substitute with
  std::uint64_t seed = 0;
};

/// Losses that the caller has computed, by a loss function in Python.
struct Given {
  std::span<const double> losses;
  double own;
  double slope;
};

class Forecaster {
 public:
  explicit Forecaster(const Setting& setting) : setting_(setting) {}
  Forecaster(const Forecaster&) = delete;
  Forecaster& operator=(const Forecaster&) = delete;
  virtual ~Forecaster() = default;

  [[nodiscard]] const Setting& setting() const noexcept { return setting_; }
  [[nodiscard]] std::size_t size() const noexcept { return priors_.size(); }
  [[nodiscard]] std::uint64_t rounds() const noexcept { return rounds_; }
  [[nodiscard]] double own_loss() const noexcept { return own_.value(); }
  [[nodiscard]] double expected() const noexcept { return expected_.value(); }
  [[nodiscard]] double last_loss() const noexcept { return last_loss_; }

  virtual void begin(std::span<const double> priors) = 0;
  virtual void join(double share) = 0;

  /// The weights, which sum to one; of the experts awake if a mask is given.
  virtual void weights(Asleep asleep, std::span<double> out) const = 0;
  /// What the expert has lost while awake.
  [[nodiscard]] virtual Exact loss(std::size_t i) const noexcept = 0;
  /// The same for every expert.
  virtual void losses(std::span<double> out) const noexcept = 0;
  /// What the learner has lost while each expert was awake.
  void own_losses(std::span<double> out) const noexcept {
    if (slept_.size() == 0) {
      std::ranges::fill(out, own_.value());
    } else {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = own_ - slept_.at(i);
    }
  }

  /// Advice has `outcomes` numbers for each expert; NaN if it sleeps.
  [[nodiscard]] virtual AdviceFinding predict(const double* advice,
                                              std::size_t outcomes,
                                              double* prediction) = 0;
  [[nodiscard]] virtual AdviceFinding play(const double* advice, std::size_t outcomes,
                                           double y, double* prediction,
                                           double* loss) = 0;
  [[nodiscard]] virtual AdviceFinding learn_given(const double* advice,
                                                  const Given& given) = 0;
  /// Plays rows until one is refused; returns how many were played.
  [[nodiscard]] virtual std::size_t play_rows(const double* advice, std::size_t stride,
                                              std::size_t outcomes, const double* y,
                                              std::size_t rows, double* predictions,
                                              double* losses,
                                              AdviceFinding& finding) = 0;

  /// Everything it has learned, as numbers; and back.
  using Numbers = std::vector<std::vector<double>>;
  [[nodiscard]] virtual Numbers state() = 0;
  virtual void restore(const Numbers& numbers) = 0;

  bool may_sleep = false;  // whether NaN means asleep, or is refused

 protected:
  Setting setting_;
  std::vector<double> priors_;  // the weights at first; used if all weights are 0
  std::uint64_t rounds_ = 0;
  Exact own_{};
  Exact expected_{};
  double last_loss_ = 0.0;  // of the latest round
  Totals slept_;            // the learner's loss while each slept; empty until one does
  Totals truth_;            // the experts' losses, if the rule does not keep them
  double spent_ = 0.0;      // no total is larger than this
};

/// Saves or restores the numbers of a rule one after another.
struct Saved {
  Forecaster::Numbers& numbers;
  bool writing;         // from the rule into `numbers`
  std::size_t experts;  // the size of arrays with a number for each expert
  std::size_t at = 0;

  template <class... Parts>
  void operator()(Parts&... parts) {
    (one(parts), ...);
  }
  /// A number for each expert, or none at all.
  template <class Memory>
  void maybe(std::vector<double, Memory>& part) {
    if (!writing && at < numbers.size() && numbers[at].empty()) {
      part.clear();
      ++at;
    } else {
      one(part);
    }
  }

  /// The same after everything else, where none at all leaves no trace.
  void at_the_end(std::vector<double>& part) {
    if (writing ? !part.empty() : at < numbers.size()) {
      one(part);
    } else {
      part.clear();
    }
  }

  /// A saved state may come from anywhere, and the loops trust the sizes.
  static void check(bool sound) {
    if (!sound) throw std::invalid_argument("expected as many numbers as the rule has");
  }

 private:
  std::vector<double>& next() {
    if (writing) return numbers.emplace_back();
    check(at < numbers.size());
    return numbers[at++];
  }
  void one(double& part) {
    std::vector<double>& here = next();
    if (writing) {
      here = {part};
    } else {
      check(here.size() == 1);
      part = here[0];
    }
  }
  template <class T, class Memory>
  void one(std::vector<T, Memory>& part) {
    std::vector<double>& here = next();
    const auto convert = [](double from) {
      if constexpr (std::integral<T>) check(from >= 0.0 && from <= 0x1p53);
      return static_cast<T>(from);
    };
    if (writing) {
      here.assign(part.begin(), part.end());
    } else {
      check(here.size() == experts);
      part.resize(here.size());
      std::ranges::transform(here, part.begin(), convert);
    }
  }
};

}  // namespace littlestone
