#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/file.h"
#include "ramet/base/status.h"
#include "ramet/format/checkpoint_tensor.h"
#include "ramet/format/tensor_slice.h"
#include "ramet/tensor/tensor.h"

// Reading checkpoints in TensorFlow's V2 format, the "tensor bundle": P.index and
// P.data-SSSSS-of-NNNNN (docs/formats/checkpoint-v2.md). Nothing in the files is trusted: every
// length and offset is checked before it is used, memory is taken only for what the files hold, and
// every block's and tensor's checksum is verified.
namespace ramet {

using BundleTensor = CheckpointTensor;

// A MappedTensor is a tensor of a data file that is mapped into memory: nothing is read until its
// bytes are touched, so it may be larger than memory. It stays valid without its reader. Several
// threads may read at once.
class RAMET_EXPORT MappedTensor {
 public:
  MappedTensor(MappedTensor&&) noexcept;
  MappedTensor& operator=(MappedTensor&&) noexcept;
  ~MappedTensor();

  DType dtype() const;
  const Shape& shape() const;
  // The elements, little-endian and row-major, at any alignment: copy them out. Zeros where the
  // file was shortened meanwhile: ask CheckIntact afterwards.
  std::string_view bytes() const;
  // \error kDataLoss if the file was shortened or could not be read since it was mapped.
  Status CheckIntact() const;
  // Reads all bytes. \error kDataLoss "TensorBundle at P shard 0 (8 bytes): Checksum does not
  // match:
  // ...", and as CheckIntact.
  Status Verify() const;

 private:
  friend class BundleReader;
  class Impl;
  explicit MappedTensor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// A BundleReader reads one checkpoint. It keeps the index open that it was opened on, so what it
// reads belongs to one save even when the checkpoint is overwritten meanwhile; a data file that it
// has not touched yet may be gone or replaced by then, which shows as NotFound, OutOfRange or
// DataLoss (ReadBundle takes care of that). One thread at a time.
class RAMET_EXPORT BundleReader {
 public:
  // \error kNotFound if there is no PREFIX.index; kDataLoss if it is damaged; kInvalidArgument if
  // it
  //   was written for newer readers.
  static StatusOr<BundleReader> Open(const std::string& prefix);
  BundleReader(BundleReader&&) noexcept;
  BundleReader& operator=(BundleReader&&) noexcept;
  ~BundleReader();

  const std::string& prefix() const;
  int num_shards() const;
  // Of the .index file as it was opened.
  const FileIdentity& index_identity() const;

  // All tensors, sorted by name. \error kDataLoss if the index is damaged.
  StatusOr<std::vector<BundleTensor>> List();
  // \error kNotFound "Key NAME not found in checkpoint"; kDataLoss if the entry is damaged.
  StatusOr<BundleTensor> Find(std::string_view name);
  // The whole tensor, read into one buffer of `allocator`, whose memory the host can touch; put
  // together when it is stored in slices. \error kNotFound as Find, or if a data file is missing.
  // \error kDataLoss if entry or bytes are damaged; kOutOfRange if a data file is too short.
  // \error kInvalidArgument if the stored slices do not cover the tensor; kInternal if they
  // overlap. \error kUnimplemented for resource, variant and other dtypes that a Tensor does not
  // hold.
  StatusOr<Tensor> Read(std::string_view name, Allocator* allocator = HostAllocator());
  // A box of it, from a whole tensor or from any slices that cover the box. Every stored tensor or
  // slice that has a part in the box is read whole, piece by piece, and its checksum verified;
  // memory is taken for the box alone (a string tensor is read whole). \error as Read; kInternal if
  // the slice is not in the tensor.
  StatusOr<Tensor> ReadSlice(std::string_view name, const TensorSlice& slice,
                             Allocator* allocator = HostAllocator());
  // The same box, but of what is stored only the bytes of the box are read: quick in a huge tensor.
  // No checksum is verified, except those of stored slices that are in the box whole. \error as
  // ReadSlice.
  StatusOr<Tensor> ReadSliceUnverified(std::string_view name, const TensorSlice& slice,
                                       Allocator* allocator = HostAllocator());
  // Hands the bytes of a tensor of a flat dtype, little-endian and in row-major order, to `sink`,
  // 256 KiB at most at a time: for tensors larger than memory. `slice` is one of the slices that it
  // is stored in, or all of it when it is stored whole. That the checksum is wrong shows at the end
  // (kDataLoss), when `sink` has had the bytes. \error as Read; that of `sink`; kInvalidArgument if
  // it is not stored so, or holds strings.
  Status ReadPieces(std::string_view name, const TensorSlice& slice,
                    const std::function<Status(std::string_view)>& sink);
  // Maps a tensor of a flat dtype that is stored whole in a little-endian checkpoint. No checksum
  // is verified before Verify. A program with mapped tensors has a handler of SIGBUS
  // (ramet/base/mapped_file.h). \error as Find; kFailedPrecondition if it is stored in slices, is
  // big- endian or holds strings: Read takes these; kDataLoss if the data file was replaced.
  StatusOr<MappedTensor> Map(std::string_view name);
  // Opens the data files of a tensor that are not open yet: from then on an overwrite of the
  // checkpoint does not touch what Read gives. \error as Find; of opening.
  Status OpenDataOf(std::string_view name);

  // Whether a data file that was opened was written after the index: then another program is in the
  // middle of overwriting the checkpoint in place (TensorFlow replaces data, then index), or the
  // files were copied one by one.
  bool HasDataNewerThanIndex() const;

 private:
  class Impl;
  explicit BundleReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// One tensor that is asked of a checkpoint.
struct BundleRequest {
  std::string name;
  // kInvalid: whichever is stored.
  DType dtype = DType::kInvalid;
  // "" for the whole tensor, or as ParseShapeAndSlice takes it.
  std::string shape_and_slice;
};

// Reads all requests, in their order, from one save: while another process overwrites the
// checkpoint, the result is wholly the old or wholly the new one. Retries from the start when files
// moved under it (the index was replaced, or data are newer than the index), for about a second at
// most where nothing moves on. \error kNotFound "Unsuccessful TensorSliceReader constructor: Failed
// to find any matching files for
//   PREFIX" if there is no index; "Key NAME not found in checkpoint" if a name is missing.
// \error kInvalidArgument "tensor_name = NAME; expected dtype int32 does not equal original dtype
// float",
//   one line for each dtype that differs; "tensor_name = NAME; shape in shape_and_slice spec [12,2]
//   does not match the shape stored in checkpoint: [10,2]".
// \error and those of BundleReader.
RAMET_EXPORT StatusOr<std::vector<Tensor>> ReadBundle(const std::string& prefix,
                                                      std::span<const BundleRequest> requests,
                                                      Allocator* allocator = HostAllocator());

// Whether there is a PREFIX.index.
RAMET_EXPORT bool BundleExists(const std::string& prefix);

}  // namespace ramet
