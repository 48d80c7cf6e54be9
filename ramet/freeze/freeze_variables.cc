#include "ramet/freeze/freeze_variables.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ramet/freeze/freeze_functions.h"
#include "ramet/freeze/freeze_nodes.h"
#include "ramet/tensor/tensor_proto.h"
#include "ramet/wire/tensor_ref.h"

namespace ramet {
namespace {

using freeze::CopyAttr;
using freeze::PassesOn;

// Replaces the variables of one graph. Each step traces a handle to the nodes that it reaches.
class VariableFreezer {
 public:
  explicit VariableFreezer(GraphDef* def)
      : def_(*def), size_(def->node_size()), functions_(def->mutable_library()) {
    for (int i = 0; i < size_; ++i) positions_.emplace(def_.node(i).name(), i);
    for (int i = 0; i < size_; ++i) {
      for (const std::string& input : def_.node(i).input()) {
        const TensorRef ref = TensorRef::Parse(input);
        auto producer = positions_.find(std::string(ref.node));
        if (!ref.is_control() && producer != positions_.end()) {
          consumers_[producer->second].push_back(i);
        }
      }
    }
  }

  // Proceeds in file order, in which the constants for axes are added.
  Status Freeze(const std::map<std::string, Tensor>& values) {
    for (const auto& [name, value] : values) {
      auto it = positions_.find(name);
      if (it == positions_.end() || !IsVariableNode(def_.node(it->second))) {
        return NotFound("'", name, "' is not a variable of the graph");
      }
    }
    for (int i = 0; i < size_; ++i) {
      auto it = values.find(def_.node(i).name());
      if (it != values.end()) RAMET_RETURN_IF_ERROR(FreezeOne(i, it->second));
    }
    functions_.DropUnused(def_.node());
    return OkStatus();
  }

 private:
  Status FreezeOne(int variable, const Tensor& value) {
    const bool resource = def_.node(variable).op() == "VarHandleOp";
    RAMET_RETURN_IF_ERROR(MakeConst(value, def_.mutable_node(variable)));
    std::vector<int> open = ConsumersOf(variable);
    std::unordered_set<int> seen;
    values_ = {def_.node(variable).name()};
    while (!open.empty()) {
      const int i = open.back();
      open.pop_back();
      NodeDef* node = def_.mutable_node(i);
      if (resource && freeze::CallsFunctions(*node)) {
        RAMET_RETURN_IF_ERROR(FreezeCall(i, value.dtype(), &open));
        continue;
      }
      if (!ReadsValue(*node) || !seen.insert(i).second) continue;
      if (!PassesOn(node->op())) {
        RAMET_RETURN_IF_ERROR(MakeReader(node));
        continue;
      }
      (*node->mutable_attr())["T"].set_type(static_cast<DataType>(value.dtype()));
      node->mutable_attr()->erase("_output_shapes");
      values_.insert(node->name());
      const std::vector<int> more = ConsumersOf(i);
      open.insert(open.end(), more.begin(), more.end());
    }
    return OkStatus();
  }

  // Reports whether an input is the value: any output of a node that passes it on, or one output of
  // a call.
  bool IsValue(const std::string& input) const {
    const TensorRef ref = TensorRef::Parse(input);
    if (ref.is_control()) return false;
    return values_.contains(std::string(ref.node)) || values_.contains(ref.ToString());
  }

  bool ReadsValue(const NodeDef& node) const {
    return std::ranges::any_of(node.input(), [this](const auto& input) { return IsValue(input); });
  }

  // Makes the functions that a node calls take the value, and traces the outputs that become
  // values.
  Status FreezeCall(int i, DType dtype, std::vector<int>* open) {
    NodeDef* node = def_.mutable_node(i);
    for (int k = 0; k < node->input_size(); ++k) {
      if (!IsValue(node->input(k))) continue;
      RAMET_ASSIGN_OR_RETURN(const std::vector<int> outputs, functions_.Freeze(node, k, dtype));
      for (int output : outputs) values_.insert(StrCat(node->name(), ":", output));
      if (outputs.empty()) continue;
      const std::vector<int> more = ConsumersOf(i);
      open->insert(open->end(), more.begin(), more.end());
    }
    return OkStatus();
  }

  // In reverse order.
  std::vector<int> ConsumersOf(int i) const {
    auto it = consumers_.find(i);
    if (it == consumers_.end()) return {};
    return {it->second.rbegin(), it->second.rend()};
  }

  static Status MakeConst(const Tensor& value, NodeDef* node) {
    const NodeDef old = freeze::Restart("Const", 0, node);
    CopyAttr(old, "dtype", "dtype", node);
    Status written = TensorToProto(value, (*node->mutable_attr())["value"].mutable_tensor());
    return written.ok() ? written : written.WithContext(StrCat("variable '", old.name(), "'"));
  }

  // Changes a node that takes the value, which may be one that reads a handle.
  Status MakeReader(NodeDef* node) {
    NodeDef axis;
    RAMET_RETURN_IF_ERROR(freeze::MakeReader(node, &axis));
    if (axis.name().empty()) return OkStatus();
    auto [it, added] = positions_.try_emplace(axis.name(), def_.node_size());
    if (!added) return InvalidArgument("Node '", axis.name(), "' is not unique");
    *def_.add_node() = std::move(axis);
    return OkStatus();
  }

  GraphDef& def_;
  const int size_;
  std::unordered_map<std::string, int> positions_;
  std::unordered_map<int, std::vector<int>> consumers_;
  std::unordered_set<std::string> values_;  // "n", or "n:k" for a call
  freeze::FunctionFreezer functions_;
};

}  // namespace

bool IsVariableNode(const NodeDef& node) {
  return freeze::IsOneOf(node.op(), {"Variable", "VariableV2", "VarHandleOp"});
}

Status ReplaceVariablesProto(const std::map<std::string, Tensor>& values, GraphDef* def) {
  const bool has_library = def->has_library();
  Status frozen = VariableFreezer(def).Freeze(values);
  if (!has_library) def->clear_library();
  return frozen;
}

}  // namespace ramet
