#include "ramet/edit/cloned.h"

#include <unordered_map>

#include "ramet/edit/clone/current_values.h"
#include "ramet/edit/clone/mapping.h"
#include "ramet/edit/clone/state_op_builder.h"
#include "ramet/edit/clone/variable_updates.h"
#include "ramet/graph/graph_rollback.h"

namespace ramet {
namespace {

Status CheckTau(double tau) {
  if (tau >= 0 && tau <= 1) return OkStatus();
  return InvalidArgument("clone: tau: ", tau, " is not in [0, 1]");
}

// Returns the error of `member`, which needs both networks in one graph.
Status AcrossGraphs(std::string_view member) {
  return InvalidArgument("clone: ", member,
                         ": the clone is in a different graph, so no operation can read the "
                         "original's variables; use update(session, into) or polyak(tau, session, "
                         "into)");
}

// Returns the step for tau, which is made on first use.
StatusOr<const CloneSteps::Fed*> FedStepOf(CloneMapping& mapping, double tau) {
  auto known = mapping.steps.fed.find(tau);
  if (known != mapping.steps.fed.end()) return &known->second;
  GraphRollback rollback(*mapping.target);
  CloneSteps::Fed step;
  VariableUpdates updates(mapping, &step.feeds);
  RAMET_ASSIGN_OR_RETURN(step.op, tau == 1 ? updates.AddUpdate() : updates.AddPolyak(tau));
  rollback.Keep();
  return &(mapping.steps.fed[tau] = std::move(step));
}

Status RunFedStep(CloneMapping& mapping, double tau, const CloneSession& from,
                  const CloneSession& to) {
  if (!from.is_function()) {
    RAMET_RETURN_IF_ERROR(CheckSession(from, *mapping.source, "session"));
  }
  RAMET_RETURN_IF_ERROR(CheckSession(to, *mapping.target, "target session"));
  RAMET_ASSIGN_OR_RETURN(const std::vector<Tensor> values, ReadOriginals(mapping, from));
  RAMET_ASSIGN_OR_RETURN(const CloneSteps::Fed* step, FedStepOf(mapping, tau));
  return to.Run(step->feeds, values, step->op);
}

}  // namespace

Cloned::Cloned(std::shared_ptr<CloneMapping> mapping) : mapping_(std::move(mapping)) {}
Cloned::~Cloned() = default;
Cloned::Cloned(const Cloned&) = default;
Cloned& Cloned::operator=(const Cloned&) = default;

Output Cloned::Transformed(const Output& tensor) const {
  if (tensor.graph() == mapping_->source && !mapping_->restored_dtypes.empty()) {
    auto cast = mapping_->restored_dtypes.find(EndpointKey({tensor.op().id(), tensor.index()}));
    if (cast != mapping_->restored_dtypes.end()) {
      return Output(Operation(mapping_->target, cast->second.node), cast->second.index);
    }
  }
  const Output copy = mapping_->Of(tensor);
  if (copy.valid() || tensor.graph() != mapping_->source) return copy;
  return mapping_->shared.contains(tensor.op().id()) ? tensor : copy;
}

Operation Cloned::Transformed(const Operation& operation) const {
  const Operation copy = mapping_->Of(operation);
  if (copy.valid() || operation.graph() != mapping_->source) return copy;
  return mapping_->shared.contains(operation.id()) ? operation : copy;
}

Variable Cloned::Transformed(const Variable& variable) const {
  if (variable.graph() != mapping_->source) return Variable();
  const VariableId copy = mapping_->CopyOfVariable(variable.id());
  if (copy >= 0) return Variable(mapping_->target, copy);
  return mapping_->shared.contains(variable.ref().op().id()) ? variable : Variable();
}

Output Cloned::Transformed(std::string_view tensor_name) const {
  auto tensor = mapping_->source->Tensor(tensor_name);
  return tensor.ok() ? Transformed(*tensor) : Output();
}

Graph& Cloned::source() const { return *mapping_->source; }
Graph& Cloned::graph() const { return *mapping_->target; }
const std::string& Cloned::scope() const { return mapping_->scope; }
const std::vector<ClonedVariable>& Cloned::variables() const { return mapping_->variables.list; }
Operation Cloned::init_op() const { return mapping_->steps.init; }

std::vector<Operation> Cloned::operations() const {
  std::vector<Operation> all;
  for (NodeId id : mapping_->copies) {
    if (id >= 0) all.push_back(Operation(mapping_->target, id));
  }
  return all;
}

StatusOr<Operation> Cloned::UpdateOp() const {
  if (!mapping_->same_graph()) return AcrossGraphs("update_op");
  Operation& update = mapping_->steps.update;
  if (!update.valid()) {
    GraphRollback rollback(*mapping_->target);
    RAMET_ASSIGN_OR_RETURN(update, VariableUpdates(*mapping_).AddUpdate());
    rollback.Keep();
  }
  return update;
}

StatusOr<Operation> Cloned::PolyakOp(double tau) const {
  RAMET_RETURN_IF_ERROR(CheckTau(tau));
  if (!mapping_->same_graph()) return AcrossGraphs("polyak_op");
  GraphRollback rollback(*mapping_->target);
  RAMET_ASSIGN_OR_RETURN(Operation op, VariableUpdates(*mapping_).AddPolyak(tau));
  rollback.Keep();
  return op;
}

Status Cloned::Update(const CloneSession& from, const CloneSession& to) const {
  return RunFedStep(*mapping_, 1, from, to);
}

Status Cloned::Polyak(double tau, const CloneSession& from, const CloneSession& to) const {
  RAMET_RETURN_IF_ERROR(CheckTau(tau));
  return RunFedStep(*mapping_, tau, from, to);
}

std::vector<ClonedCheckpointEntry> Cloned::SaverMap() const {
  std::vector<ClonedCheckpointEntry> entries;
  std::unordered_map<std::string, size_t> position;
  for (size_t i = 0; i < mapping_->variables.list.size(); ++i) {
    const std::string& name = mapping_->variables.origins[i].checkpoint_name;
    const ClonedVariable& v = mapping_->variables.list[i];
    auto [it, added] = position.try_emplace(name, entries.size());
    if (added) {
      const bool is_partitioned = v.copy.record().save_slice_info.has_value();
      entries.push_back({name, {}, is_partitioned, OriginalDtype(v)});
    }
    entries[it->second].variables.push_back(v.copy);
  }
  return entries;
}

}  // namespace ramet
