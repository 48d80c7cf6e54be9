#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/server_config.h"
#include "model/model_spec.h"
#include "model/model_version.h"

namespace server {

// tensorflow.serving.ModelVersionStatus.State, with its numbers.
enum class VersionState : uint8_t {
  kUnknown = 0,
  kStart = 10,
  kLoading = 20,
  kAvailable = 30,
  kUnloading = 40,
  kEnd = 50,
};

struct VersionStatus {
  int64_t version = 0;
  VersionState state = VersionState::kUnknown;
  ramet::Status status = {};  // why the version ended
};

// A model as the lists, the metrics and the page show it.
struct ModelReport {
  std::string name = {};
  std::string source = {};                     // base path, file or address
  std::vector<VersionStatus> versions = {};    // newest number first
  std::map<std::string, int64_t> labels = {};  // label to version
  int64_t bytes = 0;                           // of the values in memory
  uint64_t lag = 0;                            // versions behind the publisher; 0 for files
  double lag_seconds = 0;
  bool connected = true;  // false: the publisher cannot be reached
};

// A ModelManager loads and unloads the versions of the configured models in its own threads and
// finds the version for a request. Finding takes no lock that a load holds. Thread-safe.
class ModelManager {
 public:
  virtual ~ModelManager() = default;
  // \error kInvalidArgument: the name is empty, or no version has the label.
  // \error kNotFound: the model or its version is not available.
  virtual ramet::StatusOr<std::shared_ptr<ModelVersion>> Find(const ModelSpec& spec) const = 0;
  // Returns the states of all versions of a model so far, newest number first; only that of
  // `spec.version` or of the labelled version if one is given.
  // \error kNotFound: the model or the version is unknown.
  virtual ramet::StatusOr<std::vector<VersionStatus>> Status(const ModelSpec& spec) const = 0;
  virtual std::vector<ModelReport> Reports() const = 0;
  // Reports whether each configured model has an available version.
  virtual bool Ready() const = 0;
  // Replaces the whole configuration. Models that it lacks are unloaded. Returns when each new
  // model has a version that is available or has failed. On error the old configuration stays.
  // \error kInvalidArgument: a name occurs twice, or a path is relative.
  // \error kFailedPrecondition: a label names a version that is not available.
  virtual ramet::Status Reload(const std::vector<ModelConfig>& models) = 0;
};

}  // namespace server
