#pragma once

#include <ramet/ramet.h>

#include <string>

#include "proto/pieces.h"

namespace server {

// How the elements of a tensor are written: in the list of their type, as TensorFlow Serving does
// by default and many clients expect, or as the bytes of tensor_content.
enum class TensorForm : uint8_t { kTypedList, kContent };

// A TensorMessage is a serialized TensorProto: bytes, followed by the memory of a tensor if
// `memory` is not empty.
struct TensorMessage {
  std::string bytes = {};
  ramet::Tensor memory = {};
  size_t size() const { return bytes.size() + memory.bytes(); }
};

// \error kInvalidArgument: the dtype (resource, variant) has no elements that a message can hold.
ramet::StatusOr<TensorMessage> WriteTensor(const ramet::Tensor& tensor, TensorForm form);

void AppendTensor(const TensorMessage& message, Pieces* out);

}  // namespace server
