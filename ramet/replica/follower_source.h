#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ramet/replica/address.h"
#include "ramet/replica/followed_model.h"

namespace ramet {

// A FollowerSource is a connection to a publisher and the model that it updates. Immutable.
struct FollowerSource {
  std::shared_ptr<FollowerTransport> transport;
  std::shared_ptr<FollowedModel> model;
  FollowerBinding binding;
  std::string label;

  // Returns the newest version that may be taken, or 0 if there is none.
  uint64_t Newest() const { return transport->Newest(label); }
};

// Waits for a publisher at the address and connects to it.
// \error kDeadlineExceeded: there was none in time. The message names the address.
// \error as for ConnectFollowerTransport.
StatusOr<std::shared_ptr<FollowerTransport>> ConnectWithin(
    const std::string& text, const ReplicaAddress& address,
    FollowerTransport::Clock::time_point deadline);

// Returns a source for what `transport` publishes. The model is `current`, unless that is null.
// With OnChange::kReload, a new model is made if the published graph differs or does not fit.
// \error kFailedPrecondition: the published variables do not fit the model.
StatusOr<std::shared_ptr<const FollowerSource>> MakeSource(
    std::shared_ptr<FollowerTransport> transport, std::shared_ptr<FollowedModel> current,
    const std::string& label, const FollowerOptions& options);

}  // namespace ramet
