#include "ramet/ops/dataset/slices.h"

#include <algorithm>
#include <cstring>

#include "ramet/ops/array/move.h"

namespace ramet {
namespace {

std::vector<int64_t> RowMajorStrides(const Shape& shape) {
  std::vector<int64_t> strides(shape.rank(), 1);
  for (int i = shape.rank() - 2; i >= 0; --i) strides[i] = strides[i + 1] * shape.dim(i + 1);
  return strides;
}

// Returns the shape that component k of all elements is padded to.
StatusOr<Shape> PaddedShape(std::span<const Element> elements, size_t k, const Shape& wanted) {
  Shape padded = wanted;
  if (wanted.unknown_rank()) padded = Shape::OfRank(elements[0][k].rank());
  for (int d = 0; d < padded.rank(); ++d) padded.set_dim(d, std::max<int64_t>(padded.dim(d), 0));
  for (const Element& element : elements) {
    const Shape& shape = element[k].shape();
    if (shape.rank() != padded.rank()) {
      return InvalidArgument(
          "All elements in a batch must have the same rank as the padded shape "
          "for component",
          k, ": expected rank ", padded.rank(), " but got element with rank ", shape.rank());
    }
    for (int d = 0; d < padded.rank(); ++d) {
      const bool is_open = wanted.unknown_rank() || wanted.dim(d) < 0;
      if (is_open) padded.set_dim(d, std::max(padded.dim(d), shape.dim(d)));
      if (shape.dim(d) > padded.dim(d)) {
        return DataLoss("Attempted to pad to a smaller size than the input element.");
      }
    }
  }
  return padded;
}

}  // namespace

StatusOr<Tensor> RowOf(const Tensor& t, int64_t i) {
  const Shape row = t.shape().Slice(1, t.rank());
  RAMET_ASSIGN_OR_RETURN(Tensor made, Tensor::Allocate(t.dtype(), row));
  const int64_t size = made.num_elements();
  CopyElements(t, i * size, made, 0, size);
  return made;
}

StatusOr<Element> Stack(std::span<const Element> elements) {
  Element stacked;
  const Element& first = elements[0];
  for (size_t k = 0; k < first.size(); ++k) {
    const Shape& shape = first[k].shape();
    RAMET_ASSIGN_OR_RETURN(
        Tensor all,
        Tensor::Allocate(first[k].dtype(), Shape{std::ssize(elements)}.Concatenate(shape)));
    const int64_t size = shape.num_elements();
    for (size_t i = 0; i < elements.size(); ++i) {
      if (elements[i][k].shape() != shape) {
        return InvalidArgument("Cannot batch tensors with different shapes in component ", k,
                               ". First element had shape ", shape, " and element ", i,
                               " had shape ", elements[i][k].shape(), ".");
      }
      if (elements[i][k].dtype() != all.dtype()) {
        return InvalidArgument("Cannot batch tensors with different dtypes in component ", k);
      }
      CopyElements(elements[i][k], 0, all, static_cast<int64_t>(i) * size, size);
    }
    stacked.push_back(std::move(all));
  }
  return stacked;
}

StatusOr<Element> StackPadded(std::span<const Element> elements, std::span<const Shape> shapes,
                              std::span<const Tensor> values) {
  Element stacked;
  for (size_t k = 0; k < elements[0].size(); ++k) {
    RAMET_ASSIGN_OR_RETURN(const Shape padded, PaddedShape(elements, k, shapes[k]));
    const DType dtype = elements[0][k].dtype();
    RAMET_ASSIGN_OR_RETURN(
        Tensor all, Tensor::Allocate(dtype, Shape{std::ssize(elements)}.Concatenate(padded)));
    RAMET_RETURN_IF_ERROR(FillWith(values[k], all));
    const std::vector<int64_t> to = RowMajorStrides(padded);
    for (size_t i = 0; i < elements.size(); ++i) {
      const Tensor& from = elements[i][k];
      if (from.dtype() != dtype) {
        return InvalidArgument("Cannot batch tensors with different dtypes in component ", k);
      }
      if (from.num_elements() == 0) continue;
      RAMET_RETURN_IF_ERROR(MoveStrided(from, 0, RowMajorStrides(from.shape()), all,
                                        static_cast<int64_t>(i) * padded.num_elements(), to,
                                        from.shape().dims()));
    }
    stacked.push_back(std::move(all));
  }
  return stacked;
}

}  // namespace ramet
