#include "ramet/gradients/default_grad_ys.h"

#include "ramet/gradients/scopes.h"
#include "ramet/gradients/shape_ops.h"

namespace ramet {
namespace {

bool IsReal(DType t) { return IsFloating(t) || IsInteger(t); }

Status CheckGradY(const Output& y, const Gradient& grad_y) {
  const DType want = BaseType(y.dtype());
  const DType found = BaseType(grad_y.values.dtype());
  const bool fits = IsReal(want)               ? IsReal(found)
                    : IsComplex(want)          ? IsComplex(found)
                    : want == DType::kVariant  ? found == DType::kVariant
                    : want == DType::kResource ? found != DType::kResource
                                               : false;
  if (fits) return OkStatus();
  return InvalidArgument("Gradient type ", DTypeName(found), " given for tensor ", y.name(),
                         " with type ", DTypeName(want), " does not match");
}

StatusOr<Gradient> OnesFor(const Output& y, const std::string& name) {
  const DType dtype = BaseType(y.dtype());
  if (IsComplex(dtype)) {
    return InvalidArgument("Gradients of complex tensors (", y.name(),
                           ") must set grad_ys (y.dtype = ", DTypeName(dtype), ")");
  }
  if (!IsReal(dtype)) {
    return InvalidArgument("Tensor ", y.name(), " with type ", DTypeName(dtype),
                           " must be numeric to obtain a default gradient");
  }
  return Gradient(FillWith(*y.graph(), ShapeVector(y), dtype, 1, name));
}

Gradient Identities(const Gradient& g, const std::string& name) {
  Graph& graph = *g.values.graph();
  auto identity = [&](const Output& t, std::string_view suffix) {
    if (!t.valid()) return t;
    return AddOp(graph, "Identity", {t}, {}, StrCat(name, suffix)).output(0);
  };
  if (!g.sparse()) return identity(g.values, "");
  Gradient copy;
  copy.indices = identity(g.indices, "_indices");
  copy.values = identity(g.values, "_values");
  copy.dense_shape = identity(g.dense_shape, "_shape");
  return copy;
}

}  // namespace

StatusOr<std::vector<Gradient>> DefaultGradYs(Graph& graph, const std::vector<Output>& ys,
                                              const GradientsOptions& options) {
  if (!options.grad_ys.empty() && options.grad_ys.size() != ys.size()) {
    return InvalidArgument("Length mismatch. Passed ", options.grad_ys.size(), " grad_ys for ",
                           ys.size(), " ys");
  }
  std::vector<Gradient> grads;
  for (size_t i = 0; i < ys.size(); ++i) {
    ColocationIf colocated(graph, options.colocate_gradients_with_ops, ys[i].op());
    const std::string name = StrCat("grad_ys_", i);
    if (options.grad_ys.empty() || !options.grad_ys[i].exists()) {
      RAMET_ASSIGN_OR_RETURN(grads.emplace_back(), OnesFor(ys[i], name));
      continue;
    }
    RAMET_RETURN_IF_ERROR(CheckGradY(ys[i], options.grad_ys[i]));
    grads.push_back(Identities(options.grad_ys[i], name));
  }
  RAMET_RETURN_IF_ERROR(graph.status());
  return grads;
}

}  // namespace ramet
