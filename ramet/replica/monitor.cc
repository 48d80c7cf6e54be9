#include "ramet/replica/monitor.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "ramet/base/strings.h"
#include "ramet/replica/transports.h"

namespace ramet {
namespace {

using Clock = FollowerTransport::Clock;

constexpr auto kStatusPollInterval = std::chrono::milliseconds(20);

}  // namespace

class ReplicaMonitor::Impl {
 public:
  explicit Impl(std::string address)
      : address_(std::move(address)), text_(PrintableAddress(address_)) {}

  Status Connect(std::chrono::milliseconds wait);
  // Returns the error of a Connect that found no publisher.
  Status NoPublisher(const TransportFactory& factory, bool at_once, const Status& why) const;
  StatusOr<ReplicaStatus> Look();
  void Wait(std::chrono::milliseconds timeout) {
    uint64_t seen = seen_;
    transport_->Wait(&seen, Clock::now() + timeout);
    seen_ = seen;
  }
  // Prepends the address unless the message contains it.
  Status At(const Status& status) const {
    if (status.ok() || status.message().find(text_) != std::string::npos) return status;
    return Status(status.code(), StrCat(text_, ": ", status.message()));
  }
  FollowerTransport& transport() { return *transport_; }
  const std::string& address() const { return address_; }

 private:
  const std::string address_;
  const std::string text_;  // without a password
  std::unique_ptr<FollowerTransport> transport_;
  bool counts_monitors_ = false;  // the publisher counts this monitor as a reader
  std::atomic<uint64_t> seen_ = 0;
};

Status ReplicaMonitor::Impl::Connect(std::chrono::milliseconds wait) {
  RAMET_ASSIGN_OR_RETURN(const ReplicaAddress address, ParseReplicaAddress(address_));
  RAMET_ASSIGN_OR_RETURN(const TransportFactory* factory, TransportOf(address));
  counts_monitors_ = factory->counts_monitors;
  const auto end = wait.count() < 0 ? Clock::time_point::max() : Clock::now() + wait;
  while (true) {
    auto transport = ConnectFollowerTransport(address, GreetingEnd(end));
    if (transport.ok()) {
      transport_ = *std::move(transport);
      return OkStatus();
    }
    if (IsDeadlineExceeded(transport.status())) return NoGreeting(text_, transport.status());
    if (!IsNotFound(transport.status()) && !IsUnavailable(transport.status())) {
      return At(transport.status());
    }
    if (Clock::now() + kStatusPollInterval > end) {
      return NoPublisher(*factory, wait.count() == 0, transport.status());
    }
    std::this_thread::sleep_for(kStatusPollInterval);
  }
}

Status ReplicaMonitor::Impl::NoPublisher(const TransportFactory& factory, bool at_once,
                                         const Status& why) const {
  const std::string reason = factory.outlives_publisher ? StrCat(" (", why.message(), ")") : "";
  const std::string message = StrCat(text_, ": there is no publisher", reason,
                                     "; start one with 'ramet publish' or ramet.Publisher");
  return at_once ? NotFound(message) : DeadlineExceeded(message, ", or wait longer");
}

StatusOr<ReplicaStatus> ReplicaMonitor::Impl::Look() {
  ReplicaStatus status;
  auto publisher = transport_->PublisherStatus();
  if (!publisher.ok()) return At(publisher.status());
  status.publisher = *std::move(publisher);
  if (counts_monitors_ && status.publisher.readers > 0) --status.publisher.readers;
  status.connected = transport_->has_publisher();
  status.epoch = transport_->announcement().epoch;
  // The version and the step come from one record; the table may be a version ahead by now.
  status.newest = status.publisher.version != 0 ? status.publisher.version : transport_->Newest("");
  status.versions = transport_->Versions();
  return status;
}

ReplicaMonitor::ReplicaMonitor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ReplicaMonitor::ReplicaMonitor(ReplicaMonitor&&) noexcept = default;
ReplicaMonitor& ReplicaMonitor::operator=(ReplicaMonitor&&) noexcept = default;
ReplicaMonitor::~ReplicaMonitor() = default;

StatusOr<ReplicaMonitor> ReplicaMonitor::Open(std::string_view address,
                                              std::chrono::milliseconds wait) {
  auto impl = std::make_unique<Impl>(std::string(address));
  RAMET_RETURN_IF_ERROR(impl->Connect(wait));
  return ReplicaMonitor(std::move(impl));
}

const std::string& ReplicaMonitor::address() const { return impl_->address(); }
const Announcement& ReplicaMonitor::announcement() const {
  return impl_->transport().announcement();
}
StatusOr<ReplicaStatus> ReplicaMonitor::Look() { return impl_->Look(); }
uint64_t ReplicaMonitor::Newest(std::string_view label) const {
  return impl_->transport().Newest(label);
}
std::string ReplicaMonitor::CheckpointOf(uint64_t version) const {
  return impl_->transport().CheckpointOf(version);
}
bool ReplicaMonitor::ended() const { return impl_->transport().ended(); }
void ReplicaMonitor::Wait(std::chrono::milliseconds timeout) { impl_->Wait(timeout); }
Status ReplicaMonitor::Promote(std::string_view label, uint64_t version) {
  return impl_->At(impl_->transport().Promote(label, version));
}
StatusOr<uint64_t> ReplicaMonitor::Rollback(uint64_t version) {
  auto made = impl_->transport().Rollback(version);
  if (!made.ok()) return impl_->At(made.status());
  return made;
}

}  // namespace ramet
