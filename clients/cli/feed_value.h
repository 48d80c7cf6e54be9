#pragma once

#include <ramet/ramet.h>

#include <string>

namespace cli {

// Converts a tensor to `dtype` with the op Cast.
// \error as for Session::Run.
ramet::StatusOr<ramet::Tensor> CastTensor(const ramet::Tensor& value, ramet::DType dtype);

// Reads the VALUE of --feed NAME=VALUE as a tensor of `dtype`. `text` is the path of a .npy file or
// a JSON value: 1.5, [[1,2],[3,4]], true or "text". Nested lists of equal lengths are dimensions.
// Numbers are converted to `dtype`: a floating-point dtype may round them, an integer dtype takes
// only integers that fit.
// \error as for ReadNpy.
// \error kInvalidArgument: `text` is neither, or its value cannot be converted to `dtype`.
ramet::StatusOr<ramet::Tensor> ReadFeedValue(const std::string& text, ramet::DType dtype);

}  // namespace cli
