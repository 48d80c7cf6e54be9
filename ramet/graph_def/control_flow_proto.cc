#include "ramet/graph_def/control_flow_proto.h"

#include <algorithm>
#include <set>

#include "ramet/graph/cond_context.h"
#include "ramet/graph/control_flow_util.h"
#include "ramet/graph/while_context.h"
#include "ramet/graph_def/message_names.h"
#include "ramet/proto/control_flow.pb.h"
#include "ramet/wire/message_file.h"

namespace ramet {
namespace {

void WriteValues(const ControlFlowContext& context, ValuesDef* proto) {
  std::set<std::string> names;
  for (const Output& value : context.values()) names.insert(value.name());
  for (const std::string& name : names) proto->add_values(name);
  for (const auto& [outside, inside] : context.external_values()) {
    (*proto->mutable_external_values())[outside.name()] = inside.name();
  }
}

std::string NameOf(const Output& output) { return output.valid() ? output.name() : ""; }

void Write(const CondContext& context, CondContextDef* proto);
void Write(WhileContext& context, WhileContextDef* proto);

template <class Proto>
void WriteNested(const ControlFlowContext& context, Proto* proto) {
  for (const auto& nested : context.graph().build_state().control_flow.contexts) {
    if (nested->outer() != &context) continue;
    ControlFlowContextDef* def = proto->add_nested_contexts();
    if (const auto* cond = dynamic_cast<const CondContext*>(nested.get())) {
      Write(*cond, def->mutable_cond_ctxt());
    } else {
      Write(dynamic_cast<WhileContext&>(*nested), def->mutable_while_ctxt());
    }
  }
}

void Write(const CondContext& context, CondContextDef* proto) {
  proto->set_context_name(context.name());
  proto->set_pred_name(NameOf(context.pred()));
  proto->set_pivot_name(NameOf(context.pivot()));
  proto->set_branch(context.branch());
  WriteValues(context, proto->mutable_values_def());
  WriteNested(context, proto);
}

void Write(WhileContext& context, WhileContextDef* proto) {
  proto->set_context_name(context.name());
  const WhileOptions& options = context.options();
  proto->set_parallel_iterations(options.parallel_iterations);
  proto->set_back_prop(options.back_prop);
  proto->set_swap_memory(options.swap_memory);
  proto->set_maximum_iterations_name(NameOf(options.maximum_iterations));
  proto->set_pivot_name(NameOf(context.pivot()));
  proto->set_pivot_for_pred_name(NameOf(context.pivot_for_pred()));
  proto->set_pivot_for_body_name(NameOf(context.pivot_for_body()));
  for (const Output& exit : context.loop_exits()) proto->add_loop_exit_names(exit.name());
  for (const Output& enter : context.loop_enters()) proto->add_loop_enter_names(enter.name());
  WriteValues(context, proto->mutable_values_def());
  WriteNested(context, proto);
}

// Restores contexts. Looks up all referenced nodes before making a context.
class Restorer {
 public:
  explicit Restorer(Graph& graph) : graph_(graph) {}

  template <class Proto>
  StatusOr<ControlFlowContext*> Restore(const std::string& bytes) {
    Proto proto;
    if (!proto.ParseFromString(bytes)) return DataLoss("not a ", proto.GetTypeName());
    RAMET_RETURN_IF_ERROR(Check(proto));
    return Make(proto, CurrentContext(graph_));
  }

 private:
  Status CheckTensor(const std::string& name) const {
    return name.empty() ? OkStatus() : graph_.Tensor(name).status();
  }
  template <class Names>
  Status CheckTensors(const Names& names) const {
    for (const std::string& name : names) RAMET_RETURN_IF_ERROR(CheckTensor(name));
    return OkStatus();
  }
  Status CheckValues(const ValuesDef& proto) const {
    RAMET_RETURN_IF_ERROR(CheckTensors(proto.values()));
    for (const auto& [outside, inside] : proto.external_values()) {
      RAMET_RETURN_IF_ERROR(graph_.Tensor(outside).status());
      RAMET_RETURN_IF_ERROR(graph_.Tensor(inside).status());
    }
    return OkStatus();
  }
  template <class Contexts>
  Status CheckNested(const Contexts& contexts) const {
    for (const ControlFlowContextDef& nested : contexts) {
      if (nested.has_cond_ctxt()) RAMET_RETURN_IF_ERROR(Check(nested.cond_ctxt()));
      if (nested.has_while_ctxt()) RAMET_RETURN_IF_ERROR(Check(nested.while_ctxt()));
    }
    return OkStatus();
  }
  Status Check(const CondContextDef& proto) const {
    RAMET_RETURN_IF_ERROR(graph_.Tensor(proto.pred_name()).status());
    RAMET_RETURN_IF_ERROR(graph_.Tensor(proto.pivot_name()).status());
    RAMET_RETURN_IF_ERROR(CheckValues(proto.values_def()));
    return CheckNested(proto.nested_contexts());
  }
  Status Check(const WhileContextDef& proto) const {
    for (const auto* name : {&proto.pivot_name(), &proto.pivot_for_pred_name(),
                             &proto.pivot_for_body_name(), &proto.maximum_iterations_name()}) {
      RAMET_RETURN_IF_ERROR(CheckTensor(*name));
    }
    RAMET_RETURN_IF_ERROR(CheckTensors(proto.loop_exit_names()));
    RAMET_RETURN_IF_ERROR(CheckTensors(proto.loop_enter_names()));
    RAMET_RETURN_IF_ERROR(CheckValues(proto.values_def()));
    return CheckNested(proto.nested_contexts());
  }

