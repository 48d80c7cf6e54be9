#include <algorithm>

#include "ramet/ops/string/map.h"

// Ops that join strings along dimensions or by segments.

namespace ramet {
namespace {

// Returns the dimensions named by `axes`, as non-negative numbers, in reverse order.
StatusOr<std::vector<int>> JoinedDims(const Tensor& axes, int rank) {
  std::vector<int> dims;
  for (const int32_t axis : axes.flat<int32_t>()) {
    const int64_t dim = axis < 0 ? int64_t{axis} + rank : axis;
    if (dim < 0 || dim >= rank) {
      return OutOfRange("Invalid reduction dimension ", axis, " for input with ", rank,
                        " dimension(s)");
    }
    if (std::ranges::find(dims, dim) != dims.end()) {
      return InvalidArgument("Duplicate reduction dimension ", axis);
    }
    dims.insert(dims.begin(), static_cast<int>(dim));
  }
  return dims;
}

// Iterates over dimensions, the last one fastest, and gives the offset of the current element in a
// tensor.
class Odometer {
 public:
  Odometer(const Shape& shape, const std::vector<int>& dims) : index_(dims.size(), 0) {
    for (const int d : dims) {
      int64_t stride = 1;
      for (int i = d + 1; i < shape.rank(); ++i) stride *= shape.dim(i);
      sizes_.push_back(shape.dim(d));
      strides_.push_back(stride);
      count_ *= shape.dim(d);
    }
  }
  int64_t count() const { return count_; }
  int64_t offset() const { return offset_; }
  void Next() {
    for (int d = static_cast<int>(sizes_.size()) - 1; d >= 0; --d) {
      offset_ += strides_[d];
      if (++index_[d] < sizes_[d]) return;
      offset_ -= sizes_[d] * strides_[d];
      index_[d] = 0;
    }
  }

 private:
  std::vector<int64_t> sizes_, strides_, index_;
  int64_t count_ = 1, offset_ = 0;
};

class ReduceJoinKernel final : public Kernel {
 public:
  ReduceJoinKernel(bool keep_dims, std::string separator)
      : keep_dims_(keep_dims), separator_(std::move(separator)) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<ReduceJoinKernel>(node.attrs->GetOr("keep_dims", false),
                                              node.attrs->GetOr<std::string>("separator", ""));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_ASSIGN_OR_RETURN(const std::vector<int> joined, JoinedDims(c.input(1), x.rank()));
    std::vector<int> kept;
    Shape shape;
    for (int d = 0; d < x.rank(); ++d) {
      const bool gone = std::ranges::find(joined, d) != joined.end();
      if (!gone) kept.push_back(d);
      if (!gone || keep_dims_) shape.Append(gone ? 1 : x.dim(d));
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, kString, shape));
    Odometer outer(x.shape(), kept);
    for (int64_t i = 0; i < y->num_elements(); ++i, outer.Next()) {
      Join(x, outer.offset(), Odometer(x.shape(), joined), &y->mutable_data<std::string>()[i]);
    }
    return OkStatus();
  }

 private:
  void Join(const Tensor& x, int64_t first, Odometer inner, std::string* out) const {
    for (int64_t i = 0; i < inner.count(); ++i, inner.Next()) {
      if (i > 0) *out += separator_;
      *out += x.data<std::string>()[first + inner.offset()];
    }
  }

  const bool keep_dims_;
  const std::string separator_;
};

