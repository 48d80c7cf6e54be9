#pragma once

#include <ramet/ramet.h>

#include <string>
#include <string_view>

#include "inference/open_inference_grpc.pb.h"

// The tensors of the Open Inference Protocol.
namespace server {

// Reads one input. `raw` is its entry in raw_input_contents, or null if its values are in the typed
// contents. The tensor is never larger than the message.
// \error kInvalidArgument: the datatype, the shape and the values do not fit, naming the input.
ramet::StatusOr<ramet::Tensor> V2InputTensor(
    const inference::ModelInferRequest::InferInputTensor& input, const std::string* raw);

// Writes the dtype and shape of an output.
void DescribeV2Output(const std::string& name, const ramet::Tensor& tensor,
                      inference::ModelInferResponse::InferOutputTensor* output);
// Reports whether the typed contents can hold the elements of a dtype.
bool HasV2Contents(ramet::DType dtype);
// Writes the elements into the typed contents. The dtype has a place there.
void WriteV2Contents(const ramet::Tensor& tensor, inference::InferTensorContents* contents);

}  // namespace server
