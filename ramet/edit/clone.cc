#include "ramet/edit/clone.h"

#include <algorithm>
#include <memory>

#include "ramet/base/file.h"
#include "ramet/base/run_interrupt.h"
#include "ramet/base/strings.h"
#include "ramet/edit/clone/changed_tensors.h"
#include "ramet/edit/clone/copied_collections.h"
#include "ramet/edit/clone/copied_contexts.h"
#include "ramet/edit/clone/copied_devices.h"
#include "ramet/edit/clone/copied_edges.h"
#include "ramet/edit/clone/copied_variables.h"
#include "ramet/edit/clone/current_values.h"
#include "ramet/edit/clone/dtypes.h"
#include "ramet/edit/clone/function_copies.h"
#include "ramet/edit/clone/initial_values.h"
#include "ramet/edit/clone/node_copier.h"
#include "ramet/edit/clone/selection.h"
#include "ramet/graph/edit_graph.h"
#include "ramet/graph/function_library.h"
#include "ramet/graph/graph_rollback.h"
#include "ramet/graph/max_nodes.h"
#include "ramet/graph/names.h"

namespace ramet {
namespace {

constexpr std::string_view kInitialNames[] = {"initializer", "current"};  // in Python

// Locks both graphs in an order that prevents deadlocks between two clones.
class BothGraphs {
 public:
  BothGraphs(const Graph& source, const Graph& target) RAMET_NO_THREAD_SAFETY_ANALYSIS
      : source_(GraphDataOf(source).mutex),
        target_(GraphDataOf(target).mutex) {
    if (&source_ == &target_) {
      target_.Lock();
      return;
    }
    // A thread that waits for one of the locks does not hold the other one.
    while (true) {
      source_.LockShared();
      if (target_.TryLock()) return;
      source_.UnlockShared();
      target_.Lock();
      if (source_.TryLockShared()) return;
      target_.Unlock();
    }
  }
  ~BothGraphs() RAMET_NO_THREAD_SAFETY_ANALYSIS {
    target_.Unlock();
    if (&source_ != &target_) source_.UnlockShared();
  }
  BothGraphs(const BothGraphs&) = delete;
  BothGraphs& operator=(const BothGraphs&) = delete;

 private:
  SharedMutex& source_;
  SharedMutex& target_;
};

// Checks that a checkpoint to initialize from exists: a V2 one by its index, a V1 one by its file,
// unless it is the pattern of its shards.
Status CheckInitial(const CloneInitial& initial) {
  const std::string* prefix = initial.checkpoint();
  if (prefix == nullptr || prefix->find_first_of("*?[") != prefix->npos) return OkStatus();
  const std::string index = StrCat(*prefix, ".index");
  if (FileExists(index) || FileExists(*prefix)) return OkStatus();
  const std::string near =
      NearestName(*prefix, std::vector<std::string_view>{kInitialNames[0], kInitialNames[1]});
  return InvalidArgument("clone: initial: '", *prefix, "' is neither '", kInitialNames[0],
                         "' nor '", kInitialNames[1], "', and there is no checkpoint '", index,
                         "'.", near.empty() ? "" : StrCat(" Did you mean '", near, "'?"));
}

// Makes one clone. Run shows the phases in order.
class Cloner {
 public:
  Cloner(Graph& source, const CloneOptions& options)
      : options_(options),
        mapping_(std::make_shared<CloneMapping>(&source,
                                                options.into == nullptr ? &source : options.into)),
        selection_(source, options),
        dtypes_(selection_, options.dtype),
        devices_(selection_, options.device, *mapping_),
        functions_(options, names_, *mapping_),
        edges_(selection_, dtypes_, *mapping_) {}

  StatusOr<Cloned> Run() {
    // Nothing changes yet.
    RAMET_RETURN_IF_ERROR(CheckInitial(options_.initial));
    RAMET_RETURN_IF_ERROR(selection_.Resolve());
    RAMET_RETURN_IF_ERROR(selection_.Select());
    RAMET_RETURN_IF_ERROR(devices_.Evaluate());
    RAMET_RETURN_IF_ERROR(dtypes_.EvaluateRules());
    RAMET_ASSIGN_OR_RETURN(const StateValues values, ReadCurrentValues(selection_, options_));
    RAMET_RETURN_IF_ERROR(CheckNotFinalized());
    // On an error, restores the target.
    GraphRollback rollback(*mapping_->target);
    RAMET_RETURN_IF_ERROR(AddCopies(rollback));
    RAMET_RETURN_IF_ERROR(InitialValues(options_, values, *mapping_).AddInit());
    rollback.Keep();
    return Cloned(mapping_);
  }

 private:
  GraphData& target() { return MutableGraphDataOf(*mapping_->target); }

