#include "model/file_model.h"

#include <algorithm>
#include <optional>

#include "model/low_priority.h"
#include "model/warmup.h"

namespace server {
namespace {

namespace rm = ramet;

// How soon a version whose files were just written is tried again.
constexpr std::chrono::milliseconds kRetrySettling(500);

// Reports whether the same load may succeed later although the files stay the same.
bool MayPass(const rm::Status& status) {
  switch (status.code()) {
    case rm::Code::kUnavailable:
    case rm::Code::kResourceExhausted:
    case rm::Code::kPermissionDenied:
    case rm::Code::kAborted:
    case rm::Code::kDeadlineExceeded:
    case rm::Code::kUnknown: return true;
    default: return false;
  }
}

int64_t MillisSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                               start)
      .count();
}

}  // namespace

struct FileModel::State {
  ModelConfig config;
  VersionTable table;
  bool look = true;  // now, without waiting for the next time
  bool tried = false;
  bool stop = false;
  std::string problem = {};  // of the last look at the source; logged when it changes
};

std::shared_ptr<FileModel> FileModel::Start(const ModelConfig& config, ModelServices& services) {
  // A request that releases the last pointer to the model must not wait for its thread.
  const auto model =
      services.reaper.Own(std::unique_ptr<FileModel>(new FileModel(config, services)));
  // The thread may use weak_from_this only from now on.
  model->thread_ = std::thread([at = model.get()] { at->Work(); });
  return model;
}

FileModel::FileModel(const ModelConfig& config, ModelServices& services)
    : name_(config.name),
      source_(config.source),
      services_(services),
      recent_(services.options.warmup.enabled ? std::make_shared<RecentRuns>() : nullptr),
      state_(std::make_unique<State>()),
      available_(std::make_shared<const Available>()) {
  rm::MutexLock lock(mutex_);
  state_->config = config;
  state_->config.version_labels.clear();  // Configure assigns them
}

FileModel::~FileModel() {
  {
    rm::MutexLock lock(mutex_);
    state_->stop = true;
  }
  changed_.NotifyAll();
  if (thread_.joinable()) thread_.join();
}

rm::StatusOr<std::shared_ptr<ModelVersion>> FileModel::Find(const ModelSpec& spec) const {
  std::shared_ptr<const Available> available;
  {
    rm::MutexLock lock(available_mutex_);
    available = available_;
  }
  ModelSpec wanted = spec;
  if (!spec.label.empty()) {
    const auto label = available->labels.find(spec.label);
    if (label == available->labels.end()) return UnknownLabel(spec.label);
    wanted.version = label->second;
  }
  if (!wanted.version && !available->versions.empty()) return available->versions.rbegin()->second;
  if (wanted.version) {
    const auto found = available->versions.find(*wanted.version);
    if (found != available->versions.end()) return found->second;
  }
  return NotServed(wanted);
}

std::optional<int64_t> FileModel::VersionOf(std::string_view label) const {
  rm::MutexLock lock(mutex_);
  const auto& labels = state_->config.version_labels;
  const auto found = labels.find(std::string(label));
  return found == labels.end() ? std::nullopt : std::optional(found->second);
}

ModelReport FileModel::Report() const {
  rm::MutexLock lock(mutex_);
  ModelReport report{.name = name_,
                     .source = source_,
                     .versions = state_->table.Statuses(),
                     .labels = state_->config.version_labels};
  for (const auto& [number, entry] : state_->table.entries()) {
    if (entry.version) report.bytes += entry.version->bytes();
  }
  return report;
}

bool FileModel::Ready() const {
  rm::MutexLock lock(available_mutex_);
  return !available_->versions.empty();
}

void FileModel::WaitUntilTried() {
  rm::MutexLock lock(mutex_);
  while (!state_->tried) changed_.Wait(mutex_);
}

rm::Status FileModel::CheckLabels(const ModelConfig& config) const {
  rm::MutexLock lock(mutex_);
  for (const auto& [label, version] : config.version_labels) {
    if (state_->table.IsAvailable(version)) continue;
    const bool is_new = !state_->config.version_labels.contains(label);
    if (is_new && services_.options.allow_labels_for_unavailable) continue;
    return rm::FailedPrecondition("Request to assign label to version ", version, " of model ",
                                  name_, ", which is not currently available for inference");
  }
  return rm::OkStatus();
}

void FileModel::Configure(const ModelConfig& config) {
  {
    rm::MutexLock lock(mutex_);
    state_->config = config;
    state_->look = true;
    Publish();
  }
  changed_.NotifyAll();
}

void FileModel::Work() {
  LowerPriority();
  const auto stopping = [this] {
    rm::MutexLock lock(mutex_);
    return state_->stop;
  };
  while (!stopping()) {
    Look();
    while (!stopping() && (LoadNext() || UnloadNext())) continue;
    {
      rm::MutexLock lock(mutex_);
      state_->tried = true;
      changed_.NotifyAll();
    }
    Rest();
  }
  rm::MutexLock lock(mutex_);
  state_->tried = true;
  changed_.NotifyAll();
}

void FileModel::Look() {
  const auto found = FindVersions(source_);
  const std::string problem = found.ok() ? "" : found.status().message();
  rm::MutexLock lock(mutex_);
  state_->look = false;
  if (problem != state_->problem && !problem.empty()) {
    rm::LogWarning("model '", name_, "': ", problem);
  }
  state_->problem = problem;
  // The versions stay if the folder cannot be read for a moment.
  if (!found.ok() && !rm::IsNotFound(found.status())) return;
  const auto versions = found.value_or(std::vector<FoundVersion>());
  state_->table.SetWanted(ChooseVersions(versions, state_->config.version_policy));
  state_->table.RestartChanged();
}

