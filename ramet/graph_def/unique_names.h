#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

namespace ramet {

// A set of names that makes new ones unique by appending numbers: "x", "x_1", "x_2".
class UniqueNames {
 public:
  // Adds a name. Returns false if it is in the set already.
  bool Insert(std::string name) { return names_.insert(std::move(name)).second; }
  bool Contains(const std::string& name) const { return names_.contains(name); }
  // Returns `name`, with a number appended if it is in the set, and adds the result.
  std::string Add(const std::string& name);

 private:
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, int> last_numbers_;
};

}  // namespace ramet
