#pragma once

#include "ramet/op/op.h"

// Boxes [count, 4] in images: y1, x1, y2, x2, in fractions of the height and width.

namespace ramet {

// \error kInvalidArgument: `boxes` is not [count, 4], `box_ind` is not [count], or an image index
//   is not in [0, batch) (kOutOfRange).
Status CheckBoxes(const Tensor& boxes, const Tensor& box_ind);
// Checks that the images that the boxes are in exist, and that the boxes are finite.
// \error kOutOfRange: an index is not in [0, batch).
// \error kInvalidArgument: a coordinate is not finite.
Status CheckBoxValues(const Tensor& boxes, const Tensor& box_ind, int64_t batch);

// A CropAxis maps the pixels of a crop to positions along one axis of the image.
class CropAxis {
 public:
  CropAxis(float begin, float end, int64_t image, int64_t crop)
      : begin_(begin), end_(end), last_(static_cast<float>(image - 1)), crop_(crop) {
    if (crop > 1) step_ = (end - begin) * last_ / static_cast<float>(crop - 1);
  }

  // Returns the position of pixel i in the image.
  float Position(int64_t i) const {
    if (crop_ > 1) return begin_ * last_ + static_cast<float>(i) * step_;
    return static_cast<float>(0.5 * (begin_ + end_) * last_);
  }
  bool Inside(float position) const { return position >= 0 && position <= last_; }

 private:
  const float begin_, end_, last_;
  const int64_t crop_;
  float step_ = 0;
};

}  // namespace ramet
