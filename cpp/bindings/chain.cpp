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

[[nodiscard]] nb::list chain(const nb::bytes& before, const nb::list& rows) {
  constexpr std::size_t columns = 8;  // before the hash
  nb::list hashes;
  Chain chain;
  ShaDigest last;
  if (before.size() != last.size())
    throw nb::value_error("the hash before must have 32 bytes");
  std::memcpy(last.data(), before.c_str(), last.size());
  for (const nb::handle each : rows) {
    const auto row = nb::cast<nb::tuple>(each);
    if (row.size() < columns) throw nb::value_error("a row must have 8 columns");
    const auto digest = digest_of(row[4], row[5], row[6]);
    if (!digest) {
      hashes.append(nb::none());
      break;
    }
    std::optional<std::string_view> id;
    if (!row[2].is_none()) id = text_view(row[2]);
    last = chain.next(view(last), view(*digest),
                      {nb::cast<std::int64_t>(row[0]), text_view(row[1]), id,
                       nb::cast<std::int64_t>(row[3]), text_view(row[7])});
    hashes.append(nb::bytes(last.data(), last.size()));
  }
  return hashes;
}

}  // namespace

void bind_chain(nb::module_& m) {
  m.def("chain", &chain, "before"_a, "rows"_a,
        nb::sig("def chain(before: bytes, rows: list[typing.Any]) -> list[bytes]"),
        "The hashes of rows of a ledger (seq, kind, id, at, body, salt, digest, said, "
        "...), each from the one before; the last is None, and of a row without the "
        "digest of its body, if there is one.");
}

}  // namespace littlestone::bindings
