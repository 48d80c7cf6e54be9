#include "ramet/freeze/freeze_functions.h"

#include <algorithm>
#include <set>

#include "ramet/freeze/freeze_nodes.h"

namespace ramet::freeze {
namespace {

constexpr int kMaxDepth = 100;

// The attrs with the dtypes of arguments and results in an op that calls functions, and the
// position of the first argument.
struct CallLayout {
  const char* in_types;
  const char* out_types;
  int offset;
};

const CallLayout* LayoutOf(const std::string& op) {
  static constexpr CallLayout kCall{"Tin", "Tout", 0}, kBranch{"Tin", "Tout", 1},
      kLoop{"T", "T", 0};
  if (IsOneOf(op, {"PartitionedCall", "StatefulPartitionedCall"})) return &kCall;
  if (IsOneOf(op, {"If", "StatelessIf", "Case", "StatelessCase"})) return &kBranch;
  return IsOneOf(op, {"While", "StatelessWhile"}) ? &kLoop : nullptr;
}

std::vector<NameAttrList*> FunctionsOf(NodeDef* node) {
  std::vector<NameAttrList*> functions;
  for (auto& [name, attr] : *node->mutable_attr()) {
    if (attr.has_func()) functions.push_back(attr.mutable_func());
    if (!attr.has_list()) continue;
    for (NameAttrList& f : *attr.mutable_list()->mutable_func()) functions.push_back(&f);
  }
  return functions;
}

bool SetType(NodeDef* node, const char* attr, int i, DType dtype) {
  auto* types = (*node->mutable_attr())[attr].mutable_list()->mutable_type();
  if (i < 0 || i >= types->size()) return false;
  types->Set(i, static_cast<DataType>(dtype));
  return true;
}

bool IsHandle(const NodeDef& node, const char* attr, int i) {
  auto types = node.attr().find(attr);
  return types != node.attr().end() && i >= 0 && i < types->second.list().type_size() &&
         types->second.list().type(i) == DT_RESOURCE;
}

// The attr _read_only_resource_inputs lists inputs by position.
void ForgetReadOnly(NodeDef* node, int input) {
  auto attr = node->mutable_attr()->find("_read_only_resource_inputs");
  if (attr == node->mutable_attr()->end()) return;
  auto* inputs = attr->second.mutable_list()->mutable_i();
  inputs->erase(std::remove(inputs->begin(), inputs->end(), input), inputs->end());
}

// The names by which a function refers to the frozen value.
class Values {
 public:
  explicit Values(const std::string& arg) : names_{arg, StrCat(arg, ":0")} {}
  void Add(const std::string& node, std::string_view output, int i) {
    names_.insert(StrCat(node, ":", output, ":", i));
    if (i == 0) names_.insert(StrCat(node, ":", output));
  }
  bool contains(const std::string& name) const { return names_.contains(name); }

