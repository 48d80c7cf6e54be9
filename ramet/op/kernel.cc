#include "ramet/op/kernel.h"

#include <algorithm>
#include <cstring>

#include "ramet/base/exception.h"
#include "ramet/tensor/variant.h"

namespace ramet {
namespace {

class FunctionKernel final : public Kernel {
 public:
  explicit FunctionKernel(KernelFunction function) : function_(function) {}
  Status Compute(KernelContext& context) override { return function_(context); }

 private:
  KernelFunction function_;
};

Status RefuseHandles(const KernelContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (c.variable(i) == nullptr || !c.input(i).empty()) continue;
    return InvalidArgument("input ", i, " is the handle of variable '", c.variable(i)->name(),
                           "', but this op takes values only; read the variable first "
                           "(ReadVariableOp)");
  }
  return OkStatus();
}

}  // namespace

Status ComputeGuarded(Kernel& kernel, KernelContext& context) {
  try {
    return kernel.Compute(context);
  } catch (...) {
    return StatusOfException();
  }
}

StatusOr<VariableState*> KernelContext::ref(int i) const {
  if (inputs_[i].variable != nullptr) return inputs_[i].variable;
  return InvalidArgument("input ", i, " must be a variable, but a plain value was fed for it");
}

Status KernelContext::ForwardRef(int i, int o) {
  RAMET_ASSIGN_OR_RETURN(VariableState * variable, ref(i));
  SetRefOutput(o, variable);
  return OkStatus();
}

StatusOr<Tensor> KernelContext::ReadRef(int i) const {
  RAMET_ASSIGN_OR_RETURN(VariableState * variable, ref(i));
  Tensor value = Read(*variable);
  if (value.empty()) return variable->UninitializedError();
  return env_.memory ? env_.memory->View(value) : value;
}

void KernelContext::CopyAll(const Tensor& from, Tensor& to) {
  if (from.dtype() == DType::kString) {
    std::ranges::copy(from.flat<std::string>(), to.mutable_data<std::string>());
  } else if (from.bytes() > 0) {
    std::memcpy(to.raw_data(), from.raw_data(), from.bytes());
  }
}

Status KernelContext::AssignRef(int i, const Tensor& value) {
  RAMET_ASSIGN_OR_RETURN(VariableState * variable, ref(i));
  RAMET_ASSIGN_OR_RETURN(Tensor own, value.Owned());
  variable->Set(env_.memory ? env_.memory->Unview(own) : std::move(own), run_.followed);
  return OkStatus();
}

StatusOr<Tensor*> KernelContext::Allocate(int i, DType dtype, const Shape& shape) {
  if (dtype == DType::kInvalid) RAMET_RETURN_IF_ERROR(RefuseHandles(*this));
  RAMET_ASSIGN_OR_RETURN(outputs_[i].tensor, Tensor::Allocate(dtype, shape, env_.allocator));
  return &outputs_[i].tensor;
}

StatusOr<Tensor*> KernelContext::ForwardOrAllocate(int i, std::initializer_list<int> candidates,
                                                   DType dtype, const Shape& shape) {
  for (int c : candidates) {
    if (!inputs_[c].is_last_use) continue;
    const Tensor& in = *inputs_[c].tensor;
    const bool fits = IsVariant(dtype)
                          ? in.dtype() == dtype
                          : DTypeSize(in.dtype()) > 0 && DTypeSize(in.dtype()) == DTypeSize(dtype);
    if (!fits) continue;
    if (in.num_elements() != shape.num_elements() || !in.unique() || !shape.Validate().ok()) {
      continue;
    }
    outputs_[i].tensor = Tensor(dtype, shape, in.buffer());
    return &outputs_[i].tensor;
  }
  return Allocate(i, dtype, shape);
}

bool KernelRegistration::Matches(const AttrMap& attrs) const {
  if (type_attr.empty()) return true;
  const Attr* attr = attrs.Find(type_attr);
  const DType* type = attr ? attr->get<DType>() : nullptr;
  return type != nullptr && BaseType(*type) == dtype;
}

StatusOr<std::unique_ptr<Kernel>> KernelRegistration::Make(const KernelNode& node) const {
  if (factory) return factory(node);
  return std::unique_ptr<Kernel>(std::make_unique<FunctionKernel>(function));
}

}  // namespace ramet
