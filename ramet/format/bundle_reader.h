#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/file.h"
#include "ramet/base/status.h"
#include "ramet/format/checkpoint_tensor.h"
#include "ramet/format/mapped_tensor.h"
#include "ramet/format/tensor_slice.h"
#include "ramet/tensor/tensor.h"

// Reads checkpoints in TensorFlow's V2 format, the "tensor bundle": P.index and
// P.data-SSSSS-of-NNNNN (docs/formats/checkpoint-v2.md). Nothing in the files is trusted: every
// length and offset is checked before use, allocations are bounded by the size of the files, and
// the checksums of all blocks and tensors are verified.
namespace ramet {

using BundleTensor = CheckpointTensor;

// A BundleRecord is the record of a tensor in the index of a checkpoint. Reading a tensor by its
// record does not search the index again. Copies are cheap. Belongs to the BundleReader that found
// it, and is not thread-safe either.
class RAMET_EXPORT BundleRecord {
 public:
  const std::string& name() const;
  DType dtype() const;
  const Shape& shape() const;

 private:
  friend class BundleReader;
  struct Impl;
  explicit BundleRecord(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

// A BundleReader reads one checkpoint. It keeps the index open, so everything it reads belongs to
// one save even if the checkpoint is overwritten. Data files are opened on first use; one that has
// been removed or replaced by then results in NotFound, OutOfRange or DataLoss (ReadBundle handles
// that). Not thread-safe.
class RAMET_EXPORT BundleReader {
 public:
  // Opens a checkpoint.
  // \error kNotFound: there is no PREFIX.index.
  // \error kDataLoss: the index is damaged.
  // \error kInvalidArgument: it was written for newer readers.
  static StatusOr<BundleReader> Open(const std::string& prefix);
  BundleReader(BundleReader&&) noexcept;
  BundleReader& operator=(BundleReader&&) noexcept;
  ~BundleReader();

  const std::string& prefix() const;
  int num_shards() const;
  // Returns the identity of the opened .index file.
  const FileIdentity& index_identity() const;

  // Returns all tensors, sorted by name.
  // \error kDataLoss: the index is damaged.
  // \error kResourceExhausted: the names are far longer than the index, because they share prefixes.
  StatusOr<std::vector<BundleTensor>> List();
  // Finds a tensor.
  // \error kNotFound: "Key NAME not found in checkpoint".
  // \error kDataLoss: the entry is damaged.
  StatusOr<BundleTensor> Find(std::string_view name);
  // Finds the record of a tensor. Errors as Find.
  StatusOr<BundleRecord> FindRecord(std::string_view name);
  // Reads a whole tensor into one buffer of `allocator`, whose memory the host must be able to
  // access. Assembles a tensor that is stored in slices.
  // \error kNotFound: as Find, or a data file is missing.
  // \error kDataLoss: the entry or its bytes are damaged.
  // \error kOutOfRange: a data file is too short.
  // \error kInvalidArgument: the stored slices do not cover the tensor.
  // \error kInternal: the stored slices overlap.
  // \error kUnimplemented: a Tensor cannot hold the dtype (resource, ...).
  StatusOr<Tensor> Read(std::string_view name, Allocator* allocator = HostAllocator());
  StatusOr<Tensor> Read(const BundleRecord& record, Allocator* allocator = HostAllocator());
  // Reads a box of a tensor, from a tensor that is stored whole or from any slices that cover the
  // box. Every stored tensor or slice that overlaps the box is read in full, piece by piece, and
  // its checksum verified. Only the box is allocated (a string tensor is read whole).
  // \error kInternal: the slice is not in the tensor; otherwise as Read.
  StatusOr<Tensor> ReadSlice(std::string_view name, const TensorSlice& slice,
                             Allocator* allocator = HostAllocator());
  StatusOr<Tensor> ReadSlice(const BundleRecord& record, const TensorSlice& slice,
                             Allocator* allocator = HostAllocator());
  // Like ReadSlice, but reads only the bytes of the box, which is fast for a small part of a huge
  // tensor. Checksums are verified only for stored slices that lie entirely in the box.
  // \error as ReadSlice.
  StatusOr<Tensor> ReadSliceUnverified(std::string_view name, const TensorSlice& slice,
                                       Allocator* allocator = HostAllocator());
  // Passes the bytes of a tensor of a flat dtype, little-endian and row-major, to `sink` in pieces
  // of at most 256 KiB, for tensors larger than memory. `slice` is a stored slice, or the whole
  // tensor if it is stored whole. The checksum is verified at the end, after `sink` has had all
  // bytes.
  // \error kInvalidArgument: the slice is not stored like that, or the tensor holds strings.
  // \error as Read, or any error of `sink`.
  Status ReadPieces(std::string_view name, const TensorSlice& slice,
                    const std::function<Status(std::string_view)>& sink);
  // Maps a tensor of a flat dtype that is stored whole in a little-endian checkpoint. The checksum
  // is verified only by MappedTensor::Verify. Mapping installs a SIGBUS handler
  // (ramet/base/mapped_file.h).
  // \error kFailedPrecondition: the tensor is stored in slices, is big-endian or holds strings;
  //   Read works for these.
  // \error kDataLoss: the data file was replaced.
  // \error as Find.
  StatusOr<MappedTensor> Map(std::string_view name);
  // Opens the data files of a tensor. A later overwrite of the checkpoint then does not affect
  // Read.
  // \error kDataLoss: the record of a stored slice is damaged or missing.
  // \error any error of opening the files.
  Status OpenDataOf(const BundleRecord& record);

  // Reports whether an open data file was written after the index. Then another program is
  // overwriting the checkpoint in place (TensorFlow replaces the data first, then the index), or
  // the files were copied one by one.
  bool HasDataNewerThanIndex() const;

 private:
  class Impl;
  explicit BundleReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Reports whether there is a PREFIX.index.
RAMET_EXPORT bool BundleExists(const std::string& prefix);

}  // namespace ramet
