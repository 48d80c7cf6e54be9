#include "ramet/replica/follower_source.h"

#include <algorithm>

#include "ramet/base/log.h"
#include "ramet/base/run_interrupt.h"
#include "ramet/base/strings.h"
#include "ramet/replica/interruptible_wait.h"
#include "ramet/replica/transports.h"

namespace ramet {
namespace {

using Clock = FollowerTransport::Clock;
using Millis = std::chrono::milliseconds;

constexpr Millis kFirstConnectWait{5};
constexpr Millis kMaxConnectWait{500};

}  // namespace

StatusOr<std::shared_ptr<FollowerTransport>> ConnectWithin(const std::string& text,
                                                           const ReplicaAddress& address,
                                                           Clock::time_point deadline) {
  Millis pause = kFirstConnectWait;
  while (true) {
    auto transport = ConnectFollowerTransport(address, GreetingEnd(deadline));
    if (transport.ok()) return std::shared_ptr<FollowerTransport>(*std::move(transport));
    if (IsDeadlineExceeded(transport.status())) return NoGreeting(text, transport.status());
    if (!IsNotFound(transport.status()) && !IsUnavailable(transport.status())) {
      return Status(transport.status().code(), StrCat(text, ": ", transport.status().message()));
    }
    if (Clock::now() + pause > deadline) {
      return DeadlineExceeded(text, ": there is no publisher (", transport.status().message(),
                              "); start the publisher, or wait longer (FollowerOptions::wait, in "
                              "Python wait=)");
    }
    LogOnce(LogLevel::kInfo, StrCat("waiting for ", text), "waiting for a publisher at ", text,
            ": ", transport.status().message());
    if (!SleepUnlessStopped(pause)) return InterruptedStatus();
    pause = std::min(pause * 2, kMaxConnectWait);
  }
}

StatusOr<std::shared_ptr<const FollowerSource>> MakeSource(
    std::shared_ptr<FollowerTransport> transport, std::shared_ptr<FollowedModel> current,
    const std::string& label, const FollowerOptions& options) {
  const Announcement& announcement = transport->announcement();
  const bool may_reload = options.session == nullptr && options.on_change == OnChange::kReload &&
                          !announcement.graph.empty();
  auto source = std::make_shared<FollowerSource>();
  source->label = label;
  source->model = std::move(current);
  const bool is_same = source->model && source->model->announced() == announcement.graph;
  StatusOr<FollowerBinding> binding = FailedPrecondition("not bound yet");
  if (source->model && (is_same || !may_reload)) {
    binding = BindModel(*source->model, announcement.signature, options);
  }
  if (!source->model || (!binding.ok() && may_reload)) {
    RAMET_ASSIGN_OR_RETURN(source->model, FollowedModel::Make(announcement.graph, options));
    binding = BindModel(*source->model, announcement.signature, options);
  }
  if (!binding.ok()) return binding.status();
  source->binding = *std::move(binding);
  source->transport = std::move(transport);
  return std::shared_ptr<const FollowerSource>(std::move(source));
}

}  // namespace ramet
