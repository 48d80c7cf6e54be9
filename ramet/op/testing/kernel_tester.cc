#include "ramet/op/testing/kernel_tester.h"

namespace ramet {
namespace {

class KnownShapes final : public ShapeContext {
 public:
  KnownShapes(const AttrMap& attrs, const std::deque<Tensor>& inputs, int num_outputs,
              bool values_known)
      : ShapeContext(attrs, ShapesOf(inputs), num_outputs),
        inputs_(inputs),
        values_known_(values_known) {}

  const Tensor* constant(int i) override { return values_known_ ? &inputs_[i] : nullptr; }

  std::pair<DType, Shape> handle(int i) override {
    return {inputs_[i].dtype(), inputs_[i].shape()};
  }

  StatusOr<Shape> constant_as_shape(int i) override {
    RAMET_ASSIGN_OR_RETURN(Shape vector, WithRank(i, 1));
    if (!values_known_) return Shape::OfRank(static_cast<int>(vector.dim(0)));
    RAMET_ASSIGN_OR_RETURN(std::vector<int64_t> dims, IntegerValues(inputs_[i]));
    return Shape::Make(dims);
  }

 private:
  static std::vector<Shape> ShapesOf(const std::deque<Tensor>& inputs) {
    std::vector<Shape> shapes;
    for (const Tensor& t : inputs) shapes.push_back(t.shape());
    return shapes;
  }

  const std::deque<Tensor>& inputs_;
  const bool values_known_;
};

bool NamesVariable(DType t) { return IsRef(t) || t == DType::kResource; }

}  // namespace

KernelTester& KernelTester::Attr(std::string_view name, ramet::Attr value) {
  attrs_.Set(name, std::move(value));
  return *this;
}

KernelTester& KernelTester::Input(Tensor value) {
  inputs_.push_back(std::move(value));
  variables_.push_back(nullptr);
  return *this;
}

KernelTester& KernelTester::Ref(Tensor value) {
  auto variable = std::make_shared<VariableState>(StrCat("variable_", inputs_.size()));
  inputs_.push_back(value);
  if (!value.empty()) variable->Set(std::move(value));
  variables_.push_back(std::move(variable));
  return *this;
}

KernelTester& KernelTester::Forwardable(int i) {
  forwardable_.push_back(i);
  return *this;
}

Status KernelTester::InferListAttrs(const ArgSchema& arg, int first, int count) {
  if (!arg.number_attr.empty()) attrs_.Set(arg.number_attr, static_cast<int64_t>(count));
  if (!arg.type_list_attr.empty()) {
    std::vector<DType> types;
    for (int i = first; i < first + count; ++i) types.push_back(inputs_[i].dtype());
    attrs_.Set(arg.type_list_attr, types);
  } else if (!arg.type_attr.empty() && count > 0 && !inputs_[first].empty()) {
    attrs_.Set(arg.type_attr, inputs_[first].dtype());
  }
  return OkStatus();
}

std::optional<int> KernelTester::GivenCount(const ArgSchema& arg) const {
  const ramet::Attr* number = attrs_.Find(arg.number_attr);
  if (number != nullptr && number->get<int64_t>()) return static_cast<int>(*number->get<int64_t>());
  const ramet::Attr* types = attrs_.Find(arg.type_list_attr);
  if (types == nullptr || !types->get<std::vector<DType>>()) return std::nullopt;
  return static_cast<int>(types->get<std::vector<DType>>()->size());
}

Status KernelTester::InferAttrs(const OpSchema& schema) {
  const auto is_list = [](const ArgSchema& a) {
    return !a.number_attr.empty() || !a.type_list_attr.empty();
  };
  const int given = static_cast<int>(inputs_.size());
  int left = given - static_cast<int>(schema.inputs.size());
  int at = 0;
  for (const ArgSchema& arg : schema.inputs) {
    int count = 1;
    if (is_list(arg)) {
      count = GivenCount(arg).value_or(left + 1);
      if (count < 0) return InvalidArgument("op ", schema.name, " takes ", count, " inputs");
    }
    if (count > given - at) {
      return InvalidArgument("op ", schema.name, " takes more than ", given, " inputs");
    }
    left -= count - 1;
    RAMET_RETURN_IF_ERROR(InferListAttrs(arg, at, count));
    at += count;
  }
  if (at != given) {
    return InvalidArgument("op ", schema.name, " takes ", at, " inputs, but ", given,
                           " were given");
  }
  for (const AttrSchema& attr : schema.attrs) {
    if (attr.has_default && attrs_.Find(attr.name) == nullptr) {
      attrs_.Set(attr.name, attr.default_value);
    }
  }
  return schema.CheckAttrs(attrs_);
}

Status KernelTester::Resolve() {
  if (definition_ == nullptr) {
    RAMET_ASSIGN_OR_RETURN(definition_, OpRegistry::Global().Lookup(op_));
  }
  const OpSchema& schema = definition_->schema();
  RAMET_RETURN_IF_ERROR(InferAttrs(schema));
  RAMET_ASSIGN_OR_RETURN(const std::vector<DType> types, schema.Expand(schema.inputs, attrs_));
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].empty() || BaseType(types[i]) == inputs_[i].dtype()) continue;
    if (variables_[i] && types[i] == DType::kResource) continue;
    return InvalidArgument("input ", i, " of op ", op_, " is ", DTypeName(inputs_[i].dtype()),
                           ", but must be ", DTypeName(BaseType(types[i])));
  }
  return OkStatus();
}

