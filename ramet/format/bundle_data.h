#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "ramet/base/file.h"
#include "ramet/base/side_thread.h"
#include "ramet/base/status.h"
#include "ramet/format/bundle_format.h"
#include "ramet/tensor/tensor.h"

// Reads and writes the bytes of a tensor in a bundle's data file (docs/formats/checkpoint-v2.md,
// "Data").
namespace ramet {

// Reports whether data files can hold tensors of the dtype.
bool IsBundleDType(DType dtype);
// Reports whether the elements of a dtype have a fixed size: it is not string or variant.
bool IsFlatDType(DType dtype);

// Appends the tensor, which must be in host memory, to `file`. Sets dtype, shape, offset, size and
// masked_crc of *entry. `side`, if not null, helps with large tensors.
// \error kUnimplemented: the dtype is not IsBundleDType.
// \error any error of writing.
Status AppendTensorData(const Tensor& tensor, WritableFile* file, BundleEntry* entry,
                        SideThread* side = nullptr);

// Receives the next bytes of a tensor.
using TakeBytes = std::function<Status(std::string_view)>;

// Like AppendTensorData, but for a tensor of a flat dtype that `produce` supplies in pieces.
// \error kInvalidArgument: `produce` supplies more or fewer bytes than the tensor has.
// \error kUnimplemented: the dtype is string or not IsBundleDType.
// \error any error of `produce`.
Status AppendTensorPieces(DType dtype, const Shape& shape,
                          const std::function<Status(const TakeBytes&)>& produce,
                          WritableFile* file, BundleEntry* entry);

// Locates the bytes of an entry and tells how to read them. Borrows everything it points to.
struct TensorDataSource {
  const RandomAccessFile* file = nullptr;
  // The key in the index, for messages.
  std::string_view key;
  std::string_view prefix;
  bool big_endian = false;
  // Helps with large tensors, if not null.
  SideThread* side = nullptr;
};

// Checks that the dtype, shape, size and offset of the entry agree with each other and with the
// data file.
// \error kDataLoss: "Invalid size in bundle entry: key k; stored size 20; expected size 24".
// \error kOutOfRange: the file is too short; "Read less bytes than requested".
// \error kUnimplemented: a Tensor cannot hold the dtype.
Status CheckTensorData(const TensorDataSource& source, const BundleEntry& entry);

// Reads a tensor of a flat dtype into [out, out + entry.size), verifies the checksum, and swaps the
// bytes if the bundle has the opposite endianness. Requires CheckTensorData().ok().
// \error kDataLoss: "TensorBundle at P shard 0 (8 bytes): Checksum does not match: ...".
// \error any error of reading.
Status ReadFlatData(const TensorDataSource& source, const BundleEntry& entry, char* out);

// Like ReadFlatData, but passes the bytes to `sink` in order, in pieces of 256 KiB. The checksum is
// verified after the last piece. Also returns the errors of ReadFlatData and of `sink`.
Status ReadDataPieces(const TensorDataSource& source, const BundleEntry& entry,
                      const std::function<Status(std::string_view)>& sink);

// Converts elements from the file's byte order to the machine's.
void ToHostElements(const TensorDataSource& source, DType dtype, std::span<char> bytes);

// Returns the kDataLoss error for bytes whose checksum is `crc`.
Status ChecksumMismatch(std::string_view prefix, std::string_view key, const BundleEntry& entry,
                        uint32_t crc);

// Reads the entry's tensor into a new buffer.
// \error kDataLoss: "The length checksum does not match: ...", or string lengths do not add up.
// \error as CheckTensorData and ReadFlatData, or any error of the allocator.
StatusOr<Tensor> ReadTensorData(const TensorDataSource& source, const BundleEntry& entry,
                                Allocator* allocator);

}  // namespace ramet
