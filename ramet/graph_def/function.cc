#include "ramet/graph_def/function.h"

#include <atomic>

#include "ramet/graph/function_library.h"
#include "ramet/graph/graph_impl.h"
#include "ramet/graph_def/bound_function.h"
#include "ramet/graph_def/function_writer.h"
#include "ramet/graph_def/instantiate_function.h"

namespace ramet {
namespace {

std::atomic<GradientBodyMaker> gradient_body_maker = nullptr;

StatusOr<std::unique_ptr<FunctionBody>> Make(const Graph& graph, const BoundFunction& function) {
  return MakeFunctionBody(*function.def, function.attrs, graph.impl().versions, function.library);
}

Status CheckSpec(const Graph& body, const FunctionSpec& spec) {
  if (spec.name.empty()) return InvalidArgument("the name of a function is empty");
  if (OpRegistry::Global().Find(spec.name) != nullptr) {
    return InvalidArgument("'", spec.name,
                           "' is the name of an op and cannot be the name of a function");
  }
  auto check = [&](const Graph* graph, std::string_view what) {
    if (graph == &body) return OkStatus();
    return InvalidArgument("one of the ", what, " is not an element of the function's graph");
  };
  for (const Output& o : spec.args) {
    RAMET_RETURN_IF_ERROR(check(o.valid() ? o.graph() : nullptr, "arguments"));
  }
  for (const Output& o : spec.returns) {
    RAMET_RETURN_IF_ERROR(check(o.valid() ? o.graph() : nullptr, "returns"));
  }
  for (const Operation& op : spec.controls) {
    RAMET_RETURN_IF_ERROR(check(op.valid() ? op.graph() : nullptr, "control outputs"));
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::shared_ptr<const FunctionBody>> FindFunction(const Graph& graph,
                                                           const FunctionRef& ref) {
  RAMET_ASSIGN_OR_RETURN(const BoundFunction function, BindFunction(graph.impl(), ref));
  RAMET_ASSIGN_OR_RETURN(const std::string key, KeyOf(function));
  return function.library->BodyFor(key, [&]() -> StatusOr<FunctionLibrary::Body> {
    RAMET_ASSIGN_OR_RETURN(std::unique_ptr<FunctionBody> body, Make(graph, function));
    return FunctionLibrary::Body(std::move(body));
  });
}

StatusOr<std::unique_ptr<FunctionBody>> InstantiateFunction(const Graph& graph,
                                                            const FunctionRef& ref) {
  RAMET_ASSIGN_OR_RETURN(const BoundFunction function, BindFunction(graph.impl(), ref));
  return Make(graph, function);
}

StatusOr<std::shared_ptr<const FunctionBody>> FindGradientFunction(const Graph& graph,
                                                                   const FunctionRef& ref) {
  RAMET_ASSIGN_OR_RETURN(const BoundFunction function, BindFunction(graph.impl(), ref));
  const std::string registered = function.library->GradientOf(ref.name);
  if (!registered.empty()) return FindFunction(graph, {registered, ref.attrs});
  RAMET_ASSIGN_OR_RETURN(const std::string key, KeyOf(function));
  const GradientBodyMaker maker = gradient_body_maker.load();
  if (maker == nullptr) {
    return Unimplemented("function '", ref.name,
                         "': the gradients library is not linked into this program");
  }
  return function.library->BodyFor(
      StrCat("gradient ", key), [&]() -> StatusOr<FunctionLibrary::Body> {
        RAMET_ASSIGN_OR_RETURN(std::unique_ptr<FunctionBody> body, maker(graph, ref));
        return FunctionLibrary::Body(std::move(body));
      });
}

void RegisterGradientBodyMaker(GradientBodyMaker maker) { gradient_body_maker = maker; }

bool HasFunction(const Graph& graph, std::string_view name) {
  return LibraryOf(graph).Find(name) != nullptr;
}

std::vector<std::string> FunctionNames(const Graph& graph) { return LibraryOf(graph).names(); }

std::string GradientFunctionName(const Graph& graph, std::string_view name) {
  return LibraryOf(graph).GradientOf(name);
}

Status SetGradientFunction(Graph& graph, std::string_view name, std::string_view gradient) {
  GradientDef def;
  def.set_function_name(std::string(name));
  def.set_gradient_func(std::string(gradient));
  return graph.impl().library->AddGradient(def);
}

std::string UniqueFunctionName(const Graph& graph, std::string_view name) {
  return graph.impl().library->UniqueName(name);
}

std::unique_ptr<Graph> NewFunctionGraph(const Graph& graph) {
  const GraphImpl& impl = graph.impl();
  auto made = NewGraphWith(impl.library, impl.versions);
  made->impl().seed = impl.seed;
  return made;
}

bool IsFunctionGraph(const Graph& graph) { return !graph.impl().owns_library; }

Status DefineFunction(Graph& graph, const Graph& body, const FunctionSpec& spec) {
  RAMET_RETURN_IF_ERROR(body.status());
  FunctionDef def;
  Status done = CheckSpec(body, spec);
  if (done.ok()) {
    ReaderLock lock(body.impl().mutex);
    done = WriteFunction(body.impl(), spec, &def);
  }
  if (!done.ok()) return done.WithContext(StrCat("function '", spec.name, "'"));
  return graph.impl().library->AddFunction(def, FindFunctionFor);
}

}  // namespace ramet
