#pragma once

#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"

namespace ramet {

// Returns the error for an out-of-range element `at` of `indices`.
// \error kInvalidArgument: "indices[1,0] = 5 is not in [0, 3)".
Status IndexOutside(const Tensor& indices, int64_t at, int64_t limit,
                    std::string_view name = "indices");
// Returns the coordinates of element `at` of a tensor of this shape, such as "1,0".
std::string Coordinates(const Shape& shape, int64_t at);

// Returns an integer tensor converted to `type` (kInt32 or kInt64), or the tensor itself if it
// already has that dtype.
StatusOr<Tensor> WithIndexType(const Tensor& indices, DType type);

// Maps index tuples to slices of a tensor. `indices` is [..., depth]; each tuple indexes the first
// `depth` dimensions of `shape` and selects a slice of the remaining dimensions. An NdIndex is a
// view of both arguments.
class NdIndex {
 public:
  // \error kInvalidArgument: `indices` is a scalar, or its tuples are longer than the shape's rank.
  static StatusOr<NdIndex> Make(const Tensor& indices, const Shape& shape);

  int depth() const { return depth_; }
  int64_t num_tuples() const { return num_tuples_; }
  // Returns the number of elements in each slice.
  int64_t slice_size() const { return slice_size_; }
  // Returns the number of slices in the shape.
  int64_t num_slices() const {
    int64_t slices = 1;
    for (int64_t d : dims_) slices *= d;
    return slices;
  }
  const Tensor& tuples() const { return *indices_; }
  // Returns the dimensions that the tuples index.
  const Dims& dims() const { return dims_; }
  // Returns the number (from 0) of the slice that tuple i selects, or -1 if the tuple is out of
  // range.
  int64_t operator()(int64_t i) const {
    int64_t offset = 0;
    for (int d = 0; d < depth_; ++d) {
      const int64_t at = IntegerAt(*indices_, i * depth_ + d);
      if (at < 0 || at >= dims_[d]) return -1;
      offset = offset * dims_[d] + at;
    }
    return offset;
  }
  // Returns the error "indices[1] = [5, 0] does not index into TARGET [3,2]".
  Status Outside(int64_t i, std::string_view target, const Shape& shape) const;

 private:
  const Tensor* indices_ = nullptr;
  int depth_ = 0;
  int64_t num_tuples_ = 0, slice_size_ = 1;
  Dims dims_;
};

// The kernel of an op with the attr bad_indices_policy; `compute` does the work. If `ignore_bad` is
// true, index tuples that are out of range are skipped.
template <Status (*compute)(KernelContext& c, bool ignore_bad)>
class PolicyKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const std::string policy = node.attrs->GetOr<std::string>("bad_indices_policy", "");
    if (policy != "" && policy != "DEFAULT" && policy != "ERROR" && policy != "IGNORE") {
      return InvalidArgument("bad_indices_policy must be \"\", DEFAULT, ERROR or IGNORE, but is \"",
                             policy, "\"");
    }
    return std::make_unique<PolicyKernel>(policy == "IGNORE");
  }
  explicit PolicyKernel(bool ignore_bad) : ignore_bad_(ignore_bad) {}
  Status Compute(KernelContext& c) override { return compute(c, ignore_bad_); }

 private:
  const bool ignore_bad_;
};

}  // namespace ramet
