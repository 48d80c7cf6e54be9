#include "ramet/linalg/elementwise.h"
#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"

namespace ramet {
namespace {

Status CheckPermutation(const Dims& perm, int rank) {
  if (perm.size() != rank) {
    return InvalidArgument("transpose expects a vector of size ", rank,
                           ". But input(1) is a vector of size ", perm.size());
  }
  Dims seen(rank, 0);
  for (int64_t d : perm) {
    if (d < 0 || d >= rank) return InvalidArgument(d, " is out of range [0 .. ", rank, ")");
    seen[static_cast<int>(d)] = 1;
  }
  for (int d = 0; d < rank; ++d) {
    if (seen[d] == 0) return InvalidArgument(d, " is missing from {", StrJoin(perm, ","), "}.");
  }
  return OkStatus();
}

// Reports whether `perm` only moves dimensions of size 1, so that the elements stay in order.
bool KeepsOrder(const Shape& shape, const Dims& perm) {
  int64_t last = -1;
  for (int64_t d : perm) {
    if (shape.dim(static_cast<int>(d)) == 1) continue;
    if (d < last) return false;
    last = d;
  }
  return true;
}

Status TransposeInto(const Tensor& x, const Dims& perm, Tensor& y) {
  if (DeviceMath::Of(y) != nullptr) {
    const Dims dense = RowMajorStrides(x.shape().dims());
    Dims strides(perm.size(), 0);
    for (int d = 0; d < perm.size(); ++d) strides[d] = dense[static_cast<int>(perm[d])];
    const Dims y_dims(y.shape().dims());
    return MoveStrided(x, 0, strides, y, 0, RowMajorStrides(y_dims), y_dims);
  }
  std::array<int, Shape::kMaxRank> order;
  std::ranges::copy(perm, order.begin());
  return MoveElements(x, y, [&](int64_t width, const char* from, char* to) {
    linalg::Transpose(width, x.shape().dims(), std::span(order).first(perm.size()), from, to);
  });
}

Status TransposeOf(KernelContext& c, bool conjugate) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Dims perm, VectorArg(c.input(1), "perm"));
  for (int i = 0; i < perm.size(); ++i) {
    if (perm[i] < 0) perm[i] += x.rank();
  }
  RAMET_RETURN_IF_ERROR(CheckPermutation(perm, x.rank()));
  Shape shape = x.shape();
  for (int i = 0; i < perm.size(); ++i) shape.set_dim(i, x.dim(static_cast<int>(perm[i])));
  conjugate = conjugate && IsComplex(x.dtype());
  if (!conjugate && KeepsOrder(x.shape(), perm)) {
    c.SetOutput(0, x.Reshaped(std::move(shape)));
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), shape));
  if (y->num_elements() == 0) return OkStatus();
  RAMET_RETURN_IF_ERROR(TransposeInto(x, perm, *y));
  if (conjugate) {
    linalg::Unary(linalg::UnaryOp::kConj, LinalgType(x.dtype()), y->raw_data(), y->raw_data(),
                  y->num_elements());
  }
  return OkStatus();
}

Status Transpose(KernelContext& c) { return TransposeOf(c, false); }
Status ConjugateTranspose(KernelContext& c) { return TransposeOf(c, true); }

Status TransposeShape(ShapeContext& c) {
  const Shape& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(auto perm, KnownVector(c, 1));
  const int64_t length = c.input(1).unknown_rank() ? -1 : c.input(1).dim(0);
  if (x.unknown_rank() && length < 0) return OkStatus();
  if (length >= 0 && !x.unknown_rank() && length != x.rank()) {
    return InvalidArgument("transpose expects a vector of size ", x.rank(),
                           ". But input(1) is a vector of size ", length);
  }
  if (length > Shape::kMaxRank) {
    return InvalidArgument("perm has ", length, " elements, but a tensor has at most ",
                           Shape::kMaxRank, " dimensions");
  }
  const int rank = x.unknown_rank() ? static_cast<int>(length) : x.rank();
  Shape shape = Shape::OfRank(rank);
  if (perm) {
    // A dimension that occurs twice is an error of the kernel.
    for (int i = 0; i < rank; ++i) {
      const int64_t d = (*perm)[i];
      if (d < -rank || d >= rank) {
        return InvalidArgument("perm dim ", d, " is out of range of input rank ", rank);
      }
      if (!x.unknown_rank()) shape.set_dim(i, x.dim(static_cast<int>(d < 0 ? d + rank : d)));
    }
  }
  // The permutation of a vector or scalar changes nothing.
  if (rank < 2) shape = x;
  c.set_output(0, std::move(shape));
  return OkStatus();
}

template <bool conjugate>
Status TransposeGradient(GradientContext& c) {
  const Output inverse = c.Add("InvertPermutation", {c.input(1)});
  return c.Return(
      {c.Add(conjugate ? "ConjugateTranspose" : "Transpose", {c.grad(), inverse}, {}, "transpose"),
       Gradient()});
}

constexpr auto kInvertPermutation = []<class T>(KernelContext& c) -> Status {
  const Tensor& x = c.input(0);
  if (x.rank() != 1) {
    return InvalidArgument("invert_permutation expects a 1D vector. x has shape ", x.shape());
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), x.shape()));
  const int64_t n = x.num_elements();
  std::span<T> inverse = y->mutable_flat<T>();
  std::ranges::fill(inverse, T{-1});
  for (int64_t i = 0; i < n; ++i) {
    const T d = x.data<T>()[i];
    if (d < 0 || d >= n) return InvalidArgument(d, " is not between 0 and ", n);
    if (inverse[d] != -1) return InvalidArgument(d, " is duplicated in the input.");
    inverse[d] = static_cast<T>(i);
  }
  return OkStatus();
};

Status InvertPermutationShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRank(0, 1));
  c.set_output(0, std::move(x));
  return OkStatus();
}

}  // namespace

RAMET_OP("Transpose")
    .Foldable()
    .Input("x: T")
    .Input("perm: Tperm")
    .Output("y: T")
    .Attr("T: type")
    .Attr("Tperm: {int32, int64} = DT_INT32")
    .Doc(
        "Returns `x` with its dimensions permuted: dimension i of y is dimension perm[i] of x. "
        "Error: `perm` is not a permutation of 0 .. rank - 1.")
    .HostMemory({"perm"})
    .Shape(TransposeShape)
    .Gradient(TransposeGradient<false>)
    .CpuKernel(Transpose);

RAMET_OP("ConjugateTranspose")
    .Foldable()
    .Input("x: T")
    .Input("perm: Tperm")
    .Output("y: T")
    .Attr("T: type")
    .Attr("Tperm: {int32, int64} = DT_INT32")
    .Doc("Like Transpose, but with the complex conjugates of the elements.")
    .HostMemory({"perm"})
    .Shape(TransposeShape)
    .Gradient(TransposeGradient<true>)
    .CpuKernel(ConjugateTranspose);

RAMET_OP("InvertPermutation")
    .Foldable()
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {int32, int64} = DT_INT32")
    .Doc(
        "Returns the inverse of the permutation `x`, a vector: y[x[i]] = i. Error: `x` is not a "
        "vector or not a permutation of 0 .. n - 1.")
    .HostMemory({"x", "y"})
    .Shape(InvertPermutationShape)
    .NotDifferentiable()
    .CpuKernels<int32_t, int64_t>(kInvertPermutation);

}  // namespace ramet
