#pragma once

#include <string>
#include <string_view>

namespace ramet {

// The part of a graph to write, and its renaming.
class ExportScope {
 public:
  // "" is the whole graph. A trailing slash is ignored.
  explicit ExportScope(std::string_view scope) : scope_(scope) {
    if (scope_.ends_with('/')) scope_.pop_back();
  }
  const std::string& scope() const { return scope_; }
  // Reports whether a name belongs to the scope: its text begins with the scope's.
  bool Includes(std::string_view name) const { return name.starts_with(scope_); }
  // Strips "S/" from "S/x", "^S/x" and "loc:@S/x". Returns other names unchanged.
  std::string Strip(std::string_view name) const;

 private:
  std::string scope_;
};

inline constexpr char kUnboundInputPrefix[] = "$unbound_inputs_";
inline constexpr char kUnboundInputsCollection[] = "unbound_inputs";

}  // namespace ramet
