#include "ramet/edit/clone.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>

#include "ramet/edit/clone_nodes.h"
#include "ramet/edit/clone_records.h"
#include "ramet/edit/clone_state.h"
#include "ramet/graph/function_library.h"
#include "ramet/graph/names.h"

namespace ramet {
namespace {

StatusOr<VariableValues> CurrentValues(const CloneSelection& selection, const Graph& source,
                                       const CloneOptions& options, bool same_graph) {
  VariableValues values;
  if (same_graph || !options.initial.is(CloneInitialKind::kCurrent)) return values;
  if (!options.value_of) {
    return InvalidArgument(
        "clone: value_of: current values for a clone in another graph come from a session of the "
        "source; say how a variable's value is found");
  }
  for (const SelectedVariable& v : selection.variables()) {
    const std::string name = Operation(&source, v.node).name();
    if (v.record < 0) {
      return InvalidArgument("clone: initial: no record of the source says that '", name,
                             "' is a variable; take a checkpoint or its initializer");
    }
    auto value = options.value_of(Variable(const_cast<Graph*>(&source), v.record));
    if (!value.ok()) return value.status().WithContext(StrCat("clone: value_of: '", name, "'"));
    if (value->empty()) {
      return FailedPrecondition("clone: value_of: variable '", name, "' has no value");
    }
    values.emplace(v.node, *std::move(value));
  }
  return values;
}

// The locks of both graphs, in an order that two clones cannot deadlock with.
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
        nodes_(selection_, options, names_, *mapping_) {}

  StatusOr<Cloned> Run() {
    RAMET_RETURN_IF_ERROR(selection_.Resolve());
    RAMET_RETURN_IF_ERROR(selection_.Select());
    nodes_.AskDevices();
    RAMET_ASSIGN_OR_RETURN(
        const VariableValues values,
        CurrentValues(selection_, *mapping_->source, options_, mapping_->same_graph()));
    RAMET_RETURN_IF_ERROR(AppendAll());
    RAMET_RETURN_IF_ERROR(CloneStateOps(*mapping_).MakeInit(options_, values));
    return Cloned(mapping_);
  }

 private:
  Status AppendAll() {
    BothGraphs locks(*mapping_->source, *mapping_->target);
    GraphImpl& target = mapping_->target->impl();
    GraphDef library;
    RAMET_RETURN_IF_ERROR(names_.Init(*mapping_->target, options_));
    RAMET_RETURN_IF_ERROR(CheckLibrary(*mapping_, &library));
    RAMET_RETURN_IF_ERROR(nodes_.Prepare());
    if (!mapping_->same_graph()) {
      target.library->AddFunctions(library);
      MergeVersions(mapping_->source->impl().versions, target.nodes.empty(), &target.versions);
    }
    mapping_->scope = names_.scope();
    mapping_->shared = selection_.shared();
    nodes_.Append();
    if (!mapping_->scope.empty()) {
      target.build_state.names_in_use.try_emplace(LowerCase(mapping_->scope), 1);
    }
    CloneRecords records(selection_, options_, names_, *mapping_);
    records.CloneVariables();
    records.CloneContexts();
    records.CloneCollections();
    return OkStatus();
  }

  const CloneOptions& options_;
  std::shared_ptr<CloneMapping> mapping_;
  CloneSelection selection_;
  CloneNames names_;
  CloneNodes nodes_;
};

}  // namespace

Cloned::Cloned(std::shared_ptr<CloneMapping> mapping) : mapping_(std::move(mapping)) {}
Cloned::~Cloned() = default;
Cloned::Cloned(const Cloned&) = default;
Cloned& Cloned::operator=(const Cloned&) = default;

Output Cloned::Transformed(const Output& tensor) const {
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
  auto it = mapping_->variable_ids.find(variable.id());
  if (it != mapping_->variable_ids.end()) return Variable(mapping_->target, it->second);
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
  if (!mapping_->same_graph()) {
    return InvalidArgument(
        "clone: update: the clone is in another graph; take the values from a session of the "
        "source (Session::Value) and assign them (Session::Assign)");
  }
  if (!mapping_->update_op.valid()) {
    RAMET_ASSIGN_OR_RETURN(mapping_->update_op, CloneStateOps(*mapping_).MakeUpdate("update"));
  }
  return mapping_->update_op;
}

StatusOr<Operation> Cloned::PolyakOp(double tau) const {
  if (!(tau >= 0 && tau <= 1)) return InvalidArgument("clone: tau: ", tau, " is not in [0, 1]");
  if (!mapping_->same_graph()) return UpdateOp();
  return CloneStateOps(*mapping_).MakePolyak(tau);
}

std::vector<ClonedCheckpointEntry> Cloned::SaverMap() const {
  std::vector<ClonedCheckpointEntry> entries;
  std::unordered_map<std::string, size_t> position;
  for (size_t i = 0; i < mapping_->variables.size(); ++i) {
    const std::string& name = mapping_->checkpoint_names[i];
    const Variable& copy = mapping_->variables[i].copy;
    auto [it, added] = position.try_emplace(name, entries.size());
    if (added) entries.push_back({name, {}, copy.record().save_slice_info.has_value()});
    entries[it->second].variables.push_back(copy);
  }
  return entries;
}

StatusOr<Cloned> Clone(Graph& source, const CloneOptions& options) {
  return Cloner(source, options).Run();
}

}  // namespace ramet
