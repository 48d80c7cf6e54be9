#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"

namespace ramet {
namespace {

Status CheckUnravel(const Tensor& indices, const Tensor& dims) {
  if (indices.rank() > 1) {
    return InvalidArgument("The indices can only be scalar or vector, got \"", indices.shape(),
                           "\"");
  }
  if (dims.rank() != 1) {
    return InvalidArgument("The indices can only be 1-D, got \"", dims.shape(), "\"");
  }
  for (int64_t d = 0; d < dims.dim(0); ++d) {
    if (IntegerAt(dims, d) > 0) continue;
    if (IntegerAt(dims, d) < 0) {
      return InvalidArgument("Input dims cannot be negative. Got dim = ", IntegerAt(dims, d),
                             " at index ", d);
    }
    return InvalidArgument(
        "Input dims cannot contain a dim of zero, but dims contains zero at "
        "index ",
        d);
  }
  if (indices.num_elements() > 0) return OkStatus();
  return InvalidArgument("received empty tensor indices: ", indices.ToString());
}

// Returns the number of positions below `dims`.
// \error kInvalidArgument: it overflows the index type.
template <class T>
StatusOr<T> PositionsBelow(std::span<const T> dims) {
  T size = 1;
  for (const T d : dims) {
    if (__builtin_mul_overflow(size, d, &size)) {
      return InvalidArgument("dims product is out of bounds");
    }
  }
  return size;
}

template <class T>
Status UnravelIndex(KernelContext& c) {
  const Tensor &indices = c.input(0), &dims = c.input(1);
  RAMET_RETURN_IF_ERROR(CheckUnravel(indices, dims));
  RAMET_ASSIGN_OR_RETURN(const T size, PositionsBelow(dims.flat<T>()));
  for (const T index : indices.flat<T>()) {
    if (index >= size) return InvalidArgument("index is out of bound as with dims");
  }
  const int64_t rank = dims.dim(0), count = indices.num_elements();
  const Shape shape = indices.rank() == 0 ? Shape{rank} : Shape{rank, count};
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, indices.dtype(), shape));
  T* out = y->mutable_data<T>();
  for (int64_t i = 0; i < count; ++i) {
    T rest = indices.data<T>()[i];
    for (int64_t d = rank - 1; d >= 0; --d) {
      const T dim = dims.data<T>()[d];
      out[d * count + i] = rest % dim;
      rest /= dim;
    }
  }
  return OkStatus();
}

Status UnravelIndexShape(ShapeContext& c) {
  const Shape& indices = c.input(0);
  RAMET_ASSIGN_OR_RETURN(const Shape dims, c.WithRank(1, 1));
  if (indices.rank() == 0) c.set_output(0, Shape{dims.dim(0)});
  if (indices.rank() == 1) c.set_output(0, Shape{dims.dim(0), indices.dim(0)});
  return OkStatus();
}

RAMET_OP("UnravelIndex")
    .Input("indices: Tidx")
    .Input("dims: Tidx")
    .Output("output: Tidx")
    .Attr("Tidx: {int32, int64} = int32")
    .Doc(
        "Returns the coordinates of positions in a row-major tensor of shape dims, a vector: "
        "[rank] for a scalar, [rank, n] for a vector of n positions. Error: dims is not a vector "
        "or contains 0 or less; a position is out of range; `indices` is empty.")
    .Shape(UnravelIndexShape)
    .CpuKernels<int32_t, int64_t>([]<class T>(KernelContext& c) { return UnravelIndex<T>(c); },
                                  "Tidx");

}  // namespace
}  // namespace ramet
