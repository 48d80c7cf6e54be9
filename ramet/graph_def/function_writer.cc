#include "ramet/graph_def/function_writer.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ramet/graph_def/graph_writer.h"
#include "ramet/graph_def/import_attrs.h"
#include "ramet/graph_def/op_definitions.h"
#include "ramet/graph_def/unique_names.h"
#include "ramet/tensor/tensor_proto.h"

namespace ramet {
namespace {

// Returns an argument name as TensorFlow makes it: lower-case letters, digits and underscores,
// starting with a letter.
std::string LegalArgName(std::string_view name) {
  std::string legal;
  for (char c : name.substr(0, name.find(':'))) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool letter = c >= 'a' && c <= 'z', digit = c >= '0' && c <= '9';
    if (legal.empty() && !letter) continue;
    legal.push_back(letter || digit ? c : '_');
  }
  return legal.empty() ? "unknown" : legal;
}

const GraphWriterOptions& DefaultOptions() {
  static const auto* const options = new GraphWriterOptions;
  return *options;
}

// Writes a part of a graph as a FunctionDef. The graph's lock is held.
class FunctionWriter {
 public:
  FunctionWriter(const GraphImpl& impl, const FunctionSpec& spec)
      : impl_(impl), spec_(spec), writer_(impl, DefaultOptions()) {}

  Status Write(FunctionDef* def) {
    def_ = def;
    def_->mutable_signature()->set_name(spec_.name);
    for (size_t i = 0; i < spec_.args.size(); ++i) {
      args_.push_back(ToEndpoint(spec_.args[i]));
      arg_of_.emplace(EndpointKey(args_.back()), static_cast<int>(i));
    }
    RAMET_RETURN_IF_ERROR(Collect());
    NameArgs();
    for (NodeId id : members_) {
      Status written = WriteNode(id, def_->add_node_def());
      if (!written.ok()) return written.WithContext(StrCat("node '", impl_.nodes[id].name, "'"));
    }
    RAMET_RETURN_IF_ERROR(WriteReturns());
    for (const Operation& control : spec_.controls) {
      const std::string name(impl_.nodes[control.id()].name);
      if (!contains(control.id()) || !def_->mutable_control_ret()->insert({name, name}).second) {
        continue;
      }
      def_->mutable_signature()->add_control_output(name);
    }
    return OkStatus();
  }

 private:
  // The outputs of an op's definition, and how many tensors each has.
  using OutputNames = std::vector<std::pair<std::string_view, int>>;

  static Endpoint ToEndpoint(const Output& output) { return {output.op().id(), output.index()}; }
  bool contains(NodeId id) const { return seen_.contains(id); }

  int ArgOf(Endpoint e) const {
    auto it = arg_of_.find(EndpointKey(e));
    return it == arg_of_.end() ? -1 : it->second;
  }

  bool IsInside(NodeId id) const { return !spec_.inside || spec_.inside(id); }

  // Collects the nodes that returns and controls need over data edges, and control edges between
  // them. Nodes that are needed only through an argument are not included.
  Status Collect() {
    std::vector<NodeId> open;
    auto add = [&](NodeId id) {
      if (seen_.insert(id).second) open.push_back(id);
    };
    std::unordered_set<NodeId> arg_nodes;
    for (Endpoint e : args_) arg_nodes.insert(e.node);
    for (const Output& r : spec_.returns) {
      if (ArgOf(ToEndpoint(r)) < 0) add(r.op().id());
    }
    for (const Operation& control : spec_.controls) {
      if (!arg_nodes.contains(control.id())) add(control.id());
    }
    for (size_t i = 0; i < open.size(); ++i) {
      for (Endpoint e : impl_.inputs(open[i])) {
        if (ArgOf(e) >= 0) continue;
        if (!IsInside(e.node)) {
          return InvalidArgument("node '", impl_.nodes[open[i]].name, "' reads node '",
                                 impl_.nodes[e.node].name,
                                 "', which is neither inside the function nor an argument");
        }
        add(e.node);
      }
      for (Endpoint e : impl_.controls(open[i])) {
        if (!arg_nodes.contains(e.node) && IsInside(e.node)) add(e.node);
      }
    }
    members_ = std::move(open);
    std::ranges::sort(members_);
    return OkStatus();
  }

  void NameArgs() {
    UniqueNames names;
    for (NodeId id : members_) names.Insert(std::string(impl_.nodes[id].name));
    for (size_t i = 0; i < args_.size(); ++i) {
      const NodeRecord& node = impl_.nodes[args_[i].node];
      const std::string wanted =
          i < spec_.arg_names.size() ? spec_.arg_names[i] : std::string(node.name);
      arg_names_.push_back(names.Add(LegalArgName(wanted)));
      WriteArg(i, impl_.output(args_[i]));
    }
  }

