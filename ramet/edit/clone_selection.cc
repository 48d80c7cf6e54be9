#include "ramet/edit/clone_selection.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>

#include "ramet/edit/training_parts.h"
#include "ramet/graph/control_flow_util.h"

namespace ramet {
namespace {

bool IsUpdate(const std::string& op) {
  for (std::string_view prefix : {"Apply", "SparseApply", "ResourceApply", "ResourceSparseApply"}) {
    if (op.starts_with(prefix)) return true;
  }
  return false;
}

bool IsRestored(const GraphImpl& impl, NodeId assign) {
  auto inputs = impl.inputs(assign);
  return inputs.size() > 1 && impl.nodes[inputs[1].node].op->name().starts_with("Restore");
}

}  // namespace

StateRole StateRoles::Classify(const Op& op) {
  const std::string& name = op.name();
  if (name == "VariableV2" || name == "Variable" || name == "VarHandleOp") {
    return StateRole::kVariable;
  }
  if (name == "Assign" || name == "AssignVariableOp") return StateRole::kAssign;
  if (name == "IsVariableInitialized" || name == "VarIsInitializedOp") return StateRole::kCheck;
  if (name == "Identity" || name == "ReadVariableOp") return StateRole::kRead;
  if (name.starts_with("InitializeTable")) return StateRole::kInitializes;
  if (name.starts_with("LookupTableImport")) return StateRole::kImports;
  if (IsUpdate(name)) return StateRole::kApply;
  if (op.schema().FindAttr("shared_name") != nullptr) return StateRole::kResource;
  return StateRole::kNone;
}

CloneSelection::CloneSelection(const Graph& source, const CloneOptions& options)
    : source_(source), impl_(source.impl()), options_(options) {}

Endpoint CloneSelection::Unspliced(Endpoint e) const {
  if (splices_.empty()) return e;
  for (auto it = splices_.find(EndpointKey(e)); it != splices_.end();
       it = splices_.find(EndpointKey(e))) {
    e = it->second;
  }
  return e;
}

Endpoint CloneSelection::FrozenInputOf(NodeId id, int32_t i) const {
  if (i == 3 || i == 4) {
    auto frozen = batch_norms_.find(id);
    if (frozen != batch_norms_.end()) return i == 3 ? frozen->second.first : frozen->second.second;
  }
  return impl_.inputs(id)[static_cast<size_t>(i)];
}

// Fills state_ with the variables and other resources, and users_ with the operations that read,
// assign, check or update one of them through their first input, sorted by state.
Status CloneSelection::FindState() {
  for (size_t v = 0; v < impl_.variables.size(); ++v) {
    recorded_.emplace_back(impl_.variables[v].variable.op().id(), static_cast<VariableId>(v));
  }
  std::ranges::sort(recorded_);
  const NodeId n = static_cast<NodeId>(selected_.size());
  for (NodeId id = 0; id < n; ++id) {
    const StateRole role = roles_.Of(impl_.nodes[id].op);
    if (role == StateRole::kNone) continue;
    if (role == StateRole::kVariable || role == StateRole::kResource) {
      state_.push_back(id);
      continue;
    }
    if (impl_.nodes[id].num_inputs == 0) continue;
    const NodeId state = impl_.inputs(id)[0].node;
    const StateRole of = roles_.Of(impl_.nodes[state].op);
    if (of == StateRole::kVariable || of == StateRole::kResource) users_.emplace_back(state, id);
  }
  std::ranges::sort(users_);
  return OkStatus();
}

std::span<const CloneSelection::NodePair> CloneSelection::UsersOf(NodeId state) const {
  const auto first = std::ranges::lower_bound(users_, state, {}, &NodePair::first);
  const auto last =
      std::find_if(first, users_.end(), [&](const NodePair& user) { return user.first != state; });
  return {first, last};
}

// Returns the first record of the variable, or -1.
VariableId CloneSelection::RecordOf(NodeId variable) const {
  const auto found = std::ranges::lower_bound(recorded_, std::pair(variable, VariableId{0}));
  return found != recorded_.end() && found->first == variable ? found->second : -1;
}

SelectedVariable CloneSelection::Describe(NodeId node) const {
  SelectedVariable v{node};
  v.record = RecordOf(node);
  if (v.record >= 0) {
    const VariableRecord& r = impl_.variables[v.record];
    v.initializer = r.initializer.id();
    v.read = r.snapshot.op().id();
    return v;
  }
  const std::string name(impl_.nodes[node].name);
  auto better = [&](NodeId id, NodeId than, std::string_view part) {
    if (than < 0) return true;
    const bool named = impl_.nodes[id].name == StrCat(name, part);
    const bool other_named = impl_.nodes[than].name == StrCat(name, part);
    return named != other_named ? named : id < than;
  };
  for (const auto& [of, user] : UsersOf(node)) {
    const Op& op = *impl_.nodes[user].op;
    const bool assigns = op.name() == "Assign" || op.name() == "AssignVariableOp";
    if (assigns && !IsRestored(impl_, user) && better(user, v.initializer, "/Assign")) {
      v.initializer = user;
    }
    const bool reads = op.name() == "Identity" || op.name() == "ReadVariableOp";
    const std::string_view part = op.name() == "Identity" ? "/read" : "/Read/ReadVariableOp";
    if (reads && better(user, v.read, part)) v.read = user;
  }
  return v;
}

bool CloneSelection::Initializes(NodeId user, NodeId state) {
  const StateRole role = roles_.Of(impl_.nodes[user].op);
  const bool filled_once = impl_.nodes[state].op->name().starts_with("HashTable");
  return role == StateRole::kInitializes || (role == StateRole::kImports && filled_once);
}

Status CloneSelection::ShareState() {
  if (!functions_->empty()) {
    for (NodeId id : state_) state_by_name_.emplace(NameOfState(id), id);
  }
  if (options_.variables.all_own() && options_.resources.all_own()) return OkStatus();
  const bool same = options_.into == nullptr || options_.into == &source_;
  for (NodeId id : state_) {
    const bool variable = roles_.Of(impl_.nodes[id].op) == StateRole::kVariable;
    const std::string name(impl_.nodes[id].name);
    const CloneStateRule& rule = variable ? options_.variables : options_.resources;
    if (rule.Of(name) == CloneState::kOwn) continue;
    if (!same) {
      return InvalidArgument("clone: ", variable ? "variables" : "resources", ": '", name,
                             "' cannot be shared with a different graph");
    }
    shared_.insert(id);
    const SelectedVariable v = variable ? Describe(id) : SelectedVariable{id};
    for (NodeId part : {v.initializer, v.read}) {
      if (part >= 0) shared_.insert(part);
    }
    for (const auto& [of, user] : UsersOf(id)) {
      const StateRole role = roles_.Of(impl_.nodes[user].op);
      if (role == StateRole::kCheck || Initializes(user, id)) shared_.insert(user);
    }
  }
  return OkStatus();
}

void CloneSelection::Mark(NodeId id) {
  uint8_t& mark = selected_[static_cast<size_t>(id)];
  if (mark != 0 || (!shared_.empty() && shared_.contains(id))) return;
  mark = 1;
  stack_.push_back(id);
  const StateRole role = roles_.Of(impl_.nodes[id].op);
  if (role == StateRole::kVariable || role == StateRole::kResource) pending_state_.push_back(id);
}

void CloneSelection::MarkNeeded() {
  while (!stack_.empty() || !pending_state_.empty()) {
    if (stack_.empty()) {
      const NodeId state = pending_state_.back();
      pending_state_.pop_back();
      MarkStateOf(state);
      continue;
    }
    const NodeId id = stack_.back();
    stack_.pop_back();
    if (!functions_->empty()) MarkStateOfCalls(id);
    for (int32_t i = 0; i < impl_.nodes[id].num_inputs; ++i) {
      const Endpoint e = InputOf(id, i);
      if (!IsCut(e)) Mark(e.node);
    }
    for (Endpoint e : impl_.controls(id)) {
      if (has_cut_[static_cast<size_t>(e.node)] == 0) Mark(e.node);
    }
  }
}

// Returns the name that the session uses for the state.
std::string CloneSelection::NameOfState(NodeId id) const {
  const std::string shared = impl_.nodes[id].attrs->GetOr<std::string>("shared_name", "");
  return shared.empty() ? std::string(impl_.nodes[id].name) : shared;
}

// Marks state of the graph that functions refer to by name.
void CloneSelection::MarkStateOfCalls(NodeId id) {
  for (const std::string& function : functions_->CalledBy(impl_.nodes[id])) {
    for (const FunctionStates::State& state : functions_->Behind(function)) {
      auto [first, last] = state_by_name_.equal_range(state.name);
      for (auto it = first; it != last; ++it) Mark(it->second);
    }
  }
}

void CloneSelection::MarkStateOf(NodeId id) {
  if (roles_.Of(impl_.nodes[id].op) == StateRole::kVariable) {
    const SelectedVariable v = Describe(id);
    for (NodeId part : {v.initializer, v.read}) {
      if (part >= 0) Mark(part);
    }
    if (v.record >= 0 && impl_.variables[v.record].initial_value.valid()) {
      Mark(impl_.variables[v.record].initial_value.op().id());
    }
  }
  for (const auto& [of, user] : UsersOf(id)) {
    const StateRole role = roles_.Of(impl_.nodes[user].op);
    if (role == StateRole::kCheck || Initializes(user, id)) Mark(user);
    if (role != StateRole::kApply || !options_.slots) continue;
    for (Endpoint e : impl_.inputs(user)) {
      if (roles_.Of(impl_.nodes[e.node].op) == StateRole::kVariable) Mark(e.node);
    }
  }
}

// Marks the pivots of branches that values of the clone go into.
bool CloneSelection::MarkBranches() {
  bool more = false;
  for (const auto& [id, context] : impl_.build_state.context_of) {
    if (!IsSelected(id) || ControlFlowOf(*impl_.nodes[id].op) != ControlFlow::kSwitch) continue;
    const auto* cond = dynamic_cast<const CondContext*>(context);
    if (cond == nullptr || !cond->pivot().valid()) continue;
    const NodeId pivot = cond->pivot().op().id();
    if (IsSelected(pivot)) continue;
    Mark(pivot);
    MarkNeeded();
    more = true;
  }
  return more;
}

// Marks all variables of loops that are part of the clone.
void CloneSelection::MarkLoops() {
  for (bool more = true; more;) {
    more = false;
    for (const auto& context : impl_.build_state.contexts) {
      auto* loop = dynamic_cast<WhileContext*>(context.get());
      if (loop == nullptr || !loop->pivot().valid() || !IsSelected(loop->pivot().op().id()))
        continue;
      for (const Output& exit : loop->loop_exits()) {
        if (!exit.valid() || IsSelected(exit.op().id())) continue;
        Mark(exit.op().id());
        more = true;
      }
      MarkNeeded();
    }
    more = MarkBranches() || more;
  }
}

Status CloneSelection::FindOpenFrames() {
  std::unordered_set<std::string> closed;
  std::vector<NodeId> enters;
  std::unordered_map<const Op*, ControlFlow> parts;
  auto part = [&](NodeId id) {
    auto [it, added] = parts.try_emplace(impl_.nodes[id].op);
    if (added) it->second = ControlFlowOf(*impl_.nodes[id].op);
    return it->second;
  };
  auto frame = [&](NodeId id) {
    return impl_.nodes[id].attrs->GetOr<std::string>("frame_name", "");
  };
  if (whole_) return CheckCutsInLoops();
  for (NodeId id : nodes_) {
    const ControlFlow p = part(id);
    if (p == ControlFlow::kEnter) enters.push_back(id);
    if (p != ControlFlow::kMerge) continue;
    for (Endpoint e : impl_.inputs(id)) {
      if (IsSelected(e.node) && part(e.node) == ControlFlow::kEnter) closed.insert(frame(e.node));
    }
  }
  for (NodeId id : enters) {
    if (!closed.contains(frame(id))) open_enters_.insert(id);
  }
  return CheckCutsInLoops();
}

Status CloneSelection::CheckCutsInLoops() const {
  auto check = [&](Endpoint e, const char* argument) -> Status {
    const auto& contexts = impl_.build_state.context_of;
    auto found = contexts.find(e.node);
    if (found == contexts.end()) return OkStatus();
    const bool exit = ControlFlowOf(*impl_.nodes[e.node].op) == ControlFlow::kExit;
    ControlFlowContext* context = exit ? found->second->outer() : found->second;
    WhileContext* loop = LoopAround(context);
    if (loop == nullptr || !loop->pivot().valid() || !IsSelected(loop->pivot().op().id())) {
      return OkStatus();
    }
    return InvalidArgument("clone: ", argument, ": '", TensorName(e), "' is inside the loop '",
                           loop->name(),
                           "', which is part of the clone; cut before the loop or "
                           "choose outputs inside it");
  };
  for (Endpoint e : cuts_) RAMET_RETURN_IF_ERROR(check(e, "inputs"));
  return OkStatus();
}

Status CloneSelection::CollectVariables() {
  const bool needs_initializer = options_.initial.is(CloneInitialKind::kInitializer);
  for (NodeId id : state_) {
    if (!IsSelected(id) || roles_.Of(impl_.nodes[id].op) != StateRole::kVariable) continue;
    SelectedVariable v = Describe(id);
    if (v.initializer >= 0 && !IsSelected(v.initializer)) v.initializer = -1;
    if (v.read >= 0 && !IsSelected(v.read)) v.read = -1;
    if (v.initializer < 0 && needs_initializer) {
      return InvalidArgument("clone: initial: variable '", impl_.nodes[id].name,
                             "' has no initializer; use the current values or a checkpoint");
    }
    variables_.push_back(v);
  }
  return OkStatus();
}

void CloneSelection::CollectTables() {
  for (NodeId id : state_) {
    const std::string& op = impl_.nodes[id].op->name();
    if (!IsSelected(id) || !(op.starts_with("HashTable") || op.starts_with("MutableHashTable"))) {
      continue;
    }
    SelectedTable& table = tables_.emplace_back(SelectedTable{id, {}});
    for (const auto& [of, user] : UsersOf(id)) {
      if (IsSelected(user) && Initializes(user, id)) table.initializers.push_back(user);
    }
  }
}

Status CloneSelection::MarkScope() {
  const std::string prefix =
      options_.scope.ends_with('/') ? options_.scope : StrCat(options_.scope, "/");
  const std::string_view itself = std::string_view(prefix).substr(0, prefix.size() - 1);
  const size_t before = stack_.size();
  for (NodeId id = 0; id < static_cast<NodeId>(selected_.size()); ++id) {
    const std::string_view name = impl_.nodes[id].name;
    if (name.starts_with(prefix) || name == itself) Mark(id);
  }
  if (stack_.size() > before) return OkStatus();
  return InvalidArgument("clone: scope: no operation is under '", prefix, "'");
}

Status CloneSelection::MarkAsked() {
  for (NodeId id : starts_) Mark(id);
  if (!options_.scope.empty()) RAMET_RETURN_IF_ERROR(MarkScope());
  // Listed operations are cloned without their inputs, except for their state.
  if (options_.outputs.empty()) stack_.clear();
  MarkNeeded();
  if (!options_.outputs.empty()) MarkLoops();
  return OkStatus();
}

Status CloneSelection::Select() {
  std::shared_lock lock(impl_.mutex);
  functions_ = std::make_unique<FunctionStates>(impl_);
  RAMET_RETURN_IF_ERROR(FindState());
  RAMET_RETURN_IF_ERROR(ShareState());
  if (options_.strip_training) TrainingParts(*this).FindBatchNorms();
  if (whole_) {
    std::fill(selected_.begin(), selected_.end(), uint8_t{1});
    for (NodeId id : shared_) selected_[static_cast<size_t>(id)] = 0;
  } else {
    RAMET_RETURN_IF_ERROR(MarkAsked());
  }
  if (options_.strip_training) TrainingParts(*this).Strip();
  nodes_.reserve(static_cast<size_t>(std::ranges::count(selected_, uint8_t{1})));
  for (NodeId id = 0; id < static_cast<NodeId>(selected_.size()); ++id) {
    if (IsSelected(id)) nodes_.push_back(id);
  }
  RAMET_RETURN_IF_ERROR(CollectVariables());
  CollectTables();
  return FindOpenFrames();
}

}  // namespace ramet
