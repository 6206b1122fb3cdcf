#include "littlestone/counting.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "border.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

void check(bool fits) {
  if (!fits) throw nb::value_error("arrays must have an entry for each row");
}

/// A truth value of NumPy may be any byte.
std::span<const std::uint8_t> bytes_of(const Vector<const bool>& truths) {
  return {reinterpret_cast<const std::uint8_t*>(truths.data()), truths.shape(0)};
}

/// The objects of an array of NumPy.
class Objects {
 public:
  explicit Objects(nb::handle array) {
    if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_FORMAT | PyBUF_STRIDES) != 0)
      throw nb::python_error();
    if (view_.ndim == 1 && std::string_view(view_.format) == "O") return;
    PyBuffer_Release(&view_);
    throw nb::type_error("labels must be an array of objects");
  }
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
  ~Objects() { PyBuffer_Release(&view_); }

  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(view_.shape[0]);
  }
  /// One of them, held, as a comparison may run code that changes the array.
  [[nodiscard]] nb::object operator[](std::size_t at) const {
    PyObject* item = nullptr;
    std::memcpy(&item,
                static_cast<const char*>(view_.buf) +
                    static_cast<Py_ssize_t>(at) * view_.strides[0],
                sizeof item);
    return nb::borrow(item == nullptr ? Py_None : item);
  }

 private:
  Py_buffer view_{};
};

std::size_t differing_truths(Vector<const bool> a, Vector<const bool> b,
                             Vector<std::int64_t> out) {
  check(a.shape(0) == b.shape(0) && out.shape(0) >= a.shape(0));
  return differing(bytes_of(a), bytes_of(b).data(), out.data());
}

std::size_t differing_numbers(Vector<const double> a, Vector<const double> b,
                              Vector<std::int64_t> out) {
  check(a.shape(0) == b.shape(0) && out.shape(0) >= a.shape(0));
  return differing(as_span(a), b.data(), out.data());
}

std::size_t differing_objects(nb::handle a, nb::handle b, Vector<std::int64_t> out) {
  const Objects left(a);
  const Objects right(b);
  check(left.size() == right.size() && out.shape(0) >= left.size());
  std::size_t found = 0;
  for (std::size_t at = 0; at < left.size(); ++at) {
    const nb::object one = left[at];
    const nb::object other = right[at];
    const int equal = PyObject_RichCompareBool(one.ptr(), other.ptr(), Py_EQ);
    if (equal < 0) throw nb::python_error();
    if (equal == 0) out(found++) = static_cast<std::int64_t>(at);
  }
  return found;
}

/// Writes which objects are None, and returns how many.
std::size_t missing(nb::handle labels, Vector<bool> out) {
  const Objects objects(labels);
  check(out.shape(0) == objects.size());
  std::size_t found = 0;
  for (std::size_t at = 0; at < objects.size(); ++at) {
    out(at) = objects[at].is_none();
    found += out(at) ? 1 : 0;
  }
  return found;
}

/// Counts labels, and returns how many of those at the positions in `wrong` are yes.
std::size_t add_labels(Vector<const bool> labels, Vector<const std::int64_t> wrong,
                       Vector<std::int64_t> counts) {
  check(counts.shape(0) == 3);
  const auto told = bytes_of(labels);
  std::size_t missed = 0;
  for (const std::int64_t at : as_span(wrong)) {
    check(at >= 0 && std::cmp_less(at, told.size()));
    missed += told[static_cast<std::size_t>(at)] != 0 ? 1 : 0;
  }
  LabelCount count{counts(0), counts(1), counts(2)};
  count.add(told);
  counts(0) = count.no, counts(1) = count.yes, counts(2) = count.ties;
  return missed;
}

/// Numbers objects by a dict, to which those that it does not have are added.
void number(nb::handle labels, nb::typed<nb::dict, nb::object, std::int64_t> numbers,
            Vector<std::int64_t> out) {
  const Objects objects(labels);
  check(out.shape(0) == objects.size());
  // The same few objects come again and again; each is held while it is here.
  struct Seen {
    nb::object label{};
    std::int64_t number = 0;
  };
  std::array<Seen, 256> seen;
  for (std::size_t at = 0; at < objects.size(); ++at) {
    nb::object label = objects[at];
    const auto address = reinterpret_cast<std::uintptr_t>(label.ptr());
    Seen& last = seen[(address >> 4U ^ address >> 12U) % seen.size()];
    if (last.label.ptr() != label.ptr()) {
      PyObject* known = PyDict_GetItemWithError(numbers.ptr(), label.ptr());
      if (known == nullptr) {
        if (PyErr_Occurred() != nullptr) throw nb::python_error();
        const nb::object next = nb::cast(numbers.size());
        if (PyDict_SetItem(numbers.ptr(), label.ptr(), next.ptr()) != 0)
          throw nb::python_error();
        known = next.ptr();
      }
      last.number = nb::cast<std::int64_t>(nb::handle(known));
      last.label = std::move(label);
    }
    out(at) = last.number;
  }
}

