// What learners of many classes do that have a learner of two labels for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "littlestone/linear/learner.hpp"

namespace littlestone {

/// The learners of all classes; the features of rows are numbered from 0.
class ClassBlocks {
 public:
  using Learner = LinearLearner<bool>;
  using Row = SparseRow<double, std::uint32_t>;

  ClassBlocks() = default;
  ClassBlocks(const ClassBlocks&) = delete;
  ClassBlocks& operator=(const ClassBlocks&) = delete;
  virtual ~ClassBlocks() = default;

  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
  /// One more class, which has learned nothing.
  virtual void add() = 0;
  virtual void clear() = 0;
  /// Scores a row by every class, unless one of them refuses it; `features` is how many
  /// there are.
  [[nodiscard]] virtual Finding score(const Row& x, std::size_t features,
                                      std::span<double> scores) = 0;
  /// Learns from the row that was scored, so often; returns how often the class that
  /// changed most did.
  virtual std::uint64_t learn(const Row& x, std::size_t features, ClassId label,
                              std::uint32_t times) = 0;
  /// The weight of a feature for each class.
  virtual void weigh(std::size_t feature, std::span<double> weights) = 0;
  /// A learner that has learned what that of one class has; valid until the next call.
  [[nodiscard]] virtual Learner& block(std::size_t c) = 0;
  /// One more class, which has learned what this learner has.
  virtual void take(std::unique_ptr<Learner> learner) = 0;
  [[nodiscard]] virtual std::unique_ptr<Learner> newborn() const = 0;
  /// Lets full matrices have at most so many features.
  virtual void limit_features(std::size_t /*most*/) {}
};

}  // namespace littlestone
