// Feature hashing, case by case.

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "littlestone/hashing.hpp"

using namespace littlestone;

namespace {

using Row = std::vector<std::pair<std::uint32_t, double>>;
using Csr = CsrBlock<double, std::int32_t>;

Row row(const HashedBlock& block, std::size_t t) {
  Row made;
  const auto x = block.rows()[t];
  for (std::size_t k = 0; k < x.size(); ++k) made.emplace_back(x.index(k), x.value(k));
  return made;
}

void the_hash_is_fixed_for_ever() {
  // Worked in Python with whole numbers of any size.
  check(hash_of_name("") == 0x86B07C27D10D4567U, "the empty name");
  check(hash_of_name("free") == 0x55C3F7C2A3BE9236U, "a name");
  check(hash_of_name("12345678") == 0xB404D2509EB32CF9U, "eight bytes");
  check(hash_of_name("a longer name than eight") == 0x8A370EFE8FAF9954U, "24 bytes");
  check(hash_of_column(0) == 0xE220A8397B1DCDAFU, "splitmix64's first number");
  check(hash_of_column(7) != hash_of_name("7"), "a column is no name");
}

void a_name_in_pieces_has_the_hash_of_the_whole() {
  const std::string name = "namespace^feature=with a long text";
  for (std::size_t first = 0; first <= name.size(); ++first) {
    for (std::size_t second = first; second <= name.size(); ++second) {
      NameHash hash;
      hash.add(name.substr(0, first));
      hash.add(name.substr(first, second - first));
      const std::string last = name.substr(second);
      if (!last.empty() && last.size() <= 8 && last.size() <= hash.ending().room) {
        check(
            hash.ending().with(Names::packed(last), last.size()) == hash_of_name(name),
            "with a few bytes more");
      }
      hash.add(last);
      check(hash.value() == hash_of_name(name), "in three pieces");
    }
  }
}

void features_of_one_bucket_are_added_up_where_the_first_stands() {
  Hasher hasher(1);
  const std::array<std::int32_t, 2> offsets{0, 6};
  const std::array<std::int32_t, 6> columns{0, 1, 2, 3, 4, 5};
  const std::array<double, 6> values{1, 2, 4, 8, 16, 0};
  const auto made = hasher.hash(Csr{offsets, columns, values, 6}, 0, 1, {});
  Row expected;
  for (std::size_t k = 0; k < 5; ++k) {
    const auto bucket = bucket_of(hash_of_column(k), 1);
    bool found = false;
    for (auto& [at, value] : expected) {
      if (at != bucket) continue;
      value += values[k];
      found = true;
    }
    if (!found) expected.emplace_back(bucket, values[k]);
  }
  check(row(made, 0) == expected && expected.size() == 2, "two buckets");
  check(made.width == 2 && hasher.buckets() == 2, "all there are");
  check(hasher.occurrences() == 5 && hasher.collided() == 3, "a 0 is no entry");
}

void a_bad_row_stops_and_leaves_nothing_behind() {
  Hasher hasher(8);
  const std::array<std::int32_t, 4> offsets{0, 1, 3, 4};
  const std::array<std::int32_t, 4> columns{9, 3, 3, 1};
  std::array<double, 4> values{1, 1, 1, 1};
  const auto twice = hasher.hash(Csr{offsets, columns, values, 10}, 0, 3, {});
  check(twice.size() == 1 && twice.finding.fault == Fault::duplicate, "twice");
  check(twice.finding.position == 1 && hasher.occurrences() == 1, "and where");
  const auto wide = hasher.hash(Csr{offsets, columns, values, 9}, 0, 3, {});
  check(wide.size() == 0 && wide.finding.fault == Fault::beyond_width, "too wide");
  values[3] = std::numeric_limits<double>::infinity();
  const auto endless = hasher.hash(Csr{offsets, columns, values, 10}, 2, 3, {});
  check(endless.size() == 0 && endless.finding.fault == Fault::not_finite, "infinite");
  check(hasher.occurrences() == 1 && hasher.buckets() == 1, "only the first counts");
}

void a_bucket_belongs_to_the_feature_that_came_first() {
  Hasher hasher(1);
  constexpr std::uint64_t half = std::uint64_t{1} << 32U;
  const std::vector<std::uint64_t> hashes{2 * half, 4 * half, 1, 0};  // 0, 0, 1, 0
  const std::vector<std::int64_t> places(4);
  const std::vector<std::uint64_t> offsets{0, 1, 3, 5};
  const std::vector<std::uint32_t> ids{1, 0, 2, 1, 3};
  const std::vector<double> values(5, 1.0);
  const WordsBlock block{offsets, ids, values, places};
  const auto made = hasher.hash(block, 0, 3, hashes);
  check(row(made, 0) == Row{{0, 1}} && row(made, 2) == Row{{0, 2}}, "rows");
  check(hasher.collided() == 2, "the second and the fourth came too late");
  (void)hasher.hash(block, 1, 2, hashes);
  check(hasher.collided() == 3 && hasher.buckets() == 2, "from block to block");
}

}  // namespace

int main() {
  the_hash_is_fixed_for_ever();
  a_name_in_pieces_has_the_hash_of_the_whole();
  features_of_one_bucket_are_added_up_where_the_first_stands();
  a_bad_row_stops_and_leaves_nothing_behind();
  a_bucket_belongs_to_the_feature_that_came_first();
  return failures();
}