Status KernelTester::Prepare() {
  RAMET_RETURN_IF_ERROR(Resolve());
  const OpSchema& schema = definition_->schema();
  KernelNode node{"node", op_, &attrs_, {}, {}};
  RAMET_ASSIGN_OR_RETURN(node.input_types, schema.Expand(schema.inputs, attrs_));
  RAMET_ASSIGN_OR_RETURN(node.output_types, schema.Expand(schema.outputs, attrs_));
  RAMET_ASSIGN_OR_RETURN(const KernelRegistration* registration,
                         definition_->FindKernel("CPU", attrs_, node.name));
  RAMET_ASSIGN_OR_RETURN(kernel_, registration->Make(node));
  arguments_.clear();
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (variables_[i]) inputs_[i] = variables_[i]->Read();
    if (NamesVariable(node.input_types[i])) inputs_[i] = Tensor();
    arguments_.push_back({&inputs_[i], variables_[i].get()});
  }
  for (int i : forwardable_) arguments_[i].is_last_use = true;
  outputs_ = std::vector<Value>(node.output_types.size());
  return OkStatus();
}

Status KernelTester::Compute() {
  KernelEnv env{HostAllocator(), HostAllocator(), &resources_, nullptr};
  KernelContext context(env, arguments_, outputs_, run_);
  return ComputeGuarded(*kernel_, context);
}

StatusOr<std::vector<Tensor>> KernelTester::Run() {
  RAMET_RETURN_IF_ERROR(Prepare());
  RAMET_RETURN_IF_ERROR(Compute());
  std::vector<Tensor> results;
  for (Value& v : outputs_) {
    results.push_back(v.variable ? v.variable->Read() : std::move(v.tensor));
    v.tensor = Tensor();
  }
  return results;
}

Status KernelTester::RunAgain() {
  if (kernel_ == nullptr) return FailedPrecondition("RunAgain needs a Run before");
  Status status = Compute();
  for (Value& v : outputs_) v.tensor = Tensor();
  return status;
}

StatusOr<Tensor> KernelTester::RunOne() {
  RAMET_ASSIGN_OR_RETURN(std::vector<Tensor> outputs, Run());
  if (outputs.size() == 1) return std::move(outputs[0]);
  return InvalidArgument("op ", op_, " has ", outputs.size(), " outputs, but RunOne expects one");
}

StatusOr<std::vector<Shape>> KernelTester::InferShapes(bool values_known) {
  RAMET_RETURN_IF_ERROR(Resolve());
  const OpSchema& schema = definition_->schema();
  RAMET_ASSIGN_OR_RETURN(std::vector<DType> types, schema.Expand(schema.outputs, attrs_));
  KnownShapes context(attrs_, inputs_, static_cast<int>(types.size()), values_known);
  if (definition_->shape_fn() != nullptr) {
    RAMET_RETURN_IF_ERROR(definition_->shape_fn()(context));
  }
  std::vector<Shape> shapes;
  for (int i = 0; i < context.num_outputs(); ++i) shapes.push_back(context.output(i));
  return shapes;
}

}  // namespace ramet
