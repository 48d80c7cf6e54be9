#include "ramet/graph/function_body.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ramet/graph/attr_proto.h"
#include "ramet/graph/graph_impl.h"
#include "ramet/graph/import_proto.h"
#include "ramet/graph/names.h"
#include "ramet/graph/op_def_proto.h"
#include "ramet/tensor/tensor_proto.h"

namespace ramet {
namespace {

constexpr std::string_view kGroupPrefix = "loc:@";
// A limit is needed because references to whole lists multiply inputs.
constexpr size_t kMaxInputs = size_t{1} << 22;
constexpr int kMaxAttrDepth = 50;

// Replaces placeholders in the value of an attr.
// \error kInvalidArgument: a placeholder has no value.
Status Substitute(const AttrProtoMap& values, int depth, AttrValue* value);

Status SubstituteIn(const AttrProtoMap& values, int depth, NameAttrList* function) {
  if (depth > kMaxAttrDepth) return InvalidArgument("functions in attrs are nested too deeply");
  for (auto& [name, attr] : *function->mutable_attr()) {
    Status done = Substitute(values, depth + 1, &attr);
    if (!done.ok()) return done.WithContext(StrCat("attr '", name, "'"));
  }
  return OkStatus();
}

Status Substitute(const AttrProtoMap& values, int depth, AttrValue* value) {
  if (value->value_case() == AttrValue::kPlaceholder) {
    auto it = values.find(value->placeholder());
    if (it == values.end()) {
      return InvalidArgument("the function has no attr '", value->placeholder(),
                             "', which provides the value");
    }
    *value = it->second;
    return OkStatus();
  }
  if (value->has_func()) return SubstituteIn(values, depth, value->mutable_func());
  if (!value->has_list()) return OkStatus();
  for (NameAttrList& function : *value->mutable_list()->mutable_func()) {
    RAMET_RETURN_IF_ERROR(SubstituteIn(values, depth, &function));
  }
  return OkStatus();
}

// The target of a name in a function: tensors first, ... of a node.
struct Item {
  std::string node;
  int first = 0;
  int count = 0;
};

std::string TensorName(const std::string& node, int index) {
  return index == 0 ? node : StrCat(node, ":", index);
}

// A function being converted to a GraphDef.
class BodyDef {
 public:
  BodyDef(const FunctionDef& def, const AttrMap& attrs, FunctionLibrary& library,
          const std::vector<Shape>& arg_shapes)
      : def_(def), attrs_(attrs), library_(library), arg_shapes_(arg_shapes) {}

  Status Build() {
    RAMET_ASSIGN_OR_RETURN(signature_, OpSchemaFromProto(def_.signature()));
    RAMET_RETURN_IF_ERROR(AttrMapToProto(attrs_, &values_));
    for (const NodeDef& node : def_.node_def()) {
      if (!nodes_.insert(node.name()).second) {
        return InvalidArgument("Node '", node.name(), "' is not unique");
      }
    }
    RAMET_RETURN_IF_ERROR(AddArgs());
    for (const NodeDef& node : def_.node_def()) {
      Status added = AddNode(node);
      if (!added.ok()) return added.WithContext(StrCat("node '", node.name(), "'"));
    }
    for (int i = 0; i < def_.node_def_size(); ++i) {
      NodeDef* node = graph_.mutable_node(static_cast<int>(arg_names_.size()) + i);
      RAMET_RETURN_IF_ERROR(Connect(def_.node_def(i), node));
    }
    RAMET_RETURN_IF_ERROR(FindReturns());
    return FindControls();
  }

  const GraphDef& graph() const { return graph_; }
  const std::vector<std::string>& args() const { return arg_names_; }
  const std::vector<std::string>& returns() const { return returns_; }
  const std::vector<DType>& return_types() const { return return_types_; }
  const std::vector<std::string>& return_names() const { return return_names_; }
  const std::vector<std::string>& controls() const { return controls_; }

 private:
  Status AddArgs() {
    for (size_t a = 0; a < signature_.inputs.size(); ++a) {
      const ArgSchema& arg = signature_.inputs[a];
      RAMET_ASSIGN_OR_RETURN(const std::vector<DType> types, signature_.Expand({arg}, attrs_));
      if (std::ranges::find(types, DType::kInvalid) != types.end()) {
        return InvalidArgument("argument '", arg.name, "' has no dtype");
      }
      const bool list = !arg.number_attr.empty() || !arg.type_list_attr.empty();
      for (size_t i = 0; i < types.size(); ++i) {
        const std::string name = NameOfArg(list ? StrCat(arg.name, "_", i) : arg.name);
        AddPlaceholder(name, types[i], ShapeOfArg(a, i));
        if (!list) {
          RAMET_RETURN_IF_ERROR(Define(arg.name, {name, 0, 1}));
        } else {
          RAMET_RETURN_IF_ERROR(Define(StrCat(arg.name, ":", i), {name, 0, 1}));
        }
      }
      if (list) list_args_.emplace(arg.name, types.size());
    }
    return OkStatus();
  }

