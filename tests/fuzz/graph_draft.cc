#include "graph_draft.h"

#include <algorithm>

#include "function_draft.h"
#include "values.h"

namespace ramet::fuzz {
namespace {

const AttrMap kOfFloat = {{"T", kFloat}};

FunctionRef Function(std::string name) {
  return {std::move(name), std::make_shared<const AttrMap>()};
}

// Adds nodes that use some of the existing tensors.
class GraphDrafter {
 public:
  explicit GraphDrafter(Random& random) : random_(random) {
    base_ = Shape{random.In(1, 3), random.In(1, 3)};
    functions_ = DraftFunctions(random, &draft_);
  }

  GraphDraft Take(int64_t nodes) {
    for (int64_t i = random_.In(1, 3); i > 0; --i) AddSource();
    for (int64_t i = 0; i < nodes; ++i) AddNode();
    return std::move(draft_);
  }

 private:
  const std::string& Any() { return random_.Pick(tensors_); }
  void Keep(std::string tensor) { tensors_.push_back(std::move(tensor)); }

  void AddSource() {
    const Shape wanted = random_.Percent(80) ? base_ : DrawRelatedShape(random_, base_);
    const Tensor value = DrawValue(random_, kFloat, wanted, DrawValuesKind(random_));
    const Shape& shape = value.shape();
    switch (random_.Below(4)) {
      case 0: return Keep(draft_.Const(value));
      case 1: return Keep(draft_.Fed(value, random_.Percent(50) ? shape : Shape::Unknown()));
      case 2: {
        const std::string ref =
            draft_.Add("VariableV2", "reference", {}, {{"dtype", kFloat}, {"shape", shape}});
        const std::string set = draft_.Add("Assign", "set", {ref, draft_.Const(value)}, kOfFloat);
        return Keep(draft_.Add("Identity", "read", {set}, kOfFloat));
      }
      default: {
        const std::string handle = draft_.Add(
            "VarHandleOp", "variable", {},
            {{"dtype", kFloat}, {"shape", shape}, {"shared_name", StrCat("v", tensors_.size())}});
        const std::string set = draft_.Add("AssignVariableOp", "set", {handle, draft_.Const(value)},
                                           {{"dtype", kFloat}});
        Keep(draft_.Add("ReadVariableOp", "read", {handle, "^" + set}, {{"dtype", kFloat}}));
      }
    }
  }

  void AddNode() {
    switch (random_.Below(12)) {
      case 0: return AddSource();
      case 1:
      case 2:
      case 3:
        return Keep(draft_.Add(random_.Pick({"Neg", "Tanh", "Square", "Identity", "Relu", "Exp",
                                             "StopGradient", "CheckNumerics", "ZerosLike"}),
                               "unary", {Any()}, {{"T", kFloat}, {"message", "here"}}));
      case 4:
      case 5:
        return Keep(draft_.Add(random_.Pick({"AddV2", "Mul", "Sub", "Maximum", "RealDiv"}),
                               "binary", {Any(), Any()}, kOfFloat));
      case 6: return AddShapeOp();
      case 7: return AddCall();
      case 8: return AddBranch();
      case 9: return AddFunctionalLoop();
      case 10: return AddSwitch();
      default: return AddLoop();
    }
  }

  std::string Int(int64_t value) {
    return draft_.Const(Tensor(static_cast<int32_t>(value)), "int");
  }

  void AddShapeOp() {
    const AttrMap indexed = {{"T", kFloat}, {"Tidx", kInt32}, {"Tdim", kInt32}};
    switch (random_.Below(4)) {
      case 0: return Keep(draft_.Add("Sum", "sum", {Any(), Int(0)}, indexed));
      case 1: return Keep(draft_.Add("ExpandDims", "expand", {Any(), Int(0)}, indexed));
      case 2: return Keep(draft_.Add("Pack", "pack", {Any(), Any()}, {{"T", kFloat}, {"N", 2}}));
      default: {
        const std::string shape =
            draft_.Add("Shape", "shape", {Any()}, {{"T", kFloat}, {"out_type", kInt32}});
        Keep(draft_.Add("Reshape", "reshape", {Any(), shape}, {{"T", kFloat}, {"Tshape", kInt32}}));
      }
    }
  }

  void AddCall() {
    const std::string f = random_.Pick(functions_.calls);
    if (random_.Percent(40)) return Keep(draft_.Add(f, "call", {Any()}, {}));
    Keep(draft_.Add(random_.Pick({"PartitionedCall", "StatefulPartitionedCall"}), "call", {Any()},
                    {{"f", Function(f)},
                     {"Tin", std::vector<DType>{kFloat}},
                     {"Tout", std::vector<DType>{kFloat}}}));
  }

