#include <algorithm>
#include <limits>
#include <queue>
#include <vector>

#include "ramet/linalg/parallel.h"
#include "ramet/ops/image/non_max_suppression.h"
#include "ramet/ops/image/resize.h"

// Non-maximum suppression of the boxes of several classes.

namespace ramet {
namespace {

struct ClassLimits {
  int64_t per_class = 0, total = 0;
  float overlap = 0, score = 0;
};

// A selected box with its class.
struct Detection {
  float score;
  int32_t label;
  const float* box;
};

struct Scored {
  float score;
  int32_t box;
  bool operator<(const Scored& other) const { return score < other.score; }
};

float Unrounded(float x) { return x; }

// Boxes [count, q, 4] and scores [count, classes] of one image. q is 1 or the number of classes.
class ClassBoxes {
 public:
  ClassBoxes(const Tensor& boxes, const Tensor& scores, int64_t image)
      : count_(boxes.dim(1)),
        q_(boxes.dim(2)),
        classes_(scores.dim(2)),
        boxes_(boxes.data<float>() + image * count_ * q_ * 4),
        scores_(scores.data<float>() + image * count_ * classes_) {}

  // Returns the selected boxes of all classes, best first.
  std::vector<Detection> Select(const ClassLimits& limits) const {
    std::vector<Detection> found;
    for (int64_t label = 0; label < classes_; ++label) {
      AddClass(limits, static_cast<int32_t>(label), &found);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Detection& a, const Detection& b) { return a.score > b.score; });
    return found;
  }

 private:
  const float* Box(int64_t i, int64_t label) const {
    return boxes_ + (i * q_ + (q_ > 1 ? label : 0)) * 4;
  }

  void AddClass(const ClassLimits& limits, int32_t label, std::vector<Detection>* found) const {
    std::priority_queue<Scored> waiting;
    for (int64_t i = 0; i < count_; ++i) {
      const float score = scores_[i * classes_ + label];
      if (score > limits.score) waiting.push({score, static_cast<int32_t>(i)});
    }
    const size_t first = found->size();
    const int64_t limit = static_cast<int64_t>(first) + limits.per_class;
    while (!waiting.empty() && std::ssize(*found) < limit) {
      const Scored next = waiting.top();
      waiting.pop();
      const float* box = Box(next.box, label);
      const auto overlaps = [&](const Detection& other) {
        return IntersectionOverUnion(box, other.box, Unrounded) > limits.overlap;
      };
      if (std::any_of(found->begin() + static_cast<int64_t>(first), found->end(), overlaps)) {
        continue;
      }
      found->push_back({next.score, label, box});
    }
  }

  const int64_t count_, q_, classes_;
  const float* const boxes_;
  const float* const scores_;
};

Status CheckClassBoxes(const Tensor& boxes, const Tensor& scores) {
  if (boxes.rank() == 0 || scores.rank() == 0 || boxes.dim(0) != scores.dim(0)) {
    return InvalidArgument("boxes and scores must have same batch size");
  }
  if (boxes.rank() != 4) return InvalidArgument("boxes must be 4-D", boxes.shape());
  if (scores.rank() != 3) return InvalidArgument("scores must be 3-D", scores.shape());
  if (boxes.dim(1) != scores.dim(1)) return InvalidArgument("scores has incompatible shape");
  if (boxes.dim(2) != 1 && boxes.dim(2) != scores.dim(2)) {
    return InvalidArgument("third dimension of boxes must be either 1 or num classes");
  }
  if (boxes.dim(3) != 4) return InvalidArgument("boxes must have 4 columns");
  if (boxes.dim(1) <= std::numeric_limits<int32_t>::max() &&
      scores.dim(2) <= std::numeric_limits<int32_t>::max()) {
    return OkStatus();
  }
  return InvalidArgument("there may be at most 2^31 - 1 boxes and classes");
}

StatusOr<int64_t> PositiveSize(const Tensor& t, std::string_view name, std::string_view bound) {
  if (t.rank() != 0) return InvalidArgument(name, " must be 0-D, got shape ", t.shape());
  if (t.scalar<int32_t>() > 0) return t.scalar<int32_t>();
  return InvalidArgument(name, " must be ", bound);
}

StatusOr<ClassLimits> ReadClassLimits(const KernelContext& c) {
  ClassLimits limits;
  RAMET_ASSIGN_OR_RETURN(limits.per_class,
                         PositiveSize(c.input(2), "max_size_per_class", "positive"));
  RAMET_ASSIGN_OR_RETURN(limits.total, PositiveSize(c.input(3), "max_total_size", "> 0"));
  for (const auto& [i, name] : {std::pair(4, "iou_threshold"), std::pair(5, "score_threshold")}) {
    if (c.input(i).rank() == 0) continue;
    return InvalidArgument(name, " must be 0-D, got shape ", c.input(i).shape());
  }
  limits.overlap = c.input(4).scalar<float>();
  limits.score = c.input(5).scalar<float>();
  if (limits.overlap >= 0 && limits.overlap <= 1) return limits;
  return InvalidArgument("iou_threshold must be in [0, 1]");
}

class CombinedNmsKernel final : public KernelFromAttrs<CombinedNmsKernel> {
 public:
  explicit CombinedNmsKernel(const AttrMap& attrs)
      : pad_per_class_(attrs.GetOr("pad_per_class", false)),
        clip_(attrs.GetOr("clip_boxes", true)) {}

