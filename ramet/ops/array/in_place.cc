#include <algorithm>

#include "ramet/linalg/elementwise.h"
#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"
#include "ramet/ops/math/types.h"

// InplaceUpdate, InplaceAdd and InplaceSub change rows of a tensor; Empty allocates one.

namespace ramet {
namespace {

Status CheckRowUpdate(const Tensor& x, const Tensor& rows, const Tensor& v) {
  if (rows.rank() != 1) return InvalidArgument("i must be a vector. ", rows.shape());
  if (x.rank() != v.rank() || x.rank() == 0) {
    return InvalidArgument("x and v shape doesn't match (ranks differ): ", x.shape(), " vs. ",
                           v.shape());
  }
  for (int d = 1; d < x.rank(); ++d) {
    if (x.dim(d) == v.dim(d)) continue;
    return InvalidArgument("x and v shape doesn't match at index ", d, " : ", x.shape(), " vs. ",
                           v.shape());
  }
  if (rows.dim(0) == v.dim(0)) return OkStatus();
  return InvalidArgument("i and x shape doesn't match at index 0: ", rows.shape(), " vs. ",
                         v.shape());
}

// Calls change(row of y, row of v, elements) for each index, in order. Indices wrap around.
template <class T, class Change>
Status ChangeRows(KernelContext& c, const Change& change) {
  const Tensor &x = c.input(0), &rows = c.input(1), &v = c.input(2);
  RAMET_RETURN_IF_ERROR(CheckRowUpdate(x, rows, v));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
  if (y->raw_data() != x.raw_data()) RAMET_RETURN_IF_ERROR(CopyAll(x, *y));
  if (x.num_elements() == 0 || v.num_elements() == 0) return OkStatus();
  const int64_t count = x.dim(0), size = x.num_elements() / count;
  auto* const out = static_cast<T*>(y->raw_data());
  const auto* from = static_cast<const T*>(v.raw_data());
  for (const int32_t index : rows.flat<int32_t>()) {
    const int64_t row = (index % count + count) % count;
    change(out + row * size, from, size);
    from += size;
  }
  return OkStatus();
}

Status UpdateRows(KernelContext& c) {
  return DispatchElement(c.input(0).dtype(), [&]<class T>() -> Status {
    return ChangeRows<T>(c, [](T* y, const T* v, int64_t n) { std::copy_n(v, n, y); });
  });
}

template <class T>
Status CombineRows(KernelContext& c, linalg::BinaryOp op) {
  return ChangeRows<T>(
      c, [op](T* y, const T* v, int64_t n) { linalg::Binary(op, linalg::TypeOf<T>, y, v, y, n); });
}

class EmptyKernel final : public Kernel {
 public:
  explicit EmptyKernel(DType dtype) : dtype_(dtype) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const DType dtype, node.attrs->Get<DType>("dtype"));
    return std::unique_ptr<Kernel>(std::make_unique<EmptyKernel>(dtype));
  }

  // The elements are always zeros, so that no program sees old memory.
  Status Compute(KernelContext& c) override {
    const Tensor& dims = c.input(0);
    if (dims.rank() != 1) {
      return InvalidArgument("shape must be a vector of int32, got shape ", dims.shape());
    }
    for (const int32_t dim : dims.flat<int32_t>()) {
      if (dim < 0) return InvalidArgument("Dimension ", dim, " must be >= 0");
    }
    RAMET_ASSIGN_OR_RETURN(const Shape shape, ShapeArg(dims, "shape"));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, dtype_, shape));
    return FillZeros(*y);
  }

 private:
  const DType dtype_;
};

#define RAMET_ROW_OP(name) \
  RAMET_OP(name).Input("x: T").Input("i: int32").Input("v: T").Output("y: T").Attr("T: type")

RAMET_ROW_OP("InplaceUpdate")
    .Doc(
        "Returns x with the rows `i` replaced by the rows of v. Indices wrap around. An x without "
        "rows stays. Error: `i` is not a vector; the numbers or shapes of the rows differ.")
    .HostMemory({"i"})
    .Shape(UnchangedShape)
    .CpuKernel(UpdateRows);
RAMET_ROW_OP("InplaceAdd")
    .Doc(
        "Returns x with the rows of v added to the rows `i`. A row may be named several times. "
        "Error: the same as InplaceUpdate.")
    .HostMemory({"i"})
    .Shape(UnchangedShape)
    .CpuKernels<RAMET_NUMBERS>([]<class T>(KernelContext& c) {
      return CombineRows<T>(c, linalg::BinaryOp::kAdd);
    });
RAMET_ROW_OP("InplaceSub")
    .Doc(
        "Returns x with the rows of v subtracted from the rows `i`. Error: the same as "
        "InplaceUpdate.")
    .HostMemory({"i"})
    .Shape(UnchangedShape)
    .CpuKernels<RAMET_NUMBERS>([]<class T>(KernelContext& c) {
      return CombineRows<T>(c, linalg::BinaryOp::kSub);
    });

RAMET_OP("Empty")
    .Input("shape: int32")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("init: bool = false")
    .Stateful()
    .HostMemory({"shape"})
    .Doc(
        "Returns a tensor of the given shape. Its elements are zeros, or empty strings, with and "
        "without `init`. Error: `shape` is not a vector or has a negative element.")
    .Shape(ShapeFromInput<0>)
    .CpuKernelClass<EmptyKernel>();

}  // namespace
}  // namespace ramet