std::tuple<std::size_t, std::int64_t, std::vector<std::size_t>> add_classes(
    Vector<const std::int64_t> labels, Vector<std::int64_t> rounds,
    std::size_t leader) {
  const auto all = as_span(labels);
  check(leader < rounds.shape(0) && std::ranges::all_of(
                                        all,
                                        [&](std::int64_t label) {
                                          return label >= 0 &&
                                                 std::cmp_less(label, rounds.shape(0));
                                        }));
  ClassCount count{as_span(rounds), leader};
  count.add(all);
  return {count.leader, count.baseline, std::move(count.met)};
}

void add_errors_of(Vector<const double> outcomes, Vector<const double> said,
                   Vector<double> sums, std::optional<Vector<const double>> weights) {
  check(outcomes.shape(0) == said.shape(0) && sums.shape(0) == 7 &&
        (!weights || weights->shape(0) == said.shape(0)));
  add_errors(as_span(outcomes), said.data(), sums.data(),
             weights ? weights->data() : nullptr);
}

void add_chances_of(Vector<const bool> labels, Vector<const double> losses,
                    Vector<double> sums, Matrix<double> bins,
                    std::optional<Vector<const double>> weights) {
  check(labels.shape(0) == losses.shape(0) && sums.shape(0) == 3 &&
        bins.shape(0) == 3 && bins.shape(1) == chance_bins &&
        (!weights || weights->shape(0) == losses.shape(0)));
  add_chances(bytes_of(labels), losses.data(), sums.data(), bins.data(),
              weights ? weights->data() : nullptr);
}

double sum_through_of(double sum, Vector<const double> terms,
                      Vector<const std::int64_t> ends, Vector<double> out) {
  check(out.shape(0) == ends.shape(0) &&
        std::ranges::all_of(as_span(ends), [&](std::int64_t end) {
          return std::cmp_less_equal(end, terms.shape(0));
        }));
  return sum_through(sum, as_span(terms), as_span(ends), out.data());
}

}  // namespace

void bind_counting(nb::module_& m) {
  const char* const differ = "Write where two arrays differ, and return how often.";
  m.def("differing", &differing_truths, "a"_a.noconvert(), "b"_a.noconvert(),
        "out"_a.noconvert(), differ);
  m.def("differing", &differing_numbers, "a"_a.noconvert(), "b"_a.noconvert(),
        "out"_a.noconvert(), differ);
  m.def("differing", &differing_objects, "a"_a, "b"_a, "out"_a.noconvert(), differ);
  m.def(
      "changes", [](Vector<const bool> labels) { return changes(bytes_of(labels)); },
      "labels"_a.noconvert(), "Count how often a label differs from the one before.");
  m.def("missing", &missing, "labels"_a, "out"_a.noconvert(),
        "Write which objects are None, and return how many.");
  m.def("add_labels", &add_labels, "labels"_a.noconvert(), "wrong"_a.noconvert(),
        "counts"_a.noconvert(),
        "Count labels: no, yes, and no when there had been as many of each; return how "
        "often yes was wrong.");
  m.def("number_objects", &number, "labels"_a, "numbers"_a, "out"_a.noconvert(),
        "Write the number that a dict has for each label; new labels are added to it.");
  m.def("add_classes", &add_classes, "labels"_a.noconvert(), "rounds"_a.noconvert(),
        "leader"_a,
        "Count classes; return the commonest, how often it was not the label before, "
        "and the classes that are new.");
  m.def("add_errors", &add_errors_of, "outcomes"_a.noconvert(), "said"_a.noconvert(),
        "sums"_a.noconvert(), "weights"_a.noconvert().none() = nb::none(),
        "Add rounds, errors, sizes, squares, outcomes above the first, squares, it.");
  m.def("add_chances", &add_chances_of, "labels"_a.noconvert(), "losses"_a.noconvert(),
        "sums"_a.noconvert(), "bins"_a.noconvert(),
        "weights"_a.noconvert().none() = nb::none(),
        "Add rounds, log losses and Brier scores, and the same by tenths.");
  m.def("sum_through", &sum_through_of, "sum"_a, "terms"_a.noconvert(),
        "ends"_a.noconvert(), "out"_a.noconvert(),
        "Add terms one by one; write the sum at some ends, and return the last.");
}

}  // namespace littlestone::bindings
