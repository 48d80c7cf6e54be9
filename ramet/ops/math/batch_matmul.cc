#include "ramet/linalg/broadcast.h"
#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/math/batch_product.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

// Products of stacks of matrices, [..., m, k] x [..., k, n].

namespace ramet {
namespace {

using linalg::BroadcastPlan;

Shape BatchOf(const Shape& s) { return s.Slice(0, s.rank() - 2); }

class BatchMatMulKernel final : public Kernel {
 public:
  explicit BatchMatMulKernel(const KernelNode& node)
      : broadcasts_(node.op != "BatchMatMul"),
        adj_x_(node.attrs->GetOr("adj_x", false)),
        adj_y_(node.attrs->GetOr("adj_y", false)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<BatchMatMulKernel>(node));
  }

  Status Compute(KernelContext& c) override {
    const Shape& x = c.input(0).shape();
    const Shape& y = c.input(1).shape();
    RAMET_RETURN_IF_ERROR(CheckRanks(x, y));
    RAMET_ASSIGN_OR_RETURN(Shape z, BatchShape(x, y));
    const int64_t m = x.dim(x.rank() - (adj_x_ ? 1 : 2)), k = x.dim(x.rank() - (adj_x_ ? 2 : 1));
    const int64_t n = y.dim(y.rank() - (adj_y_ ? 2 : 1));
    if (k != y.dim(y.rank() - (adj_y_ ? 1 : 2))) {
      return InvalidArgument("Matrix size-incompatible: In[0]: ", x, ", In[1]: ", y);
    }
    z.Append(m);
    z.Append(n);
    RAMET_ASSIGN_OR_RETURN(Tensor * out, c.Allocate(0, c.input(0).dtype(), z));
    if (out->num_elements() == 0) return OkStatus();
    BroadcastPlan plan;
    BroadcastPlan::Make(x.dims().first(x.rank() - 2), y.dims().first(y.rank() - 2), &plan);
    if (const DeviceMath* math = DeviceMath::Of(*out)) {
      return math->Multiply({m, n, k, adj_x_, adj_y_}, plan, c.input(0), c.input(1), *out);
    }
    const bool complex = IsComplex(out->dtype());
    MultiplyBatches({.type = LinalgType(out->dtype()),
                     .transpose_x = adj_x_,
                     .transpose_y = adj_y_,
                     .conjugate_x = complex && adj_x_,
                     .conjugate_y = complex && adj_y_,
                     .m = m,
                     .n = n,
                     .k = k,
                     .x = Bytes(c.input(0)),
                     .y = Bytes(c.input(1)),
                     .z = static_cast<char*>(out->raw_data())},
                    plan);
    return OkStatus();
  }

 private:
  static const char* Bytes(const Tensor& t) { return static_cast<const char*>(t.raw_data()); }

  Status CheckRanks(const Shape& x, const Shape& y) const {
    if (!broadcasts_ && x.rank() != y.rank()) {
      return InvalidArgument("In[0] and In[1] has different ndims: ", x, " vs. ", y);
    }
    for (int i = 0; i < 2; ++i) {
      const Shape& s = i == 0 ? x : y;
      if (s.rank() < 2) return InvalidArgument("In[", i, "] ndims must be >= 2: ", s.rank());
    }
    return OkStatus();
  }

  StatusOr<Shape> BatchShape(const Shape& x, const Shape& y) const {
    if (broadcasts_) {
      auto batch = BroadcastShapes(BatchOf(x), BatchOf(y));
      if (batch.ok()) return batch;
      return InvalidArgument("In[0] and In[1] must have compatible batch dimensions: ", x, " vs. ",
                             y);
    }
    for (int d = 0; d < x.rank() - 2; ++d) {
      if (x.dim(d) == y.dim(d)) continue;
      return InvalidArgument("In[0].dim(", d, ") and In[1].dim(", d, ") must be the same: ", x,
                             " vs ", y);
    }
    return BatchOf(x);
  }

  const bool broadcasts_;
  const bool adj_x_;
  const bool adj_y_;
};

template <class T>
using BatchMatMulKernelOf = BatchMatMulKernel;

template <bool kBroadcasts>
Status BatchMatMulShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRankAtLeast(0, 2));
  RAMET_ASSIGN_OR_RETURN(Shape y, c.WithRankAtLeast(1, 2));
  RAMET_ASSIGN_OR_RETURN(bool adj_x, c.attr<bool>("adj_x"));
  RAMET_ASSIGN_OR_RETURN(bool adj_y, c.attr<bool>("adj_y"));
  if (x.unknown_rank() || y.unknown_rank()) return OkStatus();
  const int64_t k_x = x.dim(x.rank() - (adj_x ? 2 : 1)), k_y = y.dim(y.rank() - (adj_y ? 1 : 2));
  if (k_x >= 0 && k_y >= 0 && k_x != k_y) {
    return InvalidArgument("Dimensions must be equal, but are ", k_x, " and ", k_y,
                           " (the inputs have shapes ", x, " and ", y, ")");
  }
  RAMET_ASSIGN_OR_RETURN(Shape z, kBroadcasts ? BroadcastShapes(BatchOf(x), BatchOf(y))
                                              : BatchOf(x).MergeWith(BatchOf(y)));
  if (!z.unknown_rank()) {
    z.Append(x.dim(x.rank() - (adj_x ? 1 : 2)));
    z.Append(y.dim(y.rank() - (adj_y ? 2 : 1)));
  }
  c.set_output(0, std::move(z));
  return OkStatus();
}

