#include "ramet/edit/clone/selection.h"

#include <algorithm>

#include "ramet/base/run_interrupt.h"
#include "ramet/edit/clone/batch_norms.h"
#include "ramet/edit/clone/loop_parts.h"
#include "ramet/edit/clone/node_marker.h"
#include "ramet/edit/clone/shared_state.h"
#include "ramet/edit/clone/splices.h"
#include "ramet/edit/clone/training_parts.h"

namespace ramet {

CloneSelection::CloneSelection(const Graph& source, const CloneOptions& options)
    : source_(source),
      impl_(GraphDataOf(source)),
      options_(options),
      boundary_(source, options),
      stripped_(impl_) {}

Status CloneSelection::Select() {
  ReaderLock lock(impl_.mutex);
  functions_ = std::make_unique<FunctionStates>(LibraryOf(source_));
  const StateIndex index(impl_, !functions_->empty());
  RAMET_ASSIGN_OR_RETURN(state_.shared, FindSharedState(source_, index, options_));
  if (options_.strip_training) FreezeBatchNorms(impl_, index, &stripped_);
  selected_.assign(impl_.nodes.size(), 0);
  RAMET_RETURN_IF_ERROR(NodeMarker(impl_, options_, boundary_, index, *functions_, stripped_,
                                   state_.shared, &selected_)
                            .Mark());
  if (StopDue()) return InterruptedStatus();
  if (options_.strip_training) StripTraining(index);
  nodes_.reserve(static_cast<size_t>(std::ranges::count(selected_, uint8_t{1})));
  for (NodeId id = 0; id < static_cast<NodeId>(selected_.size()); ++id) {
    if (IsSelected(id)) nodes_.push_back(id);
  }
  if (StopDue()) return InterruptedStatus();
  RAMET_RETURN_IF_ERROR(CollectVariables(index));
  CollectTables(index);
  if (!boundary_.whole()) open_enters_ = FindOpenEnters(*this);
  return CheckCutsInLoops(*this);
}

void CloneSelection::StripTraining(const StateIndex& index) {
  if (options_.outputs.empty()) TrainingParts(impl_, index, &selected_, &stripped_).Strip();
  SplicePassThroughs(impl_, boundary_, &selected_, &stripped_);
}

Status CloneSelection::CollectVariables(const StateIndex& index) {
  const bool needs_initializer = options_.initial.is(CloneInitialKind::kInitializer);
  for (NodeId id : index.state()) {
    if (!IsSelected(id) || !index.IsVariable(id)) continue;
    SelectedVariable v = index.Describe(id);
    if (v.initializer >= 0 && !IsSelected(v.initializer)) v.initializer = -1;
    if (v.read >= 0 && !IsSelected(v.read)) v.read = -1;
    if (v.initializer < 0 && needs_initializer) {
      return InvalidArgument("clone: initial: variable '", impl_.nodes[id].name,
                             "' has no initializer; use the current values or a checkpoint");
    }
    state_.variables.push_back(v);
  }
  return OkStatus();
}

void CloneSelection::CollectTables(const StateIndex& index) {
  for (NodeId id : index.state()) {
    const std::string& op = impl_.nodes[id].op->name();
    const bool is_table = op.ends_with("HashTable") || op.ends_with("HashTableV2");
    if (!IsSelected(id) || !is_table) continue;
    SelectedTable& table = state_.tables.emplace_back(SelectedTable{id, {}});
    for (const auto& [of, user] : index.UsersOf(id)) {
      if (IsSelected(user) && index.Initializes(user, id)) table.initializers.push_back(user);
    }
  }
}

}  // namespace ramet