 private:
  std::unordered_set<std::string> names_;
};

// ReadVariableOp became Identity, whose output has a different name.
void RenameOutputs(const std::set<std::string>& readers, std::string* name) {
  const size_t colon = name->find(':');
  if (colon == std::string::npos || !readers.contains(name->substr(0, colon))) return;
  const std::string old = ":value";
  if (name->compare(colon, old.size(), old) == 0) name->replace(colon, old.size(), ":output");
}

}  // namespace

FunctionFreezer::FunctionFreezer(FunctionDefLibrary* library) : library_(*library) {
  for (FunctionDef& f : *library_.mutable_function()) functions_.emplace(f.signature().name(), &f);
}

StatusOr<FunctionDef*> FunctionFreezer::OwnCopy(NameAttrList* called) {
  auto it = functions_.find(called->name());
  if (it == functions_.end()) {
    return NotFound("Function '", called->name(), "' is not defined in the graph's library.");
  }
  if (own_.contains(called->name())) return it->second;
  std::string name = StrCat(called->name(), "_frozen");
  int& last = last_numbers_[called->name()];
  while (functions_.contains(name)) name = StrCat(called->name(), "_frozen_", ++last);
  FunctionDef* copy = library_.add_function();
  *copy = *it->second;
  copy->mutable_signature()->set_name(name);
  called->set_name(name);
  own_.insert(name);
  functions_.emplace(name, copy);
  return copy;
}

void FunctionFreezer::DropUnused(const google::protobuf::RepeatedPtrField<NodeDef>& nodes) {
  if (own_.empty()) return;
  std::unordered_set<std::string> used;
  std::vector<const FunctionDef*> open;
  auto use = [&](const std::string& name) {
    auto it = functions_.find(name);
    if (it != functions_.end() && used.insert(name).second) open.push_back(it->second);
  };
  auto use_all = [&](const google::protobuf::RepeatedPtrField<NodeDef>& callers) {
    for (const NodeDef& node : callers) {
      use(node.op());
      for (const auto& [name, attr] : node.attr()) {
        if (attr.has_func()) use(attr.func().name());
        for (const NameAttrList& f : attr.list().func()) use(f.name());
      }
    }
  };
  use_all(nodes);
  for (size_t i = 0; i < open.size(); ++i) {
    use_all(open[i]->node_def());
    for (const GradientDef& g : library_.gradient()) {
      if (g.function_name() == open[i]->signature().name()) use(g.gradient_func());
    }
  }
  auto* functions = library_.mutable_function();
  functions->erase(
      std::remove_if(functions->begin(), functions->end(),
                     [&](const FunctionDef& f) { return !used.contains(f.signature().name()); }),
      functions->end());
  functions_.clear();
}

StatusOr<std::vector<int>> FunctionFreezer::FreezeCall(NodeDef* node, int input, DType dtype,
                                                       int depth) {
  const CallLayout* layout = LayoutOf(node->op());
  if (layout == nullptr || depth > kMaxDepth) {
    return Unimplemented("Node '", node->name(), "' (", node->op(),
                         ") passes a resource variable to a function, which freezing does not "
                         "support here; add the variable to the deny list");
  }
  const int arg = input - layout->offset;
  if (!IsHandle(*node, layout->in_types, arg)) return std::vector<int>();
  SetType(node, layout->in_types, arg, dtype);
  ForgetReadOnly(node, input);
  node->mutable_attr()->erase("_output_shapes");
  std::set<int> outputs;
  for (NameAttrList* called : FunctionsOf(node)) {
    RAMET_ASSIGN_OR_RETURN(FunctionDef * function, OwnCopy(called));
    auto returned = FreezeArg(function, arg, dtype, depth);
    if (!returned.ok()) return returned.status().WithContext(StrCat("node '", node->name(), "'"));
    outputs.insert(returned->begin(), returned->end());
  }
  for (int output : outputs) {
    if (SetType(node, layout->out_types, output, dtype)) continue;
    return InvalidArgument("Node '", node->name(), "' (", node->op(), ") has no output ", output);
  }
  return std::vector<int>(outputs.begin(), outputs.end());
}

StatusOr<std::vector<int>> FunctionFreezer::FreezeArg(FunctionDef* function, int arg, DType dtype,
                                                      int depth) {
  OpDef* signature = function->mutable_signature();
  if (arg >= signature->input_arg_size() || signature->input_arg(arg).type() != DT_RESOURCE) {
    return Unimplemented("function '", signature->name(), "' does not take a handle as argument ",
                         arg);
  }
  signature->mutable_input_arg(arg)->set_type(static_cast<DataType>(dtype));
  function->mutable_arg_attr()->erase(static_cast<uint32_t>(arg));
  function->mutable_resource_arg_unique_id()->erase(static_cast<uint32_t>(arg));
  Values values(signature->input_arg(arg).name());
  std::set<std::string> readers;
  std::vector<NodeDef> axes;
  std::unordered_set<int> done;
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < function->node_def_size(); ++i) {
      NodeDef* node = function->mutable_node_def(i);
      for (int k = 0; k < node->input_size(); ++k) {
        if (!values.contains(node->input(k))) continue;
        if (LayoutOf(node->op()) != nullptr || CallsFunctions(*node)) {
          RAMET_ASSIGN_OR_RETURN(const auto outputs, FreezeCall(node, k, dtype, depth + 1));
          for (int output : outputs) values.Add(node->name(), "output", output);
          more = more || !outputs.empty();
          continue;
        }
        if (!done.insert(i).second) continue;
        if (node->op() == "Identity") {
          (*node->mutable_attr())["T"].set_type(static_cast<DataType>(dtype));
          node->mutable_attr()->erase("_output_shapes");
          values.Add(node->name(), "output", 0);
          more = true;
          continue;
        }
        if (node->op() == "ReadVariableOp") readers.insert(node->name());
        NodeDef axis;
        RAMET_RETURN_IF_ERROR(MakeReader(node, &axis));
        if (axis.name().empty()) continue;
        node->set_input(node->input_size() - 1, StrCat(axis.name(), ":output:0"));
        axes.push_back(std::move(axis));
      }
    }
  }
  for (NodeDef& axis : axes) *function->add_node_def() = std::move(axis);
  for (NodeDef& node : *function->mutable_node_def()) {
    for (std::string& input : *node.mutable_input()) RenameOutputs(readers, &input);
  }
  std::vector<int> returned;
  for (int i = 0; i < signature->output_arg_size(); ++i) {
    auto ret = function->mutable_ret()->find(signature->output_arg(i).name());
    if (ret == function->mutable_ret()->end()) continue;
    RenameOutputs(readers, &ret->second);
    if (!values.contains(ret->second)) continue;
    signature->mutable_output_arg(i)->set_type(static_cast<DataType>(dtype));
    returned.push_back(i);
  }
  return returned;
}

}  // namespace ramet::freeze
