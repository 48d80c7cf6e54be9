#include "ramet/graph/add_op.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "ramet/graph/constant_evaluator.h"
#include "ramet/graph/control_flow_context.h"
#include "ramet/graph/device_name.h"
#include "ramet/graph/names.h"
#include "ramet/graph/node_build.h"
#include "ramet/graph/resource_handles.h"
#include "ramet/graph/source_line.h"
#include "ramet/op/colocation.h"

namespace ramet {
namespace {

template <class T>
Tensor MakeVector(std::span<const T> values) {
  return Tensor::Of<T>(Shape{static_cast<int64_t>(values.size())}, values);
}

double NumberOf(const Tensor& t) {
  switch (t.dtype()) {
    case DType::kFloat: return t.scalar<float>();
    case DType::kDouble: return t.scalar<double>();
    case DType::kBool: return t.scalar<bool>();
    default: {
      auto values = IntegerValues(t);
      if (values.ok()) return static_cast<double>((*values)[0]);
      return t.dtype() == DType::kUInt64 ? static_cast<double>(t.scalar<uint64_t>()) : std::nan("");
    }
  }
}

template <class T>
Tensor ScalarOf(double v) {
  Tensor t(DTypeOf<T>::value, Shape());
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    *t.mutable_data<T>() = T(static_cast<float>(v));
  } else {
    *t.mutable_data<T>() = static_cast<T>(v);
  }
  return t;
}

// A plain C++ number takes the dtype of the tensor next to it, if that dtype can represent the
// number.
StatusOr<Tensor> ConvertWeak(const Tensor& number, DType want) {
  if (number.dtype() == want) return number;
  const double v = NumberOf(number);
  const bool whole = std::isfinite(v) && v == std::floor(v);
  if (!IsFloating(want) && !IsComplex(want) && !whole) {
    return InvalidArgument("the constant ", v, " cannot be represented as ", DTypeName(want));
  }
  switch (want) {
    case DType::kFloat: return ScalarOf<float>(v);
    case DType::kDouble: return ScalarOf<double>(v);
    case DType::kHalf: return ScalarOf<Half>(v);
    case DType::kBFloat16: return ScalarOf<BFloat16>(v);
    case DType::kInt8: return ScalarOf<int8_t>(v);
    case DType::kInt16: return ScalarOf<int16_t>(v);
    case DType::kInt32: return ScalarOf<int32_t>(v);
    case DType::kInt64: return ScalarOf<int64_t>(v);
    case DType::kUInt8: return ScalarOf<uint8_t>(v);
    case DType::kUInt16: return ScalarOf<uint16_t>(v);
    case DType::kUInt32: return ScalarOf<uint32_t>(v);
    case DType::kUInt64: return ScalarOf<uint64_t>(v);
    case DType::kComplex64: return ScalarOf<std::complex<float>>(v);
    case DType::kComplex128: return ScalarOf<std::complex<double>>(v);
    default:
      return InvalidArgument("cannot make the number ", v, " a constant of dtype ",
                             DTypeName(want));
  }
}

DType DefaultType(const Tensor& weak) { return weak.dtype() == kDouble ? kFloat : weak.dtype(); }

// Returns the argument that each flat input belongs to.
std::vector<size_t> ArgOfInput(const std::vector<int>& lengths) {
  std::vector<size_t> owner;
  for (size_t a = 0; a < lengths.size(); ++a) owner.insert(owner.end(), lengths[a], a);
  return owner;
}

// Returns the dtype of the attr `attr_name` as determined by `attrs`, by tensors among the inputs,
// or by constants.
std::optional<DType> TypeOfAttr(const std::string& attr_name, const OpSchema& schema,
                                const std::vector<Input>& inputs, const std::vector<size_t>& owner,
                                const AttrMap& attrs) {
  if (const Attr* given = attrs.Find(attr_name)) {
    if (const DType* t = given->get<DType>()) return *t;
  }
  std::optional<DType> from_constant;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (schema.inputs[owner[i]].type_attr != attr_name) continue;
    if (!inputs[i].is_constant()) return BaseType(inputs[i].output().dtype());
    const Tensor& c = inputs[i].constant();
    if (!from_constant || !inputs[i].weak()) {
      from_constant = inputs[i].weak() ? DefaultType(c) : c.dtype();
    }
  }
  return from_constant;
}

