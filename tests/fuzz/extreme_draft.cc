#include "extreme_draft.h"

#include <algorithm>

namespace ramet::fuzz {
namespace {

// An ExtremeDrafter appends nodes without looking for taken names, which would take quadratic time.
class ExtremeDrafter {
 public:
  explicit ExtremeDrafter(Random& random) : random_(random) {
    many_ = random.Pick({100, 1000, 5000, 30000});
    few_ = random.Pick({10, 40, 90, 300});
  }

  GraphDraft Take() {
    draft_.def().mutable_versions()->set_producer(GraphVersions().producer);
    AddSource("x0");
    switch (random_.Below(14)) {
      case 0: AddChain(random_.Pick({"Neg", "Identity", "Tanh", "StopGradient"}), 1, many_); break;
      case 1: AddChain(random_.Pick({"AddV2", "Mul", "Sub", "Maximum"}), 2, many_); break;
      case 2: AddShapeChain(); break;
      case 3: AddWideNode(); break;
      case 4: AddControlMesh(); break;
      case 5: AddLongNames(); break;
      case 6: AddEqualNames(); break;
      case 7: AddCalls(1, few_ * 10); break;
      case 8: AddCalls(2, few_); break;
      case 9: AddNestedBranches(); break;
      case 10: AddNestedLoops(); break;
      case 11: AddSwitches(); break;
      case 12: AddColocations(); break;
      default: AddVariableUses();
    }
    return std::move(draft_);
  }

 private:
  NodeDef* AddTo(google::protobuf::RepeatedPtrField<NodeDef>* nodes, const std::string& op,
                 const std::string& name, const std::vector<std::string>& inputs,
                 bool has_type = true) {
    NodeDef* node = nodes->Add();
    node->set_op(op);
    node->set_name(name);
    for (const std::string& input : inputs) node->add_input(input);
    if (has_type) (*node->mutable_attr())["T"].set_type(DT_FLOAT);
    return node;
  }
  NodeDef* Add(const std::string& op, const std::string& name,
               const std::vector<std::string>& inputs, bool has_type = true) {
    return AddTo(draft_.def().mutable_node(), op, name, inputs, has_type);
  }
  static std::string X(int64_t i) { return StrCat("x", i); }

  void AddSource(const std::string& name) {
    const bool constant = random_.Percent(50);
    NodeDef* node = Add(constant ? "Const" : "Placeholder", name, {}, false);
    (*node->mutable_attr())["dtype"].set_type(DT_FLOAT);
    AttrValue& value = (*node->mutable_attr())[constant ? "value" : kFedValue];
    value.mutable_tensor()->set_dtype(DT_FLOAT);
    value.mutable_tensor()->mutable_tensor_shape();
    value.mutable_tensor()->add_float_val(1);
    if (!constant) (*node->mutable_attr())["shape"].mutable_shape();
  }

  NodeDef* AddInt(google::protobuf::RepeatedPtrField<NodeDef>* nodes, const std::string& name,
                  int value) {
    NodeDef* node = AddTo(nodes, "Const", name, {}, false);
    (*node->mutable_attr())["dtype"].set_type(DT_INT32);
    TensorProto* tensor = (*node->mutable_attr())["value"].mutable_tensor();
    tensor->set_dtype(DT_INT32);
    tensor->mutable_tensor_shape();
    tensor->add_int_val(value);
    return node;
  }

  void AddChain(const std::string& op, int inputs, int64_t length) {
    for (int64_t i = 1; i <= length; ++i) {
      Add(op, X(i), std::vector<std::string>(static_cast<size_t>(inputs), X(i - 1)));
    }
  }

  // Values that shape inference may evaluate: each is computed of its predecessor, twice.
  void AddShapeChain() {
    AddInt(draft_.def().mutable_node(), "s0", 1);
    for (int64_t i = 1; i <= many_; ++i) {
      const std::string before = StrCat("s", i - 1);
      NodeDef* node =
          Add(random_.Pick({"Maximum", "Minimum", "Mul"}), StrCat("s", i), {before, before}, false);
      (*node->mutable_attr())["T"].set_type(DT_INT32);
    }
    NodeDef* fill = Add("Fill", "fill", {StrCat("s", many_), "x0"});
    (*fill->mutable_attr())["index_type"].set_type(DT_INT32);
  }

  void AddWideNode() {
    const std::vector<std::string> inputs(static_cast<size_t>(many_), "x0");
    NodeDef* node = Add(random_.Pick({"AddN", "Pack"}), "wide", inputs);
    (*node->mutable_attr())["N"].set_i(many_);
  }

  // Each node waits for some of those before it.
  void AddControlMesh() {
    for (int64_t i = 1; i <= many_; ++i) {
      NodeDef* node = Add("Identity", X(i), {"x0"});
      for (int64_t k = std::min<int64_t>(i, 5); k > 0; --k) {
        const std::string control = StrCat("^", X(random_.Below(i)));
        if (std::ranges::find(node->input(), control) == node->input().end()) {
          node->add_input(control);
        }
      }
    }
  }

  // A name of many parts, and names that are prefixes of others.
  void AddLongNames() {
    std::string name = "a";
    for (int64_t i = 0; i < many_; ++i) name += "/a";
    Add("Neg", name, {"x0"});
    std::string prefix = "b";
    for (int64_t i = 0; i < few_; ++i) {
      Add("Neg", prefix, {"x0"});
      prefix += "/b";
    }
  }

