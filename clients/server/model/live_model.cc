#include "model/live_model.h"

#include <utility>

#include "model/low_priority.h"
#include "model/warmup.h"

namespace server {
namespace {

namespace rm = ramet;
using std::chrono::milliseconds;

constexpr milliseconds kOpenWait(200), kRetryWait(100), kEventInterval(500);
constexpr char kSeveralModels[] = "several models are published";

std::string LabelOf(const std::string& source) {
  const auto address = rm::ParseReplicaAddress(source);
  return address.ok() ? address->label : "";
}

}  // namespace

struct LiveModel::State {
  std::shared_ptr<LiveVersion> version = {};
  rm::Status problem = {};  // why no version is available yet
  bool tried = false;
  bool stop = false;
  // The values of FollowerStats that were logged last.
  bool connected = true;
  uint64_t refused = 0;
  uint64_t reloads = 0;
};

std::shared_ptr<LiveModel> LiveModel::Start(const ModelConfig& config, ModelServices& services) {
  // A request that releases the last pointer to the model must not wait for its thread.
  const auto model =
      services.reaper.Own(std::unique_ptr<LiveModel>(new LiveModel(config, services)));
  model->thread_ = std::thread([at = model.get()] { at->Work(); });
  return model;
}

LiveModel::LiveModel(const ModelConfig& config, ModelServices& services)
    : name_(config.name),
      source_(config.source),
      text_(rm::PrintableAddress(config.source)),
      label_(LabelOf(config.source)),
      batching_(config.batching),
      services_(services),
      state_(std::make_unique<State>()) {}

LiveModel::~LiveModel() {
  {
    rm::MutexLock lock(mutex_);
    state_->stop = true;
  }
  changed_.NotifyAll();
  if (thread_.joinable()) thread_.join();
}

std::shared_ptr<LiveVersion> LiveModel::Current() const {
  rm::MutexLock lock(mutex_);
  return state_->version;
}

rm::StatusOr<std::shared_ptr<ModelVersion>> LiveModel::Find(const ModelSpec& spec) const {
  if (!spec.label.empty() && spec.label != label_) return UnknownLabel(spec.label);
  std::shared_ptr<LiveVersion> version = Current();
  if (!version) {
    rm::MutexLock lock(mutex_);
    return NotServed(spec, state_->problem.message());
  }
  if (spec.version && *spec.version != version->number()) {
    return NotServed(spec, rm::StrCat("the current version of this live model is ",
                                      version->number(), "; ask without a version"));
  }
  return std::shared_ptr<ModelVersion>(std::move(version));
}

std::optional<int64_t> LiveModel::VersionOf(std::string_view label) const {
  const auto version = Current();
  if (label.empty() || label != label_ || !version) return std::nullopt;
  return version->number();
}

ModelReport LiveModel::Report() const {
  ModelReport report{.name = name_, .source = text_};
  const auto version = Current();
  if (!version) {
    rm::MutexLock lock(mutex_);
    report.versions = {{0, VersionState::kLoading, state_->problem}};
    report.connected = false;
    return report;
  }
  const rm::FollowerStats stats = version->follower().stats();
  const int64_t number = static_cast<int64_t>(stats.current.id.version);
  report.versions = {{number, VersionState::kAvailable, rm::OkStatus()}};
  if (!label_.empty()) report.labels[label_] = number;
  report.bytes = static_cast<int64_t>(stats.bytes);
  report.lag = stats.lag;
  report.lag_seconds = stats.lag_seconds;
  report.connected = stats.connected;
  return report;
}

void LiveModel::WaitUntilTried() {
  rm::MutexLock lock(mutex_);
  while (!state_->tried) changed_.Wait(mutex_);
}

rm::Status LiveModel::CheckLabels(const ModelConfig& config) const {
  if (config.version_labels.empty()) return rm::OkStatus();
  return rm::FailedPrecondition("model ", name_, ": the labels of '", text_,
                                "' are the publisher's; serve '", text_,
                                "@LABEL' as a model of its own, without version_labels");
}

void LiveModel::Work() {
  LowerPriority();
  while (true) {
    const rm::Status status = Connect();
    NoteProblem(status);
    if (status.ok()) break;
    if (!Rest(kRetryWait)) return;
  }
  const auto version = Current();
  while (Rest(kEventInterval)) NoteEvents(*version);
}

void LiveModel::NoteProblem(const rm::Status& status) {
  rm::MutexLock lock(mutex_);
  if (!status.ok() && status.message() != state_->problem.message()) {
    rm::LogInfo("model '", name_, "': ", status.message());
  }
  state_->problem = status;
  state_->tried = true;
  changed_.NotifyAll();
}

rm::StatusOr<rm::Follower> LiveModel::Open() const {
  rm::FollowerOptions options;
  options.on_change = rm::OnChange::kReload;
  options.wait = kOpenWait;
  options.verify = services_.options.verify;
  options.session_options = services_.options.load.session;
  auto follower = rm::Follower::Open(source_, options);
  const bool is_ambiguous = follower.status().message().find(kSeveralModels) != std::string::npos;
  if (!rm::IsInvalidArgument(follower.status()) || !is_ambiguous) return follower;
  options.model = name_;
  return rm::Follower::Open(source_, options);
}

rm::Status LiveModel::Connect() {
  RAMET_ASSIGN_OR_RETURN(rm::Follower follower, Open());
  while (true) {
    const auto first = follower.Wait(1, kOpenWait);
    if (first.ok()) break;
    NoteProblem(first.status());
    if (!rm::IsDeadlineExceeded(first.status()) || !Rest(milliseconds(0))) return first.status();
  }
  const RunnerOptions options{.scheduler = &services_.scheduler,
                              .batching = batching_,
                              .on_batch = services_.ObserverFor(name_),
                              .on_run = services_.options.on_run};
  RAMET_ASSIGN_OR_RETURN(auto made, LiveVersion::Make(name_, std::move(follower),
                                                      services_.options.load.outputs, options));
  std::shared_ptr<LiveVersion> version = services_.reaper.Own(std::move(made));
  WarmupOptions warmup = services_.options.warmup;
  warmup.requests = nullptr;  // a publisher has no file of them
  RAMET_RETURN_IF_ERROR(WarmUp(version, text_, {}, warmup));
  rm::LogInfo("model '", name_, "' follows '", text_, "' and is available from version ",
              version->number(), " on");
  rm::MutexLock lock(mutex_);
  state_->version = std::move(version);
  return rm::OkStatus();
}

void LiveModel::NoteEvents(const LiveVersion& version) {
  const rm::FollowerStats stats = version.follower().stats();
  rm::MutexLock lock(mutex_);
  if (stats.connected != state_->connected) {
    rm::LogInfo("model '", name_, "': ",
                stats.connected ? rm::StrCat("the publisher of '", text_, "' is back")
                                : rm::StrCat("the publisher of '", text_,
                                             "' has ended; the last version stays"));
  }
  if (stats.refused != state_->refused) {
    rm::LogWarning("model '", name_, "': a version was refused: ", stats.last_refusal);
  }
  if (stats.reloads != state_->reloads) {
    rm::LogInfo("model '", name_, "': the publisher has a new graph, which is used from now on");
  }
  state_->connected = stats.connected;
  state_->refused = stats.refused;
  state_->reloads = stats.reloads;
}

bool LiveModel::Rest(milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  rm::MutexLock lock(mutex_);
  while (!state_->stop && changed_.WaitUntil(mutex_, until)) continue;
  return !state_->stop;
}

}  // namespace server
