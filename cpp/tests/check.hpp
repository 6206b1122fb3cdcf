// A test is a function that calls check(); a test program returns failures().
#pragma once

#include <cstdio>
#include <source_location>
#include <string_view>

inline int& failures() {
  static int count = 0;
  return count;
}

inline void check(bool holds, std::string_view what,
                  std::source_location at = std::source_location::current()) {
  if (holds) return;
  ++failures();
  std::fprintf(stderr, "%s:%u: %.*s\n", at.file_name(),
               static_cast<unsigned>(at.line()), static_cast<int>(what.size()),
               what.data());
}
