#include "mutate.h"

#include <algorithm>
#include <string>
#include <vector>

#include "attrs.h"
#include "ramet/op/op.h"
#include "ramet/wire/attr_proto.h"
#include "values.h"

namespace ramet::fuzz {
namespace {

using Nodes = google::protobuf::RepeatedPtrField<NodeDef>;

NodeDef& PickNode(Random& random, Nodes& nodes) {
  return *nodes.Mutable(static_cast<int>(random.Below(nodes.size())));
}

// Draws an output of a node of the graph, or of the function if `function` is not null.
std::string DrawInput(Random& random, Nodes& nodes, const FunctionDef* function) {
  const std::string name =
      random.Percent(3) ? std::string("missing") : PickNode(random, nodes).name();
  const int index = static_cast<int>(random.Pick({0, 0, 0, 0, 1, 1, 2, -1, 1 << 30}));
  if (function == nullptr) return index == 0 ? name : StrCat(name, ":", index);
  const auto& args = function->signature().input_arg();
  if (args.size() > 0 && random.Percent(40)) {
    return args[static_cast<int>(random.Below(args.size()))].name();
  }
  return StrCat(name, ":", random.Pick({"y", "z", "output", "out", "x"}), ":", index);
}

void ChangeInput(Random& random, Nodes& nodes, const FunctionDef* function) {
  NodeDef& node = PickNode(random, nodes);
  const int64_t kind = random.Below(10);
  if (kind == 0) {
    node.add_input(DrawInput(random, nodes, function));
  } else if (kind == 1) {
    node.add_input(StrCat("^", PickNode(random, nodes).name()));
  } else if (node.input_size() > 0) {
    const int at = static_cast<int>(random.Below(node.input_size()));
    if (kind == 2) {
      node.mutable_input()->DeleteSubrange(at, 1);
    } else if (kind == 3) {
      node.mutable_input()->SwapElements(0, at);
    } else {
      node.set_input(at, DrawInput(random, nodes, function));
    }
  }
}

std::string DrawName(Random& random, Nodes& nodes) {
  switch (random.Below(4)) {
    case 0: return DrawString(random);
    case 1: return PickNode(random, nodes).name() + random.Pick({"/", "/a", "_1", ":0", " ", "."});
    case 2: {
      std::string deep = "a";
      for (int64_t n = random.Pick({10, 1000, 30000}); n > 0; --n) deep += "/a";
      return deep;
    }
    default: return random.Pick({"A", "^a", "loc:@a", "_a", "a-b", "a\\b", "\xc3\xa9", "a:1"});
  }
}

void ChangeNodes(Random& random, Nodes& nodes) {
  const int at = static_cast<int>(random.Below(nodes.size()));
  switch (random.Below(5)) {
    case 0: nodes.DeleteSubrange(at, 1); break;
    case 4: nodes.Mutable(at)->set_name(DrawName(random, nodes)); break;
    case 1: nodes.Add()->CopyFrom(nodes[at]); break;
    case 2:
      nodes.Add()->CopyFrom(nodes[at]);
      nodes.Mutable(nodes.size() - 1)->set_name(nodes[at].name() + "_twin");
      break;
    default: nodes.SwapElements(at, static_cast<int>(random.Below(nodes.size())));
  }
}

void ChangeOp(Random& random, Nodes& nodes) {
  NodeDef& node = PickNode(random, nodes);
  if (random.Percent(60)) {
    node.set_op(random.Pick({"Identity", "Switch", "Merge", "Enter", "Exit", "NextIteration",
                             "LoopCond", "RefSwitch", "RefEnter", "NoOp", "Const", "Placeholder",
                             "ControlTrigger", "While", "If", "PartitionedCall", "VarHandleOp"}));
    return;
  }
  const auto ops = OpRegistry::Global().All();
  const Op* op = random.Pick(ops);
  if (!op->calls_program()) node.set_op(op->name());
}

// Makes the attr a function with attrs that are functions with attrs, and so on.
void NestFunctions(Random& random, AttrValue* value) {
  for (int64_t depth = random.Pick({2, 20, 45, 90}); depth > 0; --depth) {
    NameAttrList* function = value->mutable_func();
    function->set_name(random.Pick({"twice", "f0", "missing"}));
    value = &(*function->mutable_attr())["T"];
  }
  value->set_type(DT_FLOAT);
}

// Adds values of one kind or of several kinds, which no attr can have.
void FillList(Random& random, AttrValue::ListValue* list) {
  const bool mixed = random.Percent(30);
  int64_t kind = random.Below(7);
  for (int64_t n = random.Pick({0, 1, 2, 3, 500}); n > 0; --n) {
    if (mixed) kind = random.Below(7);
    switch (kind) {
      case 0: list->add_i(HostileInt(random)); break;
      case 1: list->add_s(DrawString(random)); break;
      case 2: list->add_f(static_cast<float>(HostileNumber(random))); break;
      case 3: list->add_b(random.Percent(50)); break;
      case 4: list->add_type(static_cast<DataType>(random.In(-1, 130))); break;
      case 5: list->add_shape()->set_unknown_rank(random.Percent(50)); break;
      default: list->add_func()->set_name("twice");
    }
  }
}

void ChangeAttr(Random& random, Nodes& nodes) {
  NodeDef& node = PickNode(random, nodes);
  const Op* op = OpRegistry::Global().Find(node.op());
  if (op != nullptr && !op->schema().attrs.empty() && random.Percent(70)) {
    const AttrSchema& attr = random.Pick(op->schema().attrs);
    const Attr value = DrawAttr(random, op->schema(), attr, {.hostile_percent = 50});
    AttrToProto(value, &(*node.mutable_attr())[attr.name]).IgnoreError();
    return;
  }
  if (node.attr().empty()) return;
  std::vector<std::string> names;
  for (const auto& [name, value] : node.attr()) names.push_back(name);
  std::sort(names.begin(), names.end());
  AttrValue& value = (*node.mutable_attr())[random.Pick(names)];
  switch (random.Below(8)) {
    case 0: value.set_i(HostileInt(random)); break;
    case 5: return NestFunctions(random, &value);
    case 6: return FillList(random, value.mutable_list());
    case 7: {
      TensorShapeProto* shape = value.mutable_shape();
      for (int64_t n = random.Pick({1, 2, 4, 300}); n > 0; --n) {
        shape->add_dim()->set_size(HostileInt(random));
      }
      break;
    }
    case 1:
      value.set_type(static_cast<DataType>(random.Pick({0, 1, 3, 20, 21, 101, 999, -1})));
      break;
    case 2: value.Clear(); break;
    case 3: value.set_placeholder("T"); break;
    default: value.mutable_func()->set_name(random.Pick({"twice", "missing", "f", ""}));
  }
}

// Makes the content of a bool tensor bytes of any value.
void SpoilBools(Random& random, AttrValue* value) {
  TensorProto& proto = *value->mutable_tensor();
  std::string* const content = proto.mutable_tensor_content();
  content->resize(std::max<size_t>(content->size(), proto.bool_val_size()));
  for (char& byte : *content) byte = static_cast<char>(random.Pick({0, 1, 2, 3, 127, 128, 255}));
  proto.clear_bool_val();
}

void ChangeConstant(Random& random, Nodes& nodes) {
  for (int tries = 0; tries < 20; ++tries) {
    NodeDef& node = PickNode(random, nodes);
    auto value = node.attr().find("value");
    if (node.op() != "Const" || value == node.attr().end()) continue;
    AttrBudget budget;
    const auto old = AttrFromProto(value->second, &budget);
    const Tensor* tensor = old.ok() ? old->get<Tensor>() : nullptr;
    if (tensor == nullptr) continue;
    if (tensor->dtype() == kBool) {
      SpoilBools(random, &(*node.mutable_attr())["value"]);
      return;
    }
    const Shape shape =
        random.Percent(60) ? tensor->shape() : DrawRelatedShape(random, tensor->shape());
    auto drawn = DrawTensor(random, tensor->dtype(), shape, DrawValuesKind(random));
    if (!drawn.ok()) continue;
    AttrToProto(Attr(*std::move(drawn)), &(*node.mutable_attr())["value"]).IgnoreError();
    return;
  }
}

void ChangeFrame(Random& random, Nodes& nodes) {
  for (int tries = 0; tries < 20; ++tries) {
    NodeDef& node = PickNode(random, nodes);
    if (node.op() != "Enter") continue;
    auto& attrs = *node.mutable_attr();
    switch (random.Below(3)) {
      case 0: attrs["frame_name"].set_s(random.Pick({"", "other", "frame"})); break;
      case 1: attrs["is_constant"].set_b(random.Percent(50)); break;
      default: attrs["parallel_iterations"].set_i(HostileInt(random));
    }
    return;
  }
}

void ChangeFunctions(Random& random, FunctionDefLibrary* library) {
  if (library->function_size() == 0) return;
  const int at = static_cast<int>(random.Below(library->function_size()));
  FunctionDef* function = library->mutable_function(at);
  OpDef* signature = function->mutable_signature();
  switch (random.Below(8)) {
    case 0: library->mutable_function()->DeleteSubrange(at, 1); break;
    case 1: library->add_function()->CopyFrom(*function); break;
    case 2: {
      if (function->ret().empty()) break;
      auto& ret = *function->mutable_ret();
      ret.begin()->second = random.Pick({"missing:y:0", "x", "body:y:7", "body", ":", "body:y:-1"});
      break;
    }
    case 3:
      if (signature->input_arg_size() > 0) {
        signature->mutable_input_arg(0)->set_type(
            static_cast<DataType>(random.Pick({0, 1, 3, 7, 20, 101})));
      }
      break;
    case 4: {  // calls itself, or another one in a cycle
      const std::string other =
          library->function(static_cast<int>(random.Below(library->function_size())))
              .signature()
              .name();
      if (function->node_def_size() > 0) {
        function->mutable_node_def(0)->set_op(random.Percent(50) ? other : "PartitionedCall");
        (*function->mutable_node_def(0)->mutable_attr())["f"].mutable_func()->set_name(other);
      }
      break;
    }
    case 5: signature->set_name(random.Pick({"twice", "AddV2", "", "a/b", "f"})); break;
    case 6: {
      GradientDef* gradient = library->add_gradient();
      gradient->set_function_name(signature->name());
      gradient->set_gradient_func(library->function(0).signature().name());
      break;
    }
    default: signature->set_is_stateful(random.Percent(50));
  }
}

void MutateNodes(Random& random, Nodes& nodes, const FunctionDef* function) {
  if (nodes.empty()) return;
  const int64_t kind = random.Below(20);
  if (kind < 8) return ChangeInput(random, nodes, function);
  if (kind < 11) return ChangeAttr(random, nodes);
  if (kind < 14) return ChangeConstant(random, nodes);
  if (kind < 16) return ChangeNodes(random, nodes);
  if (kind < 17) return ChangeFrame(random, nodes);
  if (kind < 19) return ChangeOp(random, nodes);
  PickNode(random, nodes)
      .set_device(
          random.Pick({"/cpu:0", "/device:SIM:0", "/gpu:0", "/cpu:99999999999", "bad", "/job:x"}));
}

}  // namespace

void Mutate(Random& random, GraphDef* def) {
  FunctionDefLibrary* library = def->mutable_library();
  if (library->function_size() > 0 && random.Percent(40)) {
    if (random.Percent(40)) return ChangeFunctions(random, library);
    FunctionDef* function =
        library->mutable_function(static_cast<int>(random.Below(library->function_size())));
    return MutateNodes(random, *function->mutable_node_def(), function);
  }
  MutateNodes(random, *def->mutable_node(), nullptr);
}

}  // namespace ramet::fuzz
