#include "ramet/graph_def/export_scope.h"

#include "ramet/base/strings.h"
#include "ramet/op/colocation.h"

namespace ramet {

std::string ExportScope::Strip(std::string_view name) const {
  if (scope_.empty()) return std::string(name);
  std::string_view mark;
  if (name.starts_with('^')) mark = name.substr(0, 1);
  if (name.starts_with(kColocationPrefix)) mark = kColocationPrefix;
  std::string_view rest = name.substr(mark.size());
  if (!rest.starts_with(scope_) || !rest.substr(scope_.size()).starts_with('/')) {
    return std::string(name);
  }
  return StrCat(mark, rest.substr(scope_.size() + 1));
}

}  // namespace ramet
