#include <unordered_map>
#include <unordered_set>

#include "ramet/graph/freeze_proto.h"
#include "ramet/graph/import_names.h"
#include "ramet/tensor/tensor_proto.h"

namespace ramet {
namespace {

bool IsOneOf(const std::string& op, std::initializer_list<std::string_view> ops) {
  for (std::string_view one : ops) {
    if (op == one) return true;
  }
  return false;
}

// Hands its first data input on, and takes its dtype from it.
bool PassesOn(const std::string& op) {
  return IsOneOf(op, {"Enter", "Exit", "Identity", "NextIteration", "Switch"});
}

bool CallsFunctions(const NodeDef& node) {
  for (const auto& [name, attr] : node.attr()) {
    if (attr.has_func() || attr.list().func_size() > 0) return true;
  }
  return false;
}

void CopyAttr(const NodeDef& from, const char* name, const char* as, NodeDef* to) {
  auto it = from.attr().find(name);
  if (it != from.attr().end()) (*to->mutable_attr())[as] = it->second;
}

// Replaces the variables of one graph; each step follows a handle to the nodes that it reaches.
class VariableFreezer {
 public:
  explicit VariableFreezer(GraphDef* def) : def_(*def), size_(def->node_size()) {
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

  // In the order of the file, as the constants for axes are added in that order.
  Status Freeze(const std::map<std::string, Tensor>& values) {
    for (const auto& [name, value] : values) {
      auto it = positions_.find(name);
      if (it == positions_.end() || !IsVariableNode(def_.node(it->second))) {
        return NotFound("'", name, "' is no variable of the graph");
      }
    }
    for (int i = 0; i < size_; ++i) {
      auto it = values.find(def_.node(i).name());
      if (it != values.end()) RAMET_RETURN_IF_ERROR(FreezeOne(i, it->second));
    }
    return OkStatus();
  }

 private:
  Status FreezeOne(int variable, const Tensor& value) {
    const bool resource = def_.node(variable).op() == "VarHandleOp";
    RAMET_RETURN_IF_ERROR(MakeConst(value, def_.mutable_node(variable)));
    std::vector<int> open = ConsumersOf(variable);
    std::unordered_set<int> seen;
    while (!open.empty()) {
      const int i = open.back();
      open.pop_back();
      if (!seen.insert(i).second) continue;
      if (!PassesOn(def_.node(i).op())) {
        RAMET_RETURN_IF_ERROR(MakeReader(resource, def_.mutable_node(i)));
        continue;
      }
      NodeDef* node = def_.mutable_node(i);
      (*node->mutable_attr())["T"].set_type(static_cast<DataType>(value.dtype()));
      node->mutable_attr()->erase("_output_shapes");
      const std::vector<int> more = ConsumersOf(i);
      open.insert(open.end(), more.begin(), more.end());
    }
    return OkStatus();
  }

  // The last one first.
  std::vector<int> ConsumersOf(int i) const {
    auto it = consumers_.find(i);
    if (it == consumers_.end()) return {};
    return {it->second.rbegin(), it->second.rend()};
  }

  // Makes `*node` another one with the same name; its inputs are kept up to `num_inputs`.
  static NodeDef Restart(const char* op, int num_inputs, NodeDef* node) {
    NodeDef old = *node;
    node->Clear();
    node->set_name(old.name());
    node->set_op(op);
    for (int i = 0; i < num_inputs && i < old.input_size(); ++i) node->add_input(old.input(i));
    return old;
  }

  static Status MakeConst(const Tensor& value, NodeDef* node) {
    const NodeDef old = Restart("Const", 0, node);
    CopyAttr(old, "dtype", "dtype", node);
    Status written = TensorToProto(value, (*node->mutable_attr())["value"].mutable_tensor());
    return written.ok() ? written : written.WithContext(StrCat("variable '", old.name(), "'"));
  }

  // A node that takes the value, which may be one that reads a handle.
  Status MakeReader(bool resource, NodeDef* node) {
    if (node->op() == "ReadVariableOp") {
      const NodeDef old = Restart("Identity", 1, node);
      CopyAttr(old, "dtype", "T", node);
      CopyAttr(old, "_class", "_class", node);
    } else if (node->op() == "ResourceGather") {
      return MakeGather(node);
    } else if (node->op() == "ResourceGatherNd") {
      const NodeDef old = Restart("GatherNd", 2, node);
      CopyGatherAttrs(old, node);
    } else if (resource && CallsFunctions(*node)) {
      return Unimplemented("Node '", node->name(), "' (", node->op(),
                           ") takes a resource variable into a function: freezing does not reach "
                           "into functions; keep the variable with the deny list");
    }
    return OkStatus();
  }

  static void CopyGatherAttrs(const NodeDef& old, NodeDef* node) {
    CopyAttr(old, "dtype", "Tparams", node);
    CopyAttr(old, "Tindices", "Tindices", node);
    CopyAttr(old, "_class", "_class", node);
  }

  Status MakeGather(NodeDef* node) {
    auto batch_dims = node->attr().find("batch_dims");
    if (batch_dims != node->attr().end() && batch_dims->second.i() != 0) {
      return InvalidArgument("batch_dims must be 0 for freeze_graph, but got node(", node->name(),
                             ").attr('batch_dims') = ", batch_dims->second.i(), ".");
    }
    const NodeDef old = Restart("GatherV2", 2, node);
    const std::string axis_name = StrCat(old.name(), "/axis");
    node->add_input(axis_name);
    CopyGatherAttrs(old, node);
    CopyAttr(old, "Tindices", "Taxis", node);
    return AddAxis(axis_name, old);
  }

  // A scalar zero of the dtype of the indices.
  Status AddAxis(const std::string& name, const NodeDef& gather) {
    auto [it, added] = positions_.try_emplace(name, def_.node_size());
    if (!added) return InvalidArgument("Node '", name, "' is not unique");
    auto type = gather.attr().find("Tindices");
    const DType dtype =
        type == gather.attr().end() ? kInt32 : static_cast<DType>(type->second.type());
    if (dtype != kInt32 && dtype != kInt64) {
      return InvalidArgument("Node '", gather.name(), "': indices of dtype ", DTypeName(dtype));
    }
    NodeDef* axis = def_.add_node();
    axis->set_name(name);
    axis->set_op("Const");
    CopyAttr(gather, "Tindices", "dtype", axis);
    const Tensor zero = dtype == kInt32 ? Tensor(int32_t{0}) : Tensor(int64_t{0});
    return TensorToProto(zero, (*axis->mutable_attr())["value"].mutable_tensor());
  }

  GraphDef& def_;
  const int size_;
  std::unordered_map<std::string, int> positions_;
  std::unordered_map<int, std::vector<int>> consumers_;
};

}  // namespace

bool IsVariableNode(const NodeDef& node) {
  return IsOneOf(node.op(), {"Variable", "VariableV2", "VarHandleOp"});
}

Status ReplaceVariablesProto(const std::map<std::string, Tensor>& values, GraphDef* def) {
  return VariableFreezer(def).Freeze(values);
}

}  // namespace ramet
