#include <algorithm>
#include <limits>

#include "ramet/ops/image/non_max_suppression.h"
#include "ramet/ops/image/resize.h"
#include "ramet/ops/math/types.h"

// Non-maximum suppression of boxes.

namespace ramet {
namespace {

template <class T>
float RoundTo(float x) {
  return static_cast<float>(static_cast<T>(x));
}

std::vector<float> Floats(const Tensor& t) {
  std::vector<float> values(t.num_elements());
  if (t.dtype() == kHalf) {
    std::ranges::transform(t.flat<Half>(), values.begin(), ToFloat<Half>);
  } else {
    std::ranges::copy(t.flat<float>(), values.begin());
  }
  return values;
}

// Returns a scalar of half or float.
StatusOr<float> FloatScalar(const Tensor& t, std::string_view name) {
  if (t.rank() != 0) return InvalidArgument(name, " must be 0-D, got shape ", t.shape());
  return Floats(t)[0];
}

StatusOr<int64_t> MaxBoxes(const Tensor& t) {
  if (t.rank() != 0) {
    return InvalidArgument("max_output_size must be 0-D, got shape ", t.shape());
  }
  if (t.scalar<int32_t>() < 0) return InvalidArgument("output size must be non-negative");
  return t.scalar<int32_t>();
}

Status CheckIouThreshold(float threshold) {
  if (threshold >= 0 && threshold <= 1) return OkStatus();
  return InvalidArgument("iou_threshold must be in [0, 1]");
}

Status CheckNmsScores(const Tensor& scores, int64_t boxes) {
  if (scores.rank() != 1) {
    return InvalidArgument("scores must be 1-D", scores.shape(),
                           " (Shape must be rank 1 but is rank ", scores.rank(), ")");
  }
  if (scores.dim(0) == boxes) return OkStatus();
  return InvalidArgument("scores has incompatible shape (Dimensions must be equal, but are ", boxes,
                         " and ", scores.dim(0), ")");
}

Status CheckNmsBoxes(const Tensor& boxes, const Tensor& scores) {
  if (boxes.rank() != 2) {
    return InvalidArgument("boxes must be 2-D", boxes.shape(),
                           " (Shape must be rank 2 but is rank ", boxes.rank(), ")");
  }
  if (boxes.dim(1) != 4) {
    return InvalidArgument("boxes must have 4 columns (Dimension must be 4 but is ", boxes.dim(1),
                           ")");
  }
  if (boxes.dim(0) > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("there may be at most 2^31 - 1 boxes, but there are ", boxes.dim(0));
  }
  return CheckNmsScores(scores, boxes.dim(0));
}

// Sets output i to `values`, followed by zeros up to `size`.
template <class T, class V>
Status SetPadded(KernelContext& c, int i, const std::vector<V>& values, int64_t size) {
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(i, DTypeOf<T>::value, Shape{size}));
  T* out = y->mutable_data<T>();
  for (const V value : values) *out++ = static_cast<T>(value);
  std::fill(out, y->mutable_data<T>() + size, T());
  return OkStatus();
}

Status SetCount(KernelContext& c, int i, int64_t count) {
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(i, kInt32, Shape()));
  *y->mutable_data<int32_t>() = static_cast<int32_t>(count);
  return OkStatus();
}

SelectedBoxes SelectByArea(const Tensor& boxes, const Tensor& scores,
                           const SuppressionLimits& limits) {
  const std::vector<float> corners = Floats(boxes);
  const RoundNumber round = boxes.dtype() == kHalf ? RoundTo<Half> : RoundTo<float>;
  const auto overlap = [&](int32_t i, int32_t j) {
    return IntersectionOverUnion(&corners[4 * size_t(i)], &corners[4 * size_t(j)], round);
  };
  return SelectBoxes(Floats(scores), limits, overlap, round);
}

// Reads the thresholds of inputs 3 to 5, as far as the op has them.
StatusOr<SuppressionLimits> ReadNmsLimits(const KernelContext& c, const AttrMap* attrs) {
  SuppressionLimits limits;
  RAMET_ASSIGN_OR_RETURN(limits.max_boxes, MaxBoxes(c.input(2)));
  limits.score = std::numeric_limits<float>::lowest();
  if (c.num_inputs() > 3) {
    RAMET_ASSIGN_OR_RETURN(limits.overlap, FloatScalar(c.input(3), "iou_threshold"));
  } else {
    limits.overlap = attrs->GetOr("iou_threshold", 0.5f);
  }
  RAMET_RETURN_IF_ERROR(CheckIouThreshold(limits.overlap));
  if (c.num_inputs() > 4) {
    RAMET_ASSIGN_OR_RETURN(limits.score, FloatScalar(c.input(4), "score_threshold"));
  }
  if (c.num_inputs() > 5) {
    RAMET_ASSIGN_OR_RETURN(limits.sigma, FloatScalar(c.input(5), "soft_nms_sigma"));
    if (!(limits.sigma >= 0)) return InvalidArgument("soft_nms_sigma_val must be >= 0");
  }
  return limits;
}

