#pragma once

#include <ramet/ramet.h>

#include <map>
#include <set>
#include <string>

namespace server {

// Returns the key of the signature that a request names.
inline std::string SignatureKey(const std::string& name) {
  return name.empty() ? ramet::saved_model_keys::kDefaultServingSignature : name;
}

template <class T>
std::set<std::string> KeysOf(const std::map<std::string, T>& map) {
  std::set<std::string> keys;
  for (const auto& [key, value] : map) keys.insert(key);
  return keys;
}

// Returns "a,b".
inline std::string ListOf(const std::set<std::string>& names) { return ramet::StrJoin(names, ","); }

}  // namespace server
