#include <algorithm>
#include <cmath>
#include <limits>

#include "ramet/gradients/gradient_context.h"
#include "ramet/linalg/parallel.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/image/boxes.h"
#include "ramet/ops/image/resize.h"
#include "ramet/ops/math/types.h"

// Crops of images, resized.

namespace ramet {
namespace {

// The sizes of images and crops, and whether pixels of crops are copies of the nearest ones.
struct CropSizes {
  int64_t batch = 0, height = 0, width = 0, depth = 0;
  int64_t boxes = 0, crop_height = 0, crop_width = 0;

  int64_t row() const { return width * depth; }
  int64_t image() const { return height * row(); }
  int64_t crop_row() const { return crop_width * depth; }
  int64_t crop() const { return crop_height * crop_row(); }
};

// One box and its axes.
struct Crop {
  Crop(const CropSizes& s, const Tensor& boxes, const Tensor& box_ind, int64_t i)
      : box(boxes.data<float>() + 4 * i),
        image(box_ind.data<int32_t>()[i]),
        y(box[0], box[2], s.height, s.crop_height),
        x(box[1], box[3], s.width, s.crop_width) {}

  const float* box;
  int64_t image;
  CropAxis y, x;
};

Status ReadImageSizes(const Tensor& image, CropSizes* s) {
  if (image.rank() != 4) return InvalidArgument("input image must be 4-D", image.shape());
  s->batch = image.dim(0);
  s->height = image.dim(1);
  s->width = image.dim(2);
  s->depth = image.dim(3);
  if (s->height < 1 || s->width < 1) return InvalidArgument("image dimensions must be positive");
  return OkStatus();
}

Status ReadGradSizes(const Tensor& grads, CropSizes* s) {
  if (grads.rank() != 4) return InvalidArgument("grads image must be 4-D", grads.shape());
  s->crop_height = grads.dim(1);
  s->crop_width = grads.dim(2);
  if (s->crop_height < 1 || s->crop_width < 1) {
    return InvalidArgument("grads dimensions must be positive");
  }
  return OkStatus();
}

// A row or column of pixels between two rows or columns of the image.
struct CropLerp {
  explicit CropLerp(float at)
      : low(static_cast<int64_t>(std::floor(at))),
        high(static_cast<int64_t>(std::ceil(at))),
        weight(at - static_cast<float>(low)) {}
  int64_t low, high;
  float weight;
};

template <class T>
void MixPixel(const CropSizes& s, const T* image, const CropLerp& y, const CropLerp& x,
              float* out) {
  const T *top = image + y.low * s.row(), *bottom = image + y.high * s.row();
  const int64_t left = x.low * s.depth, right = x.high * s.depth;
  for (int64_t k = 0; k < s.depth; ++k) {
    const float a = ToFloat(top[left + k]), b = ToFloat(bottom[left + k]);
    const float upper = a + (ToFloat(top[right + k]) - a) * x.weight;
    const float lower = b + (ToFloat(bottom[right + k]) - b) * x.weight;
    out[k] = upper + (lower - upper) * y.weight;
  }
}

template <class T>
void CopyNearestPixel(const CropSizes& s, const T* image, float y, float x, float* out) {
  const auto row = static_cast<int64_t>(std::round(y)),
             column = static_cast<int64_t>(std::round(x));
  const T* pixel = image + row * s.row() + column * s.depth;
  for (int64_t k = 0; k < s.depth; ++k) out[k] = ToFloat(pixel[k]);
}

template <class T>
class CropKernel final : public KernelFromAttrs<CropKernel<T>> {
 public:
  explicit CropKernel(const AttrMap& attrs)
      : nearest_(attrs.GetOr<std::string>("method", "bilinear") == "nearest"),
        outside_(attrs.GetOr("extrapolation_value", 0.0f)) {}