  // Returns the name of the Placeholder: the argument's, unless a node has it.
  std::string NameOfArg(const std::string& wanted) {
    const std::string base = IsValidOpName(wanted) ? wanted : StrCat("arg_", wanted);
    std::string name = IsValidOpName(base) ? base : "arg";
    int& last = last_numbers_[base];
    while (!nodes_.insert(name).second) name = StrCat(base, "_", ++last);
    arg_names_.push_back(name);
    return name;
  }

  // Combines the shapes from the definition and from the call.
  Shape ShapeOfArg(size_t arg, size_t i) const {
    const Shape stated = StatedShapeOfArg(arg, i);
    const size_t position = arg_names_.size() - 1;
    if (position >= arg_shapes_.size()) return stated;
    auto merged = stated.MergeWith(arg_shapes_[position]);
    return merged.ok() ? *std::move(merged) : stated;
  }

  Shape StatedShapeOfArg(size_t arg, size_t i) const {
    auto attrs = def_.arg_attr().find(static_cast<uint32_t>(arg));
    if (attrs == def_.arg_attr().end()) return Shape::Unknown();
    auto shapes = attrs->second.attr().find(kOutputShapesAttr);
    if (shapes == attrs->second.attr().end()) return Shape::Unknown();
    const AttrValue& value = shapes->second;
    const int index = static_cast<int>(i);
    if (value.has_shape() && i == 0) return ShapeOr(value.shape());
    if (index < value.list().shape_size()) return ShapeOr(value.list().shape(index));
    return Shape::Unknown();
  }

  static Shape ShapeOr(const TensorShapeProto& proto) {
    auto shape = ShapeFromProto(proto);
    return shape.ok() ? *std::move(shape) : Shape::Unknown();
  }

  void AddPlaceholder(const std::string& name, DType type, const Shape& shape) {
    NodeDef* node = graph_.add_node();
    node->set_name(name);
    node->set_op("Placeholder");
    (*node->mutable_attr())["dtype"].set_type(static_cast<DataType>(BaseType(type)));
    ShapeToProto(shape, (*node->mutable_attr())["shape"].mutable_shape());
  }

  Status Define(std::string name, Item item) {
    if (items_.emplace(name, std::move(item)).second) return OkStatus();
    return InvalidArgument("Duplicated name '", name, "'");
  }

  StatusOr<const OpSchema*> SchemaOf(const std::string& op) {
    if (const Op* known = OpRegistry::Global().Find(op)) return &known->schema();
    auto [it, added] = schemas_.try_emplace(op);
    if (!added) return &it->second;
    const FunctionDef* function = library_.Find(op);
    if (function == nullptr) return OpRegistry::Global().Lookup(op).status();
    RAMET_ASSIGN_OR_RETURN(it->second, OpSchemaFromProto(function->signature()));
    return &it->second;
  }

  Status AddNode(const NodeDef& def) {
    NodeDef* node = graph_.add_node();
    *node = def;
    node->clear_input();
    for (auto& [name, attr] : *node->mutable_attr()) {
      Status done = Substitute(values_, 0, &attr);
      if (!done.ok()) return done.WithContext(StrCat("attr '", name, "'"));
    }
    KeepKnownGroups(node);
    RAMET_ASSIGN_OR_RETURN(const OpSchema* schema, SchemaOf(node->op()));
    RAMET_ASSIGN_OR_RETURN(const AttrMap attrs, OutputAttrs(*schema, *node));
    int first = 0;
    for (const ArgSchema& arg : schema->outputs) {
      RAMET_ASSIGN_OR_RETURN(const std::vector<DType> types, schema->Expand({arg}, attrs));
      const int count = static_cast<int>(types.size());
      RAMET_RETURN_IF_ERROR(
          Define(StrCat(node->name(), ":", arg.name), {node->name(), first, count}));
      first += count;
    }
    return OkStatus();
  }

