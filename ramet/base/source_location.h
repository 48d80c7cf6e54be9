#pragma once

#include <cstdint>

namespace ramet {

// A SourceLocation is a place in the program's source. It replaces std::source_location, which the
// library of clang 14 lacks.
class SourceLocation {
 public:
  static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                          uint32_t line = __builtin_LINE()) {
    SourceLocation where;
    where.file_ = file;
    where.line_ = line;
    return where;
  }
  constexpr const char* file_name() const { return file_; }
  constexpr uint32_t line() const { return line_; }

 private:
  const char* file_ = "";
  uint32_t line_ = 0;
};

}  // namespace ramet
