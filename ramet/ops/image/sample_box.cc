#include <cmath>
#include <limits>
#include <vector>

#include "ramet/ops/image/distorted_box.h"
#include "ramet/ops/image/resize.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/random/random_state.h"

// Random crops that contain a part of one of several boxes.

namespace ramet {
namespace {

// Checks a list attr of two numbers, `name` in TensorFlow's words.
Status CheckRange(const std::vector<float>& range, std::string_view name) {
  if (range.size() != 2) return InvalidArgument(name, " range field must specify 2 dimensions");
  if (range[0] > 0 && range[1] > 0) return OkStatus();
  return InvalidArgument(name, " range must be non-negative: [", range[0], ", ", range[1], "]");
}

// Reads the attrs; the sizes of the image are not set.
StatusOr<CropDemands> ReadCropDemands(const AttrMap& attrs) {
  const auto ratio = attrs.GetOr("aspect_ratio_range", std::vector<float>{0.75f, 1.33f});
  const auto area = attrs.GetOr("area_range", std::vector<float>{0.05f, 1.0f});
  RAMET_RETURN_IF_ERROR(CheckRange(ratio, "Aspect ratio"));
  RAMET_RETURN_IF_ERROR(CheckRange(area, "Area"));
  if (area[0] > 1 || area[1] > 1) {
    return InvalidArgument("Area range must be less then or equal to 1.0: [", area[0], ", ",
                           area[1], "]");
  }
  CropDemands demands{};
  demands.least_area = area[0];
  demands.most_area = area[1];
  demands.least_ratio = ratio[0];
  demands.most_ratio = ratio[1];
  demands.covered = attrs.GetOr("min_object_covered", 0.1f);
  demands.attempts = attrs.GetOr("max_attempts", int64_t{100});
  if (demands.attempts > 0) return demands;
  return InvalidArgument("Max attempts must be non-negative: ", demands.attempts);
}

Status ReadSampledSize(const Tensor& size, CropDemands* demands) {
  if (size.rank() != 1) {
    return InvalidArgument("image_size must be 1-dimensional", size.shape());
  }
  if (size.dim(0) != 3) return InvalidArgument("image_size must contain 3 elements", size.shape());
  demands->height = IntegerAt(size, 0);
  demands->width = IntegerAt(size, 1);
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  if (demands->height < 0 || demands->height >= kMax) {
    return InvalidArgument("image height cannot be >= int32 max");
  }
  if (demands->width < 0 || demands->width >= kMax) {
    return InvalidArgument("image width cannot be >= int32 max");
  }
  return OkStatus();
}

Status CheckDistortedBoxes(const Tensor& boxes) {
  if (boxes.rank() != 3) {
    return InvalidArgument("input boxes must be 3-dimensional [batch, num_boxes, coords]: ",
                           boxes.shape());
  }
  if (boxes.dim(2) == 4) return OkStatus();
  return InvalidArgument("bounding boxes must have shape [4] or [*, 4], got ", boxes.shape());
}

StatusOr<std::vector<PixelBox>> ReadPixelBoxes(const Tensor& boxes, const CropDemands& demands) {
  RAMET_RETURN_IF_ERROR(CheckDistortedBoxes(boxes));
  const auto pixel = [](float fraction, int64_t size) {
    return static_cast<int64_t>(fraction * static_cast<float>(size));
  };
  std::vector<PixelBox> read;
  const auto corners = boxes.flat<float>();
  for (size_t i = 0; i < corners.size(); i += 4) {
    for (const float corner : corners.subspan(i, 4)) {
      if (corner >= 0 && corner <= 1) continue;
      return InvalidArgument("All bounding box coordinates must be in [0.0, 1.0]: ", corner);
    }
    read.push_back({pixel(corners[i + 1], demands.width), pixel(corners[i], demands.height),
                    pixel(corners[i + 3], demands.width), pixel(corners[i + 2], demands.height)});
  }
  return read;
}

template <class T>
Status SetCrop(KernelContext& c, const PixelBox& crop, const CropDemands& d) {
  RAMET_ASSIGN_OR_RETURN(Tensor * begin, c.Allocate(0, DTypeOf<T>::value, Shape{3}));
  RAMET_ASSIGN_OR_RETURN(Tensor * size, c.Allocate(1, DTypeOf<T>::value, Shape{3}));
  RAMET_ASSIGN_OR_RETURN(Tensor * box, c.Allocate(2, kFloat, Shape{1, 1, 4}));
  const int64_t begins[] = {crop.top, crop.left, 0};
  const int64_t sizes[] = {crop.bottom - crop.top, crop.right - crop.left, -1};
  for (int i = 0; i < 3; ++i) {
    begin->mutable_data<T>()[i] = static_cast<T>(begins[i]);
    size->mutable_data<T>()[i] = static_cast<T>(sizes[i]);
  }
  const auto height = static_cast<float>(d.height), width = static_cast<float>(d.width);
  float* corners = box->mutable_data<float>();
  corners[0] = static_cast<float>(crop.top) / height;
  corners[1] = static_cast<float>(crop.left) / width;
  corners[2] = static_cast<float>(crop.bottom) / height;
  corners[3] = static_cast<float>(crop.right) / width;
  return OkStatus();
}

// The kernel of SampleDistortedBoundingBox, and of V2, in which min_object_covered is input 2.
template <class T>
class SampleBoxKernel final : public Kernel {
 public:
  SampleBoxKernel(const AttrMap& attrs, const CropDemands& demands)
      : demands_(demands),
        whole_image_(attrs.GetOr("use_image_if_no_bounding_boxes", false)),
        random_(attrs) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const CropDemands demands, ReadCropDemands(*node.attrs));
    return std::unique_ptr<Kernel>(std::make_unique<SampleBoxKernel>(*node.attrs, demands));
  }

