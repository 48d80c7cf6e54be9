#include <set>

#include "move_chain.h"

namespace ramet::fuzz {
namespace {

// Nodes that stay outside of the loop: those without inputs, which have no frame of their own.
bool StaysOutside(const NodeDef& node) { return node.input_size() == 0; }

std::string NodeOf(const std::string& input) {
  const std::string tensor = input.starts_with("^") ? input.substr(1) : input;
  return tensor.substr(0, tensor.rfind(':'));
}

// A LoopMover writes a loop around the nodes of a chain that have inputs.
class LoopMover {
 public:
  LoopMover(Random& random, const Chain& chain)
      : random_(random), chain_(chain), draft_(chain.draft) {
    draft_.def().clear_node();
  }

  GraphDraft Take() {
    for (const NodeDef& node : chain_.draft.def().node()) {
      if (!StaysOutside(node)) continue;
      *draft_.def().add_node() = node;
      outside_.insert(node.name());
    }
    AddCounter();
    const MadeTensor* variable = PickVariable();
    if (variable != nullptr) AddVariable(*variable);
    for (const NodeDef& node : chain_.draft.def().node()) {
      if (!StaysOutside(node)) AddBodyNode(node, variable);
    }
    return std::move(draft_);
  }

 private:
  std::string Enter(const std::string& x, DType t, bool constant) {
    return draft_.Add(IsRef(t) ? "RefEnter" : "Enter", "enter", {x},
                      {{"T", BaseType(t)},
                       {"frame_name", "frame"},
                       {"is_constant", constant},
                       {"parallel_iterations", random_.In(1, 12)}});
  }
  std::string Int(int64_t value, const std::string& name) {
    return draft_.Const(Tensor(static_cast<int32_t>(value)), name);
  }

  void AddCounter() {
    const AttrMap of_int = {{"T", kInt32}};
    const std::string i = Enter(Int(0, "zero"), kInt32, false);
    const std::string limit = Enter(Int(random_.In(1, 3), "limit"), kInt32, true);
    const std::string one = Enter(Int(1, "one"), kInt32, true);
    draft_.Add("Merge", "mi", {i, "ni"}, {{"T", kInt32}, {"N", 2}});
    draft_.Add("Less", "less", {"mi", limit}, of_int);
    draft_.Add("LoopCond", "cond", {"less"}, {});
    draft_.Add("Switch", "si", {"mi", "cond"}, of_int);
    draft_.Add("AddV2", "next", {"si:1", one}, of_int);
    draft_.Add("NextIteration", "ni", {"next"}, of_int);
    draft_.Add("Exit", "count", {"si"}, of_int);
  }

  // A tensor of the body that a constant can be the first value of.
  const MadeTensor* PickVariable() {
    for (int tries = 0; tries < 8 && !chain_.tensors.empty(); ++tries) {
      const MadeTensor& tensor = random_.Pick(chain_.tensors);
      const bool plain = !IsRef(tensor.dtype) && DTypeSize(tensor.dtype) > 0;
      if (plain && !outside_.contains(NodeOf(tensor.name))) return &tensor;
    }
    return nullptr;
  }

  void AddVariable(const MadeTensor& tensor) {
    const AttrMap of = {{"T", tensor.dtype}};
    const std::string first = draft_.Const(Tensor(tensor.dtype, Shape{2}), "first");
    const std::string x = Enter(first, tensor.dtype, false);
    draft_.Add("Merge", "mx", {x, "nx"}, {{"T", tensor.dtype}, {"N", 2}});
    draft_.Add("Switch", "sx", {"mx", "cond"}, of);
    draft_.Add("NextIteration", "nx", {tensor.name}, of);
    draft_.Add("Exit", "exit", {"sx"}, of);
  }

  void AddBodyNode(const NodeDef& node, const MadeTensor* variable) {
    NodeDef copy = node;
    copy.clear_input();
    for (const std::string& input : node.input()) {
      if (HasTypeOf(variable, input) && random_.Percent(30)) {
        copy.add_input("sx:1");
      } else if (!outside_.contains(NodeOf(input))) {
        copy.add_input(input);
      } else if (!input.starts_with("^")) {
        copy.add_input(Enter(input, TypeOf(input), true));
      }
    }
    if (copy.input().empty()) copy.add_input("^cond");
    *draft_.def().add_node() = copy;
  }

  bool HasTypeOf(const MadeTensor* variable, const std::string& input) const {
    if (variable == nullptr || input.starts_with("^")) return false;
    return TypeOf(input) == variable->dtype;
  }

  // Returns the dtype of an output of a node outside, or of one of the chain's tensors.
  DType TypeOf(const std::string& input) const {
    const bool whole = input.find(':') != std::string::npos;
    for (const MadeTensor& made : chain_.tensors) {
      if (made.name == (whole ? input : input + ":0")) return made.dtype;
    }
    for (const NodeDef& node : chain_.draft.def().node()) {
      if (node.name() != NodeOf(input)) continue;
      if (node.op() == "VarHandleOp" || node.op().ends_with("TableV2")) return DType::kResource;
      const auto dtype = node.attr().find("dtype");
      const DType type =
          dtype == node.attr().end() ? DType::kResource : static_cast<DType>(dtype->second.type());
      return node.op() == "VariableV2" ? RefType(type) : type;
    }
    return DType::kInvalid;
  }

  Random& random_;
  const Chain& chain_;
  GraphDraft draft_;
  std::set<std::string> outside_;
};

}  // namespace

GraphDraft MoveIntoLoop(Random& random, const Chain& chain) {
  return LoopMover(random, chain).Take();
}

}  // namespace ramet::fuzz
