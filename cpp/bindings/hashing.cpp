#include "littlestone/hashing.hpp"

#include <nanobind/stl/vector.h>

#include <cstdint>
#include <numeric>  // std::iota
#include <string_view>
#include <utility>
#include <vector>

#include "border.hpp"
#include "rows.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

/// The hash of a feature known by its name or column number.
[[nodiscard]] std::uint64_t hash_of(nb::handle feature) {
  if (PyUnicode_Check(feature.ptr())) {
    return hash_of_name(checked_name(feature.ptr(), Owner()));
  }
  const auto column = column_of_object(feature.ptr());
  if (!column) Owner().refuse_feature("feature", feature);
  return hash_of_column(*column);
}

HashedBlock hash_rows(Hasher& self, const Rows& rows, std::size_t first,
                      std::size_t last) {
  rows.check_range(first, last, rows.size());
  std::vector<std::uint64_t> hashes;
  for (const nb::handle name : rows.names) hashes.push_back(hash_of(name));
  return rows.visit([&](const auto& block) {
    const nb::gil_scoped_release release;
    rows.each_word(
        [&](std::string_view name) { hashes.push_back(hash_of_name(name)); });
    return self.hash(block, first, last, hashes);
  });
}

HashedBlock hash_example(Hasher& self, const nb::list& features,
                         const std::vector<double>& values) {
  if (features.size() != values.size()) {
    throw nb::value_error("there must be one value for each feature");
  }
  std::vector<std::uint64_t> hashes;
  for (const nb::handle feature : features) hashes.push_back(hash_of(feature));
  std::vector<std::uint32_t> ids(values.size());
  std::iota(ids.begin(), ids.end(), 0U);
  const std::vector<std::uint64_t> offsets{0, values.size()};
  const std::vector<std::int64_t> places(values.size());
  return self.hash(WordsBlock{offsets, ids, values, places}, 0, 1, hashes);
}

}  // namespace

void bind_hashing(nb::module_& m) {
  nb::class_<HashedBlock>(m, "HashedBlock", "Rows whose features are buckets.")
      .def("__len__", &HashedBlock::size)
      .def(
          "rows",
          [](nb::handle self) {
            return Rows{nb::cast<HashedBlock&>(self).rows(), {}, nb::borrow(self)};
          },
          "The rows, borrowed.")
      .def_prop_ro(
          "fault",
          [](const HashedBlock& self) -> nb::object {
            const Fault fault = self.finding.fault;
            const std::size_t position = self.finding.position;
            if (fault == Fault::none) return nb::none();
            const char* const kind = fault == Fault::duplicate      ? "duplicate"
                                     : fault == Fault::beyond_width ? "width"
                                                                    : "finite";
            return nb::make_tuple(kind, position);
          },
          nb::sig("def fault(self) -> tuple[str, int] | None"),
          "The fault that stopped the hashing, in the row after the last: its kind and "
          "position.");

  nb::class_<Hasher>(m, "Hasher", "Hashes features to buckets, and counts collisions.")
      .def(
          "__init__",
          [](Hasher* self, unsigned bits) {
            if (bits < 1 || bits > Hasher::most_bits)
              throw nb::value_error("bits must be from 1 to 24");
            new (self) Hasher(bits);
          },
          "bits"_a)
      .def("hash", &hash_rows, "rows"_a, "first"_a, "last"_a,
           "Hash rows [first, last), up to the first bad one.")
      .def("hash_one", &hash_example, "features"_a, "values"_a,
           nb::sig("def hash_one(self, features: list[typing.Any], "
                   "values: list[float]) -> HashedBlock"),
           "Hash one example, given by its features and their values.")
      .def_prop_ro("buckets", &Hasher::buckets)
      .def_prop_ro("occurrences", &Hasher::occurrences)
      .def_prop_ro("collided", &Hasher::collided);

  m.def(
      "bucket",
      [](nb::handle feature, unsigned bits) {
        if (bits < 1 || bits > Hasher::most_bits)
          throw nb::value_error("bits must be from 1 to 24");
        return bucket_of(hash_of(feature), bits);
      },
      "feature"_a, "bits"_a, "The column of a hashed feature.");
}

}  // namespace littlestone::bindings