struct OperandGradients {
  Output x, y;
};

StatusOr<OperandGradients> ProductGradients(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(bool adj_x, c.attr<bool>("adj_x"));
  RAMET_ASSIGN_OR_RETURN(bool adj_y, c.attr<bool>("adj_y"));
  Output grad = c.grad(), x = c.input(0), y = c.input(1);
  auto product = [&](Output a, Output b, bool adj_a, bool adj_b, const char* role) {
    return c.Add("BatchMatMulV2", {a, b}, {{"adj_x", adj_a}, {"adj_y", adj_b}, {role, true}},
                 "MatMul");
  };
  OperandGradients g;
  g.x = adj_x ? product(y, grad, adj_y, true, "grad_x") : product(grad, y, false, !adj_y, "grad_x");
  g.y = adj_y ? product(grad, x, true, adj_x, "grad_y") : product(x, grad, !adj_x, false, "grad_y");
  return g;
}

Status BatchMatMulGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(OperandGradients g, ProductGradients(c));
  return c.Return({g.x, g.y});
}

// Reports whether the static shapes show that no batch dimension is broadcast.
bool BatchesMatch(const Shape& x, const Shape& y) {
  if (x.unknown_rank() || y.unknown_rank()) return false;
  if (x.rank() <= 2 && y.rank() <= 2) return true;
  const Shape batch = BatchOf(x);
  return batch.IsFullyDefined() && batch == BatchOf(y);
}

Status BatchMatMulV2Gradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(OperandGradients g, ProductGradients(c));
  if (BatchesMatch(c.input(0).shape(), c.input(1).shape())) return c.Return({g.x, g.y});
  Output x_shape = ShapeOf(c, c.input(0)), y_shape = ShapeOf(c, c.input(1));
  Output x_batch = SliceOf(c, x_shape, 0, -2), y_batch = SliceOf(c, y_shape, 0, -2);
  Operation axes = c.AddOperation("BroadcastGradientArgs", {x_batch, y_batch});
  if (!axes.valid()) return NoGradient(c);
  Output x_sum = c.Add("Sum", {g.x, axes.output(0)});
  Output x_grad = Reshape(c, x_sum, x_shape);
  Output y_sum = c.Add("Sum", {g.y, axes.output(1)});
  return c.Return({x_grad, Reshape(c, y_sum, y_shape)});
}

RAMET_OP("BatchMatMul")
    .Input("x: T")
    .Input("y: T")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
    .Attr("adj_x: bool = false")
    .Attr("adj_y: bool = false")
    .Attr("grad_x: bool = false")
    .Attr("grad_y: bool = false")
    .Doc(
        "Returns the products [..., m, n] of corresponding matrices in x, [..., m, k], and y, "
        "[..., k, n]. adj_x and adj_y use the adjoint (conjugate transpose) of each matrix. grad_x "
        "and grad_y only mark the node as a gradient. Error: the ranks differ or are below 2; the "
        "leading dimensions or the inner dimensions differ.")
    .Shape(BatchMatMulShape<false>)
    .Gradient(BatchMatMulGradient)
    .CpuKernelClasses<BatchMatMulKernelOf, RAMET_FLOATS, int32_t, int64_t, RAMET_COMPLEX>();

RAMET_OP("BatchMatMulV2")
    .Input("x: T")
    .Input("y: T")
    .Output("output: T")
    .Attr(
        "T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, uint64, "
        "complex64, complex128}")
    .Attr("adj_x: bool = false")
    .Attr("adj_y: bool = false")
    .Attr("grad_x: bool = false")
    .Attr("grad_y: bool = false")
    .Doc(
        "Returns the products [..., m, n] of the matrices in x, [..., m, k], and y, [..., k, n]; "
        "the leading dimensions broadcast. adj_x and adj_y use the adjoint (conjugate transpose) "
        "of each matrix. grad_x and grad_y only mark the node as a gradient. Error: a rank is "
        "below 2; the leading dimensions do not broadcast; the inner dimensions differ.")
    .Shape(BatchMatMulShape<true>)
    .Gradient(BatchMatMulV2Gradient)
    .CpuKernelClasses<BatchMatMulKernelOf, RAMET_FLOATS, int16_t, int32_t, int64_t, RAMET_UNSIGNED,
                      RAMET_COMPLEX>();

}  // namespace
}  // namespace ramet
