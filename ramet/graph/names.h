#pragma once

#include <string>
#include <string_view>

namespace ramet {

class BuildState;

// Moves UsedNames::imported to UsedNames::in_use.
void NoteImportedNames(BuildState& state);

// Reports whether `name` is a legal operation name: ^[A-Za-z0-9.][A-Za-z0-9_.\-/>]*$.
bool IsValidOpName(std::string_view name);
// Reports whether `name` is a legal name scope: like an op name at the root; if nested, any of
// those characters may come first.
bool IsValidScopeName(std::string_view name, bool nested);
std::string LowerCase(std::string_view s);
// Returns "a/b" + "/" + name, or just name at the root.
std::string JoinScope(std::string_view scope, std::string_view name);
// TensorFlow's unique_name for a full path.
std::string UniqueFullName(BuildState& state, std::string full_name, bool mark_as_used);

}  // namespace ramet