  // Drops colocations with nodes outside of the function.
  void KeepKnownGroups(NodeDef* node) {
    auto classes = node->mutable_attr()->find("_class");
    if (classes == node->mutable_attr()->end()) return;
    auto* groups = classes->second.mutable_list()->mutable_s();
    const auto known = [this](const std::string& group) {
      return !group.starts_with(kGroupPrefix) || nodes_.contains(group.substr(kGroupPrefix.size()));
    };
    groups->erase(std::stable_partition(groups->begin(), groups->end(), known), groups->end());
    if (groups->empty()) node->mutable_attr()->erase(classes);
  }

  // Returns the attrs that determine the outputs of a node.
  StatusOr<AttrMap> OutputAttrs(const OpSchema& schema, const NodeDef& node) {
    AttrMap attrs;
    for (const ArgSchema& arg : schema.outputs) {
      for (const std::string& name : {arg.type_attr, arg.number_attr, arg.type_list_attr}) {
        if (name.empty() || attrs.Find(name) != nullptr) continue;
        const AttrSchema* attr = schema.FindAttr(name);
        auto given = node.attr().find(name);
        if (given != node.attr().end()) {
          RAMET_ASSIGN_OR_RETURN(Attr value, KnownAttrFromProto(given->second, &budget_));
          attrs.Set(name, std::move(value));
        } else if (attr != nullptr && attr->has_default) {
          attrs.Set(name, attr->default_value);
        }
      }
    }
    return attrs;
  }

  Status Connect(const NodeDef& def, NodeDef* node) {
    for (const std::string& input : def.input()) {
      if (input.starts_with('^')) {
        const std::string control = input.substr(1);
        auto arg = items_.find(control);
        node->add_input(StrCat("^", arg == items_.end() ? control : arg->second.node));
        continue;
      }
      auto names = Resolve(input);
      if (!names.ok()) return names.status().WithContext(StrCat("node '", def.name(), "'"));
      for (std::string& name : *names) node->add_input(std::move(name));
    }
    return OkStatus();
  }

  // Returns the tensors of a reference: one, or all of a list.
  StatusOr<std::vector<std::string>> Resolve(const std::string& reference) {
    std::vector<std::string> names;
    auto whole = items_.find(reference);
    if (whole != items_.end()) {
      num_inputs_ += static_cast<size_t>(whole->second.count);
      if (num_inputs_ > kMaxInputs) {
        return ResourceExhausted("the function has more than ", kMaxInputs, " inputs of nodes");
      }
      for (int i = 0; i < whole->second.count; ++i) {
        names.push_back(TensorName(whole->second.node, whole->second.first + i));
      }
      return names;
    }
    if (auto list = list_args_.find(reference); list != list_args_.end()) {
      for (size_t i = 0; i < list->second; ++i) {
        RAMET_ASSIGN_OR_RETURN(auto one, Resolve(StrCat(reference, ":", i)));
        names.push_back(std::move(one[0]));
      }
      return names;
    }
    const size_t colon = reference.rfind(':');
    int64_t index = 0;
    if (colon != std::string::npos &&
        ParseInt64(std::string_view(reference).substr(colon + 1), &index)) {
      auto item = items_.find(reference.substr(0, colon));
      if (item != items_.end() && index >= 0 && index < item->second.count) {
        return std::vector{
            TensorName(item->second.node, item->second.first + static_cast<int>(index))};
      }
    }
    return InvalidArgument("input '", reference,
                           "' is not found: it is neither an argument nor an output "
                           "(\"node:output:0\") of a node of the function");
  }

  Status FindReturns() {
    for (const ArgSchema& arg : signature_.outputs) {
      auto reference = def_.ret().find(arg.name);
      if (reference == def_.ret().end()) {
        return InvalidArgument("Return '", arg.name, "' is missing");
      }
      auto names = Resolve(reference->second);
      if (!names.ok()) return names.status().WithContext(StrCat("return '", arg.name, "'"));
      RAMET_ASSIGN_OR_RETURN(const std::vector<DType> types, signature_.Expand({arg}, attrs_));
      if (types.size() != names->size()) {
        return InvalidArgument("Return '", arg.name, "' has ", names->size(),
                               " tensors, but the signature says ", types.size());
      }
      for (size_t i = 0; i < types.size(); ++i) {
        returns_.push_back(std::move((*names)[i]));
        return_types_.push_back(types[i]);
        return_names_.push_back(arg.name);
      }
    }
    return OkStatus();
  }

  Status FindControls() {
    for (const auto& [name, node] : def_.control_ret()) {
      if (!nodes_.contains(node)) {
        return InvalidArgument("the control output '", name, "' names node '", node,
                               "', which is not in the function");
      }
      controls_.push_back(node);
    }
    std::ranges::sort(controls_);
    return OkStatus();
  }