  // Names that differ in their numbers or in the case of letters only.
  void AddEqualNames() {
    for (int64_t i = 0; i < many_; ++i) {
      Add("Neg", i % 2 == 0 ? StrCat("n_", i) : StrCat("N_", i - 1), {"x0"});
    }
  }

  FunctionDef* AddFunction(const std::string& name) {
    FunctionDef* function = draft_.def().mutable_library()->add_function();
    function->mutable_signature()->set_name(name);
    auto* in = function->mutable_signature()->add_input_arg();
    in->set_name("x");
    in->set_type(DT_FLOAT);
    auto* out = function->mutable_signature()->add_output_arg();
    out->set_name("y");
    out->set_type(DT_FLOAT);
    (*function->mutable_ret())["y"] = "x";
    return function;
  }

  // Functions of which each calls the one before it `times` times.
  void AddCalls(int times, int64_t depth) {
    AddFunction("f0");
    for (int64_t i = 1; i <= depth; ++i) {
      FunctionDef* function = AddFunction(StrCat("f", i));
      std::string last = "x";
      for (int call = 0; call < times; ++call) {
        AddTo(function->mutable_node_def(), StrCat("f", i - 1), StrCat("c", call), {last}, false);
        last = StrCat("c", call, ":y:0");
      }
      (*function->mutable_ret())["y"] = last;
    }
    Add(StrCat("f", depth), kSubject, {"x0"}, false);
  }

  static void SetTypes(NodeDef* node, const std::string& in, const std::string& out) {
    (*node->mutable_attr())[in].mutable_list()->add_type(DT_FLOAT);
    (*node->mutable_attr())[out].mutable_list()->add_type(DT_FLOAT);
  }

  // Both branches of each level contain the level below.
  void AddNestedBranches() {
    AddFunction("f0");
    const auto fill = [&](NodeDef* node, int64_t below) {
      SetTypes(node, "Tin", "Tout");
      (*node->mutable_attr())["Tcond"].set_type(DT_FLOAT);
      for (const char* branch : {"then_branch", "else_branch"}) {
        (*node->mutable_attr())[branch].mutable_func()->set_name(StrCat("f", below));
      }
    };
    const std::string op = random_.Pick({"If", "StatelessIf"});
    for (int64_t i = 1; i <= few_; ++i) {
      FunctionDef* function = AddFunction(StrCat("f", i));
      fill(AddTo(function->mutable_node_def(), op, "if", {"x", "x"}, false), i - 1);
      (*function->mutable_ret())["y"] = "if:output:0";
    }
    fill(Add(op, kSubject, {"x0", "x0"}, false), few_);
  }

  // The body of each loop contains the loop below. None goes on for more than one iteration.
  void AddNestedLoops() {
    AddFunction("f0");
    FunctionDef* goes_on = AddFunction("goes_on");
    goes_on->mutable_signature()->mutable_output_arg(0)->set_type(DT_BOOL);
    AddTo(goes_on->mutable_node_def(), "Less", "less", {"x", "x"});
    (*goes_on->mutable_ret())["y"] = "less:z:0";
    const auto fill = [&](NodeDef* node, int64_t below) {
      (*node->mutable_attr())["T"].mutable_list()->add_type(DT_FLOAT);
      (*node->mutable_attr())["cond"].mutable_func()->set_name("goes_on");
      (*node->mutable_attr())["body"].mutable_func()->set_name(StrCat("f", below));
    };
    const std::string op = random_.Pick({"While", "StatelessWhile"});
    for (int64_t i = 1; i <= few_; ++i) {
      FunctionDef* function = AddFunction(StrCat("f", i));
      fill(AddTo(function->mutable_node_def(), op, "loop", {"x"}, false), i - 1);
      (*function->mutable_ret())["y"] = "loop:output:0";
    }
    fill(Add(op, kSubject, {"x0"}, false), few_);
  }

  void AddSwitches() {
    NodeDef* pred = Add("Less", "pred", {"x0", "x0"});
    (*pred->mutable_attr())["T"].set_type(DT_FLOAT);
    for (int64_t i = 1; i <= many_; ++i) Add("Switch", X(i), {X(i - 1), "pred"});
    NodeDef* merge = Add("Merge", "merge", {X(many_), X(many_) + ":1"});
    (*merge->mutable_attr())["N"].set_i(2);
  }

  void AddColocations() {
    for (int64_t i = 1; i <= many_; ++i) {
      NodeDef* node = Add("Identity", X(i), {"x0"});
      auto* list = (*node->mutable_attr())["_class"].mutable_list();
      for (int64_t k = std::min<int64_t>(i, 3); k > 0; --k) {
        list->add_s(StrCat("loc:@", X(random_.Below(i))));
      }
    }
  }

  // Many reads and updates of one variable.
  void AddVariableUses() {
    NodeDef* variable = Add("VariableV2", "v", {}, false);
    (*variable->mutable_attr())["dtype"].set_type(DT_FLOAT);
    (*variable->mutable_attr())["shape"].mutable_shape();
    Add("Assign", "set", {"v", "x0"});
    for (int64_t i = 1; i <= many_; ++i) {
      Add(i % 3 == 0 ? "AssignAdd" : "Add", X(i), {"v", X(i - 1), "^set"});
    }
  }

  Random& random_;
  GraphDraft draft_;
  int64_t many_ = 0, few_ = 0;
};

}  // namespace

GraphDraft DraftExtreme(Random& random) { return ExtremeDrafter(random).Take(); }

}  // namespace ramet::fuzz