Status ReduceJoinShape(ShapeContext& c) {
  const Shape& x = c.input(0);
  const Tensor* axes = c.constant(1);
  RAMET_ASSIGN_OR_RETURN(const bool keep_dims, c.attr<bool>("keep_dims"));
  if (x.unknown_rank()) return OkStatus();
  if (axes == nullptr) {
    if (keep_dims) c.set_output(0, Shape::OfRank(x.rank()));
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(const std::vector<int> joined, JoinedDims(*axes, x.rank()));
  Shape shape;
  for (int d = 0; d < x.rank(); ++d) {
    const bool gone = std::ranges::find(joined, d) != joined.end();
    if (!gone || keep_dims) shape.Append(gone ? 1 : x.dim(d));
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

template <class Id>
class SegmentJoinKernel final : public Kernel {
 public:
  explicit SegmentJoinKernel(std::string separator) : separator_(std::move(separator)) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<SegmentJoinKernel>(node.attrs->GetOr<std::string>("separator", ""));
  }

  Status Compute(KernelContext& c) override {
    const Tensor &x = c.input(0), &ids = c.input(1);
    RAMET_ASSIGN_OR_RETURN(const int64_t count, Count(c));
    RAMET_ASSIGN_OR_RETURN(const Shape rest, RestOf(x.shape(), ids.shape()));
    RAMET_RETURN_IF_ERROR(CheckIds(ids.flat<Id>(), count));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, kString, Shape{count}.Concatenate(rest)));
    const int64_t width = rest.num_elements();
    for (int64_t i = 0; i < ids.num_elements() && width > 0; ++i) {
      const int64_t id = ids.data<Id>()[i];
      for (int64_t k = 0; k < width; ++k) {
        std::string& out = y->mutable_data<std::string>()[id * width + k];
        if (!out.empty()) out += separator_;  // so empty strings at the front leave no separator
        out += x.data<std::string>()[i * width + k];
      }
    }
    return OkStatus();
  }

 private:
  static Status CheckIds(std::span<const Id> ids, int64_t count) {
    if (std::ranges::all_of(ids, [&](Id id) { return id >= 0 && id < count; })) return OkStatus();
    return InvalidArgument(
        "segment_ids are not allowed to exceed num_segments or to have negative values.");
  }
  static StatusOr<int64_t> Count(KernelContext& c) {
    RAMET_ASSIGN_OR_RETURN(const std::vector<int64_t> count, IntegerValues(c.input(2)));
    if (c.input(2).rank() != 0) {
      return InvalidArgument("Number of segments should be a scalar, found shape ",
                             c.input(2).shape());
    }
    if (count[0] < 0) return InvalidArgument("Number of segments should be non-negative");
    return count[0];
  }
  static StatusOr<Shape> RestOf(const Shape& x, const Shape& ids) {
    if (ids.rank() == 0) return InvalidArgument("Segment_id cannot have rank 0");
    if (ids.rank() > x.rank()) {
      return OutOfRange("Invalid segment_id rank ", ids.rank(), " for input with ", x.rank(),
                        " dimension(s)");
    }
    if (!(x.Slice(0, ids.rank()) == ids)) {
      return InvalidArgument("inputs of shape ", x, " must begin with the dimensions ", ids,
                             " of segment_ids");
    }
    return x.Slice(ids.rank(), x.rank());
  }

  const std::string separator_;
};

Status SegmentJoinShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  const Shape &x = c.input(0), &ids = c.input(1);
  if (x.unknown_rank() || ids.unknown_rank()) return OkStatus();
  if (ids.rank() > x.rank()) {
    return InvalidArgument("inputs of shape ", x, " must begin with the dimensions ", ids,
                           " of segment_ids");
  }
  int64_t count = Shape::kUnknownDim;
  if (const Tensor* known = c.constant(2)) {
    RAMET_ASSIGN_OR_RETURN(const std::vector<int64_t> values, IntegerValues(*known));
    if (values[0] < 0) return InvalidArgument("Number of segments should be non-negative");
    count = values[0];
  }
  c.set_output(0, Shape{count}.Concatenate(x.Slice(ids.rank(), x.rank())));
  return OkStatus();
}

RAMET_OP("ReduceJoin")
    .Input("inputs: string")
    .Input("reduction_indices: int32")
    .Output("output: string")
    .Attr("keep_dims: bool = false")
    .Attr("separator: string = ''")
    .Doc(
        "Joins the strings along the dimensions reduction_indices, the first one named fastest, "
        "with `separator` between them. The output has the shape of the inputs without these "
        "dimensions, or with size 1 in their place if keep_dims is true. Error: a dimension is out "
        "of range (kOutOfRange) or occurs twice.")
    .HostMemory({"reduction_indices"})
    .Shape(ReduceJoinShape)
    .NotDifferentiable()
    .CpuKernelClass<ReduceJoinKernel>();

RAMET_OP("UnsortedSegmentJoin")
    .Input("inputs: string")
    .Input("segment_ids: Tindices")
    .Input("num_segments: Tnumsegments")
    .Output("output: string")
    .Attr("separator: string = ''")
    .Attr("Tindices: {int32, int64}")
    .Attr("Tnumsegments: {int32, int64} = int32")
    .Doc(
        "Joins the strings of each segment in order, with `separator` between them. The output has "
        "the shape [num_segments] followed by the dimensions of the inputs that segment_ids does "
        "not have. Error: an id is outside [0, num_segments); num_segments is not a scalar or is "
        "negative; the shape of the inputs does not start with that of segment_ids.")
    .HostMemory({"num_segments"})
    .Shape(SegmentJoinShape)
    .CpuKernelClasses<SegmentJoinKernel, int32_t, int64_t>("Tindices");

}  // namespace
}  // namespace ramet
