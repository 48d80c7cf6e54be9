#pragma once

#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"

namespace ramet {

// \error kInvalidArgument "indices[1,0] = 5 is not in [0, 3)", for element `at` of `indices`.
Status IndexOutside(const Tensor& indices, int64_t at, int64_t limit,
                    std::string_view name = "indices");
// "1,0": the coordinates of element `at` of a tensor of this shape.
std::string Coordinates(const Shape& shape, int64_t at);

// A copy of an integer tensor in `type` (kInt32 or kInt64), or the tensor itself where it has it.
StatusOr<Tensor> WithIndexType(const Tensor& indices, DType type);

// The element offsets that index tuples say: `indices` is [..., depth], each tuple an index into
// the first `depth` dimensions of `shape`; offsets[i] is that of tuple i in slices of the other
// dimensions. A NdIndex is a view: it borrows both.
class NdIndex {
 public:
  // \error kInvalidArgument if the tuples are longer than the shape's rank, or indices is a scalar.
  static StatusOr<NdIndex> Make(const Tensor& indices, const Shape& shape);

  int depth() const { return depth_; }
  int64_t num_tuples() const { return num_tuples_; }
  // Elements in each slice.
  int64_t slice_size() const { return slice_size_; }
  // The number of the slice (from 0) that tuple i says, or -1 if it is outside.
  int64_t operator()(int64_t i) const {
    int64_t offset = 0;
    for (int d = 0; d < depth_; ++d) {
      const int64_t at = IntegerAt(*indices_, i * depth_ + d);
      if (at < 0 || at >= dims_[d]) return -1;
      offset = offset * dims_[d] + at;
    }
    return offset;
  }
  // "indices[1] = [5, 0] does not index into TARGET [3,2]".
  Status Outside(int64_t i, std::string_view target, const Shape& shape) const;

 private:
  const Tensor* indices_ = nullptr;
  int depth_ = 0;
  int64_t num_tuples_ = 0, slice_size_ = 1;
  Dims dims_;
};

// A kernel of an op with the attr bad_indices_policy, whose work `compute` does; with
// `ignore_bad`, index tuples that are outside are passed over.
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