  Status Compute(KernelContext& c) override {
    CropSizes s;
    RAMET_RETURN_IF_ERROR(ReadImageSizes(c.input(0), &s));
    const Tensor &boxes = c.input(1), &box_ind = c.input(2);
    RAMET_RETURN_IF_ERROR(CheckBoxes(boxes, box_ind));
    RAMET_RETURN_IF_ERROR(ReadCropSize(c.input(3), &s));
    s.boxes = boxes.rank() > 0 ? boxes.dim(0) : 0;
    const Shape shape{s.boxes, s.crop_height, s.crop_width, s.depth};
    RAMET_ASSIGN_OR_RETURN(Tensor * crops, c.Allocate(0, DType::kFloat, shape));
    RAMET_RETURN_IF_ERROR(CheckBoxValues(boxes, box_ind, s.batch));
    if (crops->num_elements() == 0) return OkStatus();
    const T* images = c.input(0).data<T>();
    float* out = crops->mutable_data<float>();
    linalg::ParallelFor(s.boxes, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Crop crop(s, boxes, box_ind, i);
        Cut(s, crop, images + crop.image * s.image(), out + i * s.crop());
      }
    });
    return OkStatus();
  }

 private:
  static Status ReadCropSize(const Tensor& size, CropSizes* s) {
    if (size.rank() != 1) return InvalidArgument("crop_size must be 1-D", size.shape());
    if (size.dim(0) != 2) return InvalidArgument("crop_size must have two elements", size.shape());
    s->crop_height = size.data<int32_t>()[0];
    s->crop_width = size.data<int32_t>()[1];
    if (s->crop_height > 0 && s->crop_width > 0) return OkStatus();
    return InvalidArgument("crop dimensions must be positive");
  }

  void Cut(const CropSizes& s, const Crop& crop, const T* image, float* out) const {
    for (int64_t y = 0; y < s.crop_height; ++y) {
      const float in_y = crop.y.Position(y);
      if (!crop.y.Inside(in_y)) {
        out = std::fill_n(out, s.crop_row(), outside_);
        continue;
      }
      for (int64_t x = 0; x < s.crop_width; ++x, out += s.depth) {
        const float in_x = crop.x.Position(x);
        if (!crop.x.Inside(in_x)) {
          std::fill_n(out, s.depth, outside_);
        } else if (nearest_) {
          CopyNearestPixel(s, image, in_y, in_x, out);
        } else {
          MixPixel(s, image, CropLerp(in_y), CropLerp(in_x), out);
        }
      }
    }
  }

  const bool nearest_;
  const float outside_;
};

// Calls fn(i, y, x, in_y, in_x) for each pixel (y, x) of crop i that is inside its image.
template <class Fn>
void ForEachCropped(const CropSizes& s, const Crop& crop, Fn fn) {
  for (int64_t y = 0; y < s.crop_height; ++y) {
    const float in_y = crop.y.Position(y);
    if (!crop.y.Inside(in_y)) continue;
    for (int64_t x = 0; x < s.crop_width; ++x) {
      const float in_x = crop.x.Position(x);
      if (crop.x.Inside(in_x)) fn(y, x, in_y, in_x);
    }
  }
}

template <class T>
class CropGradImageKernel final : public KernelFromAttrs<CropGradImageKernel<T>> {
 public:
  explicit CropGradImageKernel(const AttrMap& attrs)
      : nearest_(attrs.GetOr<std::string>("method", "bilinear") == "nearest") {}

