#pragma once

#include <ramet/ramet.h>

#include <string>

namespace cli {

// The tensor with its elements as `dtype`, by the op Cast. \error those of Session::Run.
ramet::StatusOr<ramet::Tensor> CastTensor(const ramet::Tensor& value, ramet::DType dtype);

// What stands behind NAME= in --feed: the path of a .npy file, or a value as JSON has it (1.5,
// [[1,2],[3,4]], true, "text"; nested lists of equal length are dimensions), as a tensor of
// `dtype`. Numbers become other numbers where none is changed but by rounding of fractions: NumPy's
// double fits a float. \error those of ReadNpy; kInvalidArgument for anything else, and if the
// dtype does not fit.
ramet::StatusOr<ramet::Tensor> ReadFeedValue(const std::string& text, ramet::DType dtype);

}  // namespace cli
