#include "ramet/edit/clone/copied_contexts.h"

#include "ramet/edit/clone/copied_collections.h"
#include "ramet/graph/control_flow_util.h"
#include "ramet/graph/edit_graph.h"
#include "ramet/graph_def/control_flow_proto.h"

namespace ramet {

ContextCopier::ContextCopier(const CloneDtypes& dtypes, const CopiedEdges& edges,
                             const CloneOptions& options, CloneNames& names,
                             const CloneMapping& mapping)
    : dtypes_(dtypes),
      edges_(edges),
      options_(options),
      names_(names),
      mapping_(mapping),
      source_(GraphDataOf(*mapping.source)),
      target_(MutableGraphDataOf(*mapping.target)) {}

void ContextCopier::CopyAll() {
  if (source_.build_state.control_flow.contexts.empty() &&
      target_.build_state.control_flow.contexts.empty())
    return;
  CopyContexts();
  AddNodes();
  AddCasts();
}

void ContextCopier::CopyContexts() {
  const auto& contexts = source_.build_state.control_flow.contexts;
  // Listed operations stay in the contexts around them; in other clones, a part of a loop is put
  // where the loop was.
  const bool listed = !options_.ops.empty() || !options_.scope.empty();
  const bool stays = listed && mapping_.same_graph();
  const size_t known = contexts.size();
  for (size_t i = 0; i < known; ++i) {
    ControlFlowContext& context = *contexts[i];
    ControlFlowContext* const outer = copies_[context.outer()];
    copies_[&context] = IsCloned(context) ? Copy(context, outer) : stays ? &context : outer;
  }
}

bool ContextCopier::IsCloned(ControlFlowContext& context) const {
  if (auto* loop = dynamic_cast<WhileContext*>(&context)) {
    return loop->pivot().valid() && mapping_.IsCloned(loop->pivot().op().id());
  }
  const auto& cond = static_cast<const CondContext&>(context);
  return mapping_.IsCloned(cond.pivot().op().id()) && mapping_.CopiedOrSame(cond.pred()).valid();
}

ControlFlowContext* ContextCopier::Copy(ControlFlowContext& context, ControlFlowContext* outer) {
  auto* loop = dynamic_cast<WhileContext*>(&context);
  ControlFlowContext* copy = nullptr;
  if (loop != nullptr) {
    copy = &CopyLoop(*loop, outer);
  } else {
    copy = &CopyBranch(static_cast<const CondContext&>(context), outer);
  }
  CopyValues(context, copy);
  const char* key = loop != nullptr ? graph_keys::kWhileContext : graph_keys::kCondContext;
  if (IsWantedCollection(options_, key)) AddToCollection(*copy);
  return copy;
}

WhileContext& ContextCopier::CopyLoop(WhileContext& loop, ControlFlowContext* outer) {
  WhileOptions options = loop.options();
  options.maximum_iterations = mapping_.CopiedOrSame(options.maximum_iterations);
  WhileContext& copy =
      WhileContext::Restore(*mapping_.target, names_.Text(loop.name()), outer, options);
  copy.set_pivots(mapping_.Copied(loop.pivot()), mapping_.Copied(loop.pivot_for_pred()),
                  mapping_.Copied(loop.pivot_for_body()));
  auto add = [&](const Output& value, std::vector<Output>* to) {
    const Output copied = mapping_.Copied(value);
    if (copied.valid()) to->push_back(copied);
  };
  for (const Output& enter : loop.loop_enters()) add(enter, &copy.loop_enters());
  for (const Output& exit : loop.loop_exits()) add(exit, &copy.loop_exits());
  return copy;
}

CondContext& ContextCopier::CopyBranch(const CondContext& cond, ControlFlowContext* outer) {
  return CondContext::Restore(*mapping_.target, names_.Text(cond.name()), outer,
                              mapping_.CopiedOrSame(cond.pred()), mapping_.Copied(cond.pivot()),
                              cond.branch());
}

// Puts the copied nodes into the copies of their contexts.
void ContextCopier::AddNodes() {
  std::vector<std::pair<NodeId, ControlFlowContext*>> added;
  for (const auto& [id, context] : source_.build_state.control_flow.context_of) {
    ControlFlowContext* copy = mapping_.IsCloned(id) ? copies_[context] : nullptr;
    if (copy != nullptr) added.emplace_back(mapping_.Copy(id), copy);
  }
  auto& context_of = target_.build_state.control_flow.context_of;
  context_of.reserve(context_of.size() + added.size());
  for (const auto& [id, context] : added) context_of[id] = context;
}

// Puts each cast into the context of its input.
void ContextCopier::AddCasts() {
  auto& context_of = target_.build_state.control_flow.context_of;
  const size_t count = dtypes_.casts().casts().size();
  for (size_t i = 0; i < count; ++i) {
    const NodeId id = edges_.CastId(static_cast<int32_t>(i));
    const Endpoint from = target_.edges[static_cast<size_t>(target_.nodes[id].first_edge)];
    auto of = context_of.find(from.node);
    if (of == context_of.end()) continue;
    const bool exit = ControlFlowOf(*target_.nodes[from.node].op) == ControlFlow::kExit;
    ControlFlowContext* context = exit ? of->second->outer() : of->second;
    if (context == nullptr) continue;
    context_of[id] = context;
    const Output cast(Operation(mapping_.target, id), 0);
    for (ControlFlowContext* c = context; c != nullptr; c = c->outer()) c->AddName(cast);
  }
}

void ContextCopier::CopyValues(const ControlFlowContext& from, ControlFlowContext* to) const {
  for (const Output& value : from.values()) {
    const Output copy = mapping_.CopiedOrSame(value);
    if (copy.valid()) to->AddName(copy);
  }
  for (const auto& [outside, inside] : from.external_values()) {
    const Output key = mapping_.CopiedOrSame(outside), value = mapping_.Copied(inside);
    if (key.valid() && value.valid()) to->SetExternalValue(key, value);
  }
}

}  // namespace ramet
