#include "ramet/ops/parsing/feature_wire.h"

namespace ramet {

StatusOr<SerializedFeature> ReadFeature(std::string_view bytes) {
  if (bytes.empty()) return SerializedFeature{};
  const std::string_view list = bytes.substr(1);
  switch (static_cast<uint8_t>(bytes[0])) {
    case WireCursor::BytesTag(1): return SerializedFeature{kString, list};
    case WireCursor::BytesTag(2): return SerializedFeature{kFloat, list};
    case WireCursor::BytesTag(3): return SerializedFeature{kInt64, list};
    default: return InvalidArgument("Unsupported datatype.");
  }
}

size_t FeatureValues::size(DType dtype) const {
  if (dtype == kInt64) return ints.size();
  return dtype == kFloat ? floats.size() : strings.size();
}

bool FeatureValues::Append(const SerializedFeature& feature) {
  if (feature.dtype == kInt64) {
    GrowingSink<int64_t> sink(&ints);
    return ReadInt64List(feature.list, sink);
  }
  if (feature.dtype == kFloat) {
    GrowingSink<float> sink(&floats);
    return ReadFloatList(feature.list, sink);
  }
  GrowingSink<std::string_view> sink(&strings);
  return ReadBytesList(feature.list, sink);
}

void FeatureValues::CopyTo(int64_t from, int64_t count, Tensor& out, int64_t to) const {
  if (out.dtype() == kInt64) {
    std::copy_n(ints.data() + from, count, out.mutable_data<int64_t>() + to);
  } else if (out.dtype() == kFloat) {
    std::copy_n(floats.data() + from, count, out.mutable_data<float>() + to);
  } else {
    std::copy_n(strings.data() + from, count, out.mutable_data<std::string>() + to);
  }
}

}  // namespace ramet
