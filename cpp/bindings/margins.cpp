#include "littlestone/linear/margins.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>  // std::all_of
#include <array>
#include <bit>       // std::bit_cast
#include <charconv>  // std::to_chars
#include <cstdint>
#include <cstdlib>  // std::abs
#include <tuple>
#include <vector>

#include "border.hpp"
#include "rows.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

using Doubles = Vector<const double>;
using Answer = std::tuple<double, double, std::size_t, bool>;

/// Rows whose columns are all below the width.
[[nodiscard]] Signed checked(const Vector<const std::int64_t>& offsets,
                             const Vector<const std::int32_t>& columns,
                             const Doubles& values, std::span<const double> signs,
                             std::size_t width) {
  const auto starts = as_span(offsets);
  check_offsets(starts, starts.size() == signs.size() + 1 && starts.front() == 0 &&
                            columns.shape(0) == values.shape(0) &&
                            static_cast<std::size_t>(starts.back()) == values.shape(0));
  const auto inside = [=](std::int32_t column) {
    return column >= 0 && static_cast<std::size_t>(column) < width;
  };
  const auto places = as_span(columns);
  if (!std::all_of(places.begin(), places.end(), inside)) {
    throw nb::value_error("a column must be below the width");
  }
  return {starts, places, as_span(values), signs, width};
}

void same_length(bool same) {
  if (!same) throw nb::value_error("arrays must have the same length");
}

template <class Examples>
Answer descend(const Examples& examples, Price price, const Vector<double>& duals,
               const Vector<double>& v, const Effort& effort, Levels each = {}) {
  same_length(duals.shape(0) == examples.size());
  const nb::gil_scoped_release release;
  const Found found =
      Descent<Examples>(examples, price, as_span(duals), as_span(v), each).run(effort);
  return {found.below, found.above, found.passes, found.close};
}

Answer find_margin(const Vector<const std::int64_t>& offsets,
                   const Vector<const std::int32_t>& columns, const Doubles& values,
                   const Doubles& signs, const Vector<double>& duals,
                   const Vector<double>& v, double cap, double ridge, double tolerance,
                   double work, double least, double useful, std::uint64_t seed) {
  return descend(checked(offsets, columns, values, as_span(signs), v.shape(0)),
                 {cap, ridge}, duals, v, {tolerance, work, least, seed, useful});
}

Answer find_level_margin(const Vector<const std::int64_t>& offsets,
                         const Vector<const std::int32_t>& columns,
                         const Doubles& values, const Doubles& signs,
                         const Doubles& caps, const Doubles& levels,
                         const Vector<double>& duals, const Vector<double>& v,
                         double tolerance, double work, std::uint64_t seed) {
  same_length(caps.shape(0) == signs.shape(0) && levels.shape(0) == signs.shape(0));
  return descend(checked(offsets, columns, values, as_span(signs), v.shape(0)), {1.0},
                 duals, v, {tolerance, work, 0.0, seed},
                 {as_span(caps), as_span(levels)});
}

Answer find_gram_margin(const Matrix<const double>& products, const Doubles& signs,
                        const Vector<double>& duals, const Vector<double>& scores,
                        double cap, double ridge, double tolerance, double work,
                        double least, std::uint64_t seed) {
  const SignedGram examples{{products.data(), products.size()}, as_span(signs)};
  same_length(products.shape(0) == signs.shape(0) &&
              products.shape(1) == signs.shape(0) && scores.shape(0) == signs.shape(0));
  return descend(examples, {cap, ridge}, duals, scores, {tolerance, work, least, seed});
}

void score_bounds(const Vector<const std::int64_t>& offsets,
                  const Vector<const std::int32_t>& columns, const Doubles& values,
                  const Doubles& v, const Vector<double>& low,
                  const Vector<double>& high) {
  same_length(low.shape(0) == high.shape(0));
  const Signed rows = checked(offsets, columns, values, as_span(low), v.shape(0));
  const nb::gil_scoped_release release;
  scores(rows, as_span(v), as_span(low), as_span(high));
}

void square_bounds(const Vector<const std::int64_t>& offsets,
                   const Vector<const std::int32_t>& columns, const Doubles& values,
                   std::size_t width, const Vector<double>& high) {
  const Signed rows = checked(offsets, columns, values, as_span(high), width);
  const nb::gil_scoped_release release;
  squares(rows, as_span(high));
}

void replay_steps_of(const Vector<const std::int64_t>& offsets,
                     const Vector<const std::int32_t>& columns, const Doubles& values,
                     const Doubles& signs, const Vector<double>& v, double cap,
                     double ridge, const Vector<double>& steps,
                     const Vector<double>& gains) {
  const Signed rows = checked(offsets, columns, values, as_span(signs), v.shape(0));
  same_length(steps.shape(0) == rows.size() && gains.shape(0) == rows.size());
  const nb::gil_scoped_release release;
  replay_steps(rows, {cap, ridge}, as_span(steps), as_span(gains), as_span(v));
}

void replay_means_of(const Vector<const std::int64_t>& offsets,
                     const Vector<const std::int32_t>& columns, const Doubles& values,
                     const Doubles& signs, double r, const Vector<double>& means,
                     const Vector<double>& ones, const Vector<double>& twos,
                     const Vector<double>& steps, const Vector<double>& gains) {
  const std::size_t width = means.shape(0);
  const Signed rows = checked(offsets, columns, values, as_span(signs), width);
  same_length(ones.shape(0) == width && twos.shape(0) == width &&
              steps.shape(0) == rows.size() && gains.shape(0) == rows.size());
  const nb::gil_scoped_release release;
  replay_means(rows, r, {as_span(means), as_span(ones), as_span(twos)}, as_span(steps),
               as_span(gains));
}

