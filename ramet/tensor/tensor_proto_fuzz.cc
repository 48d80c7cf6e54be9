#include <cstdint>
#include <cstdlib>

#include "ramet/tensor/tensor_proto.h"

// Checks that a tensor that was parsed can be written and parses back to the same tensor.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ramet;
  constexpr int64_t kMaxElements = 1 << 20;
  TensorProto proto;
  if (!proto.ParseFromArray(data, static_cast<int>(size))) return 0;
  StatusOr<Shape> shape = ShapeFromProto(proto.tensor_shape());
  if (!shape.ok() || shape->num_elements() > kMaxElements) return 0;
  StatusOr<Tensor> tensor = TensorFromProto(proto);
  if (!tensor.ok()) return 0;
  TensorProto written;
  if (!TensorToProto(*tensor, &written).ok()) std::abort();
  StatusOr<Tensor> again = TensorFromProto(written);
  if (!again.ok() || !again->BitwiseEquals(*tensor)) std::abort();
  return 0;
}