// The kernel of NonMaxSuppression, V2 and V3 (one output), V4 (two outputs) and V5 (three).
template <class T>
class NmsKernel final : public KernelFromAttrs<NmsKernel<T>> {
 public:
  explicit NmsKernel(const AttrMap& attrs)
      : attrs_(attrs), pad_(attrs.GetOr("pad_to_max_output_size", false)) {}
  Status Compute(KernelContext& c) override {
    const Tensor &boxes = c.input(0), &scores = c.input(1);
    RAMET_ASSIGN_OR_RETURN(const SuppressionLimits limits, ReadNmsLimits(c, &attrs_));
    RAMET_RETURN_IF_ERROR(CheckNmsBoxes(boxes, scores));
    const SelectedBoxes selected = SelectByArea(boxes, scores, limits);
    const int64_t count = std::ssize(selected.indices), size = pad_ ? limits.max_boxes : count;
    RAMET_RETURN_IF_ERROR(SetPadded<int32_t>(c, 0, selected.indices, size));
    if (c.num_outputs() == 3) {
      RAMET_RETURN_IF_ERROR(SetPadded<T>(c, 1, selected.scores, size));
    }
    return c.num_outputs() > 1 ? SetCount(c, c.num_outputs() - 1, count) : OkStatus();
  }

 private:
  const AttrMap attrs_;
  const bool pad_;
};

Status NmsWithOverlapsCompute(KernelContext& c) {
  const Tensor &overlaps = c.input(0), &scores = c.input(1);
  SuppressionLimits limits;
  RAMET_ASSIGN_OR_RETURN(limits.max_boxes, MaxBoxes(c.input(2)));
  RAMET_ASSIGN_OR_RETURN(limits.overlap, FloatScalar(c.input(3), "overlap_threshold"));
  RAMET_ASSIGN_OR_RETURN(limits.score, FloatScalar(c.input(4), "score_threshold"));
  if (overlaps.rank() != 2) return InvalidArgument("overlaps must be 2-D", overlaps.shape());
  const int64_t n = overlaps.dim(0);
  if (n != overlaps.dim(1)) return InvalidArgument("overlaps must be square", overlaps.shape());
  RAMET_RETURN_IF_ERROR(CheckNmsScores(scores, n));
  const float* table = overlaps.data<float>();
  const auto overlap = [=](int32_t i, int32_t j) { return table[i * n + j]; };
  const SelectedBoxes selected = SelectBoxes(scores.flat<float>(), limits, overlap, RoundTo<float>);
  return SetPadded<int32_t>(c, 0, selected.indices, std::ssize(selected.indices));
}

Status CheckNmsShapes(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape boxes, c.WithRank(0, 2));
  RAMET_ASSIGN_OR_RETURN(const Shape scores, c.WithRank(1, 1));
  for (int i = 2; i < c.num_inputs(); ++i) {
    RAMET_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  if (boxes.dim(0) >= 0 && scores.dim(0) >= 0 && boxes.dim(0) != scores.dim(0)) {
    return InvalidArgument("Dimensions must be equal, but are ", boxes.dim(0), " and ",
                           scores.dim(0));
  }
  if (boxes.dim(1) >= 0 && boxes.dim(1) != 4) {
    return InvalidArgument("Dimension must be 4 but is ", boxes.dim(1));
  }
  return OkStatus();
}

Status NmsV1Shape(ShapeContext& c) {
  c.set_output(0, Shape{Shape::kUnknownDim});
  return OkStatus();
}

// One vector, or vectors followed by a scalar.
Status NmsShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(CheckNmsShapes(c));
  int64_t size = Shape::kUnknownDim;
  const Tensor* limit = c.constant(2);
  if (c.attrs().GetOr("pad_to_max_output_size", false) && limit != nullptr) {
    RAMET_ASSIGN_OR_RETURN(size, ScalarArg(*limit, "max_output_size"));
    if (size < 0)
      return InvalidArgument(
          "Dimension size, given by scalar input 2, must be "
          "non-negative but is ",
          size);
  }
  for (int i = 0; i < std::max(1, c.num_outputs() - 1); ++i) c.set_output(i, Shape{size});
  if (c.num_outputs() > 1) c.set_output(c.num_outputs() - 1, Shape());
  return OkStatus();
}

Status NmsWithOverlapsShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape overlaps, c.WithRank(0, 2));
  RAMET_ASSIGN_OR_RETURN(const Shape scores, c.WithRank(1, 1));
  for (const int64_t size : {overlaps.dim(1), scores.dim(0)}) {
    if (size >= 0 && overlaps.dim(0) >= 0 && size != overlaps.dim(0)) {
      return InvalidArgument("Dimensions must be equal, but are ", overlaps.dim(0), " and ", size);
    }
  }
  c.set_output(0, Shape{Shape::kUnknownDim});
  return OkStatus();
}

