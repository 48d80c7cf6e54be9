#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <string>
#include <vector>

#include "model/model_manager.h"

namespace server {

// Append answers of TensorFlow Serving's REST API.
void WriteMetadata(const std::string& model, int64_t version, const Signatures& signatures,
                   std::string* out);
void WriteStatus(const std::vector<VersionStatus>& versions, std::string* out);
// Appends a list of all models with their versions and labels. TensorFlow Serving has none.
void WriteModels(const std::vector<ModelReport>& reports, std::string* out);

// Returns "AVAILABLE" and so on.
std::string_view StateName(VersionState state);

}  // namespace server