  Status Compute(KernelContext& c) override {
    const Tensor &boxes = c.input(0), &scores = c.input(1);
    RAMET_ASSIGN_OR_RETURN(const ClassLimits limits, ReadClassLimits(c));
    RAMET_RETURN_IF_ERROR(CheckClassBoxes(boxes, scores));
    const int64_t size = Size(limits, scores.dim(2)), batch = boxes.dim(0);
    RAMET_ASSIGN_OR_RETURN(Tensor * out, c.Allocate(0, kFloat, Shape{batch, size, 4}));
    RAMET_ASSIGN_OR_RETURN(Tensor * values, c.Allocate(1, kFloat, Shape{batch, size}));
    RAMET_ASSIGN_OR_RETURN(Tensor * labels, c.Allocate(2, kFloat, Shape{batch, size}));
    RAMET_ASSIGN_OR_RETURN(Tensor * counts, c.Allocate(3, kInt32, Shape{batch}));
    for (Tensor* t : {out, values, labels}) std::ranges::fill(t->mutable_flat<float>(), 0.0f);
    linalg::ParallelFor(batch, 1, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        std::vector<Detection> found = ClassBoxes(boxes, scores, n).Select(limits);
        if (std::ssize(found) > size) found.resize(size);
        counts->mutable_data<int32_t>()[n] = static_cast<int32_t>(found.size());
        for (size_t i = 0; i < found.size(); ++i) {
          const int64_t at = n * size + static_cast<int64_t>(i);
          values->mutable_data<float>()[at] = found[i].score;
          labels->mutable_data<float>()[at] = static_cast<float>(found[i].label);
          SetBox(found[i].box, out->mutable_data<float>() + 4 * at);
        }
      }
    });
    return OkStatus();
  }

 private:
  int64_t Size(const ClassLimits& limits, int64_t classes) const {
    int64_t all;
    if (!pad_per_class_ || !MultiplyNonNegative(limits.per_class, classes, &all)) {
      return limits.total;
    }
    return std::min(limits.total, all);
  }
  void SetBox(const float* box, float* out) const {
    for (int k = 0; k < 4; ++k) out[k] = clip_ ? std::max(std::min(box[k], 1.0f), 0.0f) : box[k];
  }

  const bool pad_per_class_, clip_;
};

Status CombinedNmsShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape boxes, c.WithRank(0, 4));
  RAMET_ASSIGN_OR_RETURN(const Shape scores, c.WithRank(1, 3));
  for (int i = 2; i < c.num_inputs(); ++i) {
    RAMET_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  if (boxes.dim(1) >= 0 && scores.dim(1) >= 0 && boxes.dim(1) != scores.dim(1)) {
    return InvalidArgument("Dimensions must be equal, but are ", boxes.dim(1), " and ",
                           scores.dim(1));
  }
  if (boxes.dim(2) >= 0 && boxes.dim(2) != 1 && scores.dim(2) >= 0 &&
      boxes.dim(2) != scores.dim(2)) {
    return InvalidArgument(
        "third dimension of boxes must be either 1 or equal to the third dimension of scores");
  }
  int64_t size = Shape::kUnknownDim, all;
  const Tensor *per_class = c.constant(2), *total = c.constant(3);
  if (total != nullptr && total->scalar<int32_t>() > 0) size = total->scalar<int32_t>();
  if (c.attrs().GetOr("pad_per_class", false)) {
    const bool known = size >= 0 && per_class != nullptr && scores.dim(2) >= 0 &&
                       MultiplyNonNegative(per_class->scalar<int32_t>(), scores.dim(2), &all);
    size = known ? std::min(size, all) : Shape::kUnknownDim;
  }
  c.set_output(0, Shape{boxes.dim(0), size, 4});
  for (const int i : {1, 2}) c.set_output(i, Shape{boxes.dim(0), size});
  c.set_output(3, Shape{boxes.dim(0)});
  return OkStatus();
}

RAMET_OP("CombinedNonMaxSuppression")
    .Input("boxes: float")
    .Input("scores: float")
    .Input("max_output_size_per_class: int32")
    .Input("max_total_size: int32")
    .Input("iou_threshold: float")
    .Input("score_threshold: float")
    .Output("nmsed_boxes: float")
    .Output("nmsed_scores: float")
    .Output("nmsed_classes: float")
    .Output("valid_detections: int32")
    .Attr("pad_per_class: bool = false")
    .Attr("clip_boxes: bool = true")
    .Doc(
        "Selects boxes of each class of each image of a batch as NonMaxSuppressionV3 does. `boxes` "
        "is [batch, count, q, 4], where q is 1 or the number of classes, and `scores` [batch, "
        "count, classes]. Returns the best max_total_size boxes of all classes, with their scores "
        "and classes, followed by zeros, and their number. With pad_per_class, there are at most "
        "max_output_size_per_class times classes. With clip_boxes, coordinates are limited to "
        "0..1. Error: a shape does not match this; a size is not positive; iou_threshold is not in "
        "0..1.")
    .Shape(CombinedNmsShape)
    .CpuKernelClass<CombinedNmsKernel>();

}  // namespace
}  // namespace ramet