RAMET_OP("NonMaxSuppression")
    .Input("boxes: float")
    .Input("scores: float")
    .Input("max_output_size: int32")
    .Output("selected_indices: int32")
    .Attr("iou_threshold: float = 0.5")
    .Doc(
        "Returns the indices of at most max_output_size of the `boxes` [count, 4], by descending "
        "scores [count]. A box is dropped if its intersection with a selected box is more than "
        "iou_threshold of their union. A box is two opposite corners. Error: a shape does not "
        "match this; max_output_size is negative; iou_threshold is not in 0..1.")
    .Shape(NmsV1Shape)
    .NotDifferentiable()
    .CpuKernelClass<NmsKernel<float>>();

RAMET_OP("NonMaxSuppressionV2")
    .Input("boxes: T")
    .Input("scores: T")
    .Input("max_output_size: int32")
    .Input("iou_threshold: T_threshold")
    .Output("selected_indices: int32")
    .Attr("T: {half, float} = float")
    .Attr("T_threshold: {half, float} = float")
    .Doc(
        "Returns the indices of at most max_output_size of the `boxes` [count, 4], by descending "
        "scores [count]. A box is dropped if its intersection with a selected box is more than "
        "iou_threshold of their union. A box is two opposite corners. Error: a shape does not "
        "match this; max_output_size is negative; iou_threshold is not in 0..1.")
    .Shape(NmsShape)
    .NotDifferentiable()
    .CpuKernelClasses<NmsKernel, Half, float>();

RAMET_OP("NonMaxSuppressionV3")
    .Input("boxes: T")
    .Input("scores: T")
    .Input("max_output_size: int32")
    .Input("iou_threshold: T_threshold")
    .Input("score_threshold: T_threshold")
    .Output("selected_indices: int32")
    .Attr("T: {half, float} = float")
    .Attr("T_threshold: {half, float} = float")
    .Doc(
        "Returns the indices of at most max_output_size of the `boxes` [count, 4] with a score "
        "above score_threshold, by descending scores [count]. A box is dropped if its intersection "
        "with a selected box is more than iou_threshold of their union. A box is two opposite "
        "corners. Error: a shape does not match this; max_output_size is negative; iou_threshold "
        "is not in 0..1.")
    .Shape(NmsShape)
    .CpuKernelClasses<NmsKernel, Half, float>();

RAMET_OP("NonMaxSuppressionV4")
    .Input("boxes: T")
    .Input("scores: T")
    .Input("max_output_size: int32")
    .Input("iou_threshold: T_threshold")
    .Input("score_threshold: T_threshold")
    .Output("selected_indices: int32")
    .Output("valid_outputs: int32")
    .Attr("T: {half, float} = float")
    .Attr("T_threshold: {half, float} = float")
    .Attr("pad_to_max_output_size: bool = false")
    .Doc(
        "Selects boxes as NonMaxSuppressionV3 does, and returns their number, too. With "
        "pad_to_max_output_size, the indices are followed by zeros up to max_output_size. Error: "
        "those of NonMaxSuppressionV3.")
    .Shape(NmsShape)
    .CpuKernelClasses<NmsKernel, Half, float>();

RAMET_OP("NonMaxSuppressionV5")
    .Input("boxes: T")
    .Input("scores: T")
    .Input("max_output_size: int32")
    .Input("iou_threshold: T")
    .Input("score_threshold: T")
    .Input("soft_nms_sigma: T")
    .Output("selected_indices: int32")
    .Output("selected_scores: T")
    .Output("valid_outputs: int32")
    .Attr("T: {half, float} = float")
    .Attr("pad_to_max_output_size: bool = false")
    .Doc(
        "Selects boxes as NonMaxSuppressionV4 does, and returns their scores, too. If "
        "soft_nms_sigma is positive, a box that overlaps a selected one is not dropped. Instead, "
        "its score is multiplied by exp(-overlap^2 / (2 soft_nms_sigma)). Error: those of "
        "NonMaxSuppressionV3; soft_nms_sigma is negative.")
    .Shape(NmsShape)
    .CpuKernelClasses<NmsKernel, Half, float>();

RAMET_OP("NonMaxSuppressionWithOverlaps")
    .Input("overlaps: float")
    .Input("scores: float")
    .Input("max_output_size: int32")
    .Input("overlap_threshold: float")
    .Input("score_threshold: float")
    .Output("selected_indices: int32")
    .Doc(
        "Returns the indices of at most max_output_size of `count` boxes with a score above "
        "score_threshold, by descending scores [count]. `overlaps` [count, count] has the overlap "
        "of each two boxes. A box is dropped if it overlaps a selected one by more than "
        "overlap_threshold. Error: a shape does not match this; max_output_size is negative.")
    .Shape(NmsWithOverlapsShape)
    .NotDifferentiable()
    .CpuKernel(NmsWithOverlapsCompute);

}  // namespace
}  // namespace ramet
