#pragma once

#include <string>
#include <string_view>

namespace ramet {

class BuildState;

// Moves BuildState::imported_names to names_in_use.
void NoteImportedNames(BuildState& state);

// Whether `name` may name an operation: ^[A-Za-z0-9.][A-Za-z0-9_.\-/>]*$.
bool IsValidOpName(std::string_view name);
// Whether `name` may be a name scope: as an op's name at the root, any of those letters first when
// nested.
bool IsValidScopeName(std::string_view name, bool nested);
std::string LowerCase(std::string_view s);
// "a/b" + "/" + name; name alone at the root.
std::string JoinScope(std::string_view scope, std::string_view name);
// TensorFlow's unique_name on a full path (spec: graph-semantics 1.1).
std::string UniqueFullName(BuildState& state, std::string full_name, bool mark_as_used);

}  // namespace ramet
