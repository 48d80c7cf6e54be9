#include "function_draft.h"

namespace ramet::fuzz {
namespace {

void AddArg(OpDef::ArgDef* arg, const std::string& name, DataType type) {
  arg->set_name(name);
  arg->set_type(type);
}

NodeDef* AddBody(FunctionDef* f, const std::string& name, const std::string& op,
                 const std::vector<std::string>& inputs, DataType type) {
  NodeDef* node = f->add_node_def();
  node->set_name(name);
  node->set_op(op);
  for (const std::string& input : inputs) node->add_input(input);
  if (type != DT_INVALID) (*node->mutable_attr())["T"].set_type(type);
  return node;
}

// Passes x through a few nodes, some of which call `others`.
void AddCalled(Random& random, FunctionDef* f, const std::string& name,
               const std::vector<std::string>& others) {
  f->mutable_signature()->set_name(name);
  AddArg(f->mutable_signature()->add_input_arg(), "x", DT_FLOAT);
  AddArg(f->mutable_signature()->add_output_arg(), "y", DT_FLOAT);
  std::string last = "x";
  for (int64_t i = 0, n = random.In(0, 4); i < n; ++i) {
    const std::string node = StrCat("n", i);
    if (!others.empty() && random.Percent(35)) {
      AddBody(f, node, random.Pick(others), {last}, DT_INVALID);
      last = node + ":y:0";
    } else if (random.Percent(50)) {
      AddBody(f, node, random.Pick({"Mul", "AddV2", "Sub"}), {last, "x"}, DT_FLOAT);
      last = node + ":z:0";
    } else {
      AddBody(f, node, random.Pick({"Tanh", "Neg", "Square"}), {last}, DT_FLOAT);
      last = node + ":y:0";
    }
  }
  (*f->mutable_ret())["y"] = last;
}

void AddLoopArgs(FunctionDef* f, const std::string& name) {
  f->mutable_signature()->set_name(name);
  AddArg(f->mutable_signature()->add_input_arg(), "i", DT_INT32);
  AddArg(f->mutable_signature()->add_input_arg(), "x", DT_FLOAT);
}

void AddCondition(FunctionDef* f, int limit) {
  AddLoopArgs(f, "condition");
  AddArg(f->mutable_signature()->add_output_arg(), "go_on", DT_BOOL);
  AddBody(f, "less", "Less", {"i", AddInt(f, "limit", limit)}, DT_INT32);
  (*f->mutable_ret())["go_on"] = "less:z:0";
}

void AddLoopBody(FunctionDef* f, const std::string& called) {
  AddLoopArgs(f, "loop_body");
  AddArg(f->mutable_signature()->add_output_arg(), "next_i", DT_INT32);
  AddArg(f->mutable_signature()->add_output_arg(), "next_x", DT_FLOAT);
  AddBody(f, "next", "AddV2", {"i", AddInt(f, "one", 1)}, DT_INT32);
  AddBody(f, "step", called, {"x"}, DT_INVALID);
  (*f->mutable_ret())["next_i"] = "next:z:0";
  (*f->mutable_ret())["next_x"] = "step:y:0";
}

}  // namespace

std::string AddInt(FunctionDef* function, const std::string& name, int value) {
  NodeDef* node = AddBody(function, name, "Const", {}, DT_INVALID);
  (*node->mutable_attr())["dtype"].set_type(DT_INT32);
  TensorProto* tensor = (*node->mutable_attr())["value"].mutable_tensor();
  tensor->set_dtype(DT_INT32);
  tensor->mutable_tensor_shape();
  tensor->add_int_val(value);
  return name + ":output:0";
}

DraftedFunctions DraftFunctions(Random& random, GraphDraft* draft) {
  FunctionDefLibrary* library = draft->def().mutable_library();
  DraftedFunctions functions;
  for (int64_t i = 0, n = random.In(1, 4); i < n; ++i) {
    const std::string name = StrCat("f", i);
    AddCalled(random, library->add_function(), name, functions.calls);
    functions.calls.push_back(name);
  }
  functions.condition = "condition";
  functions.body = "loop_body";
  AddCondition(library->add_function(), static_cast<int>(random.In(0, 4)));
  AddLoopBody(library->add_function(), random.Pick(functions.calls));
  return functions;
}

}  // namespace ramet::fuzz
