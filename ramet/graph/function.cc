#include "ramet/graph/function.h"

#include <algorithm>
#include <atomic>

#include "ramet/graph/attr_proto.h"
#include "ramet/graph/function_body.h"
#include "ramet/graph/function_library.h"
#include "ramet/graph/graph_impl.h"
#include "ramet/graph/message_file.h"
#include "ramet/graph/op_def_proto.h"

namespace ramet {
namespace {

std::atomic<GradientBodyMaker> gradient_body_maker = nullptr;

// A function of a library with the attrs to instantiate it.
struct Instance {
  std::shared_ptr<FunctionLibrary> library;
  const FunctionDef* def;
  AttrMap attrs;
};

const FunctionLibrary& LibraryOf(const Graph& graph) { return *graph.impl().library; }

StatusOr<Instance> Bind(const GraphImpl& graph, const FunctionRef& ref) {
  Instance instance{graph.library, nullptr, {}};
  instance.def = instance.library->Find(ref.name);
  if (instance.def == nullptr) {
    const std::vector<std::string> names = instance.library->names();
    const std::string near =
        NearestName(ref.name, std::vector<std::string_view>(names.begin(), names.end()));
    return NotFound("Function '", ref.name, "' is not defined in the graph's library.",
                    near.empty() ? "" : StrCat(" Did you mean '", near, "'?"));
  }
  auto signature = OpSchemaFromProto(instance.def->signature());
  if (!signature.ok()) return signature.status().WithContext(StrCat("function '", ref.name, "'"));
  RAMET_ASSIGN_OR_RETURN(instance.attrs,
                         BindSignature(*signature, ref.attrs ? *ref.attrs : AttrMap()));
  return instance;
}

StatusOr<std::string> KeyOf(const Instance& instance) {
  std::string key = instance.def->signature().name();
  for (const auto& [name, attr] : instance.attrs) {
    AttrValue value;
    RAMET_RETURN_IF_ERROR(AttrToProto(attr, &value));
    const std::string bytes = CanonicalBytes(value);
    key += StrCat("\n", name, " ", bytes.size(), " ", bytes);
  }
  return key;
}

StatusOr<Instance> Bind(const Graph& graph, const FunctionRef& ref) {
  return Bind(graph.impl(), ref);
}

StatusOr<std::unique_ptr<FunctionBody>> Make(const Graph& graph, const Instance& instance) {
  return MakeFunctionBody(*instance.def, instance.attrs, graph.impl().versions, instance.library);
}

}  // namespace

FunctionBody::FunctionBody() = default;
FunctionBody::~FunctionBody() = default;

StatusOr<std::shared_ptr<const FunctionBody>> FindFunction(const Graph& graph,
                                                           const FunctionRef& ref) {
  RAMET_ASSIGN_OR_RETURN(const Instance instance, Bind(graph, ref));
  RAMET_ASSIGN_OR_RETURN(const std::string key, KeyOf(instance));
  return instance.library->BodyFor(key, [&]() -> StatusOr<FunctionLibrary::Body> {
    RAMET_ASSIGN_OR_RETURN(std::unique_ptr<FunctionBody> body, Make(graph, instance));
    return FunctionLibrary::Body(std::move(body));
  });
}

StatusOr<std::shared_ptr<const FunctionBody>> FindFunctionFor(
    const GraphImpl& graph, const FunctionRef& ref, const std::vector<Shape>& arg_shapes) {
  RAMET_ASSIGN_OR_RETURN(const Instance instance, Bind(graph, ref));
  RAMET_ASSIGN_OR_RETURN(std::string key, KeyOf(instance));
  if (std::ranges::any_of(arg_shapes, [](const Shape& s) { return !s.unknown_rank(); })) {
    key = StrCat("shapes ", key);
    for (const Shape& shape : arg_shapes) key += StrCat("\n", shape);
  }
  return instance.library->BodyFor(key, [&]() -> StatusOr<FunctionLibrary::Body> {
    RAMET_ASSIGN_OR_RETURN(std::unique_ptr<FunctionBody> body,
                           MakeFunctionBody(*instance.def, instance.attrs, graph.versions,
                                            instance.library, arg_shapes));
    return FunctionLibrary::Body(std::move(body));
  });
}

StatusOr<std::unique_ptr<FunctionBody>> InstantiateFunction(const Graph& graph,
                                                            const FunctionRef& ref) {
  RAMET_ASSIGN_OR_RETURN(const Instance instance, Bind(graph, ref));
  return Make(graph, instance);
}

StatusOr<std::shared_ptr<const FunctionBody>> FindGradientFunction(const Graph& graph,
                                                                   const FunctionRef& ref) {
  RAMET_ASSIGN_OR_RETURN(const Instance instance, Bind(graph, ref));
  const std::string registered = instance.library->GradientOf(ref.name);
  if (!registered.empty()) return FindFunction(graph, {registered, ref.attrs});
  RAMET_ASSIGN_OR_RETURN(const std::string key, KeyOf(instance));
  const GradientBodyMaker maker = gradient_body_maker.load();
  if (maker == nullptr) {
    return Unimplemented("function '", ref.name,
                         "': the gradients library is not linked into this program");
  }
  return instance.library->BodyFor(
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
  made->impl().has_seed = impl.has_seed;
  made->impl().seed = impl.seed;
  return made;
}

}  // namespace ramet
