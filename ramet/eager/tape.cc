#include "ramet/eager/tape.h"

#include <algorithm>
#include <utility>

#include "ramet/base/thread_storage.h"
#include "ramet/eager/eager_gradient.h"
#include "ramet/gradients/between_set.h"
#include "ramet/gradients/gradient_registry.h"

namespace ramet {
namespace {

bool IsTrainable(const EagerValue& value) { return IsTrainableType(value.dtype()); }

ProgramGradients program_gradients;

Status CheckHasGradient(const Operation& op) {
  if (!op.valid() || GradientRegistry::Global().Find(op).ok()) return OkStatus();
  return NotFound("gradient registry has no entry for: ", op.type());
}

StatusOr<EagerGradient> OnesLike(EagerContext& context, const EagerValue& value) {
  const EagerOpSpec spec{"OnesLike", {{"T", value.dtype()}}, {value.dtype()}, ""};
  EagerGradient ones;
  RAMET_ASSIGN_OR_RETURN(ones.values, context.Apply(spec, {&value, 1}));
  return ones;
}

}  // namespace

void Tape::SetProgramGradients(const ProgramGradients& gradients) { program_gradients = gradients; }

std::vector<Tape*>& Tape::Active() {
  RAMET_THREAD_LOCAL(std::vector<Tape*> active);
  return active;
}

void Tape::Start() { Active().push_back(this); }

void Tape::Stop() { std::erase(Active(), this); }

TapePause::TapePause() : paused_(std::exchange(Tape::Active(), {})) {}

void TapePause::Resume() {
  std::vector<Tape*>& active = Tape::Active();
  active.insert(active.begin(), paused_.begin(), paused_.end());
  paused_.clear();
}

bool Tape::Tracks(const EagerValue& value) const {
  return IsTrainable(value) && tracked_.contains(value.id);
}

bool Tape::TracksAny(std::span<const EagerValue> values) const {
  return std::ranges::any_of(values, [this](const EagerValue& v) { return Tracks(v); });
}

void Tape::RecordOnAll(const std::shared_ptr<EagerFunction>& function,
                       std::span<const EagerValue> args, std::span<const EagerValue> results) {
  if (Active().empty()) return;
  const Operation& op = function->op();
  if (op.valid() && op.op().not_differentiable()) return;
  for (Tape* tape : Active()) {
    if (!tape->TracksAny(args)) continue;
    tape->Add({function, {}, {args.begin(), args.end()}, {results.begin(), results.end()}});
  }
}

void Tape::RecordBackward(std::span<const EagerValue> inputs, std::span<const EagerValue> outputs,
                          const BackwardFunction& backward) {
  for (Tape* tape : Active()) {
    if (!tape->TracksAny(inputs)) continue;
    tape->Add(
        {nullptr, backward, {inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}});
  }
}

void Tape::Add(Record record) {
  for (const EagerValue& output : record.outputs) tracked_.insert(output.id);
  records_.push_back(std::move(record));
}

StatusOr<std::vector<EagerGradient>> Tape::Gradients(EagerContext& context,
                                                     std::span<const EagerValue> targets,
                                                     std::span<const EagerValue> sources,
                                                     std::span<const EagerGradient> starts) {
  Arrived arrived;
  RAMET_RETURN_IF_ERROR(AddStarts(context, targets, starts, &arrived));
  std::unordered_set<int64_t> wanted;
  for (const EagerValue& source : sources) wanted.insert(source.id);
  const size_t count = records_.size();  // a persistent tape may record its own gradients
  for (size_t i = count; i-- > 0;) {
    RAMET_RETURN_IF_ERROR(Pass(context, records_[i], &arrived));
    for (const EagerValue& output : records_[i].outputs) {
      if (!wanted.contains(output.id)) arrived.erase(output.id);
    }
  }
  std::vector<EagerGradient> gradients;
  for (const EagerValue& source : sources) {
    const auto found = arrived.find(source.id);
    if (found == arrived.end()) {
      gradients.emplace_back();
      continue;
    }
    RAMET_ASSIGN_OR_RETURN(EagerGradient sum, context.Sum(found->second));
    found->second = {sum};
    gradients.push_back(std::move(sum));
  }
  return gradients;
}

Status Tape::AddStarts(EagerContext& context, std::span<const EagerValue> targets,
                       std::span<const EagerGradient> starts, Arrived* arrived) {
  for (size_t i = 0; i < targets.size(); ++i) {
    if (!Tracks(targets[i])) continue;
    EagerGradient start = starts[i];
    if (!start.exists()) {
      RAMET_ASSIGN_OR_RETURN(start, OnesLike(context, targets[i]));
    }
    (*arrived)[targets[i].id].push_back(std::move(start));
  }
  return OkStatus();
}

Status Tape::Pass(EagerContext& context, const Record& record, Arrived* arrived) {
  std::vector<EagerGradient> arriving(record.outputs.size());
  bool any = false;
  for (size_t i = 0; i < arriving.size(); ++i) {
    const auto found = arrived->find(record.outputs[i].id);
    if (found == arrived->end() || !IsTrainable(record.outputs[i])) continue;
    RAMET_ASSIGN_OR_RETURN(arriving[i], context.Sum(found->second));
    found->second = {arriving[i]};
    any = true;
  }
  if (!any) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(auto gradients, InputGradients(context, record, arriving));
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].exists() || !Tracks(record.inputs[i])) continue;
    (*arrived)[record.inputs[i].id].push_back(std::move(gradients[i]));
  }
  return OkStatus();
}

StatusOr<std::vector<EagerGradient>> Tape::InputGradients(EagerContext& context,
                                                          const Record& record,
                                                          std::span<const EagerGradient> arriving) {
  if (record.backward) return record.backward(arriving);
  const Operation& op = record.function->op();
  if (op.valid() && program_gradients.has && program_gradients.has(op.type())) {
    return program_gradients.compute({op, record.inputs, record.outputs}, arriving);
  }
  std::vector<bool> wanted;
  for (const EagerValue& input : record.inputs) wanted.push_back(Tracks(input));
  RAMET_RETURN_IF_ERROR(CheckHasGradient(op));
  RAMET_ASSIGN_OR_RETURN(auto gradient, GradientOf(*record.function, arriving, wanted));
  std::vector<EagerGradient> gradients(record.inputs.size());
  if (gradient->function == nullptr) return gradients;
  std::vector<EagerValue> args;
  const int num_inputs = static_cast<int>(record.inputs.size());
  for (const int i : gradient->taken) {
    args.push_back(i < num_inputs ? record.inputs[i] : record.outputs[i - num_inputs]);
  }
  for (const EagerGradient& part : arriving) AppendParts(part, &args);
  std::vector<EagerValue> results(gradient->function->parts().returns.size());
  RAMET_RETURN_IF_ERROR(context.Execute(gradient->function, args, results));
  for (size_t i = 0; i < gradients.size(); ++i) {
    gradients[i] = PickGradient(gradient->gradients[i], results);
  }
  return gradients;
}

}  // namespace ramet
