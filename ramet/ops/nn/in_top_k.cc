#include <cmath>

#include "ramet/op/op.h"
#include "ramet/ops/math/types.h"

namespace ramet {
namespace {

// Reports whether fewer than k predictions of a row are above that of the target. Returns false if
// the target is not a valid class or a prediction that must be compared is not finite.
bool InTop(const float* row, int64_t classes, int64_t target, int64_t k) {
  if (target < 0 || target >= classes || !std::isfinite(row[target])) return false;
  int64_t above = 0;
  for (int64_t i = 0; i < classes; ++i) {
    if (!std::isfinite(row[i])) return false;
    if (row[i] > row[target] && ++above > k) return false;
  }
  return above < k;
}

template <class T>
Status InTopKCompute(KernelContext& c, int64_t k) {
  const Tensor& predictions = c.input(0);
  const Tensor& targets = c.input(1);
  if (predictions.rank() != 2) return InvalidArgument("predictions must be 2-dimensional");
  if (targets.rank() != 1) return InvalidArgument("targets must be 1-dimensional");
  const int64_t rows = predictions.dim(0), classes = predictions.dim(1);
  if (rows != targets.dim(0)) {
    return InvalidArgument("First dimension of predictions ", rows,
                           " must match length of targets ", targets.dim(0));
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * precision, c.Allocate(0, kBool, targets.shape()));
  const float* row = predictions.data<float>();
  for (int64_t r = 0; r < rows; ++r, row += classes) {
    precision->mutable_data<bool>()[r] = InTop(row, classes, targets.data<T>()[r], k);
  }
  return OkStatus();
}

template <class T>
class InTopKKernel final : public Kernel {
 public:
  explicit InTopKKernel(int64_t k) : k_(k) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(int64_t k, node.attrs->Get<int64_t>("k"));
    return std::unique_ptr<Kernel>(std::make_unique<InTopKKernel>(k));
  }
  Status Compute(KernelContext& c) override { return InTopKCompute<T>(c, k_); }

 private:
  const int64_t k_;
};

template <class T>
Status InTopKV2Compute(KernelContext& c) {
  if (c.input(2).rank() != 0) {
    return InvalidArgument("k must be 0-D, got shape ", c.input(2).shape());
  }
  return InTopKCompute<T>(c, c.input(2).scalar<T>());
}

Status InTopKShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape predictions, c.WithRank(0, 2));
  RAMET_ASSIGN_OR_RETURN(Shape targets, c.WithRank(1, 1));
  if (c.num_inputs() > 2) RAMET_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  const int64_t rows = predictions.dim(0);
  if (rows >= 0 && targets.dim(0) >= 0 && rows != targets.dim(0)) {
    return InvalidArgument("Dimensions must be equal, but are ", rows, " and ", targets.dim(0),
                           " (predictions ", predictions, ", targets ", targets, ")");
  }
  c.set_output(0, {targets.dim(0) >= 0 ? targets.dim(0) : rows});
  return OkStatus();
}

RAMET_OP("InTopK")
    .Input("predictions: float")
    .Input("targets: T")
    .Output("precision: bool")
    .Attr("k: int")
    .Attr("T: {int32, int64} = int32")
    .Doc(
        "Returns, for each row of predictions, [batch, classes], whether the class in targets, "
        "[batch], is among the k largest; equal predictions count in favor of the target. The "
        "result is false if the target is not a valid class or a prediction is not finite. Error: "
        "predictions is not a matrix; targets is not a vector with one element per row.")
    .Shape(InTopKShape)
    .CpuKernelClasses<InTopKKernel, int32_t, int64_t>()
    .NotDifferentiable();

RAMET_OP("InTopKV2")
    .Input("predictions: float")
    .Input("targets: T")
    .Input("k: T")
    .Output("precision: bool")
    .Attr("T: {int32, int64} = int32")
    .HostMemory({"k"})
    .Doc(
        "Returns, for each row of predictions, [batch, classes], whether the class in targets, "
        "[batch], is among the k largest, where k is a scalar; equal predictions count in favor of "
        "the target. The result is false if the target is not a valid class or a prediction is not "
        "finite. Error: predictions is not a matrix; targets is not a vector with one element per "
        "row; k is not a scalar.")
    .Shape(InTopKShape)
    .CpuKernels<int32_t, int64_t>([]<class T>(KernelContext& c) { return InTopKV2Compute<T>(c); })
    .NotDifferentiable();

}  // namespace
}  // namespace ramet
