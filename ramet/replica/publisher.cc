#include "ramet/replica/publisher.h"

#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include "ramet/base/exception.h"
#include "ramet/base/mutex.h"
#include "ramet/base/strings.h"
#include "ramet/base/wall_clock.h"
#include "ramet/replica/background_sender.h"
#include "ramet/replica/call_scope.h"
#include "ramet/replica/publish_schedule.h"
#include "ramet/replica/published_models.h"
#include "ramet/replica/transports.h"
#include "ramet/replica/version_limits.h"

namespace ramet {
namespace {

Status CheckModels(std::span<const PublishedModel> models, const PublisherOptions& options) {
  if (models.empty()) return InvalidArgument("no model is given");
  if (!options.variables.empty()) {
    return InvalidArgument(
        "PublisherOptions::variables cannot be used with several models; "
        "set PublishedModel::variables of each model instead");
  }
  if (!options.signature_defs.empty()) {
    return InvalidArgument(
        "PublisherOptions::signature_defs cannot be used with several models; "
        "set PublishedModel::signature_defs of each model instead");
  }
  std::set<std::string_view> names;
  for (const PublishedModel& model : models) {
    if (model.session == nullptr) return InvalidArgument("model '", model.name, "' has no session");
    if (model.name.empty() || model.name.find_first_of("/:") != model.name.npos ||
        !names.insert(model.name).second) {
      return InvalidArgument("'", model.name, "' is not a valid model name; a name must not be ",
                             "empty, contain '/' or ':', or be used twice");
    }
  }
  return OkStatus();
}

Status CheckAccess(const AccessOptions& access) {
  if (access.mode <= 0777) return OkStatus();
  char octal[16];
  std::snprintf(octal, sizeof(octal), "%o", access.mode);
  return InvalidArgument("mode: ", access.mode, " is ", octal,
                         " in octal, which is more than 777; ",
                         "write an octal number, such as 0600 in C++ and 0o600 in Python");
}

}  // namespace

// The implementation of Publisher: it takes the values and has them sent, at once or in the
// background.
class Publisher::Impl {
 public:
  // `address` is for messages: without a password.
  Impl(std::string address, const PublisherOptions& options)
      : address_(std::move(address)),
        options_(options),
        models_(address_, options_),
        schedule_(address_, options_) {}
  ~Impl();

  PublishedModels& models() { return models_; }
  // Opens the transport. Call this after all models are added.
  Status Start(std::string_view full_address);
  StatusOr<uint64_t> Publish(const PublishOptions& options);
  Status Promote(std::string_view label, uint64_t version);
  StatusOr<uint64_t> Rollback(uint64_t version);
  Status Flush();
  const std::string& address() const { return address_; }
  PublisherStats stats() const { return transport_->stats(); }

 private:
  Status AfterRun();
  StatusOr<uint64_t> PublishTaken() RAMET_REQUIRES(take_mutex_);

  const std::string address_;
  const PublisherOptions options_;
  PublishedModels models_;
  PublishSchedule schedule_;
  std::unique_ptr<PublisherTransport> transport_;
  std::optional<VersionSender> sender_;
  std::optional<BackgroundSender> later_;  // for values in device memory
  std::vector<int> observers_;             // in the order of the models' sessions

