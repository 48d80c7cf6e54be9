#include "ramet/replica/publisher.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "ramet/base/exception.h"
#include "ramet/base/log.h"
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

// Epochs of one address differ and grow with time, also when clocks are set back a little.
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
      return InvalidArgument("'", spec.name, "' is no name to publish a variable under");
    }
  }
  return OkStatus();
}

Status CheckModels(std::span<const PublishedModel> models, const PublisherOptions& options) {
  if (models.empty()) return InvalidArgument("no model is given");
  if (!options.variables.empty()) {
    return InvalidArgument(
        "of several models, each one has its own list of variables "
        "(PublishedModel::variables)");
  }
  std::set<std::string_view> names;
  for (const PublishedModel& model : models) {
    if (model.session == nullptr) return InvalidArgument("model '", model.name, "' has no session");
    if (model.name.empty() || model.name.find_first_of("/:") != model.name.npos ||
        !names.insert(model.name).second) {
      return InvalidArgument("'", model.name, "' is no name for one of several models: names are ",
                             "not empty, have no slash or colon, and differ");
    }
  }
  return OkStatus();
}

// What keeps runs of several sessions off at once. Two publishers never do so at the same time,
// since each would wait for what the other has closed.
class Closings {
 public:
  explicit Closings(const std::vector<SessionImpl*>& sessions) {
    static std::mutex turn;
    if (sessions.size() > 1) turn_ = std::unique_lock(turn);
    first_.emplace(sessions[0]->gate());
    for (size_t i = 1; i < sessions.size(); ++i) {
      others_.push_back(std::make_unique<StepGate::Closing>(sessions[i]->gate()));
    }
  }

 private:
  std::unique_lock<std::mutex> turn_;
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
    std::lock_guard lock(mutex_);
    return transport_->Rollback(version);
  }
  const std::string& address() const { return address_; }
  const ReplicaSignature& signature() const { return signature_; }
  PublisherStats stats() const { return transport_->stats(); }

 private:
  // The values between two runs, by variables_, and what is said of them.
  struct Taken {
    std::vector<Tensor> values;
    Tensor step;
    VersionInfo info;
  };

  StatusOr<Announcement> Announce();
  Status AfterRun();
  bool IsDue();
  Status TakeValues(Taken* taken);
  Status CheckValues(const Taken& taken) const;
  StatusOr<uint64_t> PublishTaken();
  StatusOr<uint64_t> PublishNow(const Taken& taken);
  StatusOr<uint64_t> PublishLater(std::shared_ptr<const Taken> taken);
  void Skipped(const Status& why);

  const std::string full_address_;
  const std::string address_;  // as it is shown: without a password
  const PublisherOptions options_;
  std::vector<std::pair<std::string, const Graph*>> graphs_;  // by model
  std::vector<ModelSource> models_;
  std::vector<SessionImpl*> sessions_;  // each once
  ReplicaSignature signature_;
  std::vector<PublishedVariable> variables_;
  std::unique_ptr<PublisherTransport> transport_;
  std::vector<int> observers_;  // by sessions_

  std::mutex take_mutex_;
  Taken taken_;
  std::unique_ptr<BackgroundJob> later_;  // for values in the memory of devices

  std::mutex mutex_;
  std::optional<ValuePlacer> placer_;
  std::optional<SpareKeeper> spares_;

  std::mutex schedule_mutex_;
  int64_t runs_ = 0;
  Clock::time_point last_ = Clock::now();
  bool has_warned_ = false;
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
    return InvalidArgument("every_steps and every_seconds are 0 or more");
  }
  RAMET_ASSIGN_OR_RETURN(Announcement announcement, Announce());
  RAMET_ASSIGN_OR_RETURN(transport_, OpenPublisherTransport(address, std::move(announcement),
                                                            options_.retention, options_.access));
  placer_.emplace(variables_, signature_, *transport_);
  spares_.emplace(variables_, *transport_);
  for (PublishedVariable& variable : variables_) {
    if (variable.conversion == Conversion::kNone && transport_->allocator() != nullptr) {
      variable.state->SetAllocator(transport_->allocator());
    }
  }
  if (options_.every_steps > 0 || options_.every_seconds > 0) {
    for (SessionImpl* session : sessions_) {
      observers_.push_back(session->AddObserver([this] { return AfterRun(); }));
    }
  }
  return OkStatus();
}

// Variables go on in memory of the session's own: what was published stays as it is.
Publisher::Impl::~Impl() {
  for (size_t i = 0; i < observers_.size(); ++i) sessions_[i]->RemoveObserver(observers_[i]);
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
  std::lock_guard lock(schedule_mutex_);
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

// Training goes on when publishing does not work; that is said once.
Status Publisher::Impl::AfterRun() {
  if (!IsDue()) return OkStatus();
  Skipped(Publish({}).status());
  return OkStatus();
}

void Publisher::Impl::Skipped(const Status& why) {
  if (why.ok() || IsResourceExhausted(why)) return;
  std::lock_guard lock(schedule_mutex_);
  if (!has_warned_) LogWarning(address_, ": not published: ", why.message());
  has_warned_ = true;
}

Status Publisher::Impl::TakeValues(Taken* taken) {
  for (SessionImpl* session : sessions_) {
    if (!session->gate().Within()) continue;
    return FailedPrecondition(PrintableAddress(address_),
                              ": Publish was called from within a run of the session; a ",
                              "version is what lies between two runs");
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

// mutex_ is held.
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

// take_mutex_ is held. What was taken does not change any more, so the next run need not wait until
// it is copied.
StatusOr<uint64_t> Publisher::Impl::PublishLater(std::shared_ptr<const Taken> taken) {
  if (!later_) later_ = std::make_unique<BackgroundJob>(options_.retention.at_limit);
  RAMET_RETURN_IF_ERROR(later_->WaitForRoom());
  const uint64_t version = transport_->stats().version + 1;
  later_->Post([this, taken = std::move(taken)] {
    std::lock_guard lock(mutex_);
    if (auto published = PublishNow(*taken); !published.ok()) Skipped(published.status());
  });
  return version;
}

StatusOr<uint64_t> Publisher::Impl::Publish(const PublishOptions& options) {
  std::lock_guard take_lock(take_mutex_);
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
  std::lock_guard lock(mutex_);
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
