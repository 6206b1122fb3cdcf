#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"
#include "littlestone/counting.hpp"

using namespace littlestone;

namespace {

std::mt19937_64 random_bits(7);

/// Truth values of which about one in `rare` is true; true may be any other byte.
std::vector<std::uint8_t> truths(std::size_t size, std::uint64_t rare) {
  std::vector<std::uint8_t> drawn(size);
  for (auto& truth : drawn) {
    const auto byte = static_cast<std::uint8_t>(1 + random_bits() % 255);
    truth = random_bits() % rare == 0 ? byte : std::uint8_t{0};
  }
  return drawn;
}

/// Where arrays differ, found one by one.
template <class T, class Differ>
bool finds(const std::vector<T>& a, const std::vector<T>& b, Differ differ) {
  std::vector<std::int64_t> wanted;
  for (std::size_t at = 0; at < a.size(); ++at)
    if (differ(a[at], b[at])) wanted.push_back(static_cast<std::int64_t>(at));
  std::vector<std::int64_t> found(a.size() + 1);
  found.resize(differing(std::span<const T>(a), b.data(), found.data()));
  return found == wanted;
}

void differences() {
  for (std::size_t size = 0; size < 140; ++size) {
    const auto told = truths(size, 2);
    check(finds(told, truths(size, 2),
                [](auto a, auto b) { return (a != 0) != (b != 0); }),
          "bytes that mean the same do not differ");
    std::size_t wanted = 0;
    for (std::size_t at = 1; at < size; ++at)
      wanted += (told[at] != 0) != (told[at - 1] != 0) ? 1 : 0;
    check(changes(std::span<const std::uint8_t>(told)) == wanted,
          "labels that change are counted as one by one");
    std::vector<double> a(size), b(size);
    for (std::size_t at = 0; at < size; ++at) {
      a[at] = random_bits() % 4 == 0 ? std::nan("") : static_cast<double>(at);
      b[at] = random_bits() % 4 == 0 ? -1.0 : a[at];
    }
    check(finds(a, b, [](double x, double y) { return x != y; }),
          "numbers that are equal do not differ, and NaN does");
  }
}

void labels() {
  for (const std::uint64_t rare : {1, 2, 3, 1000}) {
    const auto told = truths(1500, rare);
    LabelCount whole, one, parts;
    whole.add(std::span<const std::uint8_t>(told));
    for (const auto label : told) {
      one.ties += label == 0 && one.no == one.yes ? 1 : 0;
      ++(label != 0 ? one.yes : one.no);
    }
    for (std::size_t at = 0; at < told.size(); at += 37) {
      parts.add(
          std::span(told).subspan(at, std::min<std::size_t>(37, told.size() - at)));
    }
    check(whole.no == one.no && whole.yes == one.yes && whole.ties == one.ties,
          "labels are counted as one by one");
    check(parts.no == one.no && parts.yes == one.yes && parts.ties == one.ties,
          "it does not matter where blocks end");
  }
  LabelCount count;
  const std::vector<std::uint8_t> told{0, 1, 1, 0, 0, 0};
  count.add(std::span<const std::uint8_t>(told));
  check(count.no == 4 && count.yes == 2 && count.ties == 2, "ties, counted by hand");
}

void classes() {
  std::vector<std::int64_t> rounds(4);
  ClassCount count{rounds};
  const std::vector<std::int64_t> told{2, 2, 1, 1, 1, 3, 1};
  count.add(told);
  // The commonest so far: none, 2, 2, 2, 2 (of equals the earlier), 1, 1.
  check(count.baseline == 5 && count.leader == 1, "the commonest class so far");
  check(count.met == std::vector<std::size_t>{2, 1, 3}, "classes in order");
  check(rounds == std::vector<std::int64_t>{0, 4, 2, 1}, "classes are counted");
}

void sums() {
  const std::vector<double> terms{0.1, 0.2, 0.3, 0.4};
  const std::vector<std::int64_t> ends{0, 1, 3};
  std::vector<double> out(3);
  const double sum = sum_through(0.5, terms, ends, out.data());
  check(out == std::vector<double>{0.5, 0.5 + 0.1, 0.5 + 0.1 + 0.2 + 0.3},
        "sums at the ends");
  check(sum == 0.5 + 0.1 + 0.2 + 0.3 + 0.4, "terms are added in order");

  double errors[7] = {};
  const std::vector<double> outcomes{1.0, -2.0}, said{3.0, -2.5};
  add_errors(outcomes, said.data(), errors);
  check(errors[0] == 2 && errors[1] == 1.5 && errors[2] == 2.5 && errors[3] == 4.25 &&
            errors[4] == -3 && errors[5] == 9 && errors[6] == 1,
        "errors, counted by hand");

  const std::vector<double> weights{0.5, 2.0};
  double weighed[7] = {};
  add_errors(outcomes, said.data(), weighed, weights.data());
  check(weighed[0] == 2.5 && weighed[1] == 0 && weighed[2] == 2 && weighed[3] == 2.5 &&
            weighed[4] == -6 && weighed[5] == 18 && weighed[6] == 1,
        "errors by weight");
  add_errors(outcomes, said.data(), weighed, weights.data());
  check(weighed[5] == 36 && weighed[6] == 1, "the first outcome stays the first");

  double three[3] = {}, bins[3 * chance_bins] = {};
  const std::vector<std::uint8_t> told{1, 0, 1};
  const std::vector<double> losses{std::log(4.0), 0.0, 2000.0};
  add_chances(told, losses.data(), three, bins);
  check(three[0] == 3 && std::abs(three[2] - (0.75 * 0.75 + 1.0)) < 1e-12,
        "Brier scores, by hand");
  check(bins[2] == 1 && std::abs(bins[chance_bins + 2] - 0.25) < 1e-12, "a quarter");
  const std::vector<double> counts{2.0, 0.5, 1.5};
  double by_weight[3] = {}, tenths[3 * chance_bins] = {};
  add_chances(told, losses.data(), by_weight, tenths, counts.data());
  check(by_weight[0] == 4 && by_weight[1] == 2.0 * std::log(4.0) + 1.5 * 2000.0 &&
            tenths[2] == 2.0 && tenths[0] == 2.0 && tenths[2 * chance_bins] == 1.5,
        "chances by weight");
  check(bins[0] == 2 && bins[2 * chance_bins] == 1, "a sure no, and a missed yes");
}

}  // namespace

int main() {
  differences();
  labels();
  classes();
  sums();
  return failures();
}
