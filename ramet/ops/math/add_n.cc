#include "ramet/linalg/elementwise.h"
#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/list/list_math.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

namespace ramet {
namespace {

Status CheckSameShape(KernelContext& c) {
  const Shape& first = c.input(0).shape();
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (c.input(i).shape() == first) continue;
    return InvalidArgument("Inputs to AddN must have the same size and shape.  Input 0: ", first,
                           " != input ", i, ": ", c.input(i).shape());
  }
  return OkStatus();
}

Status AddNOfVariants(KernelContext& c) {
  RAMET_RETURN_IF_ERROR(CheckSameShape(c));
  return AddVariants(c);
}

Status AddOnDevice(KernelContext& c, int64_t n, Tensor& sum) {
  if (n == 0) return OkStatus();
  RAMET_RETURN_IF_ERROR(AddRepeated(c.input(0), c.input(1), 1, sum));
  for (int i = 2; i < c.num_inputs(); ++i) {
    RAMET_RETURN_IF_ERROR(AddRepeated(sum, c.input(i), 1, sum));
  }
  return OkStatus();
}

template <class T>
Status AddNCompute(KernelContext& c) {
  const Tensor& first = c.input(0);
  RAMET_RETURN_IF_ERROR(CheckSameShape(c));
  if (c.num_inputs() == 1) {
    c.SetOutput(0, first);
    return OkStatus();
  }
  constexpr linalg::Type kType = linalg::TypeOf<T>;
  const int64_t n = first.num_elements();
  RAMET_ASSIGN_OR_RETURN(Tensor * sum,
                         c.ForwardOrAllocate(0, {0, 1}, first.dtype(), first.shape()));
  if (DeviceMath::Of(*sum) != nullptr) return AddOnDevice(c, n, *sum);
  linalg::Binary(linalg::BinaryOp::kAdd, kType, first.raw_data(), c.input(1).raw_data(),
                 sum->raw_data(), n);
  for (int i = 2; i < c.num_inputs(); ++i) {
    linalg::AddTo(kType, c.input(i).raw_data(), sum->raw_data(), n);
  }
  return OkStatus();
}

Status AddNGradient(GradientContext& c) {
  return c.Return(std::vector<Gradient>(c.num_inputs(), c.raw_grad()));
}

RAMET_OP("AddN")
    .Foldable()
    .Input("inputs: N * T")
    .Output("sum: T")
    .Attr("N: int >= 1")
    .Attr("T: {numbertype, variant}")
    .Commutative()
    .Aggregate()
    .Doc(
        "Returns the element-wise sum of all inputs, added in order; integers wrap. Error: the "
        "shapes of the inputs differ.")
    .Shape(MergedInputsShape)
    .Gradient(AddNGradient)
    .CpuKernels<RAMET_NUMBERS>([]<class T>(KernelContext& c) { return AddNCompute<T>(c); })
    .CpuKernel("T", DType::kVariant, AddNOfVariants);

Status AccumulateShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, c.attr<Shape>("shape"));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

RAMET_OP("AccumulateNV2")
    .Input("inputs: N * T")
    .Output("sum: T")
    .Attr("N: int >= 1")
    .Attr("T: numbertype")
    .Attr("shape: shape")
    .Commutative()
    .Aggregate()
    .Doc(
        "Returns the element-wise sum of all inputs, added in order; integers wrap. `shape` is the "
        "shape of all inputs. Error: the shapes of the inputs differ.")
    .Shape(AccumulateShape)
    .Gradient(AddNGradient)
    .CpuKernels<RAMET_NUMBERS>([]<class T>(KernelContext& c) { return AddNCompute<T>(c); });

}  // namespace
}  // namespace ramet
