#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ramet {

// A DeviceList numbers the devices that a graph's nodes request. Number 0 is "", no device.
class DeviceList {
 public:
  // Returns the number of a device, which is added if it is new.
  int32_t Intern(const std::string& device) {
    auto [it, added] = numbers_.try_emplace(device, static_cast<int32_t>(names_.size()));
    if (added) names_.push_back(device);
    return it->second;
  }
  const std::string& operator[](int32_t number) const {
    return names_[static_cast<size_t>(number)];
  }
  size_t size() const { return names_.size(); }
  // Removes the devices from number `size` on.
  void Truncate(size_t size) {
    for (; names_.size() > size; names_.pop_back()) numbers_.erase(names_.back());
  }

 private:
  std::vector<std::string> names_ = {""};
  std::unordered_map<std::string, int32_t> numbers_ = {{"", 0}};
};

}  // namespace ramet
