#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batching/batch_event.h"
#include "model/loaded_graph.h"
#include "model/model_manager.h"
#include "model/run_observer.h"
#include "model/warmup.h"

namespace server {

// Describes the attempt to load a version, for the metrics.
struct LoadEvent {
  std::string path = {};
  bool ok = false;
  std::chrono::microseconds time{0};
};

// Configures a ModelManager.
struct ManagerOptions {
  LoadOptions load = {};
  // How often to look for versions on disk. 0: only at start and on each reload.
  std::chrono::milliseconds poll_wait = std::chrono::seconds(1);
  int num_load_threads = 0;  // loads at the same time; 0: one per processor
  // How often, and when, to repeat a load that failed for a reason that may pass.
  int max_load_retries = 5;
  std::chrono::microseconds load_retry_interval = std::chrono::seconds(60);
  // A version whose files changed more recently than this may still be being copied. A failure to
  // load it is not final.
  std::chrono::milliseconds settle_time = std::chrono::seconds(5);
  // When live models prove that they have the published values.
  ramet::Verify verify = ramet::Verify::kAsync;
  int num_batch_threads = 0;  // for all models together; 0: one per processor
  // Returns the parameters in the folder of a version, which replace those of its model. Null: the
  // model's are used.
  std::function<ramet::StatusOr<std::optional<BatchingParameters>>(const std::string& folder)>
      batching_of_folder = {};
  // Accepts labels of versions that are not available yet.
  bool allow_labels_for_unavailable = false;
  WarmupOptions warmup = {};
  // Called in the threads that load and run. May be null.
  std::function<void(const LoadEvent&)> on_load = {};
  std::function<void(const std::string& model, const BatchEvent&)> on_batch = {};
  RunObserver on_run = {};
};

// Makes a manager without models. Reload adds them.
std::unique_ptr<ModelManager> MakeModelManager(const ManagerOptions& options);

}  // namespace server
