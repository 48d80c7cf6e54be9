#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ramet/replica/address.h"
#include "ramet/replica/followed_model.h"

namespace ramet {

// Where versions come from, and which model gets them. Immutable.
struct FollowerSource {
  std::shared_ptr<FollowerTransport> transport;
  std::shared_ptr<FollowedModel> model;
  FollowerBinding binding;
  std::string label;

  // The newest version that may be taken; 0: none.
  uint64_t Newest() const { return transport->Newest(label); }
};

// Waits until somebody publishes at the address. \error kDeadlineExceeded naming the address; what
// connecting says else.
StatusOr<std::shared_ptr<FollowerTransport>> ConnectWithin(
    const std::string& text, const ReplicaAddress& address,
    FollowerTransport::Clock::time_point deadline);

// Finds the model for what is published: `current`, or with OnChange::kReload another one if the
// graph is not the same, or does not fit; there is none at first. \error kFailedPrecondition if it
//   does not fit.
StatusOr<std::shared_ptr<const FollowerSource>> MakeSource(
    std::shared_ptr<FollowerTransport> transport, std::shared_ptr<FollowedModel> current,
    const std::string& label, const FollowerOptions& options);

}  // namespace ramet
