#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace server {

// Names the version of a model that a request is for (tensorflow.serving.ModelSpec). Without a
// version and a label it is the available version with the highest number.
struct ModelSpec {
  std::string name = {};
  std::optional<int64_t> version = {};
  std::string label = {};           // empty: none; only one of version and label is given
  std::string signature_name = {};  // empty: "serving_default"
};

}  // namespace server