StatusOr<Tensor> AdaptConstant(const Input& input, const ArgSchema& arg, const OpSchema& schema,
                               const std::vector<Input>& inputs, const std::vector<size_t>& owner,
                               const AttrMap& attrs) {
  std::optional<DType> want;
  if (arg.type != DType::kInvalid) want = arg.type;
  if (!arg.type_attr.empty()) want = TypeOfAttr(arg.type_attr, schema, inputs, owner, attrs);
  if (!input.weak()) return input.constant();
  return ConvertWeak(input.constant(), want.value_or(DefaultType(input.constant())));
}

std::string CurrentDevice(const BuildState& state) {
  DeviceName merged;
  for (auto it = state.devices.rbegin(); it != state.devices.rend(); ++it) {
    if (!*it) break;
    auto outer = DeviceName::Parse(**it);
    if (outer.ok()) merged = merged.MergedUnder(*outer);
  }
  return merged.ToString();
}

std::vector<std::string> GroupsOf(const Operation& op) {
  auto attrs = op.attrs();
  if (const Attr* attr = attrs->Find("_class")) {
    if (const auto* groups = attr->get<std::vector<std::string>>()) return *groups;
  }
  return {StrCat(kColocationPrefix, op.name())};
}

// Applies the colocation groups and device of the open scopes and of ref inputs, which are always
// colocated with.
void ApplyColocation(const BuildState& state, const std::vector<Operation>& forced,
                     NodeSpec* spec) {
  std::set<std::string> groups;
  std::vector<Operation> all = state.colocations;
  all.insert(all.end(), forced.begin(), forced.end());
  for (const Operation& op : all) {
    for (std::string& g : GroupsOf(op)) groups.insert(std::move(g));
    if (std::string device = op.device(); !device.empty()) spec->device = device;
  }
  if (groups.empty() && !state.variable_group.empty()) groups.insert(state.variable_group);
  if (groups.empty() || spec->attrs.Find("_class") != nullptr) return;
  spec->attrs.Set("_class", std::vector<std::string>(groups.begin(), groups.end()));
}

// One call of AddOp.
class OpAdder {
 public:
  OpAdder(Graph& graph, std::string_view op, const std::vector<Input>& inputs, AttrMap attrs)
      : graph_(graph), state_(graph.build_state()), inputs_(inputs) {
    spec_.op = std::string(op);
    spec_.attrs = std::move(attrs);
  }

  StatusOr<Operation> Run(std::string_view name) {
    Name(name.empty() ? std::string_view(spec_.op) : name);
    RAMET_RETURN_IF_ERROR(ConvertInputs());
    spec_.control_inputs = state_.ControlsFor(spec_.inputs);
    ControlFlowContext* context = state_.control_flow.current;
    if (context != nullptr) context = context->OwnerOf(spec_);
    RAMET_RETURN_IF_ERROR(context != nullptr ? context->Adopt(&spec_) : CheckOutside());
    if (state_.colocations.empty() && forced_.empty()) spec_.device = CurrentDevice(state_);
    ApplyColocation(state_, forced_, &spec_);
    RAMET_ASSIGN_OR_RETURN(Operation op, graph_.AddNode(std::move(spec_)));
    state_.NoteUnderControls(op);
    if (context != nullptr) context->NoteAdded(op);
    return op;
  }

 private:
  // Checks that an operation outside of every loop does not read from inside one.
  Status CheckOutside() const {
    if (state_.control_flow.contexts.empty()) return OkStatus();
    for (const Output& input : spec_.inputs) {
      RAMET_RETURN_IF_ERROR(CheckInputContext(spec_, nullptr, input));
    }
    return OkStatus();
  }

  void Name(std::string_view name) {
    spec_.name = name.ends_with('/') ? std::string(name.substr(0, name.size() - 1))
                                     : graph_.UniqueName(name);
  }

