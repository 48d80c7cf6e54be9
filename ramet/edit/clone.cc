#include "ramet/edit/clone.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>

#include "ramet/edit/clone_dtypes.h"
#include "ramet/edit/clone_functions.h"
#include "ramet/edit/clone_nodes.h"
#include "ramet/edit/clone_records.h"
#include "ramet/edit/clone_state.h"
#include "ramet/edit/graph_rollback.h"
#include "ramet/graph/function_library.h"
#include "ramet/graph/names.h"
#include "ramet/op/resource_handle.h"
#include "ramet/op/table_content.h"

namespace ramet {
namespace {

Status CheckSession(const CloneSession& session, const Graph& graph, const char* argument) {
  if (!session.valid()) {
    return InvalidArgument("clone: ", argument,
                           ": copying values between graphs requires a session of each graph");
  }
  if (session.graph() == &graph) return OkStatus();
  return InvalidArgument("clone: ", argument, ": the session belongs to a different graph");
}

Status CheckValue(const StatusOr<Tensor>& value, const Variable& variable, const char* argument) {
  const std::string name = variable.op_name();
  if (!value.ok()) {
    return value.status().WithContext(StrCat("clone: ", argument, ": '", name, "'"));
  }
  if (value->empty()) return OkStatus();
  const bool fits =
      value->dtype() == variable.dtype() && value->shape().IsCompatibleWith(variable.shape());
  if (fits) return OkStatus();
  return InvalidArgument("clone: ", argument, ": variable '", name, "' is ",
                         DTypeName(variable.dtype()), variable.shape(), "; the value is ",
                         DTypeName(value->dtype()), value->shape());
}

Status NoValue(const Variable& variable, const char* argument) {
  return FailedPrecondition("clone: ", argument, ": variable '", variable.op_name(),
                            "' has no value");
}

// Reads the content of the session's tables. Uninitialized tables are omitted.
Status CurrentTables(const CloneSelection& selection, const Graph& source,
                     const CloneSession& session, StateValues* values) {
  values->has_tables = true;
  for (const SelectedTable& t : selection.tables()) {
    const Operation op(&source, t.node);
    if (op.output(0).dtype() != DType::kResource) continue;
    auto handle = session.ResourceHandle(op);
    if (!handle.ok()) {
      return handle.status().WithContext(StrCat("clone: session: '", op.name(), "'"));
    }
    const std::shared_ptr<Resource> resource = CarriedResource(*handle);
    const auto* table = dynamic_cast<const TableContent*>(resource.get());
    if (table == nullptr || !table->has_content()) continue;
    TableEntries& entries = values->tables[t.node];
    RAMET_RETURN_IF_ERROR(table->Export(entries.keys, entries.values, HostAllocator()));
  }
  return OkStatus();
}

// Reads the values of variables. Variables without a value in the session are omitted.
StatusOr<StateValues> CurrentValues(const CloneSelection& selection, const Graph& source,
                                    const CloneOptions& options, bool same_graph) {
  StateValues values;
  if (same_graph || !options.initial.is(CloneInitialKind::kCurrent)) return values;
  const char* argument = options.value_of ? "value_of" : "session";
  if (!options.value_of) RAMET_RETURN_IF_ERROR(CheckSession(options.session, source, argument));
  for (const SelectedVariable& v : selection.variables()) {
    const std::string name = Operation(&source, v.node).name();
    if (v.record < 0) {
      return InvalidArgument("clone: initial: the source has no record of variable '", name,
                             "'; use a checkpoint or its initializer");
    }
    const Variable variable(const_cast<Graph*>(&source), v.record);
    auto value = options.value_of ? options.value_of(variable) : options.session.Value(variable);
    RAMET_RETURN_IF_ERROR(CheckValue(value, variable, argument));
    if (value->empty()) {
      if (options.value_of) return NoValue(variable, argument);
      continue;
    }
    values.variables.emplace(v.node, *std::move(value));
  }
  if (!options.value_of) {
    RAMET_RETURN_IF_ERROR(CurrentTables(selection, source, options.session, &values));
  }
  return values;
}

// Locks both graphs in an order that prevents deadlocks between two clones.
class BothGraphs {
 public:
  BothGraphs(Graph& source, Graph& target) : target_(target.impl().mutex, std::defer_lock) {
    if (&source == &target) {
      target_.lock();
      return;
    }
    source_ = std::shared_lock(source.impl().mutex, std::defer_lock);
    std::lock(source_, target_);
  }

