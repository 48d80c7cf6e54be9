#pragma once

#include <ramet/ramet.h>

#include <memory>
#include <string>
#include <vector>

namespace cli {

struct TensorInfo {
  std::string name;
  ramet::DType dtype = ramet::DType::kInvalid;
  ramet::Shape shape;
  int64_t bytes = 0;
  size_t slices = 0;  // the number of slices in which a checkpoint stores it; 0 if it is whole
};

// A TensorSource reads the tensors of a file of any supported format: a checkpoint (V2 or V1), a
// .safetensors or .npz file, or the constants of a GraphDef.
class TensorSource {
 public:
  virtual ~TensorSource() = default;
  // Returns the tensors, sorted by name.
  virtual ramet::StatusOr<std::vector<TensorInfo>> List() = 0;
  // \error as for the format's reader.
  virtual ramet::StatusOr<ramet::Tensor> Read(const std::string& name) = 0;
  // Verifies that a tensor can be read. Uses little memory for compressed files.
  // \error as for Read.
  virtual ramet::Status Verify(const std::string& name) { return Read(name).status(); }
  // Reads a part of a tensor.
  // \error as for Read.
  // \error kInvalidArgument: the slice is not within the tensor.
  virtual ramet::StatusOr<ramet::Tensor> ReadSlice(const std::string& name,
                                                   const ramet::TensorSlice& slice);
  // One of "v2", "v1", "safetensors", "npz", "GraphDef".
  virtual std::string format() const = 0;
  // The underlying reader of a V2 checkpoint; nullptr for other formats.
  virtual ramet::BundleReader* bundle() { return nullptr; }
};

// Opens a file, with paths as FindModelFile takes them. A .meta file and a SavedModel stand for
// their checkpoint.
// \error as for FindModelFile and the format's reader.
// \error kNotFound: a .meta file or a SavedModel has no checkpoint.
ramet::StatusOr<std::unique_ptr<TensorSource>> OpenTensors(const std::string& path);

struct SinkOptions {
  std::string format;     // one of SinkFormats()
  int shards = 1;         // number of data files of a V2 checkpoint
  bool compress = false;  // whether to deflate the arrays of a .npz file
};

// A TensorSink writes tensors to a file. The file is complete after Finish.
class TensorSink {
 public:
  virtual ~TensorSink() = default;
  // Returns the order in which Add must be called, as positions in the list given to MakeSink.
  virtual std::vector<size_t> Order() const = 0;
  virtual ramet::Status Add(const TensorInfo& info, const ramet::Tensor& tensor) = 0;
  virtual ramet::Status Finish() = 0;
};

// Returns "v2", "v1", "safetensors", "npz".
const std::vector<std::string>& SinkFormats();
// Returns the format for the extension of an output path, or "v2" if there is none.
std::string FormatOf(const std::string& path);
// Creates a sink for these tensors.
// \error kInvalidArgument: the format is unknown.
// \error as for the format's writer.
ramet::StatusOr<std::unique_ptr<TensorSink>> MakeSink(const std::string& path,
                                                      const std::vector<TensorInfo>& tensors,
                                                      const SinkOptions& options);

// A LongWork shows a progress bar for work on `total` items after one second, if stderr is a
// terminal.
class LongWork {
 public:
  LongWork(std::string label, int64_t total);
  ~LongWork();
  void Update(int64_t done, const std::string& note = "");

 private:
  std::string label_;
  int64_t total_;
  double start_;
  bool shown_;
  std::unique_ptr<ramet::Progress> progress_;
};

}  // namespace cli
