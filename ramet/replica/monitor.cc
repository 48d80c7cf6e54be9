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
      return DeadlineExceeded(text_, ": there is no publisher; start one, or wait longer");
    }
    std::this_thread::sleep_for(kStatusPollInterval);
  }
}

StatusOr<ReplicaStatus> ReplicaMonitor::Impl::Look() {
  ReplicaStatus status;
  auto publisher = transport_->PublisherStatus();
  if (!publisher.ok()) return At(publisher.status());
  status.publisher = *std::move(publisher);
  if (counts_monitors_ && status.publisher.readers > 0) --status.publisher.readers;
  status.connected = transport_->connected();
  status.epoch = transport_->announcement().epoch;
  status.newest = transport_->Newest("");
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