bool FileModel::LoadNext() {
  int64_t number = 0;
  std::string path;
  {
    rm::MutexLock lock(mutex_);
    auto* next = state_->table.NextToLoad(Clock::now());
    if (next == nullptr) return false;
    next->second.state = VersionState::kLoading;
    number = next->first;
    path = next->second.path;
  }
  const auto start = Clock::now();
  const FilesState before = LookAtFiles(path);
  auto loaded = Load(number, path);
  if (services_.options.on_load) {
    const auto time = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
    services_.options.on_load({.path = path, .ok = loaded.ok(), .time = time});
  }
  if (!loaded.ok()) {
    NoteFailure(number, path, loaded.status(), before);
    return true;
  }
  rm::MutexLock lock(mutex_);
  VersionTable::Entry& entry = *state_->table.Find(number);
  entry.state = VersionState::kAvailable;
  entry.status = rm::OkStatus();
  entry.version = *std::move(loaded);
  rm::LogInfo("model '", name_, "' version ", number, " is available: ", entry.version->bytes(),
              " bytes of variables, loaded in ", MillisSince(start), " ms from '", path, "'");
  Publish();
  return true;
}

rm::StatusOr<std::optional<BatchingParameters>> FileModel::BatchingFor(const std::string& path) {
  if (services_.options.batching_of_folder) return services_.options.batching_of_folder(path);
  rm::MutexLock lock(mutex_);
  return state_->config.batching;
}

rm::StatusOr<std::shared_ptr<LoadedVersion>> FileModel::Load(int64_t number,
                                                             const std::string& path) {
  const LoadSlots::Slot slot(services_.slots);
  RAMET_ASSIGN_OR_RETURN(LoadedGraph graph, LoadGraph(path, services_.options.load));
  // The last request that holds the version must not have to free it.
  auto free = [&reaper = services_.reaper, model = weak_from_this(),
               number](LoadedVersion* version) {
    reaper.Post([version, model, number] {
      delete version;
      if (const auto alive = model.lock()) alive->NoteFreed(number);
    });
  };
  RunnerOptions options{.scheduler = &services_.scheduler,
                        .on_batch = services_.ObserverFor(name_),
                        .on_run = services_.options.on_run,
                        .recent = recent_,
                        .version = number};
  RAMET_ASSIGN_OR_RETURN(options.batching, BatchingFor(path));
  std::shared_ptr<LoadedVersion> version(new LoadedVersion(name_, std::move(graph), options),
                                         std::move(free));
  const auto recent = recent_ ? recent_->Get() : std::vector<RecentRuns::Run>();
  RAMET_RETURN_IF_ERROR(WarmUp(version, path, recent, services_.options.warmup));
  return version;
}

void FileModel::NoteFailure(int64_t number, const std::string& path, const rm::Status& why,
                            const FilesState& before) {
  const ManagerOptions& options = services_.options;
  const FilesState after = LookAtFiles(path);
  rm::MutexLock lock(mutex_);
  VersionTable::Entry& entry = *state_->table.Find(number);
  const bool is_new = entry.status.ok();
  const double settle_seconds = std::chrono::duration<double>(options.settle_time).count();
  entry.status = why;
  entry.files = after.digest;
  if (after.digest != before.digest || after.age_seconds < settle_seconds) {
    entry.next_attempt = Clock::now() + kRetrySettling;
    if (!is_new) return;
    rm::LogInfo("model '", name_, "' version ", number,
                " is probably still being written: ", why.message());
    return;
  }
  entry.failures++;
  if (MayPass(why) && entry.failures <= options.max_load_retries) {
    entry.next_attempt = Clock::now() + options.load_retry_interval;
    rm::LogWarning("model '", name_, "' version ", number, " cannot be loaded now, attempt ",
                   entry.failures, " of ", options.max_load_retries + 1, ": ", why.ToString());
    return;
  }
  entry.state = VersionState::kEnd;
  rm::LogError("model '", name_, "' version ", number, " cannot be loaded: ", why.ToString());
}

bool FileModel::UnloadNext() {
  std::shared_ptr<ModelVersion> dropped;  // after the lock
  rm::MutexLock lock(mutex_);
  auto* next = state_->table.NextToUnload();
  if (next == nullptr) return false;
  next->second.state = VersionState::kUnloading;
  dropped = std::move(next->second.version);
  rm::LogInfo("model '", name_, "' version ", next->first, " is being unloaded");
  Publish();
  return true;
}

void FileModel::NoteFreed(int64_t number) {
  {
    rm::MutexLock lock(mutex_);
    state_->table.NoteFreed(number);
    rm::LogInfo("model '", name_, "' version ", number, " has been unloaded");
    state_->look = true;
  }
  changed_.NotifyAll();
}

void FileModel::Rest() {
  constexpr std::chrono::hours kForever(24 * 365);
  const auto poll = services_.options.poll_wait;
  const auto now = Clock::now();
  rm::MutexLock lock(mutex_);
  auto until = now + (poll.count() > 0 ? Clock::duration(poll) : Clock::duration(kForever));
  if (const auto next = state_->table.NextAttempt()) until = std::min(until, *next);
  while (!state_->look && !state_->stop && changed_.WaitUntil(mutex_, until)) continue;
}

void FileModel::Publish() {
  auto available = std::make_shared<Available>();
  available->labels = state_->config.version_labels;
  for (const auto& [number, entry] : state_->table.entries()) {
    if (entry.state == VersionState::kAvailable) available->versions[number] = entry.version;
  }
  std::shared_ptr<const Available> shown = std::move(available);
  rm::MutexLock lock(available_mutex_);
  available_.swap(shown);
}

}  // namespace server
