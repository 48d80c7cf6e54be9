#pragma once

#include <cstdint>

#include "ramet/format/bundle_data.h"

// Reads and writes tensors of dtype variant in a bundle's data file
// (docs/formats/checkpoint-v2.md, "Data").
namespace ramet {

// Appends the elements of a tensor, which must be EncodedVariants, and extends *crc by them.
// \error kUnimplemented: an element is empty or of another kind.
// \error any error of writing.
Status AppendVariants(const Tensor& tensor, WritableFile* file, uint32_t* crc);

// Reads a tensor of EncodedVariants and verifies the checksums. Requires CheckTensorData().ok().
// \error kDataLoss: a length, an element or a checksum is wrong.
// \error kUnimplemented: the bundle has the opposite endianness.
// \error any error of reading.
StatusOr<Tensor> ReadVariants(const TensorDataSource& source, const BundleEntry& entry);

}  // namespace ramet