  Status AddCopies(GraphRollback& rollback) {
    BothGraphs locks(*mapping_->source, *mapping_->target);
    if (target().finalized) return FinalizedError();
    GraphDef library;
    RAMET_RETURN_IF_ERROR(names_.Init(*mapping_->target, options_));
    RAMET_RETURN_IF_ERROR(CheckLibrary(&library));
    RAMET_RETURN_IF_ERROR(dtypes_.Plan());
    if (StopDue()) return InterruptedStatus();
    RAMET_RETURN_IF_ERROR(CheckSize());
    edges_.NumberNodes();
    if (StopDue()) return InterruptedStatus();
    RAMET_RETURN_IF_ERROR(edges_.CheckOutsideInputs());
    mapping_->scope = names_.scope();
    mapping_->shared = selection_.state().shared;
    AddFunctions(library, rollback);
    MergeVersions();
    RAMET_RETURN_IF_ERROR(NodeCopier(selection_, dtypes_, functions_, edges_, devices_,
                                     options_.device, names_, *mapping_)
                              .CopyAll());
    NoteScope(rollback);
    RAMET_RETURN_IF_ERROR(InferChangedShapes());
    // Nothing can fail from here on.
    VariableCopier(selection_, dtypes_, edges_, names_, *mapping_).CopyAll();
    AddTables();
    ContextCopier(dtypes_, edges_, options_, names_, *mapping_).CopyAll();
    CollectionCopier(selection_, options_, *mapping_).CopyAll();
    return OkStatus();
  }

  Status CheckNotFinalized() const {
    return mapping_->target->finalized() ? FinalizedError() : OkStatus();
  }
  static Status FinalizedError() {
    return FailedPrecondition("Graph is finalized and cannot be modified.");
  }

  // Functions with state are always copied, all others only to a different target graph.
  Status CheckLibrary(GraphDef* library) const {
    if (mapping_->same_graph()) return OkStatus();
    LibraryOf(std::as_const(*mapping_->source)).CopyTo(library);
    Status status = LibraryOf(*mapping_->target).Check(*library);
    return status.ok() ? status : status.WithContext("clone: into");
  }

  void AddFunctions(GraphDef& library, GraphRollback& rollback) {
    functions_.Copy(selection_.nodes(), selection_.functions(), &library);
    if (!library.has_library()) return;
    const auto find_body = LibraryOf(*mapping_->source).body_finder();
    rollback.NoteFunctions(LibraryOf(*mapping_->target).AddFunctions(library, find_body));
  }

  Status CheckSize() {
    const size_t added = selection_.nodes().size() + selection_.boundary().cuts().size() +
                         dtypes_.casts().casts().size();
    return CheckMaxNodes(target().nodes.size(), added);
  }

  void MergeVersions() {
    if (mapping_->same_graph()) return;
    const GraphVersions& from = GraphDataOf(*mapping_->source).versions;
    GraphVersions& to = target().versions;
    to.producer = target().nodes.empty() ? from.producer : std::min(from.producer, to.producer);
    to.min_consumer = std::max(from.min_consumer, to.min_consumer);
  }

  // Infers the shapes of copies that read a tensor whose shape or value differs from the
  // original's. All other copies have the original's shapes.
  Status InferChangedShapes() {
    Status inferred = InferShapesAgain(*mapping_->target, edges_.first(),
                                       FindChangedTensors(selection_, edges_, *mapping_));
    return inferred.ok() ? inferred : inferred.WithContext("clone");
  }

  void NoteScope(GraphRollback& rollback) {
    if (mapping_->scope.empty()) return;
    std::string key = LowerCase(mapping_->scope);
    if (!target().build_state.names.in_use.try_emplace(key, 1).second) return;
    rollback.NoteScope(std::move(key));
  }

  void AddTables() {
    auto copy_of = [&](NodeId id) { return mapping_->Of(Operation(mapping_->source, id)); };
    for (const SelectedTable& t : selection_.state().tables) {
      CopiedTable& table = mapping_->tables.emplace_back();
      table.original = Operation(mapping_->source, t.node);
      table.copy = copy_of(t.node);
      for (NodeId id : t.initializers) table.initializers.push_back(copy_of(id));
    }
  }

  const CloneOptions& options_;
  std::shared_ptr<CloneMapping> mapping_;
  CloneSelection selection_;
  CloneDtypes dtypes_;
  CopiedDevices devices_;
  CloneNames names_;
  FunctionCopies functions_;
  CopiedEdges edges_;
};

}  // namespace

StatusOr<Cloned> Clone(Graph& source, const CloneOptions& options) {
  return Cloner(source, options).Run();
}

}  // namespace ramet
