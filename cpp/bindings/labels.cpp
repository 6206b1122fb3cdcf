#include <cstdint>
#include <type_traits>
#include <vector>

#include "border.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

[[noreturn]] void refuse_label(std::size_t row, nb::object value) {
  nb::dict facts;
  facts["row"] = row;
  facts["value"] = std::move(value);
  refuse("label", facts);
}

/// Refuses a stream that writes no as 0 and as -1, at the first row of the second kind.
void check_alphabet(const Alphabet& alphabet) {
  if (alphabet.first_zero == Alphabet::never ||
      alphabet.first_minus == Alphabet::never) {
    return;
  }
  nb::dict facts;
  facts["row"] = std::max(alphabet.first_zero, alphabet.first_minus);
  facts["value"] = alphabet.first_zero > alphabet.first_minus ? 0 : -1;
  refuse("alphabet", facts);
}

template <class T>
void convert(Vector<const T> labels, Vector<bool> out) {
  if (out.shape(0) != labels.shape(0))
    throw nb::value_error("arrays must have the same length");
  // Nearly all arrays pass this loop, which has no branches; for the others a second
  // loop finds what is wrong and where.
  bool zero = false;
  bool minus = false;
  bool other = false;
  // A truth value of NumPy may be any byte.
  using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  const auto* const from = reinterpret_cast<const Stored*>(labels.data());
  bool* const to = out.data();
  for (std::size_t row = 0; row < labels.shape(0); ++row) {
    const T y = static_cast<T>(from[row]);
    to[row] = is_yes(y);
    zero |= is_zero(y);
    minus |= is_minus(y);
    other |= !(is_yes(y) | is_zero(y) | is_minus(y));
  }
  if (!other && !(zero && minus)) return;
  Alphabet alphabet;
  for (std::size_t row = 0; row < labels.shape(0); ++row) {
    const Label label = label_of(labels(row));
    if (label == Label::other) refuse_label(row, nb::cast(labels(row)));
    alphabet.meet(label, row);
  }
  check_alphabet(alphabet);
}

void convert_objects(const nb::typed<nb::list, nb::object>& labels, Vector<bool> out) {
  if (out.shape(0) != labels.size())
    throw nb::value_error("arrays must have the same length");
  Alphabet alphabet;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const nb::object y = labels[row];
    const Label label = label_of_object(y);
    if (label == Label::other) refuse_label(row, y);
    alphabet.meet(label, row);
    out(row) = label == Label::yes;
  }
  check_alphabet(alphabet);
}

template <class... T>
void bind_each(nb::module_& m) {
  (m.def("labels", convert<T>, "labels"_a.noconvert(), "out"_a.noconvert(),
         "Write the truth value of each label into out."),
   ...);
}

}  // namespace

void bind_labels(nb::module_& m) {
  m.def("label", &checked_label, "y"_a.none(), "The truth value of one label.");
  bind_each<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
            std::uint32_t, std::int64_t, std::uint64_t, float, double>(m);
  m.def("labels", &convert_objects, "labels"_a, "out"_a.noconvert(),
        "Write the truth value of each label into out.");
}

}  // namespace littlestone::bindings