  Status Compute(KernelContext& c) override {
    CropDemands demands = demands_;
    RAMET_RETURN_IF_ERROR(ReadSampledSize(c.input(0), &demands));
    RAMET_RETURN_IF_ERROR(ReadCovered(c, &demands));
    RAMET_ASSIGN_OR_RETURN(std::vector<PixelBox> boxes, ReadPixelBoxes(c.input(1), demands));
    const PixelBox image{0, 0, demands.width, demands.height};
    if (boxes.empty()) {
      if (!whole_image_) {
        return InvalidArgument(
            "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes "
            "if you wish to not provide any bounding boxes.");
      }
      boxes.push_back(image);
    }
    return SetCrop<T>(c, Draw(demands, boxes).value_or(image), demands);
  }

 private:
  static Status ReadCovered(const KernelContext& c, CropDemands* demands) {
    if (c.num_inputs() > 2) {
      const Tensor& covered = c.input(2);
      if (covered.rank() != 0) {
        return InvalidArgument("min_object_covered must be 0-D, got shape ", covered.shape());
      }
      demands->covered = covered.scalar<float>();
    }
    if (!(demands->covered >= 0)) {
      return InvalidArgument("Min object covered must be non-negative: ", demands->covered);
    }
    return OkStatus();
  }
  // Each run takes four words per allowed attempt.
  std::optional<PixelBox> Draw(const CropDemands& demands, std::span<const PixelBox> boxes) {
    linalg::Philox generator;
    random_.Move([&](linalg::Philox& shared) {
      generator = shared;
      shared.Skip(static_cast<uint64_t>(demands.attempts));
    });
    linalg::WordStream words(&generator);
    return DrawCrop(demands, boxes, words);
  }

  const CropDemands demands_;
  const bool whole_image_;
  RandomState random_;
};

Status SampleBoxShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape size, c.WithRank(0, 1));
  RAMET_ASSIGN_OR_RETURN(const Shape boxes, c.WithRank(1, 3));
  if (size.dim(0) >= 0 && size.dim(0) != 3) {
    return InvalidArgument("Dimension must be 3 but is ", size.dim(0));
  }
  if (boxes.dim(2) >= 0 && boxes.dim(2) != 4) {
    return InvalidArgument("Dimension must be 4 but is ", boxes.dim(2));
  }
  if (c.num_inputs() > 2) {
    RAMET_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  }
  for (const int i : {0, 1}) c.set_output(i, Shape{3});
  c.set_output(2, Shape{1, 1, 4});
  return OkStatus();
}

#define RAMET_SAMPLE_BOX_ATTRS                           \
  Attr("aspect_ratio_range: list(float) = [0.75, 1.33]") \
      .Attr("area_range: list(float) = [0.05, 1.0]")     \
      .Attr("max_attempts: int = 100")                   \
      .Attr("use_image_if_no_bounding_boxes: bool = false")

RAMET_OP("SampleDistortedBoundingBox")
    .Input("image_size: T")
    .Input("bounding_boxes: float")
    .Output("begin: T")
    .Output("size: T")
    .Output("bboxes: float")
    .Attr("T: {uint8, int8, int16, int32, int64}")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .AttrRange("seed", INT64_MIN, INT64_MAX)
    .AttrRange("seed2", INT64_MIN, INT64_MAX)
    .Attr("min_object_covered: float = 0.1")
    .RAMET_SAMPLE_BOX_ATTRS
    .Doc(
        "Draws a part of an image of size image_size (height, width, channels) that contains at "
        "least the fraction min_object_covered of one of the bounding_boxes [batch, count, 4]: y1, "
        "x1, y2, x2 in 0..1. Its width over its height is in aspect_ratio_range, and its area in "
        "area_range, a fraction of the image. Returns `begin` and `size` for Slice, and the box "
        "[1, 1, 4]. The result is the whole image if max_attempts attempts fail. With the same "
        "seeds, runs draw the numbers that TensorFlow draws. Error: a shape does not match this; a "
        "range or max_attempts is not positive; a coordinate is not in 0..1; bounding_boxes is "
        "empty, and use_image_if_no_bounding_boxes is false.")
    .Stateful()
    .HostMemory({"image_size", "bounding_boxes", "begin", "size", "bboxes"})
    .Shape(SampleBoxShape)
    .NotDifferentiable()
    .CpuKernelClasses<SampleBoxKernel, RAMET_SIGNED, RAMET_UNSIGNED>();

RAMET_OP("SampleDistortedBoundingBoxV2")
    .Input("image_size: T")
    .Input("bounding_boxes: float")
    .Input("min_object_covered: float")
    .Output("begin: T")
    .Output("size: T")
    .Output("bboxes: float")
    .Attr("T: {uint8, int8, int16, int32, int64}")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .AttrRange("seed", INT64_MIN, INT64_MAX)
    .AttrRange("seed2", INT64_MIN, INT64_MAX)
    .RAMET_SAMPLE_BOX_ATTRS
    .Doc(
        "Draws a part of an image as SampleDistortedBoundingBox does. min_object_covered is a "
        "scalar. Error: those of SampleDistortedBoundingBox; min_object_covered is negative or not "
        "a scalar.")
    .Stateful()
    .HostMemory({"image_size", "bounding_boxes", "min_object_covered", "begin", "size", "bboxes"})
    .Shape(SampleBoxShape)
    .NotDifferentiable()
    .CpuKernelClasses<SampleBoxKernel, RAMET_SIGNED, RAMET_UNSIGNED>();

#undef RAMET_SAMPLE_BOX_ATTRS

}  // namespace
}  // namespace ramet
