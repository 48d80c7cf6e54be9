#include "op_draft.h"

#include <algorithm>
#include <string_view>

#include "arguments.h"
#include "attrs.h"
#include "handles.h"
#include "values.h"

namespace ramet::fuzz {
namespace {

bool CallsFunctions(const OpSchema& schema) {
  return std::ranges::any_of(
      schema.attrs, [](const AttrSchema& a) { return a.type == "func" || a.type == "list(func)"; });
}

// Picks an earlier tensor of that dtype, most of the time if there is one. Returns null otherwise.
const std::string* PickMade(DraftContext& c, DType dtype) {
  if (c.made.empty() || !c.random.Percent(75)) return nullptr;
  std::vector<const MadeTensor*> fitting;
  for (const MadeTensor& made : c.made) {
    const DType made_type = IsRef(dtype) ? made.dtype : BaseType(made.dtype);
    if (made_type == dtype) fitting.push_back(&made);
  }
  return fitting.empty() ? nullptr : &c.random.Pick(fitting)->name;
}

// Adds the tensors of one argument of the definition.
void AddArgument(DraftContext& c, const OpSchema& schema, const ArgSchema& arg,
                 std::vector<std::string>* inputs) {
  auto types = schema.Expand({arg}, c.attrs);
  if (!types.ok()) return;
  constexpr size_t kMaxTensors = 40;
  for (size_t i = 0; i < std::min(types->size(), kMaxTensors); ++i) {
    const DType dtype = BaseType((*types)[i]);
    if (const std::string* tensor = PickMade(c, (*types)[i]); tensor != nullptr) {
      inputs->push_back(*tensor);
    } else if (arg.name == "flow_in" && !c.flow.empty()) {
      inputs->push_back(c.flow);
    } else if (arg.name.find("handle") != std::string::npos || dtype == DType::kResource ||
               dtype == DType::kVariant) {
      inputs->push_back(AddHandle(c, dtype, arg.is_ref));
    } else if (arg.is_ref) {
      inputs->push_back(AddReference(c, dtype, DrawArgumentShape(c, arg.name, dtype)));
    } else {
      inputs->push_back(AddValue(c, DrawArgument(c, arg.name, dtype)));
    }
  }
}

void AddSubject(DraftContext& c, std::vector<std::string> inputs,
                const std::string& name = kSubject) {
  for (const std::string& node : c.before) inputs.push_back("^" + node);
  c.draft.Add(c.op, name, inputs, c.attrs);
}

// Draws a dtype that the op's kernels support, if they are restricted.
DType DrawOpDType(Random& random, const Op& op) {
  const OpSchema& schema = op.schema();
  if (!op.kernels().empty() && random.Percent(85)) {
    const KernelRegistration& kernel = random.Pick(op.kernels());
    if (!kernel.type_attr.empty()) return kernel.dtype;
  }
  for (const AttrSchema& attr : schema.attrs) {
    if (attr.type == "type" && !attr.allowed_types.empty()) {
      return DrawDType(random, attr.allowed_types);
    }
  }
  return DrawDType(random, {});
}

void AddSmallFunction(GraphDraft* draft, const std::string& name, const std::string& op, DType out,
                      bool binary) {
  FunctionDef* function = draft->def().mutable_library()->add_function();
  OpDef* signature = function->mutable_signature();
  signature->set_name(name);
  auto* in = signature->add_input_arg();
  in->set_name("x");
  in->set_type(DT_FLOAT);
  auto* result = signature->add_output_arg();
  result->set_name("y");
  result->set_type(static_cast<DataType>(out));
  NodeDef* node = function->add_node_def();
  node->set_name("body");
  node->set_op(op);
  node->add_input("x");
  if (binary) node->add_input("x");
  (*node->mutable_attr())["T"].set_type(DT_FLOAT);
  (*function->mutable_ret())["y"] = StrCat("body:", op == "Identity" ? "output" : "z", ":0");
}

// Makes one change to the attrs or inputs of a case.
void ChangeCase(Random& random, const OpSchema& schema, AttrMap* attrs,
                std::vector<conformance::Case::Input>* inputs) {
  const int64_t kind = random.Below(inputs->empty() ? 1 : 7);
  if (kind == 0) {
    if (schema.attrs.empty()) return;
    const AttrSchema& attr = random.Pick(schema.attrs);
    attrs->Set(attr.name, DrawAttr(random, schema, attr, {.hostile_percent = 60}));
    return;
  }
  auto& input = (*inputs)[random.Below(static_cast<int64_t>(inputs->size()))];
  if (kind <= 2) return SpoilElement(random, &input.value);
  if (kind == 3) {
    for (int i = 0; i < 4; ++i) SpoilElement(random, &input.value);
    return;
  }
  const Shape shape = kind == 4 ? DrawShape(random) : DrawRelatedShape(random, input.value.shape());
  if (kind == 6 && inputs->size() > 1 && random.Percent(30)) {
    std::swap((*inputs)[0], (*inputs)[1]);
    return;
  }
  auto value = DrawTensor(random, input.value.dtype(), shape, DrawValuesKind(random));
  if (value.ok()) input.value = *std::move(value);
}

// Changes the dtype of all inputs that have the dtype of the op's first type attr.
void ChangeDType(Random& random, const OpSchema& schema, AttrMap* attrs,
                 std::vector<conformance::Case::Input>* inputs) {
  const auto attr = std::ranges::find(schema.attrs, "type", &AttrSchema::type);
  if (attr == schema.attrs.end()) return;
  const DType to = DrawDType(random, attr->allowed_types);
  const auto from = attrs->Get<DType>(attr->name);
  attrs->Set(attr->name, to);
  if (!from.ok() || to == DType::kVariant || to == DType::kResource) return;
  for (auto& input : *inputs) {
    if (input.value.dtype() != *from) continue;
    auto value = DrawTensor(random, to, input.value.shape(), DrawValuesKind(random));
    if (value.ok()) input.value = *std::move(value);
  }
}

// Adds the type attrs that the case derives from its inputs.
void AddMissingAttrs(const OpSchema& schema, const std::vector<conformance::Case::Input>& inputs,
                     AttrMap* attrs) {
  size_t next = 0;
  for (const ArgSchema& arg : schema.inputs) {
    const DType dtype = next < inputs.size() ? inputs[next].value.dtype() : kFloat;
    if (!arg.number_attr.empty() && attrs->Find(arg.number_attr) == nullptr) {
      attrs->Set(arg.number_attr, static_cast<int64_t>(inputs.size() - (schema.inputs.size() - 1)));
    }
    if (!arg.type_attr.empty() && attrs->Find(arg.type_attr) == nullptr) {
      attrs->Set(arg.type_attr, dtype);
    }
    if (!arg.type_list_attr.empty() && attrs->Find(arg.type_list_attr) == nullptr) {
      std::vector<DType> types;
      for (size_t i = next; i + (schema.inputs.size() - 1) < inputs.size() + next; ++i) {
        if (i < inputs.size()) types.push_back(inputs[i].value.dtype());
      }
      attrs->Set(arg.type_list_attr, std::move(types));
    }
    next += arg.number_attr.empty() ? 1 : attrs->GetOr<int64_t>(arg.number_attr, 1);
  }
}

}  // namespace

void AddDrawnOp(GraphDraft* draft, Random& random, const Op& op, const std::string& name,
                const std::vector<MadeTensor>& made, const Shape& base) {
  const OpSchema& schema = op.schema();
  const bool follows = !made.empty() && random.Percent(60);
  const DType dtype = follows ? BaseType(random.Pick(made).dtype) : DrawOpDType(random, op);
  const AttrStyle style = {.hostile_percent = random.Pick({0, 0, 10, 50}),
                           .default_percent = random.Pick({20, 60, 90})};
  DraftContext c{.draft = *draft,
                 .random = random,
                 .op = op.name(),
                 .dtype = dtype,
                 .base = base,
                 .attrs = DrawAttrs(random, schema, dtype, style),
                 .made = made};
  std::vector<std::string> inputs;
  for (const ArgSchema& arg : schema.inputs) AddArgument(c, schema, arg, &inputs);
  if (!inputs.empty() && random.Percent(2)) inputs.pop_back();
  if (!inputs.empty() && random.Percent(2)) inputs.push_back(random.Pick(inputs));
  AddSubject(c, std::move(inputs), name);
}

GraphDraft DraftOp(Random& random, const Op& op) {
  GraphDraft draft;
  if (CallsFunctions(op.schema())) AddFunctions(&draft);
  AddDrawnOp(&draft, random, op, kSubject, {}, DrawBaseShape(random, op.schema()));
  return draft;
}

GraphDraft DraftChangedCase(Random& random, const conformance::Case& conformance_case) {
  const Op* op = OpRegistry::Global().Find(conformance_case.op);
  GraphDraft draft;
  if (op == nullptr) return draft;
  AttrMap attrs = conformance_case.attrs;
  std::vector<conformance::Case::Input> values;
  for (const auto& in : conformance_case.inputs) {
    values.push_back({in.value.DeepCopy().value(), in.is_ref});
  }
  AddMissingAttrs(op->schema(), values, &attrs);
  if (random.Percent(15)) ChangeDType(random, op->schema(), &attrs, &values);
  const int64_t changes = random.Pick({0, 1, 1, 1, 2, 3});
  for (int64_t i = 0; i < changes; ++i) ChangeCase(random, op->schema(), &attrs, &values);
  DraftContext c{.draft = draft, .random = random, .op = op->name(), .attrs = std::move(attrs)};
  std::vector<std::string> inputs;
  for (const auto& in : values) {
    if (!in.is_ref) {
      inputs.push_back(AddValue(c, in.value));
      continue;
    }
    const DType dtype = in.value.dtype();
    const size_t at = inputs.size();
    const auto& args = op->schema().inputs;
    if (at < args.size() && args[at].type == DType::kResource) {
      inputs.push_back(AddVariable(c, in.value));
      continue;
    }
    const std::string ref =
        draft.Add("VariableV2", "reference", {}, {{"dtype", dtype}, {"shape", in.value.shape()}});
    inputs.push_back(draft.Add("Assign", "assigned", {ref, AddValue(c, in.value)}, {{"T", dtype}}));
  }
  AddSubject(c, std::move(inputs));
  return draft;
}

void AddFunctions(GraphDraft* draft) {
  AddSmallFunction(draft, "same", "Identity", kFloat, false);
  AddSmallFunction(draft, "twice", "AddV2", kFloat, true);
  AddSmallFunction(draft, "sum", "Mul", kFloat, true);
  AddSmallFunction(draft, "small", "Less", kBool, true);
}

}  // namespace ramet::fuzz