  Mutex take_mutex_;
  TakenValues taken_ RAMET_GUARDED_BY(take_mutex_);
};

Status Publisher::Impl::Start(std::string_view full_address) {
  RAMET_ASSIGN_OR_RETURN(const ReplicaAddress address, ParseReplicaAddress(full_address));
  RAMET_RETURN_IF_ERROR(schedule_.Check());
  RAMET_RETURN_IF_ERROR(CheckAccess(options_.access));
  RAMET_ASSIGN_OR_RETURN(Announcement announcement, models_.Announce());
  RAMET_ASSIGN_OR_RETURN(transport_, OpenPublisherTransport(address, std::move(announcement),
                                                            options_.retention, options_.access));
  sender_.emplace(models_, *transport_);
  later_.emplace(models_, *sender_, *transport_, options_.retention.at_limit);
  models_.SetAllocator(transport_->allocator());
  if (schedule_.is_automatic()) {
    for (SessionImpl* session : models_.sessions()) {
      observers_.push_back(session->observers().Add([this] { return AfterRun(); }));
    }
  }
  return OkStatus();
}

Publisher::Impl::~Impl() {
  for (size_t i = 0; i < observers_.size(); ++i) {
    models_.sessions()[i]->observers().Remove(observers_[i]);
  }
  if (later_) schedule_.NoteResult(later_->Finish());
  later_.reset();
  sender_.reset();
  if (transport_) models_.TakeBack();
}

// Training continues if publishing fails.
Status Publisher::Impl::AfterRun() {
  schedule_.NoteResult(later_->TakeStatus());
  if (schedule_.IsDue()) schedule_.NoteResult(Publish({}).status());
  return OkStatus();
}

StatusOr<uint64_t> Publisher::Impl::Publish(const PublishOptions& options) {
  RAMET_RETURN_IF_ERROR(CheckMetrics(options.metrics));
  RAMET_RETURN_IF_ERROR(CallScope::Check(this, address_));
  const CallScope scope(this);
  MutexLock lock(take_mutex_);
  RAMET_RETURN_IF_ERROR(later_->TakeStatus());
  taken_.info = {{0, 0, options.step}, WallClockNanos(), options.metrics};
  const auto version = PublishTaken();
  taken_.Clear();
  return version;
}

Status Publisher::Impl::Promote(std::string_view label, uint64_t version) {
  RAMET_RETURN_IF_ERROR(CallScope::Check(this, address_));
  const CallScope scope(this);
  later_->WaitFor(version);
  return transport_->Promote(label, version);
}

StatusOr<uint64_t> Publisher::Impl::Rollback(uint64_t version) {
  RAMET_RETURN_IF_ERROR(CallScope::Check(this, address_));
  const CallScope scope(this);
  later_->WaitFor(version);
  return sender_->Rollback(version);
}

Status Publisher::Impl::Flush() {
  RAMET_RETURN_IF_ERROR(CallScope::Check(this, address_));
  const CallScope scope(this);
  MutexLock lock(take_mutex_);
  RAMET_RETURN_IF_ERROR(later_->Finish());
  return transport_->Flush();
}

StatusOr<uint64_t> Publisher::Impl::PublishTaken() {
  RAMET_RETURN_IF_ERROR(models_.Take(&taken_));
  if (taken_.any_on_device()) {
    return later_->Send(std::make_shared<TakenValues>(std::exchange(taken_, {})));
  }
  return sender_->Send(&taken_);
}

Publisher::Publisher(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Publisher::Publisher(Publisher&&) noexcept = default;
Publisher& Publisher::operator=(Publisher&&) noexcept = default;
Publisher::~Publisher() = default;

StatusOr<Publisher> Publisher::Open(std::string_view address, const Session& session,
                                    const PublisherOptions& options) {
  auto impl = std::make_unique<Impl>(PrintableAddress(address), options);
  RAMET_RETURN_IF_ERROR(impl->models().Add({.name = "",
                                            .session = &session,
                                            .variables = options.variables,
                                            .signature_defs = options.signature_defs}));
  RAMET_RETURN_IF_ERROR(Guarded([&] { return impl->Start(address); }));
  return Publisher(std::move(impl));
}

StatusOr<Publisher> Publisher::Open(std::string_view address,
                                    std::span<const PublishedModel> models,
                                    const PublisherOptions& options) {
  RAMET_RETURN_IF_ERROR(CheckModels(models, options));
  auto impl = std::make_unique<Impl>(PrintableAddress(address), options);
  for (const PublishedModel& model : models) {
    RAMET_RETURN_IF_ERROR(impl->models().Add(model));
  }
  RAMET_RETURN_IF_ERROR(Guarded([&] { return impl->Start(address); }));
  return Publisher(std::move(impl));
}

StatusOr<uint64_t> Publisher::Publish(const PublishOptions& options) {
  return Guarded([&] { return impl_->Publish(options); });
}
Status Publisher::Promote(std::string_view label, uint64_t version) {
  return impl_->Promote(label, version);
}
StatusOr<uint64_t> Publisher::Rollback(uint64_t version) { return impl_->Rollback(version); }
Status Publisher::Flush() { return impl_->Flush(); }
const std::string& Publisher::address() const { return impl_->address(); }
const ReplicaSignature& Publisher::signature() const { return impl_->models().signature(); }
PublisherStats Publisher::stats() const { return impl_->stats(); }

}  // namespace ramet
