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
  size_t slices = 0;  // in which a checkpoint stores it; 0: whole
};

// The tensors of a file, whichever format it has: a checkpoint (V2 or V1), safetensors,
// .npz, or the constants of a GraphDef.
class TensorSource {
 public:
  virtual ~TensorSource() = default;
  // Sorted by name.
  virtual ramet::StatusOr<std::vector<TensorInfo>> List() = 0;
  // \error as the format's reader.
  virtual ramet::StatusOr<ramet::Tensor> Read(const std::string& name) = 0;
  // Reads a tensor to check it, in little memory where it is compressed. \error as Read.
  virtual ramet::Status Verify(const std::string& name) { return Read(name).status(); }
  // A part of it. \error besides: kInvalidArgument if the slice is not in the tensor.
  virtual ramet::StatusOr<ramet::Tensor> ReadSlice(const std::string& name,
                                                   const ramet::TensorSlice& slice);
  // "v2", "v1", "safetensors", "npz", "GraphDef".
  virtual std::string format() const = 0;
  // The reader beneath, of a V2 checkpoint; else nullptr.
  virtual ramet::BundleReader* bundle() { return nullptr; }
};

// `path` as FindModelFile takes it. A .meta file and a SavedModel stand for their checkpoint.
// \error those of FindModelFile and of the format's reader; kNotFound if a .meta file or a
//   SavedModel has no checkpoint.
ramet::StatusOr<std::unique_ptr<TensorSource>> OpenTensors(const std::string& path);

struct SinkOptions {
  std::string format;     // one of SinkFormats()
  int shards = 1;         // of a V2 checkpoint
  bool compress = false;  // of .npz
};

// Takes tensors in the order of `Order` and makes a file of them, which is there, whole, after
// Finish.
class TensorSink {
 public:
  virtual ~TensorSink() = default;
  // The order in which Add wants the tensors: positions in the list that the sink was made with.
  virtual std::vector<size_t> Order() const = 0;
  virtual ramet::Status Add(const TensorInfo& info, const ramet::Tensor& tensor) = 0;
  virtual ramet::Status Finish() = 0;
};

// "v2", "v1", "safetensors", "npz".
const std::vector<std::string>& SinkFormats();
// The format that the name of an output asks for: that of its extension, else "v2".
std::string FormatOf(const std::string& path);
// \error kInvalidArgument for an unknown format; those of the format's writer.
ramet::StatusOr<std::unique_ptr<TensorSink>> MakeSink(const std::string& path,
                                                      const std::vector<TensorInfo>& tensors,
                                                      const SinkOptions& options);

// Shows how far work on `total` things is, once it has taken more than a second, when stderr is a
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
