#ifndef RAMET_OPS_STRING_POSIX_PATTERN_H_
#define RAMET_OPS_STRING_POSIX_PATTERN_H_

#include <regex.h>

#include <string>
#include <string_view>

#include "ramet/base/status.h"

namespace ramet {

// A compiled POSIX extended regular expression.
class Pattern {
 public:
  Pattern() = default;
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  ~Pattern() {
    if (compiled_) regfree(&regex_);
  }

  Status Compile(const std::string& text) {
    RAMET_ASSIGN_OR_RETURN(const std::string posix, ToPosix(text));
    const int error = regcomp(&regex_, posix.c_str(), REG_EXTENDED);
    compiled_ = error == 0;
    if (compiled_) return OkStatus();
    char reason[128];
    regerror(error, &regex_, reason, sizeof(reason));
    return InvalidArgument("Invalid pattern: ", text, ", error: ", reason);
  }

  bool Matches(const std::string& text) const {
    regmatch_t match;
    match.rm_so = 0;
    match.rm_eo = static_cast<regoff_t>(text.size());
    if (regexec(&regex_, text.c_str(), 1, &match, REG_STARTEND) != 0) return false;
    return match.rm_so == 0 && match.rm_eo == static_cast<regoff_t>(text.size());
  }

 private:
  // Converts the subset of RE2 that POSIX interprets in the same way. A dot matches everything
  // except a newline, as in RE2.
  static StatusOr<std::string> ToPosix(const std::string& text) {
    std::string posix;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      const char next = i + 1 < text.size() ? text[i + 1] : '\0';
      const bool repeats = c == '*' || c == '+' || c == '?';
      const bool literal =
          c == '\\' && next != '\0' &&
          std::string_view("\\.*+?()[]{}|^$/-").find(next) != std::string_view::npos;
      const bool foreign = c == '\0' || c == '[' || c == '{' || (c == '(' && next == '?') ||
                           (repeats && next == '?') || (repeats && next == '+') ||
                           (c == '\\' && !literal);
      if (foreign) {
        return Unimplemented("the pattern '", text, "' uses an unsupported construct at position ",
                             i, "; supported are . * + ? | ( ) ^ $ and backslashes before these");
      }
      if (literal) {
        posix += next == '/' || next == '-' ? std::string(1, next) : std::string{c, next};
        ++i;
      } else {
        posix += c == '.' ? std::string("[^\n]") : std::string(1, c);
      }
    }
    return posix;
  }

  regex_t regex_{};
  bool compiled_ = false;
};

}  // namespace ramet

#endif  // RAMET_OPS_STRING_POSIX_PATTERN_H_
