#include "ramet/graph_def/function_graph_def.h"

#include <algorithm>

#include "ramet/graph/names.h"
#include "ramet/graph_def/attr_placeholders.h"
#include "ramet/graph_def/import_attrs.h"
#include "ramet/op/colocation.h"
#include "ramet/tensor/tensor_proto.h"
#include "ramet/wire/op_def_proto.h"

namespace ramet {
namespace {

Shape ShapeOr(const TensorShapeProto& proto) {
  auto shape = ShapeFromProto(proto);
  return shape.ok() ? *std::move(shape) : Shape::Unknown();
}

// Returns a legal node name like the argument's.
std::string LegalName(const std::string& argument) {
  if (IsValidOpName(argument)) return argument;
  const std::string prefixed = StrCat("arg_", argument);
  return IsValidOpName(prefixed) ? prefixed : "arg";
}

// Returns the shape that the definition states for tensor `i` of an argument.
Shape StatedShapeOfArg(const FunctionDef& def, size_t arg, size_t i) {
  auto attrs = def.arg_attr().find(static_cast<uint32_t>(arg));
  if (attrs == def.arg_attr().end()) return Shape::Unknown();
  auto shapes = attrs->second.attr().find(kOutputShapesAttr);
  if (shapes == attrs->second.attr().end()) return Shape::Unknown();
  const AttrValue& value = shapes->second;
  const int index = static_cast<int>(i);
  if (value.has_shape() && i == 0) return ShapeOr(value.shape());
  if (index < value.list().shape_size()) return ShapeOr(value.list().shape(index));
  return Shape::Unknown();
}

}  // namespace

Status FunctionGraphDef::Build() {
  RAMET_ASSIGN_OR_RETURN(signature_, OpSchemaFromProto(def_.signature()));
  RAMET_RETURN_IF_ERROR(AttrMapToProto(attrs_, &values_));
  for (const NodeDef& node : def_.node_def()) {
    if (!nodes_.Insert(node.name())) {
      return InvalidArgument("Node '", node.name(), "' is not unique");
    }
  }
  RAMET_RETURN_IF_ERROR(AddArgs());
  for (const NodeDef& node : def_.node_def()) {
    Status added = AddNode(node);
    if (!added.ok()) return added.WithContext(StrCat("node '", node.name(), "'"));
  }
  for (int i = 0; i < def_.node_def_size(); ++i) {
    NodeDef* node = graph_.mutable_node(static_cast<int>(ends_.args.size()) + i);
    RAMET_RETURN_IF_ERROR(Connect(def_.node_def(i), node));
  }
  RAMET_RETURN_IF_ERROR(FindReturns());
  return FindControls();
}

Status FunctionGraphDef::AddArgs() {
  for (size_t a = 0; a < signature_.inputs.size(); ++a) RAMET_RETURN_IF_ERROR(AddArg(a));
  return OkStatus();
}

Status FunctionGraphDef::AddArg(size_t position) {
  const ArgSchema& arg = signature_.inputs[position];
  RAMET_ASSIGN_OR_RETURN(const std::vector<DType> types, signature_.Expand({arg}, attrs_));
  if (std::ranges::find(types, DType::kInvalid) != types.end()) {
    return InvalidArgument("argument '", arg.name, "' has no dtype");
  }
  const bool list = !arg.number_attr.empty() || !arg.type_list_attr.empty();
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string name = nodes_.Add(LegalName(list ? StrCat(arg.name, "_", i) : arg.name));
    ends_.args.push_back(name);
    AddPlaceholder(name, types[i], ShapeOfArg(position, i));
    const std::string reference = list ? StrCat(arg.name, ":", i) : arg.name;
    RAMET_RETURN_IF_ERROR(references_.Define(reference, name, 0, 1));
  }
  if (list) references_.DefineList(arg.name, types.size());
  return OkStatus();
}

