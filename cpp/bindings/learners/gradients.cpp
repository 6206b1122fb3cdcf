#include "../learners.hpp"
#include "littlestone/linear/ada_grad.hpp"
#include "littlestone/linear/coin_betting.hpp"
#include "littlestone/linear/gradient_descent.hpp"
#include "littlestone/linear/multiclass_ada_grad.hpp"

namespace littlestone::bindings {

namespace {

template <class R>
[[nodiscard]] auto made(R rule, const ScoreLoss& loss, double bias) {
  rule.loss = loss;
  rule.constant.value = bias;
  return std::make_unique<Linear<R>>(rule);
}

template <class R>
[[nodiscard]] Many many(R rule, std::size_t classes, double rate, double bias) {
  rule.known = classes;
  rule.make_room_for(classes);
  rule.rate = rate;
  rule.bias = bias;
  return std::make_unique<Linear<R>>(std::move(rule));
}

}  // namespace

Many multiclass_ada_grad(std::size_t classes, double rate, bool normalize,
                         double bias) {
  if (normalize) return many(MulticlassAdaGrad<true>{}, classes, rate, bias);
  return many(MulticlassAdaGrad<false>{}, classes, rate, bias);
}

void soften_rows(std::span<double> scores, std::size_t classes) {
  if (classes == 0) return;
  double best = 0.0;
  for (std::size_t at = 0; at + classes <= scores.size(); at += classes) {
    (void)soften(scores.subspan(at, classes), best);
  }
}

ScoreLoss score_loss(std::string_view name, double parameter) {
  using Kind = ScoreLoss::Kind;
  const Kind kind = name == "logistic"   ? Kind::logistic
                    : name == "hinge"    ? Kind::hinge
                    : name == "absolute" ? Kind::absolute
                    : name == "pinball"  ? Kind::pinball
                    : name == "huber"    ? Kind::huber
                    : name == "poisson"  ? Kind::poisson
                                         : Kind::square;
  return {kind, parameter};
}

template <class L>
Learns<L> gradient_descent(ScoreLoss loss, double rate, double bias) {
  GradientDescent<L> rule;
  rule.rate = rate;
  return made(rule, loss, bias);
}

template <class L>
Learns<L> ada_grad(ScoreLoss loss, double rate, bool normalize, double bias) {
  if (normalize) {
    AdaGrad<L, true> rule;
    rule.rate = rate;
    return made(rule, loss, bias);
  }
  AdaGrad<L, false> rule;
  rule.rate = rate;
  return made(rule, loss, bias);
}

template <class L>
Learns<L> coin_betting(ScoreLoss loss, double wealth, double scale, double bias) {
  CoinBetting<L> rule;
  rule.wealth = wealth;
  rule.scale = scale;
  rule.steepest = loss.steepest();
  return made(rule, loss, bias);
}

template Learns<bool> gradient_descent(ScoreLoss, double, double);
template Learns<double> gradient_descent(ScoreLoss, double, double);
template Learns<bool> ada_grad(ScoreLoss, double, bool, double);
template Learns<double> ada_grad(ScoreLoss, double, bool, double);
template Learns<bool> coin_betting(ScoreLoss, double, double, double);
template Learns<double> coin_betting(ScoreLoss, double, double, double);

}  // namespace littlestone::bindings
