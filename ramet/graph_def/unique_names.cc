#include "ramet/graph_def/unique_names.h"

#include "ramet/base/strings.h"

namespace ramet {

std::string UniqueNames::Add(const std::string& name) {
  std::string unique = name;
  int& last = last_numbers_[name];
  while (!names_.insert(unique).second) unique = StrCat(name, "_", ++last);
  return unique;
}

}  // namespace ramet