  void WriteArg(size_t i, const OutputRecord& output) {
    OpDef::ArgDef* arg = def_->mutable_signature()->add_input_arg();
    arg->set_name(arg_names_[i]);
    const DType type = BaseType(output.dtype);
    arg->set_type(static_cast<DataType>(type));
    if (output.shape.unknown_rank() || type == DType::kResource || type == DType::kVariant) return;
    auto& attrs = (*def_->mutable_arg_attr())[static_cast<uint32_t>(i)];
    AttrValue& shapes = (*attrs.mutable_attr())[kOutputShapesAttr];
    ShapeToProto(output.shape, shapes.mutable_list()->add_shape());
  }

  // "x" or "node:out:0".
  StatusOr<std::string> Reference(Endpoint e) {
    if (const int arg = ArgOf(e); arg >= 0) return arg_names_[static_cast<size_t>(arg)];
    const NodeRecord& node = impl_.nodes[e.node];
    RAMET_ASSIGN_OR_RETURN(const OutputNames* names, NamesOf(e.node));
    int first = 0;
    for (const auto& [arg, count] : *names) {
      if (e.index < first + count) return StrCat(node.name, ":", arg, ":", e.index - first);
      first += count;
    }
    return InvalidArgument("node '", node.name, "' has no output ", e.index);
  }

  // Returns the names of the node's outputs in its op's definition. They are the same objects for
  // all references, since expanding a long list of outputs for each would take quadratic time.
  StatusOr<const OutputNames*> NamesOf(NodeId id) {
    auto [known, added] = names_of_.try_emplace(id);
    if (!added) return &known->second;
    const NodeRecord& node = impl_.nodes[id];
    const OpSchema* schema = FindSchema(impl_, node.op->name());
    if (schema == nullptr) {
      return InvalidArgument("op ", node.op->name(), " of node '", node.name,
                             "' has no definition, so its outputs have no names for a function");
    }
    for (const ArgSchema& arg : schema->outputs) {
      RAMET_ASSIGN_OR_RETURN(const auto types, schema->Expand({arg}, *node.attrs));
      known->second.emplace_back(arg.name, static_cast<int>(types.size()));
    }
    return &known->second;
  }

  Status WriteNode(NodeId id, NodeDef* def) {
    RAMET_ASSIGN_OR_RETURN(const std::string bytes, writer_.NodeBytes(id));
    if (!def->ParseFromString(bytes)) return Internal("the serialized node does not parse");
    def->clear_input();
    for (Endpoint e : impl_.inputs(id)) {
      RAMET_ASSIGN_OR_RETURN(std::string name, Reference(e));
      def->add_input(std::move(name));
    }
    for (Endpoint e : impl_.controls(id)) {
      if (contains(e.node)) def->add_input(StrCat("^", impl_.nodes[e.node].name));
    }
    const OpSchema* schema = FindSchema(impl_, def->op());
    if (schema != nullptr && schema->is_stateful) def_->mutable_signature()->set_is_stateful(true);
    return OkStatus();
  }

  Status WriteReturns() {
    UniqueNames names;
    for (size_t i = 0; i < spec_.returns.size(); ++i) {
      const Endpoint e = ToEndpoint(spec_.returns[i]);
      const std::string_view wanted = i < spec_.return_names.size()
                                          ? std::string_view(spec_.return_names[i])
                                          : impl_.nodes[e.node].name;
      const std::string name = names.Add(LegalArgName(wanted));
      OpDef::ArgDef* arg = def_->mutable_signature()->add_output_arg();
      arg->set_name(name);
      arg->set_type(static_cast<DataType>(BaseType(impl_.output(e).dtype)));
      RAMET_ASSIGN_OR_RETURN((*def_->mutable_ret())[name], Reference(e));
    }
    return OkStatus();
  }

  const GraphImpl& impl_;
  const FunctionSpec& spec_;
  GraphWriter writer_;
  FunctionDef* def_ = nullptr;
  std::vector<Endpoint> args_;
  std::unordered_map<uint64_t, int> arg_of_;
  std::vector<std::string> arg_names_;
  std::vector<NodeId> members_;
  std::unordered_set<NodeId> seen_;
  std::unordered_map<NodeId, OutputNames> names_of_;
};

}  // namespace

Status WriteFunction(const GraphImpl& impl, const FunctionSpec& spec, FunctionDef* def) {
  return FunctionWriter(impl, spec).Write(def);
}

}  // namespace ramet
