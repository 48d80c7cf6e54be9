#include "ramet/checkpoint/restore_nodes.h"

#include <set>

#include "ramet/graph/add_op.h"

namespace ramet {
namespace {

// A list of operations to visit, each once.
class Walk {
 public:
  void Add(const Operation& op) {
    if (op.valid() && seen_.insert(op.id()).second) waiting_.push_back(op);
  }
  bool Next(Operation* op) {
    if (waiting_.empty()) return false;
    *op = waiting_.back();
    waiting_.pop_back();
    return true;
  }

 private:
  std::set<NodeId> seen_;
  std::vector<Operation> waiting_;
};

// Returns the operation that creates the reference or handle of a variable.
Operation VariableOf(Output ref) {
  while (ref.op().type() == "Identity" || ref.op().type() == "RefIdentity") ref = ref.op().input(0);
  return ref.op();
}

bool IsStrings(const Tensor& t, int64_t n) {
  return !t.empty() && t.dtype() == DType::kString && t.rank() == 1 && t.dim(0) == n;
}

}  // namespace

std::optional<std::vector<BundleRequest>> RestoreNodes::Requests() const {
  std::vector<BundleRequest> requests;
  for (const Operation& read : reads) {
    const Tensor names = ConstantValue(read.input(1)), slices = ConstantValue(read.input(2));
    const auto types = read.attr<std::vector<DType>>("dtypes");
    const int n = read.num_outputs();
    if (!types.ok() || !IsStrings(names, n) || !IsStrings(slices, n)) return std::nullopt;
    for (int i = 0; i < n; ++i) {
      requests.push_back(
          {names.data<std::string>()[i], (*types)[i], slices.data<std::string>()[i]});
    }
  }
  return requests;
}

RestoreNodes FindRestoreNodes(const Graph& graph, std::string_view name) {
  RestoreNodes found;
  auto restore = graph.FindOperation(name);
  if (!restore.ok()) return found;
  Walk walk;
  walk.Add(*restore);
  for (Operation op; walk.Next(&op);) {
    const std::string type = op.type();
    if (type == "RestoreV2") {
      found.reads.push_back(op);
      continue;
    }
    const bool assigns = type == "Assign" || type == "AssignVariableOp";
    if (assigns && op.num_inputs() == 2) {
      found.variables.push_back(VariableOf(op.input(0)).name());
      walk.Add(op.input(1).op());
      continue;
    }
    for (const Operation& control : op.control_inputs()) walk.Add(control);
    for (const Output& input : op.inputs()) walk.Add(input.op());
  }
  return found;
}

}  // namespace ramet
