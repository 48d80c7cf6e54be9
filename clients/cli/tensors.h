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
};

// The tensors of a file, whichever format it has: a checkpoint (V2 or V1), safetensors,
// .npz.
class TensorSource {
 public:
  virtual ~TensorSource() = default;
  // Sorted by name.
  virtual ramet::StatusOr<std::vector<TensorInfo>> List() = 0;
  // \error as the format's reader.
  virtual ramet::StatusOr<ramet::Tensor> Read(const std::string& name) = 0;
  // A part of it. \error besides: kInvalidArgument if the slice is not in the tensor.
  virtual ramet::StatusOr<ramet::Tensor> ReadSlice(const std::string& name,
                                                   const ramet::TensorSlice& slice);
};

// Whether `path` is a V2 checkpoint's prefix, or a V1 checkpoint's file or pattern.
bool IsCheckpoint(const std::string& path);

// `path` is a file, or the PREFIX of a checkpoint; its content says which format it has.
// \error kNotFound if there is nothing of that name; those of the format's reader.
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

// Shows how far work on `total` things is, once it has taken more than a second.
class LongWork {
 public:
  LongWork(std::string label, int64_t total);
  ~LongWork();
  void Update(int64_t done, const std::string& note = "");

 private:
  std::string label_;
  int64_t total_;
  double start_;
  std::unique_ptr<ramet::Progress> progress_;
};

}  // namespace cli