  const FunctionDef& def_;
  const AttrMap& attrs_;
  FunctionLibrary& library_;
  const std::vector<Shape>& arg_shapes_;
  OpSchema signature_;
  AttrProtoMap values_;
  AttrBudget budget_;
  GraphDef graph_;
  std::unordered_set<std::string> nodes_;
  std::unordered_map<std::string, int> last_numbers_;
  std::unordered_map<std::string, Item> items_;
  std::unordered_map<std::string, size_t> list_args_;
  std::unordered_map<std::string, OpSchema> schemas_;
  std::vector<std::string> arg_names_, returns_, return_names_, controls_;
  std::vector<DType> return_types_;
  size_t num_inputs_ = 0;
};

// Looks up the elements that BodyDef names.
Status FindElements(const BodyDef& def, FunctionBody* body) {
  GraphImpl& impl = body->graph->impl();
  auto find = [&](const std::string& name) {
    const TensorRef ref = TensorRef::Parse(name);
    return Output(Operation(body->graph.get(), impl.FindNode(ref.node)), ref.index);
  };
  for (const std::string& arg : def.args()) body->args.push_back(find(arg));
  for (size_t i = 0; i < def.returns().size(); ++i) {
    const Output output = find(def.returns()[i]);
    const DType wanted = def.return_types()[i];
    if (BaseType(output.dtype()) != BaseType(wanted)) {
      return InvalidArgument("Return '", def.return_names()[i], "' is ", DTypeName(output.dtype()),
                             ", but the signature says ", DTypeName(wanted));
    }
    body->returns.push_back(output);
  }
  body->return_names = def.return_names();
  std::unordered_set<NodeId> controls;
  for (const std::string& control : def.controls()) {
    const Operation op = find(control).op();
    if (controls.insert(op.id()).second) body->controls.push_back(op);
  }
  for (NodeId id = 0; id < static_cast<NodeId>(impl.nodes.size()); ++id) {
    if (!impl.nodes[id].op->schema().is_stateful || controls.contains(id)) continue;
    body->effects.push_back(Operation(body->graph.get(), id));
  }
  return OkStatus();
}

}  // namespace

std::unique_ptr<Graph> NewGraphWith(std::shared_ptr<FunctionLibrary> library,
                                    const GraphVersions& versions) {
  auto graph = std::make_unique<Graph>();
  graph->impl().library = std::move(library);
  graph->impl().owns_library = false;
  graph->versions() = versions;
  return graph;
}

StatusOr<AttrMap> BindSignature(const OpSchema& signature, const AttrMap& attrs) {
  AttrMap bound;
  for (const AttrSchema& attr : signature.attrs) {
    if (const Attr* given = attrs.Find(attr.name)) {
      bound.Set(attr.name, *given);
    } else if (attr.has_default) {
      bound.Set(attr.name, attr.default_value);
    } else {
      return InvalidArgument("function '", signature.name, "': attr '", attr.name,
                             "' is not given");
    }
  }
  Status checked = signature.CheckAttrs(bound);
  if (!checked.ok()) return checked.WithContext(StrCat("function '", signature.name, "'"));
  return bound;
}

StatusOr<std::unique_ptr<FunctionBody>> MakeFunctionBody(const FunctionDef& def,
                                                         const AttrMap& attrs,
                                                         const GraphVersions& versions,
                                                         std::shared_ptr<FunctionLibrary> library,
                                                         const std::vector<Shape>& arg_shapes) {
  const std::string where = StrCat("function '", def.signature().name(), "'");
  BodyDef body_def(def, attrs, *library, arg_shapes);
  if (Status built = body_def.Build(); !built.ok()) return built.WithContext(where);
  auto body = std::make_unique<FunctionBody>();
  body->ref = {def.signature().name(), std::make_shared<const AttrMap>(attrs)};
  body->graph = NewGraphWith(std::move(library), versions);
  GraphDef graph_def = body_def.graph();
  graph_def.mutable_versions()->set_producer(versions.producer);
  RAMET_ASSIGN_OR_RETURN(const GraphDefView view, GraphDefView::FromMessage(graph_def));
  const OpList no_ops;
  const ImportOptions options{.name = "", .validate_shapes = false};
  GraphImport import(*body->graph, view, no_ops, options);
  if (Status ready = import.Prepare(); !ready.ok()) return ready.WithContext(where);
  import.Commit();
  if (Status found = FindElements(body_def, body.get()); !found.ok()) {
    return found.WithContext(where);
  }
  return body;
}

}  // namespace ramet