// Combines the shapes from the definition and from the call.
Shape FunctionGraphDef::ShapeOfArg(size_t arg, size_t i) const {
  const Shape stated = StatedShapeOfArg(def_, arg, i);
  const size_t position = ends_.args.size() - 1;
  if (position >= arg_shapes_.size()) return stated;
  auto merged = stated.MergeWith(arg_shapes_[position]);
  return merged.ok() ? *std::move(merged) : stated;
}

void FunctionGraphDef::AddPlaceholder(const std::string& name, DType type, const Shape& shape) {
  NodeDef* node = graph_.add_node();
  node->set_name(name);
  node->set_op("Placeholder");
  (*node->mutable_attr())["dtype"].set_type(static_cast<DataType>(BaseType(type)));
  ShapeToProto(shape, (*node->mutable_attr())["shape"].mutable_shape());
}

Status FunctionGraphDef::AddNode(const NodeDef& def) {
  NodeDef* node = graph_.add_node();
  *node = def;
  node->clear_input();
  for (auto& [name, attr] : *node->mutable_attr()) {
    Status done = ReplacePlaceholders(values_, &attr);
    if (!done.ok()) return done.WithContext(StrCat("attr '", name, "'"));
  }
  KeepKnownGroups(node);
  RAMET_ASSIGN_OR_RETURN(const auto outputs, node_outputs_.Of(*node));
  int first = 0;
  for (const FunctionNodeOutputs::Arg& output : outputs) {
    RAMET_RETURN_IF_ERROR(references_.Define(StrCat(node->name(), ":", output.name), node->name(),
                                             first, output.count));
    first += output.count;
  }
  return OkStatus();
}

// Drops colocations with nodes outside of the function.
void FunctionGraphDef::KeepKnownGroups(NodeDef* node) const {
  auto classes = node->mutable_attr()->find("_class");
  if (classes == node->mutable_attr()->end()) return;
  auto* groups = classes->second.mutable_list()->mutable_s();
  const auto known = [this](const std::string& group) {
    return !group.starts_with(kColocationPrefix) ||
           nodes_.Contains(group.substr(kColocationPrefix.size()));
  };
  groups->erase(std::stable_partition(groups->begin(), groups->end(), known), groups->end());
  if (groups->empty()) node->mutable_attr()->erase(classes);
}

Status FunctionGraphDef::Connect(const NodeDef& def, NodeDef* node) {
  for (const std::string& input : def.input()) {
    if (input.starts_with('^')) {
      node->add_input(StrCat("^", references_.ControlNode(input.substr(1))));
      continue;
    }
    auto names = references_.Resolve(input);
    if (!names.ok()) return names.status().WithContext(StrCat("node '", def.name(), "'"));
    for (std::string& name : *names) node->add_input(std::move(name));
  }
  return OkStatus();
}

Status FunctionGraphDef::FindReturns() {
  for (const ArgSchema& arg : signature_.outputs) {
    auto reference = def_.ret().find(arg.name);
    if (reference == def_.ret().end()) {
      return InvalidArgument("Return '", arg.name, "' is missing");
    }
    auto names = references_.Resolve(reference->second);
    if (!names.ok()) return names.status().WithContext(StrCat("return '", arg.name, "'"));
    RAMET_ASSIGN_OR_RETURN(const std::vector<DType> types, signature_.Expand({arg}, attrs_));
    if (types.size() != names->size()) {
      return InvalidArgument("Return '", arg.name, "' has ", names->size(),
                             " tensors, but the signature says ", types.size());
    }
    for (size_t i = 0; i < types.size(); ++i) {
      ends_.returns.push_back(std::move((*names)[i]));
      ends_.return_types.push_back(types[i]);
      ends_.return_names.push_back(arg.name);
    }
  }
  return OkStatus();
}

Status FunctionGraphDef::FindControls() {
  for (const auto& [name, node] : def_.control_ret()) {
    if (!nodes_.Contains(node)) {
      return InvalidArgument("the control output '", name, "' names node '", node,
                             "', which is not in the function");
    }
    ends_.controls.push_back(node);
  }
  std::ranges::sort(ends_.controls);
  return OkStatus();
}

}  // namespace ramet