  Status Compute(KernelContext& c) override {
    const Tensor &grads = c.input(0), &boxes = c.input(1), &box_ind = c.input(2);
    CropSizes s;
    RAMET_RETURN_IF_ERROR(ReadGradSizes(grads, &s));
    RAMET_RETURN_IF_ERROR(CheckBoxes(boxes, box_ind));
    s.boxes = boxes.rank() > 0 ? boxes.dim(0) : 0;
    if (grads.dim(0) != s.boxes) {
      return InvalidArgument("boxes and grads have incompatible shape");
    }
    RAMET_RETURN_IF_ERROR(ReadImageSize(c.input(3), &s));
    if (grads.dim(3) != s.depth) return InvalidArgument("image_size and grads are incompatible");
    const Shape shape{s.batch, s.height, s.width, s.depth};
    RAMET_ASSIGN_OR_RETURN(Tensor * dx, c.Allocate(0, DTypeOf<T>::value, shape));
    RAMET_RETURN_IF_ERROR(CheckBoxValues(boxes, box_ind, s.batch));
    std::ranges::fill(dx->mutable_flat<T>(), T());
    if (grads.num_elements() == 0) return OkStatus();
    for (int64_t i = 0; i < s.boxes; ++i) {
      const Crop crop(s, boxes, box_ind, i);
      Spread(s, crop, grads.data<float>() + i * s.crop(),
             dx->mutable_data<T>() + crop.image * s.image());
    }
    return OkStatus();
  }

 private:
  static Status ReadImageSize(const Tensor& size, CropSizes* s) {
    if (size.rank() != 1) return InvalidArgument("image_size must be 1-D", size.shape());
    if (size.dim(0) != 4) return InvalidArgument("image_size must have 4 elements", size.shape());
    const int32_t* sides = size.data<int32_t>();
    if (sides[1] < 1 || sides[2] < 1) return InvalidArgument("image dimensions must be positive");
    for (const int i : {0, 3}) {
      if (sides[i] < 0) return InvalidArgument("Expected a non-negative size, got ", sides[i]);
    }
    s->batch = sides[0];
    s->height = sides[1];
    s->width = sides[2];
    s->depth = sides[3];
    return OkStatus();
  }

  void Spread(const CropSizes& s, const Crop& crop, const float* grads, T* image) const {
    ForEachCropped(s, crop, [&](int64_t y, int64_t x, float in_y, float in_x) {
      const float* grad = grads + y * s.crop_row() + x * s.depth;
      if (nearest_) {
        T* pixel = image + static_cast<int64_t>(std::round(in_y)) * s.row() +
                   static_cast<int64_t>(std::round(in_x)) * s.depth;
        for (int64_t k = 0; k < s.depth; ++k) AddTo(grad[k], &pixel[k]);
      } else {
        SpreadLerp(s, CropLerp(in_y), CropLerp(in_x), grad, image);
      }
    });
  }
  static void SpreadLerp(const CropSizes& s, const CropLerp& y, const CropLerp& x,
                         const float* grad, T* image) {
    T *top = image + y.low * s.row(), *bottom = image + y.high * s.row();
    const int64_t left = x.low * s.depth, right = x.high * s.depth;
    for (int64_t k = 0; k < s.depth; ++k) {
      const float upper = (1 - y.weight) * grad[k], lower = y.weight * grad[k];
      AddTo((1 - x.weight) * upper, &top[left + k]);
      AddTo(x.weight * upper, &top[right + k]);
      AddTo((1 - x.weight) * lower, &bottom[left + k]);
      AddTo(x.weight * lower, &bottom[right + k]);
    }
  }

  const bool nearest_;
};

// How the coordinates of a box move a pixel of its crop along one axis.
struct BoxShare {
  BoxShare(int64_t i, int64_t crop, int64_t image) {
    const auto last = static_cast<float>(image - 1);
    if (crop > 1) {
      end = static_cast<float>(i) * (last / static_cast<float>(crop - 1));
      begin = last - end;
    } else {
      begin = end = 0.5f * last;
    }
  }
  float begin, end;
};