  std::string Predicate() {
    if (random_.Percent(50)) return draft_.Const(Tensor(random_.Percent(50)), "pred");
    return draft_.Fed(Tensor(random_.Percent(50)), Shape(), "pred");
  }

  void AddBranch() {
    AttrMap attrs = {{"Tin", std::vector<DType>{kFloat}}, {"Tout", std::vector<DType>{kFloat}}};
    if (random_.Percent(30)) {
      std::vector<FunctionRef> branches;
      for (int64_t i = random_.In(1, 3); i > 0; --i) {
        branches.push_back(Function(random_.Pick(functions_.calls)));
      }
      attrs.Set("branches", branches);
      return Keep(draft_.Add(random_.Pick({"Case", "StatelessCase"}), "case",
                             {Int(random_.In(-1, 3)), Any()}, attrs));
    }
    attrs.Set("Tcond", kBool);
    attrs.Set("then_branch", Function(random_.Pick(functions_.calls)));
    attrs.Set("else_branch", Function(random_.Pick(functions_.calls)));
    Keep(draft_.Add(random_.Pick({"If", "StatelessIf"}), "if", {Predicate(), Any()}, attrs));
  }

  void AddFunctionalLoop() {
    const std::string loop =
        draft_.Add(random_.Pick({"While", "StatelessWhile"}), "while", {Int(0), Any()},
                   {{"T", std::vector<DType>{kInt32, kFloat}},
                    {"cond", Function(functions_.condition)},
                    {"body", Function(functions_.body)},
                    {"parallel_iterations", random_.In(1, 12)}});
    Keep(loop + ":1");
  }

  void AddSwitch() {
    const std::string choice = draft_.Add("Switch", "switch", {Any(), Predicate()}, kOfFloat);
    const std::string one = draft_.Add("Neg", "one", {choice + ":1"}, kOfFloat);
    const std::string other = draft_.Add("Square", "other", {choice}, kOfFloat);
    const std::string both = draft_.Add("Merge", "merge", {other, one}, {{"T", kFloat}, {"N", 2}});
    Keep(both);
  }

  std::string Enter(const std::string& x, DType t, const std::string& frame, bool constant) {
    return draft_.Add("Enter", "enter", {x},
                      {{"T", t},
                       {"frame_name", frame},
                       {"is_constant", constant},
                       {"parallel_iterations", random_.In(1, 12)}});
  }

  // Adds a loop over a counter and one tensor. Its back edges name nodes that come later.
  void AddLoop() {
    const std::string frame = StrCat("frame", loops_), tag = StrCat("loop", loops_++, "/");
    const AttrMap of_int = {{"T", kInt32}}, pair = {{"T", kFloat}, {"N", 2}};
    const std::string i = Enter(Int(0), kInt32, frame, false);
    const std::string limit = Enter(Int(random_.In(0, 4)), kInt32, frame, true);
    const std::string x = Enter(Any(), kFloat, frame, false);
    const std::string outside = Enter(Any(), kFloat, frame, true);
    const std::string mi =
        draft_.Add("Merge", tag + "mi", {i, tag + "ni"}, {{"T", kInt32}, {"N", 2}});
    const std::string mx = draft_.Add("Merge", tag + "mx", {x, tag + "nx"}, pair);
    const std::string less = draft_.Add("Less", tag + "less", {mi, limit}, of_int);
    const std::string cond = draft_.Add("LoopCond", tag + "cond", {less}, {});
    const std::string si = draft_.Add("Switch", tag + "si", {mi, cond}, of_int);
    const std::string sx = draft_.Add("Switch", tag + "sx", {mx, cond}, kOfFloat);
    const std::string one =
        draft_.Add("Const", tag + "one", {"^" + cond},
                   {{"dtype", kInt32}, {"value", Tensor(static_cast<int32_t>(1))}});
    const std::string next = draft_.Add("AddV2", tag + "next", {si + ":1", one}, of_int);
    const std::string body =
        random_.Percent(70)
            ? draft_.Add(random_.Pick({"Mul", "AddV2"}), tag + "body", {sx + ":1", outside},
                         kOfFloat)
            : draft_.Add(random_.Pick(functions_.calls), tag + "body", {sx + ":1"}, {});
    draft_.Add("NextIteration", tag + "ni", {next}, of_int);
    draft_.Add("NextIteration", tag + "nx", {body}, kOfFloat);
    Keep(draft_.Add("Exit", tag + "exit", {sx}, kOfFloat));
  }

  Random& random_;
  GraphDraft draft_;
  Shape base_;
  DraftedFunctions functions_;
  std::vector<std::string> tensors_;
  int loops_ = 0;
};

}  // namespace

GraphDraft DraftGraph(Random& random) {
  return GraphDrafter(random).Take(random.Pick({3, 8, 15, 40}));
}

}  // namespace ramet::fuzz
