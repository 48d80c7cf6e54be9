#include "ramet/graph/collections.h"

#include <algorithm>

namespace ramet {

void Collections::Add(std::string_view key, CollectionItem item) {
  auto it = all_.find(key);
  if (it == all_.end()) it = all_.emplace(std::string(key), std::vector<CollectionItem>()).first;
  it->second.push_back(std::move(item));
}

const std::vector<CollectionItem>& Collections::Get(std::string_view key) const {
  static const auto* const none = new std::vector<CollectionItem>;
  auto it = all_.find(key);
  return it == all_.end() ? *none : it->second;
}

bool Collections::Contains(std::string_view key, const CollectionItem& item) const {
  return std::ranges::count(Get(key), item) > 0;
}

void Collections::Replace(std::string_view key, std::vector<CollectionItem> items) {
  all_[std::string(key)] = std::move(items);
}

void Collections::Clear(std::string_view key) {
  auto it = all_.find(key);
  if (it != all_.end()) all_.erase(it);
}

std::vector<std::string> Collections::Keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, items] : all_) keys.push_back(key);
  return keys;
}

}  // namespace ramet
