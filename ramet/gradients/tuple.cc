#include "ramet/gradients/tuple.h"

#include <algorithm>

#include "ramet/graph/scope.h"

namespace ramet {
namespace {

Output After(const Operation& gate, const Output& tensor) {
  Scope here(*tensor.graph());
  Scope colocated = here.ColocateWith(tensor.op());
  Scope after = colocated.ControlDependencies({gate});
  return AddOp(*tensor.graph(), "Identity", {tensor}, {}, "control_dependency").output(0);
}

}  // namespace

std::vector<Gradient> Tuple(Graph& graph, const std::vector<Gradient>& gradients,
                            std::string_view name) {
  std::vector<Operation> producers;
  for (const Gradient& g : gradients) {
    if (g.exists()) producers.push_back(g.values.op());
  }
  if (producers.empty()) return gradients;
  std::ranges::sort(producers, {}, &Operation::id);
  producers.erase(std::unique(producers.begin(), producers.end()), producers.end());
  Scope here(graph);
  Scope scope = here.NameScope(name);
  Operation gate = Group(graph, producers, "group_deps");
  std::vector<Gradient> gated = gradients;
  for (Gradient& g : gated) {
    if (g.exists()) g.values = After(gate, g.values);
  }
  return gated;
}

}  // namespace ramet
