#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batching/batch_scheduler.h"
#include "model/load_slots.h"
#include "model/manager_options.h"
#include "model/model_manager.h"
#include "model/reaper.h"

namespace server {

// ModelServices are the options, threads and limits that the models of a manager share. They must
// outlive the models.
struct ModelServices {
  explicit ModelServices(const ManagerOptions& how)
      : options(how), slots(how.num_load_threads), scheduler(how.num_batch_threads) {}
  // Returns the observer of a model's batches.
  BatchObserver ObserverFor(const std::string& model) const {
    if (!options.on_batch) return nullptr;
    return [observe = options.on_batch, model](const BatchEvent& event) { observe(model, event); };
  }
  const ManagerOptions options;
  LoadSlots slots;
  BatchScheduler scheduler;
  Reaper reaper;
};

// A ServedModel is a configured model with its versions. Thread-safe.
class ServedModel {
 public:
  virtual ~ServedModel() = default;
  // Returns the source as configured. It may contain a password.
  virtual const std::string& source() const = 0;
  // \error as for ModelManager::Find.
  virtual ramet::StatusOr<std::shared_ptr<ModelVersion>> Find(const ModelSpec& spec) const = 0;
  // Returns the version that a label names.
  virtual std::optional<int64_t> VersionOf(std::string_view label) const = 0;
  virtual ModelReport Report() const = 0;
  virtual bool Ready() const = 0;
  // Waits until each version that was found first is available or has failed once.
  virtual void WaitUntilTried() = 0;
  // Checks whether the labels of `config` can be used now.
  // \error kFailedPrecondition: a label names a version that is not available.
  virtual ramet::Status CheckLabels(const ModelConfig& config) const = 0;
  // Uses a configuration with the same name and source, and looks for new versions.
  virtual void Configure(const ModelConfig& config) = 0;
};

// Returns the error of a request for a version that is not available.
ramet::Status NotServed(const ModelSpec& spec, const std::string& why = "");
// Returns the error of a request with a label that does not exist.
ramet::Status UnknownLabel(const std::string& label);

}  // namespace server
