// Makes the linear learners from their parameters, which Python has checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "littlestone/linear/class_blocks.hpp"
#include "littlestone/linear/learner.hpp"
#include "littlestone/linear/score_loss.hpp"

namespace littlestone::bindings {

using Binary = std::unique_ptr<LinearLearner<bool>>;
using Many = std::unique_ptr<LinearLearner<ClassId>>;
using Blocks = std::unique_ptr<ClassBlocks>;
using Numeric = std::unique_ptr<LinearLearner<double>>;

[[nodiscard]] Binary perceptron(bool on_margin, bool normalize, bool strict,
                                double bias);
[[nodiscard]] Binary averaged_perceptron(double bias);
[[nodiscard]] Binary voted_perceptron(double bias);
[[nodiscard]] Binary kernel_perceptron(std::string_view kernel, double gamma,
                                       double offset, std::uint32_t degree,
                                       bool on_margin,
                                       std::optional<std::size_t> budget,
                                       std::uint64_t seed);
[[nodiscard]] Binary passive_aggressive(std::string_view mode, double c, double bias);
[[nodiscard]] Binary second_order_perceptron(double r, bool diagonal, double bias);
[[nodiscard]] Binary arow(double r, bool diagonal, double bias);
/// A second-order Perceptron or AROW for each of many classes.
[[nodiscard]] Blocks second_order_blocks(double r, bool diagonal, double bias);
[[nodiscard]] Blocks arow_blocks(double r, bool diagonal, double bias);
[[nodiscard]] Binary winnow(double threshold, double promotion, double log_promotion,
                            bool eliminate);
[[nodiscard]] Binary balanced_winnow(double rate, double scale, double bias);
[[nodiscard]] Many multiclass_perceptron(std::size_t classes, double bias);
[[nodiscard]] Many multiclass_passive_aggressive(std::size_t classes,
                                                 std::string_view mode, double c,
                                                 double bias);
[[nodiscard]] Many multiclass_ada_grad(std::size_t classes, double rate, bool normalize,
                                       double bias);
/// Turns the scores of classes, a row an example, into probabilities.
void soften_rows(std::span<double> scores, std::size_t classes);

/// The loss of a name, which Python has checked.
[[nodiscard]] ScoreLoss score_loss(std::string_view name, double parameter);
template <class L>
using Learns = std::unique_ptr<LinearLearner<L>>;
template <class L>
[[nodiscard]] Learns<L> gradient_descent(ScoreLoss loss, double rate, double bias);
template <class L>
[[nodiscard]] Learns<L> ada_grad(ScoreLoss loss, double rate, bool normalize,
                                 double bias);
template <class L>
[[nodiscard]] Learns<L> coin_betting(ScoreLoss loss, double wealth, double scale,
                                     double bias);

}  // namespace littlestone::bindings