  Status ConvertInputs() {
    const Op* op = OpRegistry::Global().Find(spec_.op);
    const bool constants = std::ranges::any_of(inputs_, &Input::is_constant);
    if (op == nullptr) {
      if (constants) return OpRegistry::Global().Lookup(spec_.op).status();
      for (const Input& in : inputs_) spec_.inputs.push_back(in.output());
      return OkStatus();
    }
    const OpSchema& schema = op->schema();
    auto lengths = SplitInputs(schema, static_cast<int>(inputs_.size()), spec_.attrs);
    if (!lengths.ok()) {
      return lengths.status().WithContext(StrCat("node '", spec_.name, "' (", spec_.op, ")"));
    }
    std::vector<size_t> owner = ArgOfInput(*lengths);
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const ArgSchema& arg = schema.inputs[owner[i]];
      if (arg.is_ref && !inputs_[i].is_constant()) forced_.push_back(inputs_[i].output().op());
      if (!inputs_[i].is_constant()) {
        spec_.inputs.push_back(TensorFor(inputs_[i], arg));
        continue;
      }
      auto value = AdaptConstant(inputs_[i], arg, schema, inputs_, owner, spec_.attrs);
      if (!value.ok()) {
        return value.status().WithContext(
            StrCat("node '", spec_.name, "' (", spec_.op, "), input '", arg.name, "'"));
      }
      spec_.inputs.push_back(MakeConst(*value, ConstName(arg, (*lengths)[owner[i]], i, owner)));
    }
    return OkStatus();
  }

  Output TensorFor(const Input& input, const ArgSchema& arg) {
    const Variable& variable = input.resource_variable();
    if (!variable.valid()) return input.output();
    if (arg.type == DType::kResource) return variable.ref();
    const std::string name = UniqueFullName(state_, StrCat(spec_.name, "/ReadVariableOp"), true);
    return ReadVariable(variable, StrCat(name, "/"));
  }

  std::string ConstName(const ArgSchema& arg, int length, size_t i,
                        const std::vector<size_t>& owner) {
    if (arg.number_attr.empty() && arg.type_list_attr.empty()) return arg.name;
    size_t first = std::ranges::find(owner, owner[i]) - owner.begin();
    (void)length;
    return StrCat(arg.name, "_", i - first);
  }

  Output MakeConst(const Tensor& value, const std::string& arg) {
    std::string full = UniqueFullName(state_, StrCat(spec_.name, "/", arg), true);
    return Constant(graph_, value, StrCat(full, "/"));
  }

  Graph& graph_;
  BuildState& state_;
  const std::vector<Input>& inputs_;
  NodeSpec spec_;
  std::vector<Operation> forced_;
};

Graph* GraphOfOrNull(const Input& x, const Input& y) { return GraphOf({x, y}); }

// An operator does not know the line that uses it, so its errors name none.
//
// A resource variable on the side that provides the operator is read before the operator's name
// scope opens.
Output Binary(std::string_view op, std::string_view name, Input x, Input y) {
  Input& first = x.is_constant() ? y : x;
  if (first.resource_variable().valid()) first = ReadVariable(first.resource_variable());
  Graph* graph = GraphOfOrNull(x, y);
  return graph ? AddOp(*graph, op, {x, y}, {}, name, SourceLocation()).output(0) : Output();
}

}  // namespace

Input::Input(const Variable& variable) : output_(variable) {
  if (variable.valid() && variable.record().is_resource) resource_variable_ = variable;
}

Input::Input(std::initializer_list<int> values)
    : constant_(MakeVector(std::span<const int>(values.begin(), values.size()))) {}

Input::Input(std::initializer_list<double> values)
    : constant_(MakeVector<float>(std::vector<float>(values.begin(), values.end()))) {}

StatusOr<Operation> TryAddOp(Graph& graph, std::string_view op, const std::vector<Input>& inputs,
                             AttrMap attrs, std::string_view name) {
  for (const Input& in : inputs) {
    if (in.is_constant() || in.output().valid()) continue;
    return InvalidArgument("an input of ", op, " is invalid because an earlier build step failed");
  }
  return OpAdder(graph, op, inputs, std::move(attrs)).Run(name);
}

