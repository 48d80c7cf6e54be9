#include <string>

#include "ramet/backends/gpu/launch.h"
#include "ramet/backends/gpu/ops/device_variables.h"
#include "ramet/backends/gpu/ops/program_variants.h"
#include "ramet/backends/gpu/ops/type_sets.h"
#include "ramet/op/op.h"

// AssignAdd and AssignSub of reference and resource variables.

namespace ramet::gpu {
namespace {

// Definitions: T, the tag of the dtype; OPERATOR; C, the type to compute in.
constexpr Program kUpdate = {"assign update", R"(
KERNEL(update)(GLOBAL const STORED(T)* old, GLOBAL const STORED(T)* value, GLOBAL STORED(T)* out,
               index_t n) {
  FOR_EACH(i, n) {
    const C a = (C)LOAD(T, old, i);
    const C b = (C)LOAD(T, value, i);
    STORE(T, out, i, a OPERATOR b);
  }
}
)"};

// Integers wrap around.
std::string ComputedIn(DType dtype) {
  if (IsFloating(dtype)) return dtype == kDouble ? "f64" : "f32";
  return DTypeSize(dtype) == 8 ? "u64" : "u32";
}

Definitions UpdateDefinitions(DType dtype, bool adds) {
  return {{"T", std::string(DialectTag(dtype))},
          {"C", ComputedIn(dtype)},
          {"OPERATOR", adds ? "+" : "-"}};
}

class UpdateKernel final : public Kernel {
 public:
  UpdateKernel(const KernelNode& node, DType dtype)
      : is_resource_(node.op.ends_with("VariableOp")),
        dtype_(dtype),
        kernel_{kUpdate, "update", UpdateDefinitions(dtype, node.op.starts_with("AssignAdd"))} {}

  Status Compute(KernelContext& c) override {
    if (is_resource_) {
      RAMET_RETURN_IF_ERROR(CheckHandle(c, 0, "input 0"));
    } else {
      RAMET_RETURN_IF_ERROR(c.ForwardRef(0, 0));
    }
    RAMET_RETURN_IF_ERROR(MoveVariableToDevice(c, 0));
    const Tensor& value = c.input(1);
    return c.ModifyRef(0, [&](const Tensor& old, Tensor& out) -> Status {
      if (old.dtype() != dtype_) {
        return InvalidArgument("Trying to update variable with wrong dtype. Expected ",
                               DTypeName(dtype_), " got ", DTypeName(old.dtype()));
      }
      if (old.shape() != value.shape()) return WrongShape(c, old.shape(), value.shape());
      const int64_t n = old.num_elements();
      return LaunchForEach(c, kernel_, n, {old, value, out, Index{n}});
    });
  }

 private:
  Status WrongShape(KernelContext& c, const Shape& variable, const Shape& value) const {
    if (is_resource_) {
      return InvalidArgument("Cannot update variable with shape ", variable,
                             " using a Tensor with shape ", value,
                             ", shapes must be equal. (variable '", c.variable(0)->name(), "')");
    }
    return InvalidArgument("Parameters and update must be the same size: variable '",
                           c.variable(0)->name(), "' has shape ", variable,
                           ", the update has shape ", value);
  }

  const bool is_resource_;
  const DType dtype_;
  const KernelSpec kernel_;
};

template <DType dtype>
StatusOr<std::unique_ptr<Kernel>> MakeUpdate(const KernelNode& node) {
  return std::unique_ptr<Kernel>(std::make_unique<UpdateKernel>(node, dtype));
}

template <DType... dtypes>
void RegisterUpdate(std::string_view op, std::string_view type_attr) {
  (KernelRegistrar(op, {"GPU", type_attr, dtypes, &MakeUpdate<dtypes>, nullptr}), ...);
}

[[maybe_unused]] const bool assign_registered = [] {
  for (std::string_view op : {"AssignAdd", "AssignSub"}) {
    RegisterUpdate<kFloat, kHalf, kBFloat16, kDouble, kInt8, kInt16, kInt32, kInt64, kUInt8,
                   kUInt16, kUInt32, kUInt64>(op, "T");
  }
  for (std::string_view op : {"AssignAddVariableOp", "AssignSubVariableOp"}) {
    RegisterUpdate<kFloat, kHalf, kBFloat16, kDouble, kInt8, kInt16, kInt32, kInt64, kUInt8,
                   kUInt16, kUInt32, kUInt64>(op, "dtype");
  }
  return true;
}();

}  // namespace

std::vector<ProgramVariant> AssignVariants() {
  std::vector<ProgramVariant> all;
  for (DType dtype : kRealTypes) {
    for (bool adds : {false, true}) all.push_back({&kUpdate, UpdateDefinitions(dtype, adds)});
  }
  return all;
}

}  // namespace ramet::gpu