// Adds the share of one pixel of a crop to the gradient of its box.
template <class T>
void AddBoxGrad(const CropSizes& s, const T* image, const float* grad, float in_y, float in_x,
                const BoxShare& share_y, const BoxShare& share_x, float* box) {
  const CropLerp y(in_y), x(in_x);
  const T *top = image + y.low * s.row(), *bottom = image + y.high * s.row();
  const int64_t left = x.low * s.depth, right = x.high * s.depth;
  for (int64_t k = 0; k < s.depth; ++k) {
    const float a = ToFloat(top[left + k]), b = ToFloat(top[right + k]);
    const float d = ToFloat(bottom[left + k]), e = ToFloat(bottom[right + k]);
    const float grad_y = ((1 - x.weight) * (d - a) + x.weight * (e - b)) * grad[k];
    const float grad_x = ((1 - y.weight) * (b - a) + y.weight * (e - d)) * grad[k];
    box[0] += grad_y * share_y.begin;
    box[1] += grad_x * share_x.begin;
    box[2] += grad_y * share_y.end;
    box[3] += grad_x * share_x.end;
  }
}

template <class T>
Status CropGradBoxes(KernelContext& c) {
  const Tensor &grads = c.input(0), &image = c.input(1), &boxes = c.input(2), &ind = c.input(3);
  CropSizes s;
  RAMET_RETURN_IF_ERROR(ReadGradSizes(grads, &s));
  RAMET_RETURN_IF_ERROR(ReadImageSizes(image, &s));
  if (grads.dim(3) != s.depth) return InvalidArgument("image, grads depth differ");
  RAMET_RETURN_IF_ERROR(CheckBoxes(boxes, ind));
  s.boxes = boxes.rank() > 0 ? boxes.dim(0) : 0;
  if (grads.dim(0) != s.boxes) return InvalidArgument("boxes and grads have incompatible shape");
  RAMET_ASSIGN_OR_RETURN(Tensor * db, c.Allocate(0, DType::kFloat, Shape{s.boxes, 4}));
  RAMET_RETURN_IF_ERROR(CheckBoxValues(boxes, ind, s.batch));
  std::ranges::fill(db->mutable_flat<float>(), 0.0f);
  if (grads.num_elements() == 0) return OkStatus();
  linalg::ParallelFor(s.boxes, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Crop crop(s, boxes, ind, i);
      const T* pixels = image.data<T>() + crop.image * s.image();
      const float* grad = grads.data<float>() + i * s.crop();
      ForEachCropped(s, crop, [&](int64_t y, int64_t x, float in_y, float in_x) {
        AddBoxGrad(s, pixels, grad + y * s.crop_row() + x * s.depth, in_y, in_x,
                   BoxShare(y, s.crop_height, s.height), BoxShare(x, s.crop_width, s.width),
                   db->mutable_data<float>() + 4 * i);
      });
    }
  });
  return OkStatus();
}

Status CropShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape image, c.WithRank(0, 4));
  RAMET_ASSIGN_OR_RETURN(const Shape boxes, c.WithRank(1, 2));
  RAMET_ASSIGN_OR_RETURN(const Shape ind, c.WithRank(2, 1));
  RAMET_ASSIGN_OR_RETURN(const Shape count, Shape{boxes.dim(0)}.MergeWith(ind));
  if (boxes.dim(1) >= 0 && boxes.dim(1) != 4) {
    return InvalidArgument("Dimensions must be equal, but are 4 and ", boxes.dim(1));
  }
  Shape crops{count.dim(0), Shape::kUnknownDim, Shape::kUnknownDim, image.dim(3)};
  if (const Tensor* size = c.constant(3)) {
    RAMET_ASSIGN_OR_RETURN(const auto sides, IntegerValues(*size));
    if (sides.size() != 2) return InvalidArgument("Dimension must be 2 but is ", sides.size());
    for (const int i : {0, 1}) {
      if (sides[i] < -1) return InvalidArgument("Dimension ", sides[i], " must be >= 0");
      crops.set_dim(i + 1, sides[i]);
    }
  }
  c.set_output(0, std::move(crops));
  return OkStatus();
}

Status CropGradImageShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape image, c.constant_as_shape(3));
  RAMET_ASSIGN_OR_RETURN(image, image.MergeWith(Shape::OfRank(4)));
  c.set_output(0, std::move(image));
  return OkStatus();
}

