#include "ramet/graph_def/instantiate_function.h"

#include <algorithm>
#include <unordered_set>

#include "ramet/base/stack_room.h"
#include "ramet/graph_def/bound_function.h"
#include "ramet/graph_def/function_graph_def.h"
#include "ramet/graph_def/graph_import.h"

namespace ramet {
namespace {

// Looks up the elements that `ends` names.
Status FindElements(const FunctionEnds& ends, FunctionBody* body) {
  GraphImpl& impl = body->graph->impl();
  auto find = [&](const std::string& name) {
    const TensorRef ref = TensorRef::Parse(name);
    return Output(Operation(body->graph.get(), impl.FindNode(ref.node)), ref.index);
  };
  for (const std::string& arg : ends.args) body->args.push_back(find(arg));
  for (size_t i = 0; i < ends.returns.size(); ++i) {
    const Output output = find(ends.returns[i]);
    const DType wanted = ends.return_types[i];
    if (BaseType(output.dtype()) != BaseType(wanted)) {
      return InvalidArgument("Return '", ends.return_names[i], "' is ", DTypeName(output.dtype()),
                             ", but the signature says ", DTypeName(wanted));
    }
    body->returns.push_back(output);
  }
  body->return_names = ends.return_names;
  std::unordered_set<NodeId> controls;
  for (const std::string& control : ends.controls) {
    const Operation op = find(control).op();
    if (controls.insert(op.id()).second) body->controls.push_back(op);
  }
  for (NodeId id = 0; id < static_cast<NodeId>(impl.nodes.size()); ++id) {
    if (!impl.nodes[id].op->schema().is_stateful || controls.contains(id)) continue;
    body->effects.push_back(Operation(body->graph.get(), id));
  }
  return OkStatus();
}

}  // namespace

std::unique_ptr<Graph> NewGraphWith(std::shared_ptr<FunctionLibrary> library,
                                    const GraphVersions& versions) {
  auto graph = std::make_unique<Graph>();
  graph->impl().library = std::move(library);
  graph->impl().owns_library = false;
  graph->versions() = versions;
  return graph;
}

StatusOr<std::unique_ptr<FunctionBody>> MakeFunctionBody(const FunctionDef& def,
                                                         const AttrMap& attrs,
                                                         const GraphVersions& versions,
                                                         std::shared_ptr<FunctionLibrary> library,
                                                         const std::vector<Shape>& arg_shapes) {
  const std::string where = StrCat("function '", def.signature().name(), "'");
  // Shape inference instantiates the functions that this one calls.
  if (!StackHasRoom()) {
    return ResourceExhausted(where,
                             " cannot be instantiated: the stack of this thread has no room ",
                             "for functions that are nested as deep as this one");
  }
  FunctionGraphDef function(def, attrs, *library, arg_shapes);
  if (Status built = function.Build(); !built.ok()) return built.WithContext(where);
  auto body = std::make_unique<FunctionBody>();
  body->ref = {def.signature().name(), std::make_shared<const AttrMap>(attrs)};
  body->graph = NewGraphWith(std::move(library), versions);
  GraphDef graph_def = function.graph();
  graph_def.mutable_versions()->set_producer(versions.producer);
  RAMET_ASSIGN_OR_RETURN(const GraphDefView view, GraphDefView::FromMessage(graph_def));
  const OpList no_ops;
  const ImportOptions options{.name = "", .validate_shapes = false};
  GraphImport import(*body->graph, view, no_ops, options);
  if (Status ready = import.Prepare(); !ready.ok()) return ready.WithContext(where);
  import.Commit();
  if (Status found = FindElements(function.ends(), body.get()); !found.ok()) {
    return found.WithContext(where);
  }
  return body;
}

StatusOr<std::shared_ptr<const FunctionBody>> FindFunctionFor(
    const GraphImpl& graph, const FunctionRef& ref, const std::vector<Shape>& arg_shapes) {
  RAMET_ASSIGN_OR_RETURN(const BoundFunction function, BindFunction(graph, ref));
  RAMET_ASSIGN_OR_RETURN(std::string key, KeyOf(function));
  if (std::ranges::any_of(arg_shapes, [](const Shape& s) { return !s.unknown_rank(); })) {
    key = StrCat("shapes ", key);
    for (const Shape& shape : arg_shapes) key += StrCat("\n", shape);
  }
  return function.library->BodyFor(key, [&]() -> StatusOr<FunctionLibrary::Body> {
    RAMET_ASSIGN_OR_RETURN(std::unique_ptr<FunctionBody> body,
                           MakeFunctionBody(*function.def, function.attrs, graph.versions,
                                            function.library, arg_shapes));
    return FunctionLibrary::Body(std::move(body));
  });
}

}  // namespace ramet
