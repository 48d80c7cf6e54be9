#include <string>
#include <string_view>

#include "ramet/base/hash.h"
#include "ramet/op/op.h"
#include "ramet/tensor/variant.h"

namespace ramet {
namespace {

constexpr int64_t kFingerprintBytes = 8;

void WriteFingerprint(std::string_view bytes, uint8_t* out) {
  const uint64_t fingerprint = Fingerprint64(bytes);
  for (int i = 0; i < kFingerprintBytes; ++i) out[i] = static_cast<uint8_t>(fingerprint >> (8 * i));
}

// The fingerprint of several strings is that of their fingerprints.
void WriteOfStrings(const std::string* row, int64_t count, uint8_t* out) {
  if (count == 1) return WriteFingerprint(*row, out);
  std::string all(static_cast<size_t>(count * kFingerprintBytes), '\0');
  auto* const bytes = reinterpret_cast<uint8_t*>(all.data());
  for (int64_t i = 0; i < count; ++i) WriteFingerprint(row[i], bytes + i * kFingerprintBytes);
  WriteFingerprint(all, out);
}

Status FingerprintRows(KernelContext& c) {
  const Tensor &data = c.input(0), &method = c.input(1);
  if (method.rank() != 0) {
    return InvalidArgument("`method` should be a scalar string: ", method.shape());
  }
  if (method.scalar<std::string>() != "farmhash64") {
    return InvalidArgument("Unsupported fingerprint method: ", method.scalar<std::string>());
  }
  if (data.rank() < 1) {
    return InvalidArgument("`data` should have at least one dimension: ", data.shape());
  }
  if (IsVariant(data.dtype())) {
    return Unimplemented("Fingerprint is not defined for ", DTypeName(data.dtype()));
  }
  const int64_t rows = data.dim(0);
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kUInt8, Shape{rows, kFingerprintBytes}));
  if (rows == 0) return OkStatus();
  const int64_t elements = data.num_elements() / rows;
  uint8_t* out = y->mutable_data<uint8_t>();
  for (int64_t row = 0; row < rows; ++row, out += kFingerprintBytes) {
    if (data.dtype() == kString) {
      WriteOfStrings(data.data<std::string>() + row * elements, elements, out);
    } else {
      const size_t bytes = static_cast<size_t>(elements) * DTypeSize(data.dtype());
      const auto* const first = static_cast<const char*>(data.raw_data()) + row * bytes;
      WriteFingerprint({first, bytes}, out);
    }
  }
  return OkStatus();
}

Status FingerprintShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape data, c.WithRankAtLeast(0, 1));
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  c.set_output(0, Shape{data.unknown_rank() ? Shape::kUnknownDim : data.dim(0), kFingerprintBytes});
  return OkStatus();
}

RAMET_OP("Fingerprint")
    .Input("data: T")
    .Input("method: string")
    .Output("fingerprint: uint8")
    .Attr("T: type")
    .HostMemory({"data", "method", "fingerprint"})
    .Doc(
        "Returns the FarmHash fingerprints of the rows of `data`, 8 bytes each, in little-endian "
        "order. The fingerprint of a row of several strings is that of their fingerprints. Error: "
        "`data` is a scalar or is not made of numbers or strings; `method` is not the scalar "
        "'farmhash64'.")
    .Shape(FingerprintShape)
    .CpuKernel(FingerprintRows);

}  // namespace
}  // namespace ramet