/// A number as Python's `float.hex` writes it.
nb::str hexadecimal(double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number);
  const auto raised = static_cast<int>(bits >> 52U & 0x7FFU);
  // 0, the tiniest numbers and what is not finite have other forms.
  if (raised == 0 || raised == 0x7FF) return nb::str(nb::float_(number).attr("hex")());
  std::array<char, 32> text{"-0x1."};
  for (unsigned digit = 0; digit < 13; ++digit) {
    text[5 + digit] = "0123456789abcdef"[bits >> (48U - 4U * digit) & 0xFU];
  }
  const int exponent = raised - 1023;
  text[18] = 'p';
  text[19] = exponent < 0 ? '-' : '+';
  const char* const end =
      std::to_chars(text.data() + 20, text.data() + text.size(), std::abs(exponent))
          .ptr;
  const char* const begin = text.data() + (number < 0 ? 0 : 1);
  return nb::str(begin, static_cast<std::size_t>(end - begin));
}

nb::typed<nb::list, nb::str> hexadecimals(const Doubles& numbers) {
  nb::list texts;
  for (const double number : as_span(numbers)) texts.append(hexadecimal(number));
  return texts;
}

void scale_by_length(const Vector<const std::int64_t>& offsets, const Doubles& values,
                     const Vector<double>& scaled) {
  const auto starts = as_span(offsets);
  check_offsets(starts, !starts.empty() && starts.front() == 0 &&
                            static_cast<std::size_t>(starts.back()) == values.shape(0));
  same_length(scaled.shape(0) == values.shape(0));
  // The signs do not matter here, but there must be one for each row.
  const std::vector<double> signs(starts.size() - 1);
  scale_rows({starts, {}, as_span(values), signs, 0}, as_span(scaled));
}

}  // namespace

void bind_margins(nb::module_& m) {
  m.def("find_margin", &find_margin, "offsets"_a.noconvert(), "columns"_a.noconvert(),
        "values"_a.noconvert(), "signs"_a.noconvert(), "duals"_a.noconvert(),
        "v"_a.noconvert(), nb::kw_only(), "cap"_a, "ridge"_a, "tolerance"_a, "work"_a,
        "least"_a = 0.0, "useful"_a = 0.0, "seed"_a = 0,
        "Minimize |v|^2/2 plus losses; return bounds on the minimum, the passes, and "
        "whether it is close.");
  m.def("find_level_margin", &find_level_margin, "offsets"_a.noconvert(),
        "columns"_a.noconvert(), "values"_a.noconvert(), "signs"_a.noconvert(),
        "caps"_a.noconvert(), "levels"_a.noconvert(), "duals"_a.noconvert(),
        "v"_a.noconvert(), nb::kw_only(), "tolerance"_a, "work"_a, "seed"_a = 0,
        "The same with a price and a level to reach for each row.");
  m.def("find_gram_margin", &find_gram_margin, "products"_a.noconvert(),
        "signs"_a.noconvert(), "duals"_a.noconvert(), "scores"_a.noconvert(),
        nb::kw_only(), "cap"_a, "ridge"_a, "tolerance"_a, "work"_a, "least"_a = 0.0,
        "seed"_a = 0, "The same if only inner products are known.");
  m.def(
      "best_scale",
      [](const Doubles& margins, double radius, bool squares) {
        return best_scale(as_span(margins), radius, squares);
      },
      "margins"_a.noconvert(), "radius"_a, "squares"_a,
      "The scale of a direction that minimizes the sum of length and losses.");
  m.def("score_bounds", &score_bounds, "offsets"_a.noconvert(), "columns"_a.noconvert(),
        "values"_a.noconvert(), "v"_a.noconvert(), "low"_a.noconvert(),
        "high"_a.noconvert(),
        "Write lower and upper bounds on the exact x.v of each row.");
  m.def("square_bounds", &square_bounds, "offsets"_a.noconvert(),
        "columns"_a.noconvert(), "values"_a.noconvert(), "width"_a,
        "high"_a.noconvert(), "Write upper bounds on the exact x.x of each row.");
  m.def("scale_by_length", &scale_by_length, "offsets"_a.noconvert(),
        "values"_a.noconvert(), "scaled"_a.noconvert(),
        "Write each row divided by its length; zero rows do not change.");
  m.def("replay_steps", &replay_steps_of, "offsets"_a.noconvert(),
        "columns"_a.noconvert(), "values"_a.noconvert(), "signs"_a.noconvert(),
        "v"_a.noconvert(), nb::kw_only(), "cap"_a, "ridge"_a, "steps"_a.noconvert(),
        "gains"_a.noconvert(),
        "Write the steps of a passive-aggressive learner, and what each gained.");
  m.def("replay_means", &replay_means_of, "offsets"_a.noconvert(),
        "columns"_a.noconvert(), "values"_a.noconvert(), "signs"_a.noconvert(),
        nb::kw_only(), "r"_a, "means"_a.noconvert(), "ones"_a.noconvert(),
        "twos"_a.noconvert(), "steps"_a.noconvert(), "gains"_a.noconvert(),
        "Write where the mean of AROW went, its steps, and what each gained.");
  m.def("hexadecimals", &hexadecimals, "numbers"_a.noconvert(),
        "Write numbers as `float.hex` does.");
}

}  // namespace littlestone::bindings
