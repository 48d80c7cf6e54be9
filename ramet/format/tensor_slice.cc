#include "ramet/format/tensor_slice.h"

#include <algorithm>
#include <cstring>

namespace ramet {
namespace {

StatusOr<TensorSlice::Extent> ParseExtent(std::string_view item, std::string_view text) {
  if (item == "-") return TensorSlice::Extent();
  TensorSlice::Extent extent;
  const std::vector<std::string_view> parts = StrSplit(item, ',');
  if (parts.size() != 2 || !ParseInt64(parts[0], &extent.start) ||
      !ParseInt64(parts[1], &extent.length)) {
    return InvalidArgument("Expected a pair of numbers or '-' but got '", item,
                           "': string = ", text);
  }
  if (extent.start < 0 || extent.length <= 0) {
    return InvalidArgument("Expected non-negative start and positive length but got start = ",
                           extent.start, ", length = ", extent.length, ": string = ", text);
  }
  return extent;
}

// Computes the intersection of two slices in coordinates of the tensor. Returns false if it is
// empty.
bool Intersect(const TensorSlice& a, const TensorSlice& b,
               std::vector<TensorSlice::Extent>* common) {
  common->clear();
  for (int d = 0; d < a.rank(); ++d) {
    const auto& x = a.extent(d);
    const auto& y = b.extent(d);
    const int64_t start = std::max(x.start, y.start);
    const int64_t end = std::min(x.start + x.length, y.start + y.length);
    if (end <= start) return false;
    common->push_back({start, end - start});
  }
  return true;
}

std::vector<int64_t> Strides(const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()), 1);
  for (int d = shape.rank() - 2; d >= 0; --d) strides[d] = strides[d + 1] * shape.dim(d + 1);
  return strides;
}

int64_t OffsetOf(const std::vector<TensorSlice::Extent>& box, const TensorSlice& slice,
                 const std::vector<int64_t>& strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < box.size(); ++d) {
    offset += (box[d].start - slice.extent(static_cast<int>(d)).start) * strides[d];
  }
  return offset;
}

void CopyElements(const Tensor& from, int64_t from_index, Tensor* to, int64_t to_index, int64_t n) {
  if (from.dtype() == DType::kString) {
    std::copy_n(from.data<std::string>() + from_index, n,
                to->mutable_data<std::string>() + to_index);
    return;
  }
  const int64_t size = static_cast<int64_t>(DTypeSize(from.dtype()));
  std::memcpy(static_cast<char*>(to->raw_data()) + to_index * size,
              static_cast<const char*>(from.raw_data()) + from_index * size,
              static_cast<size_t>(n * size));
}

}  // namespace

StatusOr<TensorSlice> TensorSlice::Parse(std::string_view text) {
  std::vector<Extent> extents;
  for (std::string_view item : StrSplit(text, ':')) {
    if (item.empty()) continue;
    RAMET_ASSIGN_OR_RETURN(Extent extent, ParseExtent(item, text));
    extents.push_back(extent);
  }
  return TensorSlice(std::move(extents));
}

StatusOr<Shape> TensorSlice::ShapeIn(const Shape& full) const {
  if (full.rank() != rank()) {
    return Internal("Mismatching ranks: shape = ", full, ", slice = ", *this);
  }
  Shape shape = full;
  for (int d = 0; d < rank(); ++d) {
    const Extent& e = extents_[d];
    if (e.whole()) continue;
    if (e.start < 0 || e.length < 0 || e.length > full.dim(d) || e.start > full.dim(d) - e.length) {
      return Internal("Extent in dimension ", d, " out of bounds: shape = ", full,
                      ", slice = ", *this);
    }
    shape.set_dim(d, e.length);
  }
  return shape;
}

TensorSlice TensorSlice::Explicit(const Shape& full) const {
  TensorSlice slice = *this;
  for (int d = 0; d < rank(); ++d) {
    if (slice.extents_[d].whole()) slice.extents_[d] = {0, full.dim(d)};
  }
  return slice;
}

bool TensorSlice::Covers(const Shape& full) const {
  for (int d = 0; d < rank(); ++d) {
    if (!extents_[d].whole() && extents_[d].length != full.dim(d)) return false;
  }
  return true;
}

std::string TensorSlice::ToString() const {
  std::string text;
  for (const Extent& e : extents_) {
    if (!text.empty()) text += ':';
    text += e.whole() ? "-" : StrCat(e.start, ",", e.length);
  }
  return text;
}

StatusOr<ShapeAndSlice> ParseShapeAndSlice(std::string_view spec) {
  std::vector<std::string_view> parts = StrSplit(spec, ' ');
  if (parts.size() < 2) {
    return InvalidArgument("Need least two elements in shape_and_slice specification: ", spec);
  }
  ShapeAndSlice result;
  RAMET_ASSIGN_OR_RETURN(result.slice, TensorSlice::Parse(parts.back()));
  parts.pop_back();
  std::vector<int64_t> dims;
  for (std::string_view part : parts) {
    int64_t dim;
    if (!ParseInt64(part, &dim)) {
      return InvalidArgument("Non numerical dimension in shape_and_slice: ", spec);
    }
    if (dim < 0) return InvalidArgument("Negative dimension in shape_and_slice: ", spec);
    dims.push_back(dim);
  }
  RAMET_ASSIGN_OR_RETURN(result.full_shape, Shape::Make(dims));
  RAMET_ASSIGN_OR_RETURN(result.slice_shape, result.slice.ShapeIn(result.full_shape));
  return result;
}

void CopyOverlap(const Tensor& from, const TensorSlice& from_slice, const TensorSlice& to_slice,
                 Tensor* to) {
  std::vector<TensorSlice::Extent> box;
  if (!Intersect(from_slice, to_slice, &box)) return;
  const std::vector<int64_t> from_strides = Strides(from.shape());
  const std::vector<int64_t> to_strides = Strides(to->shape());
  int64_t from_at = OffsetOf(box, from_slice, from_strides);
  int64_t to_at = OffsetOf(box, to_slice, to_strides);
  const int outer = static_cast<int>(box.size()) - 1;
  const int64_t row = outer >= 0 ? box[outer].length : 1;
  std::vector<int64_t> index(box.size(), 0);
  while (true) {
    CopyElements(from, from_at, to, to_at, row);
    int d = outer - 1;
    for (; d >= 0; --d) {
      from_at += from_strides[d];
      to_at += to_strides[d];
      if (++index[d] < box[d].length) break;
      from_at -= from_strides[d] * box[d].length;
      to_at -= to_strides[d] * box[d].length;
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

}  // namespace ramet
