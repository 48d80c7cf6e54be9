#include "ramet/edit/clone_records.h"

#include <algorithm>

#include "ramet/graph/control_flow_proto.h"
#include "ramet/graph/control_flow_util.h"

namespace ramet {

CloneRecords::CloneRecords(const CloneSelection& selection, const CloneDtypes& dtypes,
                           const CloneOptions& options, CloneNames& names, CloneMapping& mapping)
    : selection_(selection),
      dtypes_(dtypes),
      options_(options),
      names_(names),
      mapping_(mapping),
      source_(mapping.source->impl()),
      target_(mapping.target->impl()) {}

Output CloneRecords::Copied(const Output& tensor) const {
  const Operation op = tensor.valid() ? mapping_.Of(tensor.op()) : Operation();
  return op.valid() ? Output(op, tensor.index()) : Output();
}

Output CloneRecords::CopiedOrSame(const Output& tensor) const {
  if (!tensor.valid()) return tensor;
  const Output copy = mapping_.Of(tensor);
  return copy.valid() || !mapping_.same_graph() ? copy : tensor;
}

void CloneRecords::AddRecord(VariableRecord record, const Output& original,
                             VariableId original_id) {
  const VariableId id = static_cast<VariableId>(target_.variables.size());
  if (original_id >= 0) mapping_.variable_ids[static_cast<size_t>(original_id)] = id;
  mapping_.original_ids.push_back(original_id);
  mapping_.checkpoint_names.push_back(record.save_slice_info
                                          ? record.save_slice_info->full_name
                                          : std::string(source_.nodes[original.op().id()].name));
  if (record.save_slice_info) {
    record.save_slice_info->full_name = names_.Mapped(record.save_slice_info->full_name);
  }
  target_.variables.push_back(std::move(record));
  mapping_.variables.push_back({original, Variable(mapping_.target, id)});
}

// Returns the copy of an initial value, or its Cast if the variable has a different dtype.
Output CloneRecords::InitialValue(const Output& value, const VariableRecord& copy) const {
  if (dtypes_.none() || !value.valid()) return Copied(value);
  const Output& of = copy.snapshot.valid() ? copy.snapshot : copy.variable;
  const DType dtype = BaseType(target_.output({of.op().id(), of.index()}).dtype);
  auto cast = mapping_.casts.find({EndpointKey({value.op().id(), value.index()}), dtype});
  return cast == mapping_.casts.end() ? Copied(value)
                                      : Output(Operation(mapping_.target, cast->second), 0);
}

void CloneRecords::CloneVariables() {
  const size_t known = source_.variables.size();
  mapping_.variable_ids.assign(known, -1);
  for (size_t v = 0; v < known; ++v) {
    VariableRecord record = source_.variables[v];
    const Output original = record.variable;
    if (!mapping_.IsCloned(original.op().id())) continue;
    record.variable = Copied(record.variable);
    record.initializer = mapping_.Of(record.initializer);
    record.snapshot = Copied(record.snapshot);
    record.initial_value = InitialValue(record.initial_value, record);
    AddRecord(std::move(record), original, static_cast<VariableId>(v));
  }
  for (const SelectedVariable& v : selection_.variables()) {
    if (v.record < 0) AddBareVariable(v);
  }
  AddStoreKeys();
}

void CloneRecords::AddBareVariable(const SelectedVariable& v) {
  Graph* target = mapping_.target;
  VariableRecord record;
  const Output original(Operation(mapping_.source, v.node), 0);
  record.is_resource = source_.nodes[v.node].op->name() == "VarHandleOp";
  record.variable = Copied(original);
  if (v.initializer >= 0) {
    record.initializer = Operation(target, mapping_.Copy(v.initializer));
    const Endpoint value = source_.inputs(v.initializer)[1];
    record.initial_value = mapping_.Of(Output(Operation(mapping_.source, value.node), value.index));
  }
  record.snapshot =
      v.read >= 0 ? Output(Operation(target, mapping_.Copy(v.read)), 0) : record.variable;
  bare_[v.node] = static_cast<VariableId>(target_.variables.size());
  AddRecord(std::move(record), original, -1);
}

// Adds the variables that get_variable finds under the new scope.
void CloneRecords::AddStoreKeys() {
  std::vector<std::pair<std::string, VariableId>> keys;
  for (const auto& [key, id] : source_.build_state.variable_store) {
    const VariableId copy = mapping_.CopyOfVariable(id);
    if (copy >= 0) keys.emplace_back(names_.Mapped(key), copy);
  }
  for (const ClonedVariable& v : mapping_.variables) {
    const NodeId node = target_.variables[v.copy.id()].variable.op().id();
    keys.emplace_back(std::string(target_.nodes[node].name), v.copy.id());
  }
  for (auto& [key, id] : keys) target_.build_state.variable_store.try_emplace(std::move(key), id);
}

bool CloneRecords::IsWanted(const std::string& key) const {
  return !options_.collections || std::ranges::count(*options_.collections, key) > 0;
}

std::string CloneRecords::Renamed(std::string_view name, bool* found) const {
  const std::string_view mark = name.starts_with('^') ? "^" : "";
  std::string_view op = name.substr(mark.size());
  const size_t colon = op.find(':');
  const std::string_view index = colon == std::string_view::npos ? "" : op.substr(colon);
  op = op.substr(0, colon);
  const NodeId found_node = source_.FindNode(op);
  const NodeId copy = found_node < 0 ? -1 : mapping_.Copy(found_node);
  if (copy >= 0) return StrCat(mark, target_.nodes[copy].name, index);
  *found = false;
  return std::string(name);
}

std::optional<CollectionItem> CloneRecords::Message(const std::string& key,
                                                    const OpaqueMessage& message) const {
  bool found = true;
  auto rename = [&](std::string_view name) { return Renamed(name, &found); };
  if (!message.type_url.empty()) {
    if (!IsAssetUrl(message.type_url)) return std::nullopt;
    auto bytes = RenameAssetBytes(message.bytes, rename);
    if (!bytes.ok() || !found) return std::nullopt;
    return OpaqueMessage{message.type_url, *bytes};
  }
  const CollectionProto kind = CollectionProtoOf(key);
  if (kind != CollectionProto::kQueueRunner && kind != CollectionProto::kSaver) return std::nullopt;
  auto bytes = RenameMessage(kind, message.bytes, rename);
  if (!bytes.ok() || !found) return std::nullopt;
  return OpaqueMessage{"", *bytes};
}

std::optional<CollectionItem> CloneRecords::Item(const std::string& key,
                                                 const CollectionItem& item) const {
  if (const auto* tensor = std::get_if<Output>(&item)) {
    const Output copy =
        selection_.IsStripped(tensor->op().id()) ? mapping_.Of(*tensor) : Copied(*tensor);
    if (copy.valid()) return copy;
  } else if (const auto* op = std::get_if<Operation>(&item)) {
    const Operation copy = mapping_.Of(*op);
    if (copy.valid()) return copy;
  } else if (const auto* v = std::get_if<Variable>(&item)) {
    const VariableId copy = mapping_.CopyOfVariable(v->id());
    if (copy >= 0) return Variable(mapping_.target, copy);
  } else if (const auto* message = std::get_if<OpaqueMessage>(&item)) {
    return Message(key, *message);
  }
  return std::nullopt;
}

void CloneRecords::CloneCollections() {
  std::vector<std::pair<std::string, CollectionItem>> added;
  for (const auto& [key, items] : source_.collections.all()) {
    if (!IsWanted(key)) continue;
    for (const CollectionItem& item : items) {
      if (auto copy = Item(key, item)) added.emplace_back(key, *std::move(copy));
    }
  }
  for (auto& [key, item] : added) target_.collections.Add(key, std::move(item));
  if (!IsWanted(graph_keys::kGlobalVariables)) return;
  for (const SelectedVariable& v : selection_.variables()) {
    auto bare = bare_.find(v.node);
    if (bare == bare_.end()) continue;
    target_.collections.Add(graph_keys::kGlobalVariables, Variable(mapping_.target, bare->second));
  }
}

bool CloneRecords::IsClonable(ControlFlowContext& context) const {
  if (auto* loop = dynamic_cast<WhileContext*>(&context)) {
    return loop->pivot().valid() && mapping_.IsCloned(loop->pivot().op().id());
  }
  const auto& cond = static_cast<const CondContext&>(context);
  return mapping_.IsCloned(cond.pivot().op().id()) && CopiedOrSame(cond.pred()).valid();
}

// Places each cast in the context of its input.
void CloneRecords::PlaceCasts() {
  for (const auto& [key, id] : mapping_.casts) {
    const Operation cast(mapping_.target, id);
    const Endpoint from = target_.edges[static_cast<size_t>(target_.nodes[id].first_edge)];
    auto of = target_.build_state.context_of.find(from.node);
    if (of == target_.build_state.context_of.end()) continue;
    const bool exit = ControlFlowOf(*target_.nodes[from.node].op) == ControlFlow::kExit;
    ControlFlowContext* context = exit ? of->second->outer() : of->second;
    if (context == nullptr) continue;
    target_.build_state.context_of[id] = context;
    for (ControlFlowContext* c = context; c != nullptr; c = c->outer()) c->AddName(Output(cast, 0));
  }
}

void CloneRecords::CloneContexts() {
  const auto& contexts = source_.build_state.contexts;
  if (contexts.empty() && target_.build_state.contexts.empty()) return;
  // Listed operations stay in the contexts around them; in other clones, a part of a loop is placed
  // where the loop was.
  const bool listed = !options_.ops.empty() || !options_.scope.empty();
  std::unordered_map<ControlFlowContext*, ControlFlowContext*> copies = {{nullptr, nullptr}};
  const size_t known = contexts.size();
  for (size_t i = 0; i < known; ++i) {
    ControlFlowContext& context = *contexts[i];
    ControlFlowContext* const outer = copies[context.outer()];
    const bool stays = listed && mapping_.same_graph();
    copies[&context] = IsClonable(context) ? CloneContext(context, outer)
                       : stays             ? &context
                                           : outer;
  }
  std::vector<std::pair<NodeId, ControlFlowContext*>> added;
  for (const auto& [id, context] : source_.build_state.context_of) {
    ControlFlowContext* copy = mapping_.IsCloned(id) ? copies[context] : nullptr;
    if (copy != nullptr) added.emplace_back(mapping_.Copy(id), copy);
  }
  auto& context_of = target_.build_state.context_of;
  context_of.reserve(context_of.size() + added.size());
  for (const auto& [id, context] : added) context_of[id] = context;
  PlaceCasts();
}

ControlFlowContext* CloneRecords::CloneContext(ControlFlowContext& context,
                                               ControlFlowContext* outer) {
  Graph& target = *mapping_.target;
  ControlFlowContext* made = nullptr;
  if (auto* loop = dynamic_cast<WhileContext*>(&context)) {
    WhileOptions options = loop->options();
    options.maximum_iterations = CopiedOrSame(options.maximum_iterations);
    WhileContext& copy = WhileContext::Restore(target, names_.Text(loop->name()), outer, options);
    copy.set_pivots(Copied(loop->pivot()), Copied(loop->pivot_for_pred()),
                    Copied(loop->pivot_for_body()));
    for (const Output& enter : loop->loop_enters()) copy.loop_enters().push_back(Copied(enter));
    for (const Output& exit : loop->loop_exits()) copy.loop_exits().push_back(Copied(exit));
    std::erase_if(copy.loop_enters(), [](const Output& o) { return !o.valid(); });
    std::erase_if(copy.loop_exits(), [](const Output& o) { return !o.valid(); });
    made = &copy;
  } else {
    const auto& cond = static_cast<const CondContext&>(context);
    made = &CondContext::Restore(target, names_.Text(cond.name()), outer, CopiedOrSame(cond.pred()),
                                 Copied(cond.pivot()), cond.branch());
  }
  CloneValues(context, made);
  const bool loop = made->while_context() == made;
  if (IsWanted(loop ? graph_keys::kWhileContext : graph_keys::kCondContext)) {
    AddToCollection(*made);
  }
  return made;
}

void CloneRecords::CloneValues(const ControlFlowContext& from, ControlFlowContext* to) const {
  for (const Output& value : from.values()) {
    const Output copy = CopiedOrSame(value);
    if (copy.valid()) to->AddName(copy);
  }
  for (const auto& [outside, inside] : from.external_values()) {
    const Output key = CopiedOrSame(outside), value = Copied(inside);
    if (key.valid() && value.valid()) to->SetExternalValue(key, value);
  }
}

}  // namespace ramet
