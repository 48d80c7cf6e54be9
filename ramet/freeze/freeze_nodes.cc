#include "ramet/freeze/freeze_nodes.h"

#include <algorithm>

#include "ramet/tensor/tensor_proto.h"

namespace ramet::freeze {
namespace {

void CopyGatherAttrs(const NodeDef& old, NodeDef* node) {
  CopyAttr(old, "dtype", "Tparams", node);
  CopyAttr(old, "Tindices", "Tindices", node);
  CopyAttr(old, "_class", "_class", node);
}

// Makes a scalar zero of the indices' dtype.
Status MakeAxis(const NodeDef& gather, NodeDef* axis) {
  auto type = gather.attr().find("Tindices");
  const DType dtype =
      type == gather.attr().end() ? kInt32 : static_cast<DType>(type->second.type());
  if (dtype != kInt32 && dtype != kInt64) {
    return InvalidArgument("Node '", gather.name(), "': the indices have dtype ", DTypeName(dtype),
                           ", expected int32 or int64");
  }
  axis->set_name(StrCat(gather.name(), "/axis"));
  axis->set_op("Const");
  CopyAttr(gather, "Tindices", "dtype", axis);
  const Tensor zero = dtype == kInt32 ? Tensor(int32_t{0}) : Tensor(int64_t{0});
  return TensorToProto(zero, (*axis->mutable_attr())["value"].mutable_tensor());
}

Status MakeGather(NodeDef* node, NodeDef* axis) {
  auto batch_dims = node->attr().find("batch_dims");
  if (batch_dims != node->attr().end() && batch_dims->second.i() != 0) {
    return InvalidArgument("batch_dims must be 0 for freeze_graph, but got node(", node->name(),
                           ").attr('batch_dims') = ", batch_dims->second.i(), ".");
  }
  const NodeDef old = Restart("GatherV2", 2, node);
  CopyGatherAttrs(old, node);
  CopyAttr(old, "Tindices", "Taxis", node);
  RAMET_RETURN_IF_ERROR(MakeAxis(old, axis));
  node->add_input(axis->name());
  return OkStatus();
}

}  // namespace

bool IsOneOf(const std::string& op, std::initializer_list<std::string_view> ops) {
  return std::ranges::find(ops, std::string_view(op)) != ops.end();
}

bool PassesOn(const std::string& op) {
  return IsOneOf(op, {"Enter", "Exit", "Identity", "NextIteration", "Switch"});
}

bool CallsFunctions(const NodeDef& node) {
  return std::ranges::any_of(node.attr(), [](const auto& attr) {
    return attr.second.has_func() || attr.second.list().func_size() > 0;
  });
}

void CopyAttr(const NodeDef& from, const char* name, const char* as, NodeDef* to) {
  auto it = from.attr().find(name);
  if (it != from.attr().end()) (*to->mutable_attr())[as] = it->second;
}

NodeDef Restart(const char* op, int num_inputs, NodeDef* node) {
  NodeDef old = *node;
  node->Clear();
  node->set_name(old.name());
  node->set_op(op);
  for (int i = 0; i < num_inputs && i < old.input_size(); ++i) node->add_input(old.input(i));
  return old;
}

Status MakeReader(NodeDef* node, NodeDef* axis) {
  if (node->op() == "ReadVariableOp") {
    const NodeDef old = Restart("Identity", 1, node);
    CopyAttr(old, "dtype", "T", node);
    CopyAttr(old, "_class", "_class", node);
  } else if (node->op() == "ResourceGather") {
    return MakeGather(node, axis);
  } else if (node->op() == "ResourceGatherNd") {
    const NodeDef old = Restart("GatherNd", 2, node);
    CopyGatherAttrs(old, node);
  }
  return OkStatus();
}

}  // namespace ramet::freeze
