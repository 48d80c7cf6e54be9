#include "ramet/builders/clip.h"

#include <algorithm>

#include "ramet/builders/math.h"
#include "ramet/builders/tensors.h"
#include "ramet/builders/valid_outputs.h"
#include "ramet/graph/scope.h"

namespace ramet {
namespace {

Output Beside(const Output& like, std::string_view op, const std::vector<Input>& inputs,
              std::string_view name) {
  Scope here(*like.graph());
  Scope colocated = here.ColocateWith(like.op());
  return AddOp(*like.graph(), op, inputs, {}, name).output(0);
}

// Returns clip_norm / max(norm, clip_norm), or NaN if the norm is not finite.
Output ClipScale(Graph& graph, const Output& norm, const Input& clip_norm) {
  Output inverse = 1.0 / norm;
  Output one = ToTensor(graph, 1.0, norm.dtype(), "Const");
  Output limit = one / clip_norm;
  Output smaller = AddOp(graph, "Minimum", {inverse, limit}).output(0);
  Output scale = clip_norm * smaller;
  Output not_finite = norm - norm;
  return scale + not_finite;
}

}  // namespace

Output GlobalNorm(const std::vector<Output>& tensors, std::string_view name) {
  if (tensors.empty() || !AllValid(tensors)) return Output();
  Graph& graph = *tensors[0].graph();
  Scope here(graph);
  Scope scope = here.NameScope(name);
  std::vector<Input> halves;
  for (const Output& t : tensors) halves.push_back(Beside(t, "L2Loss", {t}, "L2Loss"));
  Output half = ReduceSum(Stack(halves));
  if (!half.valid()) return Output();
  Output two = ToTensor(graph, 2.0, half.dtype(), "Const");
  Output square = half * two;
  return AddOp(graph, "Sqrt", {square}, {}, "global_norm").output(0);
}

std::vector<Output> ClipByGlobalNorm(const std::vector<Output>& tensors, const Input& clip_norm,
                                     std::string_view name) {
  if (tensors.empty() || !AllValid(tensors)) return {};
  Graph& graph = *tensors[0].graph();
  Output norm = GlobalNorm(tensors);
  if (!norm.valid()) return {};
  Scope here(graph);
  Scope scope = here.NameScope(name);
  Output scale = ClipScale(graph, norm, clip_norm);
  std::vector<Output> clipped;
  for (size_t i = 0; i < tensors.size(); ++i) {
    Output scaled = Beside(tensors[i], "Mul", {tensors[i], scale}, "mul");
    clipped.push_back(Beside(tensors[i], "Identity", {scaled}, StrCat(name, "/_", i)));
  }
  return clipped;
}

}  // namespace ramet
