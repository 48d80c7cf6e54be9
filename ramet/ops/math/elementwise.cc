#include "ramet/ops/math/elementwise.h"

#include "ramet/ops/math/types.h"

namespace ramet {
namespace {

using linalg::BinaryOp;
using linalg::BroadcastPlan;

Status NoValueError(BinaryOp op) {
  if (op == BinaryOp::kPow) {
    return InvalidArgument("Integers to negative integer powers are not allowed");
  }
  return InvalidArgument("Integer division by zero");
}

StatusOr<Tensor*> BinaryOutput(BinaryOp op, KernelContext& c, const Shape& shape) {
  const DType in = c.input(0).dtype();
  const DType out = FromLinalg(linalg::BinaryResultType(op, LinalgType(in)));
  if (out != in) return c.Allocate(0, out, shape);
  return c.ForwardOrAllocate(0, {0, 1}, out, shape);
}

Status ComputeFlat(BinaryOp op, KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& y = c.input(1);
  RAMET_ASSIGN_OR_RETURN(Tensor * z, BinaryOutput(op, c, x.shape()));
  const bool all = linalg::Binary(op, LinalgType(x.dtype()), x.raw_data(), y.raw_data(),
                                  z->raw_data(), z->num_elements());
  return all ? OkStatus() : NoValueError(op);
}

Status ComputePlanned(BinaryOp op, KernelContext& c, const BroadcastPlan& plan,
                      const Shape& shape) {
  RAMET_ASSIGN_OR_RETURN(Tensor * z, BinaryOutput(op, c, shape));
  const bool all = linalg::Binary(op, LinalgType(c.input(0).dtype()), plan, c.input(0).raw_data(),
                                  c.input(1).raw_data(), z->raw_data());
  return all ? OkStatus() : NoValueError(op);
}

}  // namespace

Status ComputeUnary(linalg::UnaryOp op, KernelContext& c) {
  const Tensor& x = c.input(0);
  const linalg::Type type = LinalgType(x.dtype());
  const DType out = FromLinalg(linalg::UnaryResultType(op, type));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, out == x.dtype() ? c.ForwardOrAllocate(0, {0}, out, x.shape())
                                                      : c.Allocate(0, out, x.shape()));
  if (!linalg::Unary(op, type, x.raw_data(), y->raw_data(), y->num_elements())) {
    return InvalidArgument("Integer division by zero");
  }
  return OkStatus();
}

Status ComputeBinary(BinaryOp op, KernelContext& c) {
  const Shape& x = c.input(0).shape();
  const Shape& y = c.input(1).shape();
  if (x == y) return ComputeFlat(op, c);
  if (y.rank() == 0) {
    return ComputePlanned(op, c, BroadcastPlan::ScalarRight(x.num_elements()), x);
  }
  if (x.rank() == 0) {
    return ComputePlanned(op, c, BroadcastPlan::ScalarLeft(y.num_elements()), y);
  }
  RAMET_ASSIGN_OR_RETURN(Shape z, BroadcastShapes(x, y));
  BroadcastPlan plan;
  if (!BroadcastPlan::Make(x.dims(), y.dims(), &plan)) {
    return InvalidArgument("the broadcast of ", x, " and ", y, " has too many elements");
  }
  return ComputePlanned(op, c, plan, z);
}

Status ComputePairs(BinaryOp op, KernelContext& c) {
  const int64_t n = c.input(0).num_elements();
  if (n != c.input(1).num_elements()) {
    return InvalidArgument(
        "The two arguments to a cwise op must have same number of elements, got ", n, " and ",
        c.input(1).num_elements());
  }
  return ComputeFlat(op, c);
}

Status ComputeSameShape(BinaryOp op, KernelContext& c) {
  if (c.input(0).shape() != c.input(1).shape()) {
    return InvalidArgument("Inputs must have the same size and shape.  Input 0: ",
                           c.input(0).shape(), " != input 1: ", c.input(1).shape());
  }
  return ComputeFlat(op, c);
}

}  // namespace ramet