Operation AddOp(Graph& graph, std::string_view op, const std::vector<Input>& inputs, AttrMap attrs,
                std::string_view name, SourceLocation where) {
  auto added = TryAddOp(graph, op, inputs, std::move(attrs), name);
  if (added.ok()) return *added;
  const bool has_line = where.line() != 0;
  graph.RecordError(has_line ? added.status().WithContext(SourceLine(where)) : added.status());
  return Operation();
}

Graph* GraphOf(const std::vector<Input>& inputs) {
  for (const Input& in : inputs) {
    if (!in.is_constant() && in.output().valid()) return in.output().graph();
  }
  return nullptr;
}

Output Constant(Graph& graph, const Tensor& value, std::string_view name, SourceLocation where) {
  if (value.empty()) {
    graph.RecordError(InvalidArgument(SourceLine(where), ": constant '", name, "' has no value"));
    return Output();
  }
  return AddOp(graph, "Const", {}, {{"value", value}, {"dtype", value.dtype()}}, name, where)
      .output(0);
}

Output ReadVariable(const Variable& variable, std::string_view name) {
  if (!variable.valid() || !variable.record().is_resource) return variable;
  Graph& graph = *variable.graph();
  BuildState& state = graph.build_state();
  auto colocations = std::exchange(state.colocations, {});
  auto devices = std::exchange(state.devices, {});
  Operation read =
      AddOp(graph, "ReadVariableOp", {variable.ref()}, {{"dtype", variable.dtype()}}, name);
  state.colocations = std::move(colocations);
  state.devices = std::move(devices);
  return read.output(0);
}

Operation Group(Graph& graph, const std::vector<Operation>& ops, std::string_view name) {
  std::vector<std::pair<std::string, std::vector<Operation>>> by_device;
  for (const Operation& op : ops) {
    if (!op.valid()) return Operation();
    std::string device = op.device();
    auto it = std::ranges::find(by_device, device, [](auto& e) { return e.first; });
    if (it == by_device.end()) it = by_device.insert(by_device.end(), {device, {}});
    it->second.push_back(op);
  }
  auto noop = [&](std::string_view op_name, const std::vector<Operation>& controls,
                  const std::string& device) {
    BuildState& state = graph.build_state();
    state.PushControls({.controllers = controls});
    state.devices.push_back(device);
    Operation op = AddOp(graph, "NoOp", {}, {}, op_name);
    state.devices.pop_back();
    state.PopControls();
    return op;
  };
  if (by_device.size() <= 1) {
    return noop(name, ops, by_device.empty() ? "" : by_device[0].first);
  }
  std::string full =
      name.ends_with('/') ? std::string(name.substr(0, name.size() - 1)) : graph.UniqueName(name);
  std::vector<Operation> groups;
  std::ranges::sort(by_device, {}, [](auto& e) { return e.first; });
  for (auto& [device, members] : by_device) {
    std::string child = UniqueFullName(graph.build_state(), StrCat(full, "/NoOp"), true);
    groups.push_back(noop(StrCat(child, "/"), members, device));
  }
  return noop(StrCat(full, "/"), groups, "");
}

Output operator+(const Input& x, const Input& y) { return Binary("AddV2", "add", x, y); }
Output operator-(const Input& x, const Input& y) { return Binary("Sub", "sub", x, y); }
Output operator*(const Input& x, const Input& y) { return Binary("Mul", "mul", x, y); }
Output operator/(const Input& x, const Input& y) { return Binary("RealDiv", "truediv", x, y); }
Output operator-(const Output& x) {
  return x.valid() ? AddOp(*x.graph(), "Neg", {x}, {}, "Neg", SourceLocation()).output(0)
                   : Output();
}

Shape HandleShape(const Output& handle) {
  if (!handle.valid()) return Shape::Unknown();
  const GraphData& graph = GraphDataOf(*handle.graph());
  ReaderLock lock(graph.mutex);
  return HandleOf(graph, {handle.op().id(), handle.index()}).second;
}

Tensor ConstantValue(const Output& output) {
  if (!output.valid()) return Tensor();
  const GraphData& graph = GraphDataOf(*output.graph());
  ReaderLock lock(graph.mutex);
  return ConstantEvaluator(graph).ValueOf({output.op().id(), output.index()});
}

}  // namespace ramet