  Output Find(const std::string& name) const {
    return name.empty() ? Output() : *graph_.Tensor(name);
  }

  // The operations of values, including those that stand for outside tensors, belong to the
  // context.
  void ReadValues(const ValuesDef& proto, ControlFlowContext* context) const {
    for (const std::string& name : proto.values()) {
      const Output value = Find(name);
      context->AddName(value);
      if (!proto.external_values().contains(name)) SetContext(value.op(), context);
    }
    for (const auto& [outside, inside] : proto.external_values()) {
      context->SetExternalValue(Find(outside), Find(inside));
    }
  }

  template <class Contexts>
  void MakeNested(const Contexts& contexts, ControlFlowContext* outer) const {
    for (const ControlFlowContextDef& nested : contexts) {
      if (nested.has_cond_ctxt()) Make(nested.cond_ctxt(), outer);
      if (nested.has_while_ctxt()) Make(nested.while_ctxt(), outer);
    }
  }

  ControlFlowContext* Make(const CondContextDef& proto, ControlFlowContext* outer) const {
    CondContext& context =
        CondContext::Restore(graph_, proto.context_name(), outer, Find(proto.pred_name()),
                             Find(proto.pivot_name()), proto.branch());
    ReadValues(proto.values_def(), &context);
    MakeNested(proto.nested_contexts(), &context);
    return &context;
  }

  ControlFlowContext* Make(const WhileContextDef& proto, ControlFlowContext* outer) const {
    WhileOptions options;
    options.parallel_iterations = proto.parallel_iterations();
    options.back_prop = proto.back_prop();
    options.swap_memory = proto.swap_memory();
    options.maximum_iterations = Find(proto.maximum_iterations_name());
    WhileContext& context = WhileContext::Restore(graph_, proto.context_name(), outer, options);
    context.set_pivots(Find(proto.pivot_name()), Find(proto.pivot_for_pred_name()),
                       Find(proto.pivot_for_body_name()));
    for (const auto& name : proto.loop_exit_names()) context.loop_exits().push_back(Find(name));
    for (const auto& name : proto.loop_enter_names()) context.loop_enters().push_back(Find(name));
    ReadValues(proto.values_def(), &context);
    MakeNested(proto.nested_contexts(), &context);
    return &context;
  }

  Graph& graph_;
};

template <class Proto>
void RestoreCollection(Graph& graph, const char* key, size_t first) {
  std::vector<CollectionItem> items = graph.collections().Get(key);
  if (items.size() <= first) return;
  for (size_t i = first; i < items.size(); ++i) {
    const auto* message = std::get_if<OpaqueMessage>(&items[i]);
    if (message == nullptr) continue;
    auto context = Restorer(graph).Restore<Proto>(message->bytes);
    if (context.ok()) items[i] = std::make_shared<const ContextItem>(*context);
  }
  graph.collections().Replace(key, std::move(items));
}

}  // namespace

StatusOr<CollectionItem> ContextItem::Export(const std::string&) const {
  return CollectionItem(OpaqueMessage{"", ContextToProto(*context_)});
}

void AddToCollection(ControlFlowContext& context) {
  if (context.outer() != nullptr) return;
  const bool loop = context.while_context() != nullptr;
  context.graph().collections().Add(loop ? graph_keys::kWhileContext : graph_keys::kCondContext,
                                    std::make_shared<const ContextItem>(&context));
}

std::string ContextToProto(ControlFlowContext& context, const std::string& export_scope) {
  const std::string prefix = export_scope.empty() ? "" : export_scope + "/";
  auto strip = [&](std::string_view name) {
    return std::string(name.starts_with(prefix) ? name.substr(prefix.size()) : name);
  };
  if (const auto* cond = dynamic_cast<const CondContext*>(&context)) {
    CondContextDef proto;
    Write(*cond, &proto);
    if (!prefix.empty()) RenameCond(strip, &proto);
    return CanonicalBytes(proto);
  }
  WhileContextDef proto;
  Write(dynamic_cast<WhileContext&>(context), &proto);
  if (!prefix.empty()) RenameWhile(strip, &proto);
  return CanonicalBytes(proto);
}

void RestoreContexts(Graph& graph, size_t first_cond, size_t first_while) {
  RestoreCollection<CondContextDef>(graph, graph_keys::kCondContext, first_cond);
  RestoreCollection<WhileContextDef>(graph, graph_keys::kWhileContext, first_while);
}

}  // namespace ramet
