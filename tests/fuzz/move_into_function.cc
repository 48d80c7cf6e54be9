#include <map>

#include "function_draft.h"
#include "move_chain.h"
#include "ramet/wire/attr_proto.h"

namespace ramet::fuzz {
namespace {

bool CanBeReturned(DType t) { return !IsRef(t) && t != DType::kInvalid; }

// Returns the names that the node's outputs have within a function: "node:arg:0".
std::vector<std::string> OutputNames(const NodeDef& node) {
  std::vector<std::string> names;
  const Op* op = OpRegistry::Global().Find(node.op());
  AttrBudget budget;
  const auto attrs = AttrMapFromProto(node.attr(), &budget);
  if (op == nullptr || !attrs.ok()) return names;
  for (const ArgSchema& arg : op->schema().outputs) {
    const auto types = op->schema().Expand({arg}, *attrs);
    for (size_t i = 0; types.ok() && i < types->size(); ++i) {
      names.push_back(StrCat(node.name(), ":", arg.name, ":", i));
    }
  }
  return names;
}

// A FunctionMover writes a function with the nodes of a chain, and a graph that uses it.
class FunctionMover {
 public:
  FunctionMover(Random& random, const Chain& chain)
      : random_(random), chain_(chain), draft_(chain.draft) {
    draft_.def().clear_node();
    loops_ = random.Percent(25);
    if (loops_) AddArgument(kInt32, draft_.Const(Tensor(static_cast<int32_t>(0)), "i"));
    for (const NodeDef& node : chain.draft.def().node()) AddNode(node);
    for (NodeDef& node : *body_.mutable_node_def()) {
      for (std::string& input : *node.mutable_input()) input = NameWithin(input);
    }
  }

  GraphDraft Take() {
    body_.mutable_signature()->set_name("chain");
    if (loops_) {
      ReturnNextArguments();
      AddCondition();
    } else {
      ReturnSomeTensors();
    }
    *draft_.def().mutable_library()->add_function() = body_;
    AddUse();
    return std::move(draft_);
  }

 private:
  void AddArgument(DType type, const std::string& value) {
    auto* arg = body_.mutable_signature()->add_input_arg();
    arg->set_name(StrCat("arg", types_.size()));
    arg->set_type(static_cast<DataType>(type));
    types_.push_back(type);
    values_.push_back(value);
  }

  void AddNode(const NodeDef& node) {
    if (node.op() != "Placeholder") {
      names_[node.name()] = OutputNames(node);
      *body_.add_node_def() = node;
      return;
    }
    names_[node.name()] = {StrCat("arg", types_.size())};
    *draft_.def().add_node() = node;
    AddArgument(static_cast<DType>(node.attr().at("dtype").type()), node.name());
  }

  // Returns the name within the function of an input that is written as in a NodeDef.
  std::string NameWithin(const std::string& input) const {
    if (input.starts_with("^")) return input;
    const size_t colon = input.rfind(':');
    const auto node = names_.find(input.substr(0, colon));
    const size_t index = colon == std::string::npos ? 0 : std::stoul(input.substr(colon + 1));
    if (node == names_.end() || index >= node->second.size()) return input;
    return node->second[index];
  }

  void Return(DType type, const std::string& tensor) {
    const std::string name = StrCat("out", results_.size());
    auto* arg = body_.mutable_signature()->add_output_arg();
    arg->set_name(name);
    arg->set_type(static_cast<DataType>(type));
    (*body_.mutable_ret())[name] = tensor;
    results_.push_back(type);
  }

  void ReturnSomeTensors() {
    for (int64_t n = random_.In(1, 3); n > 0 && !chain_.tensors.empty(); --n) {
      const MadeTensor& tensor = random_.Pick(chain_.tensors);
      if (CanBeReturned(tensor.dtype)) Return(tensor.dtype, NameWithin(tensor.name));
    }
  }

  // Returns the counter plus one and, for each other argument, a tensor of its dtype.
  void ReturnNextArguments() {
    NodeDef* next = body_.add_node_def();
    next->set_name("next_i");
    next->set_op("AddV2");
    next->add_input("arg0");
    next->add_input(AddInt(&body_, "one", 1));
    (*next->mutable_attr())["T"].set_type(DT_INT32);
    Return(kInt32, "next_i:z:0");
    for (size_t i = 1; i < types_.size(); ++i) {
      std::string from = StrCat("arg", i);
      for (const MadeTensor& tensor : chain_.tensors) {
        if (tensor.dtype == types_[i] && random_.Percent(50)) from = NameWithin(tensor.name);
      }
      Return(types_[i], from);
    }
  }

  void AddCondition() {
    FunctionDef* function = draft_.def().mutable_library()->add_function();
    *function->mutable_signature() = body_.signature();
    OpDef* signature = function->mutable_signature();
    signature->set_name("chain_goes_on");
    signature->clear_output_arg();
    auto* arg = signature->add_output_arg();
    arg->set_name("go_on");
    arg->set_type(DT_BOOL);
    NodeDef* less = function->add_node_def();
    less->set_name("less");
    less->set_op("Less");
    less->add_input("arg0");
    less->add_input(AddInt(function, "limit", static_cast<int>(random_.In(1, 3))));
    (*less->mutable_attr())["T"].set_type(DT_INT32);
    (*function->mutable_ret())["go_on"] = "less:z:0";
  }

  static FunctionRef Function(std::string name) {
    return {std::move(name), std::make_shared<const AttrMap>()};
  }

  void AddUse() {
    AttrMap attrs = {{"Tin", types_}, {"Tout", results_}};
    std::vector<std::string> inputs = values_;
    if (loops_) {
      draft_.Add(random_.Pick({"While", "StatelessWhile"}), kSubject, inputs,
                 {{"T", types_},
                  {"cond", Function("chain_goes_on")},
                  {"body", Function("chain")},
                  {"parallel_iterations", random_.In(1, 12)}});
    } else if (random_.Percent(30)) {
      inputs.insert(inputs.begin(), draft_.Fed(Tensor(random_.Percent(50)), Shape(), "pred"));
      attrs.Set("Tcond", kBool);
      attrs.Set("then_branch", Function("chain"));
      attrs.Set("else_branch", Function("chain"));
      draft_.Add(random_.Pick({"If", "StatelessIf"}), kSubject, inputs, attrs);
    } else if (random_.Percent(40)) {
      draft_.Add("chain", kSubject, inputs, {});
    } else {
      attrs.Set("f", Function("chain"));
      draft_.Add(random_.Pick({"PartitionedCall", "StatefulPartitionedCall"}), kSubject, inputs,
                 attrs);
    }
  }

  Random& random_;
  const Chain& chain_;
  GraphDraft draft_;
  FunctionDef body_;
  bool loops_ = false;
  std::map<std::string, std::vector<std::string>> names_;  // of outputs, within the function
  std::vector<DType> types_, results_;                     // of arguments and of results
  std::vector<std::string> values_;                        // the arguments
};

}  // namespace

GraphDraft MoveIntoFunction(Random& random, const Chain& chain) {
  return FunctionMover(random, chain).Take();
}

}  // namespace ramet::fuzz
