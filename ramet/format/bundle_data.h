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

// The bytes of one tensor in a bundle's data file (docs/formats/checkpoint-v2.md, "Data").
namespace ramet {

// Whether a tensor of the dtype can stand in a data file.
bool IsBundleDType(DType dtype);

// Appends the tensor, which must be in host memory, to `file`; sets dtype, shape, offset, size and
// masked_crc of *entry. `side`, if not null, helps with big ones. \error of writing; kUnimplemented
// for a dtype that is not IsBundleDType.
Status AppendTensorData(const Tensor& tensor, WritableFile* file, BundleEntry* entry,
                        SideThread* side = nullptr);

// Takes the next bytes of a tensor.
using TakeBytes = std::function<Status(std::string_view)>;

// As AppendTensorData for a tensor of a flat dtype that `produce` hands over in pieces.
// \error kInvalidArgument if it hands over more or fewer bytes than the tensor has; that of
// `produce`; kUnimplemented for strings too.
Status AppendTensorPieces(DType dtype, const Shape& shape,
                          const std::function<Status(const TakeBytes&)>& produce,
                          WritableFile* file, BundleEntry* entry);

// Where the bytes of an entry are, and how to read them. Borrows all that it points to.
struct TensorDataSource {
  const RandomAccessFile* file = nullptr;
  // Of the index; messages name it.
  std::string_view key;
  std::string_view prefix;
  bool big_endian = false;
  // Helps with big tensors, if not null.
  SideThread* side = nullptr;
};

// That dtype, shape, size and offset of the entry agree with each other and with the data file.
// \error kDataLoss "Invalid size in bundle entry: key k; stored size 20; expected size 24";
//   kOutOfRange "Read less bytes than requested" if the file is too short; kUnimplemented for
//   dtypes that a Tensor does not hold.
Status CheckTensorData(const TensorDataSource& source, const BundleEntry& entry);

// Reads a tensor of a flat dtype into [out, out + entry.size), verifies the checksum, and swaps the
// bytes of a bundle that has the other endianness. Needs CheckTensorData().ok().
// \error kDataLoss "TensorBundle at P shard 0 (8 bytes): Checksum does not match: ..."; of reading.
Status ReadFlatData(const TensorDataSource& source, const BundleEntry& entry, char* out);

// As ReadFlatData, but hands the bytes to `sink` in order, piece by piece: 256 KiB each, the last
// one less. What is wrong with the checksum shows at the end. An error of `sink` is passed on.
Status ReadDataPieces(const TensorDataSource& source, const BundleEntry& entry,
                      const std::function<Status(std::string_view)>& sink);

// Makes elements as the file has them those of this machine.
void ToHostElements(const TensorDataSource& source, DType dtype, std::span<char> bytes);

// The kDataLoss of bytes whose checksum is `crc`.
Status ChecksumMismatch(std::string_view prefix, std::string_view key, const BundleEntry& entry,
                        uint32_t crc);

// Reads the entry's tensor into a buffer of its own. \error as the two above; kDataLoss "The length
// checksum does not match: ..." and where lengths of strings do not add up; of the allocator.
StatusOr<Tensor> ReadTensorData(const TensorDataSource& source, const BundleEntry& entry,
                                Allocator* allocator);

}  // namespace ramet
