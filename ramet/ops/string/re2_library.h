#pragma once

#include <re2/re2.h>

#include <cstddef>
#include <memory>
#include <string>

#include "ramet/base/status.h"

namespace ramet {

// A Regex is a compiled regular expression in RE2's syntax. Thread-safe.
//
// RE2 is opened at run time (OpenOwnLibrary), because TensorFlow exports the symbols of a different
// version of it.
class Regex {
 public:
  // \error kInvalidArgument: "Invalid pattern: (, error: missing ): (".
  // \error kFailedPrecondition: RE2 cannot be opened.
  static StatusOr<std::shared_ptr<const Regex>> Compile(const std::string& pattern);
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;

  const std::string& pattern() const { return re2().pattern(); }
  bool FullMatches(const std::string& text) const;
  // Reports whether Replace and ReplaceAll can use a rewrite.
  bool IsRewrite(const std::string& rewrite) const;
  // Replace the first match, or all of them, in the text.
  void Replace(const std::string& rewrite, std::string* text) const;
  void ReplaceAll(const std::string& rewrite, std::string* text) const;

 private:
  explicit Regex(const std::string& pattern);
  const RE2& re2() const { return *reinterpret_cast<const RE2*>(memory_); }

  alignas(RE2) std::byte memory_[sizeof(RE2)];
};

}  // namespace ramet