 private:
  std::shared_lock<std::shared_mutex> source_;
  std::unique_lock<std::shared_mutex> target_;
};

Status CheckLibrary(const CloneMapping& mapping, GraphDef* library) {
  if (mapping.same_graph()) return OkStatus();
  mapping.source->impl().library->CopyTo(library);
  Status status = mapping.target->impl().library->Check(*library);
  return status.ok() ? status : status.WithContext("clone: into");
}

void MergeVersions(const GraphVersions& from, bool into_empty, GraphVersions* to) {
  to->producer = into_empty ? from.producer : std::min(from.producer, to->producer);
  to->min_consumer = std::max(from.min_consumer, to->min_consumer);
}

class Cloner {
 public:
  Cloner(Graph& source, const CloneOptions& options)
      : options_(options),
        mapping_(std::make_shared<CloneMapping>(&source,
                                                options.into == nullptr ? &source : options.into)),
        selection_(source, options),
        dtypes_(selection_, options),
        functions_(options, names_, *mapping_),
        nodes_(selection_, dtypes_, functions_, options, names_, *mapping_) {}

  StatusOr<Cloned> Run() {
    RAMET_RETURN_IF_ERROR(selection_.Resolve());
    RAMET_RETURN_IF_ERROR(selection_.Select());
    nodes_.AskDevices();
    if (!dtypes_.none()) RAMET_RETURN_IF_ERROR(dtypes_.AskRules());
    RAMET_ASSIGN_OR_RETURN(
        const StateValues values,
        CurrentValues(selection_, *mapping_->source, options_, mapping_->same_graph()));
    RAMET_RETURN_IF_ERROR(CheckNotFinalized());
    GraphRollback rollback(*mapping_->target);
    RAMET_RETURN_IF_ERROR(AppendAll(rollback));
    RAMET_RETURN_IF_ERROR(CloneStateOps(*mapping_).MakeInit(options_, values));
    rollback.Keep();
    return Cloned(mapping_);
  }

 private:
  Status CheckNotFinalized() const {
    if (!mapping_->target->finalized()) return OkStatus();
    return FailedPrecondition("Graph is finalized and cannot be modified.");
  }

  void AddTables() {
    auto of = [&](NodeId id) { return Operation(mapping_->source, id); };
    for (const SelectedTable& t : selection_.tables()) {
      CloneMapping::Table& table = mapping_->tables.emplace_back();
      table.original = of(t.node);
      table.copy = mapping_->Of(table.original);
      for (NodeId id : t.initializers) table.initializers.push_back(mapping_->Of(of(id)));
    }
  }

  // Functions are copied to a different target graph. Functions with state are copied in any case.
  void AddFunctions(GraphDef& library, GraphRollback& rollback) {
    functions_.Copy(selection_.nodes(), selection_.functions(), &library);
    if (!library.has_library()) return;
    rollback.NoteFunctions(mapping_->target->impl().library->AddFunctions(library));
  }

  Status AppendAll(GraphRollback& rollback) {
    BothGraphs locks(*mapping_->source, *mapping_->target);
    GraphImpl& target = mapping_->target->impl();
    GraphDef library;
    RAMET_RETURN_IF_ERROR(names_.Init(*mapping_->target, options_));
    RAMET_RETURN_IF_ERROR(CheckLibrary(*mapping_, &library));
    RAMET_RETURN_IF_ERROR(dtypes_.Plan());
    RAMET_RETURN_IF_ERROR(nodes_.Prepare());
    mapping_->scope = names_.scope();
    mapping_->shared = selection_.shared();
    AddFunctions(library, rollback);
    if (!mapping_->same_graph()) {
      MergeVersions(mapping_->source->impl().versions, target.nodes.empty(), &target.versions);
    }
    nodes_.Append();
    if (!mapping_->scope.empty()) {
      std::string key = LowerCase(mapping_->scope);
      if (target.build_state.names_in_use.try_emplace(key, 1).second) {
        rollback.NoteScope(std::move(key));
      }
    }
    CloneRecords records(selection_, dtypes_, options_, names_, *mapping_);
    records.CloneVariables();
    AddTables();
    records.CloneContexts();
    records.CloneCollections();
    return OkStatus();
  }

