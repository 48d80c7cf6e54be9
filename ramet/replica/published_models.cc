#include "ramet/replica/published_models.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <set>

#include "ramet/base/mutex.h"
#include "ramet/base/strings.h"
#include "ramet/base/wall_clock.h"
#include "ramet/replica/announced_graph.h"

namespace ramet {
namespace {

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

// Checks that a value is what was announced.
Status CheckValue(const PublishedVariable& variable, const Tensor& value) {
  if (value.empty()) return variable.state->UninitializedError();
  if (value.shape() == variable.shape && value.dtype() == variable.dtype) return OkStatus();
  return FailedPrecondition("variable '", variable.name, "' was ", DTypeName(variable.dtype),
                            variable.shape, " when publishing began and is ",
                            DTypeName(value.dtype()), value.shape(), " now");
}

}  // namespace

bool TakenValues::any_on_device() const {
  return !step.host_accessible() ||
         std::ranges::any_of(values, [](const Tensor& v) { return !v.host_accessible(); });
}

Status TakenValues::CopyToHost() {
  RAMET_RETURN_IF_ERROR(on_device.CopyToHost());
  for (const DeviceValues::Value& value : on_device.values()) {
    (value.index < values.size() ? values[value.index] : step) = value.host;
  }
  return OkStatus();
}

void TakenValues::Clear() {
  on_device = DeviceValues();
  step = Tensor();
  for (Tensor& value : values) value = Tensor();
}

Status PublishedModels::Add(const PublishedModel& published) {
  const std::string prefix = published.name.empty() ? "" : StrCat(published.name, "/");
  auto model = ModelSource::Make(*published.session, prefix, published.variables, options_);
  if (!model.ok()) {
    return Status(model.status().code(), StrCat(where_, ": ", model.status().message()));
  }
  RAMET_RETURN_IF_ERROR(model->Announce(options_, &signature_, &variables_));
  announced_.push_back({published.name, &published.session->graph(), published.signature_defs});
  if (std::ranges::find(sessions_, &model->session()) == sessions_.end()) {
    sessions_.push_back(&model->session());
  }
  models_.push_back(*std::move(model));
  return OkStatus();
}

StatusOr<Announcement> PublishedModels::Announce() const {
  RAMET_RETURN_IF_ERROR(CheckNames(signature_));
  Announcement announcement{NewEpoch(), signature_, ""};
  if (options_.graph) {
    RAMET_ASSIGN_OR_RETURN(announcement.graph, AnnounceGraphs(announced_));
  } else if (std::ranges::any_of(announced_,
                                 [](const auto& m) { return !m.signature_defs.empty(); })) {
    return InvalidArgument("signatures are published with the graph; publish with graph=true");
  }
  return announcement;
}

Status PublishedModels::Take(TakenValues* taken) const {
  for (SessionImpl* session : sessions_) {
    if (!session->gate().Within()) continue;
    return FailedPrecondition(where_, ": Publish was called from within a run of the session; ",
                              "call it between two runs");
  }
  taken->values.resize(variables_.size());
  {
    const Closings closings(sessions_);
    for (size_t i = 0; i < variables_.size(); ++i) taken->values[i] = variables_[i].state->Read();
    taken->step = models_[0].GlobalStep();
  }
  for (size_t i = 0; i < variables_.size(); ++i) {
    RAMET_RETURN_IF_ERROR(CheckValue(variables_[i], taken->values[i]));
  }
  return OkStatus();
}

Status PublishedModels::Mark(TakenValues* taken) const {
  const auto mark = [&](const SessionImpl& session, const Tensor& value) {
    return value.host_accessible() ? OkStatus() : taken->on_device.Mark(session, value);
  };
  for (size_t i = 0; i < variables_.size(); ++i) {
    RAMET_RETURN_IF_ERROR(mark(*variables_[i].session, taken->values[i]));
  }
  return mark(models_[0].session(), taken->step);
}

int64_t PublishedModels::StepOf(const TakenValues& taken) const {
  if (taken.info.id.step >= 0) return taken.info.id.step;
  const Tensor& step = taken.step;
  if (step.empty() || step.num_elements() != 1) return -1;
  if (step.dtype() == kInt64) return step.scalar<int64_t>();
  return step.dtype() == kInt32 ? step.scalar<int32_t>() : -1;
}

void PublishedModels::SetAllocator(Allocator* allocator) {
  if (allocator == nullptr) return;
  for (PublishedVariable& variable : variables_) {
    if (variable.conversion == Conversion::kNone) variable.state->SetAllocator(allocator);
  }
}

void PublishedModels::TakeBack() {
  const Closings closings(sessions_);
  for (PublishedVariable& variable : variables_) {
    if (variable.conversion != Conversion::kNone) continue;
    variable.state->SetAllocator(nullptr);
    const Tensor value = variable.state->Read();
    if (value.empty() || !value.host_accessible()) continue;
    if (auto copy = value.DeepCopy(); copy.ok()) variable.state->Move(value, *std::move(copy));
  }
}

}  // namespace ramet
