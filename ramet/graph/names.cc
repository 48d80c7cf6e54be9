#include "ramet/graph/names.h"

#include <algorithm>

#include "ramet/base/strings.h"
#include "ramet/graph/build_state.h"

namespace ramet {
namespace {

bool IsAlphanumeric(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool IsNameChar(char c) {
  return IsAlphanumeric(c) || c == '_' || c == '.' || c == '-' || c == '/' || c == '>';
}

}  // namespace

bool IsValidOpName(std::string_view name) { return IsValidScopeName(name, false); }

bool IsValidScopeName(std::string_view name, bool nested) {
  if (name.empty()) return nested;
  if (!nested && !IsAlphanumeric(name[0]) && name[0] != '.') return false;
  return std::ranges::all_of(name, IsNameChar);
}

std::string LowerCase(std::string_view s) {
  std::string lower(s);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return lower;
}

std::string JoinScope(std::string_view scope, std::string_view name) {
  return scope.empty() ? std::string(name) : StrCat(scope, "/", name);
}

void NoteImportedNames(BuildState& state) {
  if (state.names.imported.empty()) return;
  state.names.in_use.reserve(state.names.in_use.size() + state.names.imported.size());
  for (std::string_view name : state.names.imported) {
    state.names.in_use.try_emplace(LowerCase(name), 1);
  }
  state.names.imported = {};
}

std::string UniqueFullName(BuildState& state, std::string full_name, bool mark_as_used) {
  NoteImportedNames(state);
  auto& used = state.names.in_use;
  const std::string key = LowerCase(full_name);
  auto it = used.find(key);
  if (it == used.end()) {
    if (mark_as_used) used.emplace(key, 1);
    return full_name;
  }
  // key_1 to key_(it->second - 1) are in use, so the search starts after them.
  int i = it->second;
  std::string candidate;
  while (used.contains(candidate = StrCat(key, "_", i))) ++i;
  it->second = mark_as_used ? i + 1 : i;
  if (mark_as_used) used.emplace(std::move(candidate), 1);
  return StrCat(full_name, "_", i);
}

}  // namespace ramet
