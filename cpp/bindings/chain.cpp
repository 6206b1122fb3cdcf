#include "littlestone/chain.hpp"

#include "border.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

[[nodiscard]] std::string_view bytes_view(nb::handle given) {
  char* text = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(given.ptr(), &text, &size) != 0) throw nb::python_error();
  return {text, static_cast<std::size_t>(size)};
}

[[nodiscard]] std::string_view text_view(nb::handle given) {
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(given.ptr(), &size);
  if (text == nullptr) throw nb::python_error();
  return {text, static_cast<std::size_t>(size)};
}

/// The digest of a row's body: kept if the body was forgotten, and nothing if the row
/// has both or none.
[[nodiscard]] std::optional<ShaDigest> digest_of(nb::handle body, nb::handle salt,
                                                 nb::handle kept) {
  if (body.is_none() == kept.is_none()) return std::nullopt;
  if (!body.is_none())
    return body_digest(salt.is_none() ? std::string_view() : bytes_view(salt),
                       bytes_view(body));
  const std::string_view given = bytes_view(kept);
  ShaDigest digest;
  if (given.size() != digest.size()) return std::nullopt;
  std::memcpy(digest.data(), given.data(), digest.size());
  return digest;
}

constexpr std::size_t columns = 8;  // before the hash

/// The hashes of rows, each from the one before.
class Hashes {
 public:
  explicit Hashes(const nb::bytes& before) {
    if (before.size() != last_.size())
      throw nb::value_error("the hash before must have 32 bytes");
    std::memcpy(last_.data(), before.c_str(), last_.size());
  }

  /// That of the next row; nothing if its body has no digest.
  [[nodiscard]] std::optional<std::string_view> next(const nb::tuple& row) {
    if (row.size() < columns) throw nb::value_error("a row must have 8 columns");
    const auto digest = digest_of(row[4], row[5], row[6]);
    if (!digest) return std::nullopt;
    std::optional<std::string_view> id;
    if (!row[2].is_none()) id = text_view(row[2]);
    last_ = chain_.next(view(last_), view(*digest),
                        {nb::cast<std::int64_t>(row[0]), text_view(row[1]), id,
                         nb::cast<std::int64_t>(row[3]), text_view(row[7])});
    return view(last_);
  }

 private:
  Chain chain_;
  ShaDigest last_;
};

[[nodiscard]] nb::list chain(const nb::bytes& before, const nb::list& rows) {
  nb::list made;
  Hashes hashes(before);
  for (const nb::handle row : rows) {
    const auto hash = hashes.next(nb::cast<nb::tuple>(row));
    if (!hash) {
      made.append(nb::none());
      break;
    }
    made.append(nb::bytes(hash->data(), hash->size()));
  }
  return made;
}

[[nodiscard]] std::size_t follows(std::int64_t seq, std::int64_t at,
                                  const nb::bytes& before, const nb::list& rows) {
  Hashes hashes(before);
  std::size_t count = 0;
  const auto is_bytes = [](nb::handle given) {
    return given.is_none() || PyBytes_Check(given.ptr());
  };
  for (const nb::handle each : rows) {
    const auto row = nb::cast<nb::tuple>(each);
    if (row.size() != columns + 1 || nb::cast<std::int64_t>(row[0]) != ++seq ||
        nb::cast<std::int64_t>(row[3]) < at || !is_bytes(row[5]) || !is_bytes(row[6]) ||
        hashes.next(row) != bytes_view(row[columns])) {
      break;
    }
    at = nb::cast<std::int64_t>(row[3]);
    ++count;
  }
  return count;
}

}  // namespace

void bind_chain(nb::module_& m) {
  m.def("chain", &chain, "before"_a, "rows"_a,
        nb::sig("def chain(before: bytes, rows: list[typing.Any]) -> list[bytes]"),
        "The hashes of rows of a ledger (seq, kind, id, at, body, salt, digest, said, "
        "...), each from the one before; the last is None, and of a row without the "
        "digest of its body, if there is one.");
  m.def("follows", &follows, "seq"_a, "at"_a, "before"_a, "rows"_a,
        nb::sig("def follows(seq: int, at: int, before: bytes, "
                "rows: list[typing.Any]) -> int"),
        "How many rows, with their hashes, follow from the row before: its number, its "
        "time and its hash.");
}

}  // namespace littlestone::bindings
