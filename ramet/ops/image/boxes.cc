#include "ramet/ops/image/boxes.h"

#include <algorithm>
#include <cmath>

namespace ramet {

Status CheckBoxes(const Tensor& boxes, const Tensor& box_ind) {
  if (boxes.num_elements() == 0 && box_ind.num_elements() == 0) return OkStatus();
  if (boxes.rank() != 2) return InvalidArgument("boxes must be 2-D, got: ", boxes.shape());
  if (boxes.dim(1) != 4) return InvalidArgument("boxes must have 4 columns");
  if (box_ind.rank() != 1) {
    return InvalidArgument("box_indices must be rank 1 but is shape ", box_ind.shape());
  }
  if (box_ind.dim(0) != boxes.dim(0)) {
    return InvalidArgument("box_index has incompatible shape\nThere are ", boxes.dim(0),
                           " boxes, but ", box_ind.dim(0), " indices");
  }
  return OkStatus();
}

Status CheckBoxValues(const Tensor& boxes, const Tensor& box_ind, int64_t batch) {
  for (const int32_t index : box_ind.flat<int32_t>()) {
    if (index >= 0 && index < batch) continue;
    return OutOfRange("box_index has values outside [0, batch_size)\nThere is ", index,
                      ", but the batch has ", batch, " images");
  }
  const auto finite = [](float x) { return std::isfinite(x); };
  if (std::ranges::all_of(boxes.flat<float>(), finite)) return OkStatus();
  return InvalidArgument("Boxes contains at least one element that is not finite");
}

}  // namespace ramet