  const CloneOptions& options_;
  std::shared_ptr<CloneMapping> mapping_;
  CloneSelection selection_;
  CloneDtypes dtypes_;
  CloneNames names_;
  CloneFunctions functions_;
  CloneNodes nodes_;
};

Status CheckTau(double tau) {
  if (tau >= 0 && tau <= 1) return OkStatus();
  return InvalidArgument("clone: tau: ", tau, " is not in [0, 1]");
}

Status AcrossGraphs() {
  return InvalidArgument(
      "clone: session: the clone is in a different graph, so no operation can read the original's "
      "variables; use Update or Polyak with the sessions of both graphs");
}

// Returns the step for tau, which is made on first use.
StatusOr<const CloneMapping::FedStep*> FedStepOf(CloneMapping& mapping, double tau) {
  auto known = mapping.fed_steps.find(tau);
  if (known != mapping.fed_steps.end()) return &known->second;
  GraphRollback rollback(*mapping.target);
  CloneMapping::FedStep step;
  CloneStateOps ops(mapping);
  if (tau == 1) {
    RAMET_ASSIGN_OR_RETURN(step.op, ops.MakeUpdate("update", &step.feeds));
  } else {
    RAMET_ASSIGN_OR_RETURN(step.op, ops.MakePolyak(tau, &step.feeds));
  }
  rollback.Keep();
  return &(mapping.fed_steps[tau] = std::move(step));
}

Status RunFedStep(CloneMapping& mapping, double tau, const CloneSession& from,
                  const CloneSession& to) {
  RAMET_RETURN_IF_ERROR(CheckSession(from, *mapping.source, "session"));
  RAMET_RETURN_IF_ERROR(CheckSession(to, *mapping.target, "target session"));
  std::vector<Tensor> values;
  for (size_t i = 0; i < mapping.variables.size(); ++i) {
    const Output& original = mapping.variables[i].original;
    if (mapping.original_ids[i] < 0) {
      return InvalidArgument("clone: session: the source has no record of variable '",
                             original.op().name(), "'");
    }
    const Variable variable(mapping.source, mapping.original_ids[i]);
    auto value = from.Value(variable);
    RAMET_RETURN_IF_ERROR(CheckValue(value, variable, "session"));
    if (value->empty()) return NoValue(variable, "session");
    values.push_back(*std::move(value));
  }
  RAMET_ASSIGN_OR_RETURN(const CloneMapping::FedStep* step, FedStepOf(mapping, tau));
  return to.Run(step->feeds, values, step->op);
}

}  // namespace

Cloned::Cloned(std::shared_ptr<CloneMapping> mapping) : mapping_(std::move(mapping)) {}
Cloned::~Cloned() = default;
Cloned::Cloned(const Cloned&) = default;
Cloned& Cloned::operator=(const Cloned&) = default;

Output Cloned::Transformed(const Output& tensor) const {
  if (tensor.graph() == mapping_->source && !mapping_->given_back.empty()) {
    auto back = mapping_->given_back.find(EndpointKey({tensor.op().id(), tensor.index()}));
    if (back != mapping_->given_back.end()) {
      return Output(Operation(mapping_->target, back->second.node), back->second.index);
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
const std::vector<ClonedVariable>& Cloned::variables() const { return mapping_->variables; }
Operation Cloned::init_op() const { return mapping_->init_op; }

std::vector<Operation> Cloned::operations() const {
  std::vector<Operation> all;
  for (NodeId id : mapping_->copies) {
    if (id >= 0) all.push_back(Operation(mapping_->target, id));
  }
  return all;
}

StatusOr<Operation> Cloned::UpdateOp() const {
  if (!mapping_->same_graph()) return AcrossGraphs();
  if (!mapping_->update_op.valid()) {
    GraphRollback rollback(*mapping_->target);
    RAMET_ASSIGN_OR_RETURN(mapping_->update_op, CloneStateOps(*mapping_).MakeUpdate("update"));
    rollback.Keep();
  }
  return mapping_->update_op;
}

StatusOr<Operation> Cloned::PolyakOp(double tau) const {
  RAMET_RETURN_IF_ERROR(CheckTau(tau));
  if (!mapping_->same_graph()) return AcrossGraphs();
  GraphRollback rollback(*mapping_->target);
  RAMET_ASSIGN_OR_RETURN(Operation op, CloneStateOps(*mapping_).MakePolyak(tau));
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
  for (size_t i = 0; i < mapping_->variables.size(); ++i) {
    const std::string& name = mapping_->checkpoint_names[i];
    const Variable& copy = mapping_->variables[i].copy;
    auto [it, added] = position.try_emplace(name, entries.size());
    if (added) {
      entries.push_back({name,
                         {},
                         copy.record().save_slice_info.has_value(),
                         CloneStateOps(*mapping_).OriginalDtype(mapping_->variables[i])});
    }
    entries[it->second].variables.push_back(copy);
  }
  return entries;
}

StatusOr<Cloned> Clone(Graph& source, const CloneOptions& options) {
  return Cloner(source, options).Run();
}

}  // namespace ramet
