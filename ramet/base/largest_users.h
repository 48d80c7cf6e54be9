#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

// LargestUsers remembers what used most of a budget, for the error when it is exhausted.
class LargestUsers {
 public:
  void Add(std::string_view user, uint64_t amount);
  // Returns text such as "'a' (1000 bytes), 'b' (10 bytes), others (5 bytes)", with `unit` "bytes".
  std::string Text(std::string_view unit) const;

 private:
  struct Use {
    std::string user;
    uint64_t amount;
  };
  std::vector<Use> largest_;  // the largest first
  uint64_t others_ = 0;
};

}  // namespace ramet
