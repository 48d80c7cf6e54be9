#include "ramet/replica/publisher.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "ramet/base/exception.h"
#include "ramet/base/log.h"
#include "ramet/base/mutex.h"
#include "ramet/base/strings.h"
#include "ramet/base/wall_clock.h"
#include "ramet/replica/announced_graph.h"
#include "ramet/replica/background_job.h"
#include "ramet/replica/published_model.h"
#include "ramet/replica/spare_keeper.h"
#include "ramet/replica/transports.h"
#include "ramet/replica/value_placer.h"

namespace ramet {
namespace {

using Clock = std::chrono::steady_clock;

// Returns an epoch that differs from all earlier ones of an address. Epochs grow with time, even if
// the clock is set back a little.
uint64_t NewEpoch() {
  std::random_device random;
  return static_cast<uint64_t>(WallClockNanos()) / 1000 * 16 + random() % 16;
}

Status CheckNames(const ReplicaSignature& signature) {
  std::set<std::string_view> names;
  for (const VariableSpec& spec : signature) {
    if (!names.insert(spec.name).second) {
      return InvalidArgument("two variables are published as '", spec.name,
                             "'; rename one of them (PublisherOptions::rename)");
    }
    if (spec.name.empty() || spec.name.find(':') != spec.name.rfind(":scales")) {
      return InvalidArgument("'", spec.name,
                             "' is not a valid name for a published variable; names must not be "
                             "empty or contain ':' (PublisherOptions::rename)");
    }
  }
  return OkStatus();
}

Status CheckModels(std::span<const PublishedModel> models, const PublisherOptions& options) {
  if (models.empty()) return InvalidArgument("no model is given");
  if (!options.variables.empty()) {
    return InvalidArgument(
        "PublisherOptions::variables cannot be used with several models; "
        "set PublishedModel::variables of each model instead");
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

// Closes the gates of several sessions, which keeps their runs out, until it is destroyed. Only one
// publisher at a time does this for more than one session; two of them could deadlock.
class Closings {
 public:
  explicit Closings(const std::vector<SessionImpl*>& sessions) {
    static Mutex turn;
    if (sessions.size() > 1) turn_.emplace(turn);
    first_.emplace(sessions[0]->gate());
    for (size_t i = 1; i < sessions.size(); ++i) {
      others_.push_back(std::make_unique<StepGate::Closing>(sessions[i]->gate()));
    }
  }

 private:
  std::optional<MutexLock> turn_;
  std::optional<StepGate::Closing> first_;
  std::vector<std::unique_ptr<StepGate::Closing>> others_;
};

int64_t StepOf(const Tensor& value) {
  if (value.empty() || value.num_elements() != 1) return -1;
  if (value.dtype() == kInt64) return value.scalar<int64_t>();
  return value.dtype() == kInt32 ? value.scalar<int32_t>() : -1;
}

}  // namespace

class Publisher::Impl {
 public:
  Impl(std::string address, const PublisherOptions& options)
      : full_address_(std::move(address)),
        address_(PrintableAddress(full_address_)),
        options_(options) {}
  ~Impl();

  Status AddModel(const Session& session, const std::string& name,
                  const std::vector<Variable>& variables);
  Status Start();
  StatusOr<uint64_t> Publish(const PublishOptions& options);
  Status Promote(std::string_view label, uint64_t version) {
    return transport_->Promote(label, version);
  }
  StatusOr<uint64_t> Rollback(uint64_t version) {
    MutexLock lock(mutex_);
    return transport_->Rollback(version);
  }
  const std::string& address() const { return address_; }
  const ReplicaSignature& signature() const { return signature_; }
  PublisherStats stats() const { return transport_->stats(); }

 private:
  // The values between two runs, in the order of variables_, and the information about them.
  struct Taken {
    std::vector<Tensor> values;
    Tensor step;
    VersionInfo info;
  };

  StatusOr<Announcement> Announce();
  Status AfterRun();
  bool IsDue() RAMET_EXCLUDES(schedule_mutex_);
  Status TakeValues(Taken* taken);
  Status CheckValues(const Taken& taken) const;
  StatusOr<uint64_t> PublishTaken() RAMET_REQUIRES(take_mutex_) RAMET_EXCLUDES(mutex_);
  StatusOr<uint64_t> PublishNow(const Taken& taken) RAMET_REQUIRES(mutex_);
  StatusOr<uint64_t> PublishLater(std::shared_ptr<const Taken> taken) RAMET_REQUIRES(take_mutex_);
  void Skipped(const Status& why) RAMET_EXCLUDES(schedule_mutex_);

  const std::string full_address_;
  const std::string address_;  // for messages: without a password
  const PublisherOptions options_;
  std::vector<std::pair<std::string, const Graph*>> graphs_;  // by model
  std::vector<ModelSource> models_;
  std::vector<SessionImpl*> sessions_;  // without duplicates
  ReplicaSignature signature_;
  std::vector<PublishedVariable> variables_;
  std::unique_ptr<PublisherTransport> transport_;
  std::vector<int> observers_;  // in the order of sessions_

  Mutex take_mutex_;
  Taken taken_ RAMET_GUARDED_BY(take_mutex_);
  // For values in device memory.
  std::unique_ptr<BackgroundJob> later_ RAMET_GUARDED_BY(take_mutex_);

  Mutex mutex_;
  std::optional<ValuePlacer> placer_ RAMET_GUARDED_BY(mutex_);
  std::optional<SpareKeeper> spares_ RAMET_GUARDED_BY(mutex_);

  Mutex schedule_mutex_;
  int64_t runs_ RAMET_GUARDED_BY(schedule_mutex_) = 0;
  Clock::time_point last_ RAMET_GUARDED_BY(schedule_mutex_) = Clock::now();
  bool has_warned_ RAMET_GUARDED_BY(schedule_mutex_) = false;
};

Status Publisher::Impl::AddModel(const Session& session, const std::string& name,
                                 const std::vector<Variable>& variables) {
  auto model =
      ModelSource::Make(session, name.empty() ? "" : StrCat(name, "/"), variables, options_);
  if (!model.ok()) {
    return Status(model.status().code(),
                  StrCat(PrintableAddress(address_), ": ", model.status().message()));
  }
  RAMET_RETURN_IF_ERROR(model->Announce(options_, &signature_, &variables_));
  graphs_.emplace_back(name, &session.graph());
  if (std::ranges::find(sessions_, &model->session()) == sessions_.end()) {
    sessions_.push_back(&model->session());
  }
  models_.push_back(*std::move(model));
  return OkStatus();
}

StatusOr<Announcement> Publisher::Impl::Announce() {
  RAMET_RETURN_IF_ERROR(CheckNames(signature_));
  Announcement announcement{NewEpoch(), signature_, ""};
  if (options_.graph) {
    const bool several = !graphs_[0].first.empty();
    RAMET_ASSIGN_OR_RETURN(announcement.graph,
                           several ? AnnounceGraphs(graphs_) : AnnounceGraph(*graphs_[0].second));
  }
  return announcement;
}

Status Publisher::Impl::Start() {
  RAMET_ASSIGN_OR_RETURN(const ReplicaAddress address, ParseReplicaAddress(full_address_));
  if (options_.every_steps < 0 || !(options_.every_seconds >= 0)) {
    return InvalidArgument("every_steps and every_seconds must not be negative");
  }
  RAMET_ASSIGN_OR_RETURN(Announcement announcement, Announce());
  RAMET_ASSIGN_OR_RETURN(transport_, OpenPublisherTransport(address, std::move(announcement),
                                                            options_.retention, options_.access));
  {
    MutexLock lock(mutex_);
    placer_.emplace(variables_, signature_, *transport_);
    spares_.emplace(variables_, *transport_);
  }
  for (PublishedVariable& variable : variables_) {
    if (variable.conversion == Conversion::kNone && transport_->allocator() != nullptr) {
      variable.state->SetAllocator(transport_->allocator());
    }
  }
  if (options_.every_steps > 0 || options_.every_seconds > 0) {
    for (SessionImpl* session : sessions_) {
      observers_.push_back(session->observers().Add([this] { return AfterRun(); }));
    }
  }
  return OkStatus();
}

// Copies the variables back to the session's own memory, so that later updates do not touch the
// published values.
Publisher::Impl::~Impl() {
  for (size_t i = 0; i < observers_.size(); ++i) sessions_[i]->observers().Remove(observers_[i]);
  later_.reset();
  spares_.reset();
  if (!transport_) return;
  const Closings closings(sessions_);
  for (PublishedVariable& variable : variables_) {
    if (variable.conversion != Conversion::kNone) continue;
    variable.state->SetAllocator(nullptr);
    const Tensor value = variable.state->Read();
    if (value.empty() || !value.host_accessible()) continue;
    if (auto copy = value.DeepCopy(); copy.ok()) variable.state->Move(value, *std::move(copy));
  }
}

bool Publisher::Impl::IsDue() {
  MutexLock lock(schedule_mutex_);
  ++runs_;
  const auto now = Clock::now();
  const bool by_steps = options_.every_steps > 0 && runs_ >= options_.every_steps;
  const bool by_time = options_.every_seconds > 0 &&
                       std::chrono::duration<double>(now - last_).count() >= options_.every_seconds;
  if (!by_steps && !by_time) return false;
  runs_ = 0;
  last_ = now;
  return true;
}

// Training continues if publishing fails; only the first failure is logged.
Status Publisher::Impl::AfterRun() {
  if (!IsDue()) return OkStatus();
  Skipped(Publish({}).status());
  return OkStatus();
}

void Publisher::Impl::Skipped(const Status& why) {
  if (why.ok() || IsResourceExhausted(why)) return;
  MutexLock lock(schedule_mutex_);
  if (!has_warned_) LogWarning(address_, ": not published: ", why.message());
  has_warned_ = true;
}

Status Publisher::Impl::TakeValues(Taken* taken) {
  for (SessionImpl* session : sessions_) {
    if (!session->gate().Within()) continue;
    return FailedPrecondition(PrintableAddress(address_),
                              ": Publish was called from within a run of the session; call it ",
                              "between two runs");
  }
  taken->values.resize(variables_.size());
  const Closings closings(sessions_);
  for (size_t i = 0; i < variables_.size(); ++i) taken->values[i] = variables_[i].state->Read();
  taken->step = models_[0].GlobalStep();
  return OkStatus();
}

Status Publisher::Impl::CheckValues(const Taken& taken) const {
  for (size_t i = 0; i < variables_.size(); ++i) {
    const PublishedVariable& variable = variables_[i];
    const Tensor& value = taken.values[i];
    if (value.empty()) return variable.state->UninitializedError();
    if (value.shape() == variable.shape && value.dtype() == variable.dtype) continue;
    return FailedPrecondition("variable '", variable.name, "' was ", DTypeName(variable.dtype),
                              variable.shape, " when publishing began and is ",
                              DTypeName(value.dtype()), value.shape(), " now");
  }
  return OkStatus();
}

StatusOr<uint64_t> Publisher::Impl::PublishNow(const Taken& taken) {
  VersionInfo info = taken.info;
  RAMET_ASSIGN_OR_RETURN(const Tensor step, models_[0].session().ToHost(taken.step));
  if (info.id.step < 0) info.id.step = StepOf(step);
  const Status status = placer_->Place(taken.values);
  StatusOr<uint64_t> version = status;
  if (status.ok()) {
    version = transport_->Publish(info, placer_->values(), placer_->sources());
  }
  placer_->Clear();
  if (version.ok()) spares_->Wake();
  return version;
}

// The taken values do not change, so the next run does not have to wait until
// they are copied.
StatusOr<uint64_t> Publisher::Impl::PublishLater(std::shared_ptr<const Taken> taken) {
  if (!later_) later_ = std::make_unique<BackgroundJob>(options_.retention.at_limit);
  RAMET_RETURN_IF_ERROR(later_->WaitForRoom());
  const uint64_t version = transport_->stats().version + 1;
  later_->Post([this, taken = std::move(taken)] {
    MutexLock lock(mutex_);
    if (auto published = PublishNow(*taken); !published.ok()) Skipped(published.status());
  });
  return version;
}

StatusOr<uint64_t> Publisher::Impl::Publish(const PublishOptions& options) {
  MutexLock take_lock(take_mutex_);
  taken_.info = {{0, 0, options.step}, WallClockNanos(), options.metrics};
  const auto version = PublishTaken();
  taken_.step = Tensor();
  for (Tensor& value : taken_.values) value = Tensor();
  return version;
}

StatusOr<uint64_t> Publisher::Impl::PublishTaken() {
  RAMET_RETURN_IF_ERROR(TakeValues(&taken_));
  RAMET_RETURN_IF_ERROR(CheckValues(taken_));
  if (std::ranges::any_of(taken_.values, [](const Tensor& v) { return !v.host_accessible(); })) {
    return PublishLater(std::make_shared<Taken>(std::exchange(taken_, {})));
  }
  MutexLock lock(mutex_);
  return PublishNow(taken_);
}

Publisher::Publisher(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Publisher::Publisher(Publisher&&) noexcept = default;
Publisher& Publisher::operator=(Publisher&&) noexcept = default;
Publisher::~Publisher() = default;

StatusOr<Publisher> Publisher::Open(std::string_view address, const Session& session,
                                    const PublisherOptions& options) {
  auto impl = std::make_unique<Impl>(std::string(address), options);
  RAMET_RETURN_IF_ERROR(impl->AddModel(session, "", options.variables));
  RAMET_RETURN_IF_ERROR(Guarded([&] { return impl->Start(); }));
  return Publisher(std::move(impl));
}

StatusOr<Publisher> Publisher::Open(std::string_view address,
                                    std::span<const PublishedModel> models,
                                    const PublisherOptions& options) {
  RAMET_RETURN_IF_ERROR(CheckModels(models, options));
  auto impl = std::make_unique<Impl>(std::string(address), options);
  for (const PublishedModel& model : models) {
    RAMET_RETURN_IF_ERROR(impl->AddModel(*model.session, model.name, model.variables));
  }
  RAMET_RETURN_IF_ERROR(Guarded([&] { return impl->Start(); }));
  return Publisher(std::move(impl));
}

StatusOr<uint64_t> Publisher::Publish(const PublishOptions& options) {
  return Guarded([&] { return impl_->Publish(options); });
}
Status Publisher::Promote(std::string_view label, uint64_t version) {
  return impl_->Promote(label, version);
}
StatusOr<uint64_t> Publisher::Rollback(uint64_t version) { return impl_->Rollback(version); }
const std::string& Publisher::address() const { return impl_->address(); }
const ReplicaSignature& Publisher::signature() const { return impl_->signature(); }
PublisherStats Publisher::stats() const { return impl_->stats(); }

}  // namespace ramet