Status CropGradBoxesShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape boxes, c.WithRank(2, 2));
  c.set_output(0, std::move(boxes));
  return OkStatus();
}

Tensor Int32Tensor(std::span<const int64_t> values) {
  Tensor t(DType::kInt32, Shape{static_cast<int64_t>(values.size())});
  std::ranges::copy(values, t.mutable_data<int32_t>());
  return t;
}

Status CropGradient(GradientContext& c) {
  const Output grad = c.grad(), image = c.input(0);
  const Shape known = image.shape();
  const Input shape =
      known.IsFullyDefined() ? Input(Int32Tensor(known.dims())) : Input(ShapeOf(c, image));
  Gradient of_image;
  if (image.dtype() == kHalf || image.dtype() == kFloat || image.dtype() == kDouble) {
    AttrMap attrs = AttrsNamed(c, {"method"});
    attrs.Set("T", image.dtype());
    of_image = c.Add("CropAndResizeGradImage", {grad, c.input(1), c.input(2), shape}, attrs);
  }
  return c.Return({of_image, c.Add("CropAndResizeGradBoxes", {grad, image, c.input(1), c.input(2)}),
                   Gradient(), Gradient()});
}

RAMET_OP("CropAndResize")
    .Input("image: T")
    .Input("boxes: float")
    .Input("box_ind: int32")
    .Input("crop_size: int32")
    .Output("crops: float")
    .Attr("T: {uint8, uint16, int8, int16, int32, int64, half, float, double}")
    .Attr("method: {'bilinear', 'nearest'} = 'bilinear'")
    .Attr("extrapolation_value: float = 0")
    .Doc(
        "Returns a crop of size crop_size, a vector of height and width, for each of the `boxes` "
        "[count, 4]: y1, x1, y2, x2, where 0 and 1 are the centers of the first and last pixels. "
        "Box i is in image box_ind[i] of `image` [batch, height, width, depth]. Pixels outside the "
        "image are extrapolation_value. Error: a shape does not match this; a size is not "
        "positive; a box is not finite; an index is not less than the batch size (kOutOfRange).")
    .HostMemory({"crop_size"})
    .Shape(CropShape)
    .Gradient(CropGradient)
    .CpuKernelClasses<CropKernel, RAMET_IMAGE_NUMBERS>();

RAMET_OP("CropAndResizeGradImage")
    .Input("grads: float")
    .Input("boxes: float")
    .Input("box_ind: int32")
    .Input("image_size: int32")
    .Output("output: T")
    .Attr("T: {float, half, double}")
    .Attr("method: {'bilinear', 'nearest'} = 'bilinear'")
    .Doc(
        "Returns the gradient of CropAndResize for its image, of shape image_size, from the "
        "gradients `grads` of the crops. Error: a shape does not match that of CropAndResize; a "
        "size is not positive; an index is not less than the batch size (kOutOfRange).")
    .HostMemory({"image_size"})
    .Shape(CropGradImageShape)
    .CpuKernelClasses<CropGradImageKernel, Half, float, double>();

RAMET_OP("CropAndResizeGradBoxes")
    .Input("grads: float")
    .Input("image: T")
    .Input("boxes: float")
    .Input("box_ind: int32")
    .Output("output: float")
    .Attr("T: {uint8, uint16, int8, int16, int32, int64, half, float, double}")
    .Attr("method: {'bilinear'} = 'bilinear'")
    .Doc(
        "Returns the gradient of CropAndResize for its boxes from the gradients `grads` of the "
        "crops. Error: a shape does not match that of CropAndResize; an index is not less than the "
        "batch size (kOutOfRange).")
    .Shape(CropGradBoxesShape)
    .CpuKernels<RAMET_IMAGE_NUMBERS>([]<class T>(KernelContext& c) { return CropGradBoxes<T>(c); });

}  // namespace
}  // namespace ramet
