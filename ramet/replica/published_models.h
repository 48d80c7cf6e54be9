#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ramet/replica/announced_graph.h"
#include "ramet/replica/device_values.h"
#include "ramet/replica/published_model.h"

namespace ramet {

// The values of a publisher's variables between two runs, and the information about them.
struct TakenValues {
  std::vector<Tensor> values;  // in the order of PublishedModels::variables
  Tensor step;                 // of the first model; empty if its graph has no global step
  VersionInfo info;
  // The values that are in device memory, with their positions in `values`. The step has the
  // position values.size().
  DeviceValues on_device = {};

  // Reports whether a value is in device memory.
  bool any_on_device() const;
  // Copies values in device memory to the host memory of `on_device`, and replaces them by the
  // copies.
  // \error as for BackgroundCopier::CopyOut.
  Status CopyToHost();
  // Releases the values.
  void Clear();
};

// PublishedModels are the models that a publisher publishes together: their sessions and variables.
// Add is not thread-safe; the other functions are.
class PublishedModels {
 public:
  // `where` is the address for use in messages. `options` must outlive this object.
  PublishedModels(std::string where, const PublisherOptions& options)
      : where_(std::move(where)), options_(options) {}

  // Adds a model. The name is empty if it is the only one.
  // \error as for Publisher::Open.
  Status Add(const PublishedModel& model);
  // Returns what to announce, for a new epoch.
  // \error kInvalidArgument: two variables share a name, or a name or a signature is invalid.
  StatusOr<Announcement> Announce() const;

  const std::vector<SessionImpl*>& sessions() const { return sessions_; }
  const ReplicaSignature& signature() const { return signature_; }
  std::vector<PublishedVariable>& variables() { return variables_; }
  const std::vector<PublishedVariable>& variables() const { return variables_; }

  // Takes the values of all variables between two runs of their sessions.
  // \error kFailedPrecondition: called from within a run, or a value is uninitialized or has a
  //   different shape than when publishing began.
  Status Take(TakenValues* taken) const;
  // Marks the work of the devices whose memory has some of the values.
  // \error as for DeviceValues::Mark.
  Status Mark(TakenValues* taken) const;
  // Returns the step of taken values, which are in host memory, or -1 if it is unknown.
  int64_t StepOf(const TakenValues& taken) const;
  // Makes the variables allocate with `allocator`, if values in its memory need not be copied.
  void SetAllocator(Allocator* allocator);
  // Copies the variables back to their sessions' own memory, so that later updates do not touch the
  // published values.
  void TakeBack();

 private:
  const std::string where_;
  const PublisherOptions& options_;
  std::vector<AnnouncedModel> announced_;
  std::vector<ModelSource> models_;
  std::vector<SessionImpl*> sessions_;  // without duplicates
  ReplicaSignature signature_;
  std::vector<PublishedVariable> variables_;
};

}  // namespace ramet
