#include "ramet/eager/eager_gradient.h"

#include <algorithm>

#include "ramet/gradients/gradients.h"
#include "ramet/gradients/indexed_slices.h"
#include "ramet/gradients/shape_ops.h"
#include "ramet/graph/add_op.h"
#include "ramet/graph_def/function.h"

namespace ramet {
namespace {

Output AddPlaceholder(Graph& graph, const EagerValue& like) {
  return AddOp(graph, "Placeholder", {}, {{"dtype", like.dtype()}}, "arg").output(0);
}

// Adds the placeholders for a gradient.
Gradient AddGradientArg(Graph& graph, const EagerGradient& like, std::vector<Output>* args) {
  Gradient gradient(AddPlaceholder(graph, like.values));
  args->push_back(gradient.values);
  if (!like.sparse()) return gradient;
  args->push_back(gradient.indices = AddPlaceholder(graph, like.indices));
  if (like.dense_shape.exists()) {
    args->push_back(gradient.dense_shape = AddPlaceholder(graph, like.dense_shape));
  }
  return gradient;
}

// Adds the tensors of a gradient to the returns.
EagerGradientFunction::Parts Returned(const Gradient& gradient, std::vector<Output>* returns) {
  EagerGradientFunction::Parts parts;
  const auto add = [&](const Output& tensor) {
    if (!tensor.valid()) return -1;
    returns->push_back(tensor);
    return static_cast<int>(returns->size()) - 1;
  };
  parts.values = add(gradient.values);
  parts.indices = add(gradient.indices);
  parts.dense_shape = add(gradient.dense_shape);
  return parts;
}

// Returns the args of the gradient's function that are args or results of `function`, each once.
std::vector<Output> TakenFrom(const EagerFunctionParts& function, std::vector<int>* positions) {
  std::vector<Output> taken;
  int position = 0;
  for (const std::vector<Output>* side : {&function.args, &function.returns}) {
    for (const Output& tensor : *side) {
      if (std::ranges::find(taken, tensor) == taken.end()) {
        taken.push_back(tensor);
        positions->push_back(position);
      }
      ++position;
    }
  }
  return taken;
}

StatusOr<std::shared_ptr<const EagerGradientFunction>> Build(
    EagerFunction& function, std::span<const EagerGradient> arriving,
    const std::vector<bool>& wanted) {
  const EagerFunctionParts& parts = function.parts();
  auto made = std::make_shared<EagerGradientFunction>();
  made->gradients.resize(parts.args.size());
  EagerFunctionParts own{parts.graph, TakenFrom(parts, &made->taken), {}, {}};
  std::vector<Output> ys;
  GradientsOptions options;
  options.stop_gradients = parts.args;
  for (size_t i = 0; i < parts.returns.size(); ++i) {
    if (!arriving[i].exists()) continue;
    ys.push_back(parts.returns[i]);
    options.grad_ys.push_back(AddGradientArg(*parts.graph, arriving[i], &own.args));
  }
  std::vector<GradientTarget> xs;
  for (size_t i = 0; i < parts.args.size(); ++i) {
    if (wanted[i]) xs.emplace_back(parts.args[i]);
  }
  auto gradients = Gradients(ys, xs, options);
  const Status kept = parts.graph->TakeError();
  if (!gradients.ok()) return gradients.status();
  RAMET_RETURN_IF_ERROR(kept);
  for (size_t i = 0, next = 0; i < parts.args.size(); ++i) {
    if (!wanted[i]) continue;
    made->gradients[i] = Returned((*gradients)[next++], &own.returns);
  }
  if (own.returns.empty()) return std::shared_ptr<const EagerGradientFunction>(std::move(made));
  RAMET_ASSIGN_OR_RETURN(made->function, EagerFunction::Make(std::move(own), function.table()));
  return std::shared_ptr<const EagerGradientFunction>(std::move(made));
}

}  // namespace

std::string KindsOf(std::span<const EagerGradient> gradients) {
  std::string kinds;
  const auto add = [&](const EagerValue& part) {
    kinds += static_cast<char>('0' + static_cast<int>(part.exists() ? part.dtype() : DType()));
  };
  for (const EagerGradient& gradient : gradients) {
    add(gradient.values);
    if (!gradient.sparse()) continue;
    kinds += '#';
    add(gradient.indices);
    add(gradient.dense_shape);
  }
  return kinds;
}

void AppendParts(const EagerGradient& gradient, std::vector<EagerValue>* values) {
  for (const EagerValue* part : {&gradient.values, &gradient.indices, &gradient.dense_shape}) {
    if (part->exists()) values->push_back(*part);
  }
}

EagerGradient PickGradient(const EagerGradientFunction::Parts& parts,
                           std::span<const EagerValue> results) {
  const auto pick = [&](int i) { return i < 0 ? EagerValue() : results[static_cast<size_t>(i)]; };
  return {pick(parts.values), pick(parts.indices), pick(parts.dense_shape)};
}

StatusOr<std::shared_ptr<const EagerGradientFunction>> GradientOf(
    EagerFunction& function, std::span<const EagerGradient> arriving,
    const std::vector<bool>& wanted) {
  std::string key = KindsOf(arriving);
  key += '>';
  for (const bool w : wanted) key += w ? '1' : '0';
  EagerFunction::Gradients& known = function.gradients();
  MutexLock lock(known.mutex);
  const auto found = known.by_key.find(key);
  if (found != known.by_key.end()) return found->second;
  RAMET_ASSIGN_OR_RETURN(auto made, Build(function, arriving, wanted));
  return known.by_key[key] = std::move(made);
}

StatusOr<std::shared_ptr<const EagerGradientFunction>> SumFunction(
    const Graph& library, FunctionTable& table, std::span<const EagerGradient> parts) {
  EagerFunctionParts own{NewFunctionGraph(library), {}, {}, {}};
  std::vector<Gradient> gradients;
  for (const EagerGradient& part : parts) {
    gradients.push_back(AddGradientArg(*own.graph, part, &own.args));
  }
  auto made = std::make_shared<EagerGradientFunction>();
  made->gradients = {Returned(SumGradients(*own.graph, gradients), &own.returns)};
  RAMET_RETURN_IF_ERROR(own.graph->TakeError());
  RAMET_ASSIGN_OR_RETURN(made->function, EagerFunction::Make(std::move(own), table));
  return std::shared_ptr<const EagerGradientFunction>(std::move(made));
}

}  // namespace ramet
