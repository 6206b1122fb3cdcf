#include "../mirrors.hpp"

#include "littlestone/linear/aioli.hpp"
#include "littlestone/linear/exponentiated_gradient.hpp"
#include "littlestone/linear/ftrl.hpp"
#include "littlestone/linear/vovk_azoury_warmuth.hpp"

namespace littlestone::bindings {

template <class L>
Learns<L> ftrl(ScoreLoss loss, double rate, double l1, double l2, bool normalize,
               double bias) {
  Ftrl<L> rule;
  rule.loss = loss;
  rule.rate = rate;
  rule.l1 = l1;
  rule.l2 = l2;
  rule.normalize = normalize;
  rule.constant.value = bias;
  return std::make_unique<Linear<Ftrl<L>>>(rule);
}

template <class L>
Learns<L> exponentiated_gradient(ScoreLoss loss, double rate, double scale,
                                 double bias) {
  ExponentiatedGradient<L> rule;
  rule.loss = loss;
  rule.rate = rate;
  rule.scale = scale;
  rule.constant.value = bias;
  return std::make_unique<Linear<ExponentiatedGradient<L>>>(rule);
}

Binary aioli(double a, double reach, double bias) {
  Aioli rule;
  rule.loss = {ScoreLoss::Kind::logistic};
  rule.bias = bias;
  rule.reach = reach;
  rule.matrix = std::make_shared<FullMatrix>(1.0 / a);
  return std::make_unique<Linear<Aioli>>(std::move(rule));
}

Numeric vovk_azoury_warmuth(double a, double bias) {
  VovkAzouryWarmuth rule;
  rule.loss = {ScoreLoss::Kind::square};
  rule.bias = bias;
  rule.matrix = std::make_shared<FullMatrix>(1.0 / a);
  return std::make_unique<Linear<VovkAzouryWarmuth>>(std::move(rule));
}

template Learns<bool> ftrl(ScoreLoss, double, double, double, bool, double);
template Learns<double> ftrl(ScoreLoss, double, double, double, bool, double);
template Learns<bool> exponentiated_gradient(ScoreLoss, double, double, double);
template Learns<double> exponentiated_gradient(ScoreLoss, double, double, double);

}  // namespace littlestone::bindings
