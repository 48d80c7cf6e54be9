#pragma once

#include <string>
#include <unordered_map>

#include "ramet/base/strings.h"

namespace ramet {

// Returns the first of NAME, NAME_1, NAME_2, ... for which `taken` is false. `next_numbers`
// remembers, for each NAME, the n at which to continue, since NAME_1 to NAME_(n-1) are taken. Many
// equal names thus take linear time. It must be cleared when names become free again.
template <class Taken>
std::string FreeName(const std::string& name, Taken&& taken,
                     std::unordered_map<std::string, int>* next_numbers) {
  if (!taken(name)) return name;
  int& number = next_numbers->try_emplace(name, 1).first->second;
  std::string candidate;
  while (taken(candidate = StrCat(name, "_", number))) ++number;
  return candidate;
}

}  // namespace ramet
