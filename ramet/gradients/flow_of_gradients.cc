#include "ramet/gradients/flow_of_gradients.h"

#include <algorithm>

#include "ramet/gradients/indexed_slices.h"
#include "ramet/graph/control_flow_util.h"
#include "ramet/graph/scope.h"
#include "ramet/graph/while_context.h"

namespace ramet {
namespace {

constexpr Output Gradient::*kParts[] = {&Gradient::values, &Gradient::indices,
                                        &Gradient::dense_shape};

StatusOr<Output> MergeOf(Graph& graph, const std::vector<Input>& inputs, std::string_view name) {
  const char* op = IsRef(inputs[0].output().dtype()) ? "RefMerge" : "Merge";
  RAMET_ASSIGN_OR_RETURN(Operation merge, TryAddOp(graph, op, inputs, {}, name));
  return merge.output(0);
}

// Returns a dense gradient as IndexedSlices of all rows.
Gradient AsSlices(Graph& graph, const Gradient& gradient) {
  if (gradient.sparse()) return gradient;
  Gradient slices = gradient;
  slices.dense_shape = AddOp(graph, "Shape", {gradient.values}).output(0);
  slices.indices =
      AddOp(graph, "Range", {0, FirstDim(graph, slices.dense_shape), 1}, {}, "range").output(0);
  return slices;
}

std::vector<Gradient> AllAsSlices(Graph& graph, std::vector<Gradient> gradients) {
  for (Gradient& g : gradients) g = AsSlices(graph, g);
  auto narrow = [](const Gradient& g) { return g.indices.dtype() == kInt32; };
  if (std::ranges::all_of(gradients, narrow) || std::ranges::none_of(gradients, narrow)) {
    return gradients;
  }
  for (Gradient& g : gradients) {
    if (narrow(g)) g.indices = AddOp(graph, "Cast", {g.indices}, {{"DstT", kInt64}}).output(0);
  }
  return gradients;
}

bool Fits(const Shape& next, const Shape& had) {
  if (had.unknown_rank() || next.unknown_rank()) return true;
  if (had.rank() != next.rank()) return false;
  for (int d = 0; d < had.rank(); ++d) {
    if (had.dim(d) >= 0 && next.dim(d) >= 0 && had.dim(d) != next.dim(d)) return false;
  }
  return true;
}

}  // namespace

StatusOr<Gradient> ForEachPart(Graph& graph, const Gradient& gradient, std::string_view op,
                               std::string_view name) {
  Gradient result;
  for (auto part : kParts) {
    const Output& value = gradient.*part;
    if (!value.valid()) continue;
    const std::string type = IsRef(value.dtype()) ? StrCat("Ref", op) : std::string(op);
    RAMET_ASSIGN_OR_RETURN(Operation added,
                           TryAddOp(graph, type, {value}, {}, gradient.sparse() ? op : name));
    result.*part = added.output(0);
  }
  return result;
}

StatusOr<std::pair<Gradient, Gradient>> SwitchGradients(const Gradient& gradient,
                                                        const Output& pred, std::string_view name) {
  if (!gradient.sparse()) {
    RAMET_ASSIGN_OR_RETURN(auto sides, AddSwitch(gradient.values, pred, name));
    return std::pair(Gradient(sides.first), Gradient(sides.second));
  }
  Graph& graph = *gradient.values.graph();
  std::pair<Gradient, Gradient> sides;
  BuildState& state = graph.build_state();
  Scope here(graph);
  Scope scope = here.NameScope(name);
  for (auto part : kParts) {
    if (!(gradient.*part).valid()) continue;
    auto colocations = std::exchange(state.colocations, {gradient.values.op()});
    auto added = TryAddOp(graph, "Switch", {gradient.*part, pred});
    state.colocations = std::move(colocations);
    RAMET_RETURN_IF_ERROR(added.status());
    sides.first.*part = added->output(0);
    sides.second.*part = added->output(1);
  }
  return sides;
}

StatusOr<Gradient> MergeGradients(Graph& graph, const std::vector<Gradient>& gradients,
                                  std::string_view name) {
  if (std::ranges::none_of(gradients, &Gradient::sparse)) {
    std::vector<Input> inputs;
    for (const Gradient& g : gradients) inputs.push_back(g.values);
    RAMET_ASSIGN_OR_RETURN(Output merge, MergeOf(graph, inputs, name));
    return Gradient(merge);
  }
  Scope here(graph);
  Scope scope = here.NameScope(name);
  const std::vector<Gradient> slices = AllAsSlices(graph, gradients);
  Gradient merged;
  for (auto part : kParts) {
    std::vector<Input> inputs;
    for (const Gradient& g : slices) {
      if ((g.*part).valid()) inputs.push_back(g.*part);
    }
    if (inputs.empty()) continue;
    if (inputs.size() != slices.size()) {
      return InvalidArgument(
          "Either all merged IndexedSlices must have known dense_shape, or none "
          "must have known dense_shape.");
    }
    RAMET_ASSIGN_OR_RETURN(merged.*part, MergeOf(graph, inputs, "Merge"));
  }
  RAMET_RETURN_IF_ERROR(graph.status());
  return merged;
}

StatusOr<Gradient> EnterLoop(WhileContext& loop, const Gradient& gradient, std::string_view name) {
  Gradient entered;
  for (auto part : kParts) {
    const Output& value = gradient.*part;
    if (!value.valid()) continue;
    loop.AddName(value);
    RAMET_ASSIGN_OR_RETURN(entered.*part,
                           loop.AddEnter(value, false, true, gradient.sparse() ? "Enter" : name));
    loop.loop_enters().push_back(entered.*part);
  }
  return entered;
}

Status CloseLoop(WhileContext& loop, const Gradient& merge, const Gradient& next) {
  Graph& graph = loop.graph();
  Gradient value = next;
  if (merge.sparse()) {
    value = AsSlices(graph, next);
  } else {
    value = Gradient(DenseGradient(next));
  }
  RAMET_RETURN_IF_ERROR(graph.status());
  for (auto part : kParts) {
    const Output& to = merge.*part;
    const Output& from = value.*part;
    if (!to.valid() || !from.valid()) continue;
    if (merge.sparse() && !Fits(from.shape(), to.shape())) {
      return InvalidArgument("Cannot update edge, incompatible shapes: ", from.shape(), " and ",
                             to.shape(), ".");
    }
    RAMET_RETURN_IF_ERROR(loop.AddBackEdge(to, from, false).status());
  }
  return OkStatus();
}

}  // namespace ramet
