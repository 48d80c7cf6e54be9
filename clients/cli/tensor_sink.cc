#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <unordered_map>

#include "npz.h"
#include "tensors.h"

namespace cli {
namespace {

namespace rm = ramet;

std::vector<size_t> InOrder(size_t n) {
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), size_t{0});
  return order;
}

class BundleSink final : public TensorSink {
 public:
  BundleSink(rm::BundleWriter writer, size_t n) : writer_(std::move(writer)), n_(n) {}
  std::vector<size_t> Order() const override { return InOrder(n_); }
  rm::Status Add(const TensorInfo& info, const rm::Tensor& tensor) override {
    return writer_.Add(info.name, tensor);
  }
  rm::Status Finish() override { return writer_.Finish(); }

 private:
  rm::BundleWriter writer_;
  const size_t n_;
};

class V1Sink final : public TensorSink {
 public:
  V1Sink(std::string path, size_t n) : writer_(std::move(path)), n_(n) {}
  std::vector<size_t> Order() const override { return InOrder(n_); }
  rm::Status Add(const TensorInfo& info, const rm::Tensor& tensor) override {
    return writer_.Add(info.name, tensor);
  }
  rm::Status Finish() override { return writer_.Finish(); }

 private:
  rm::V1Writer writer_;
  const size_t n_;
};

int64_t BytesOf(const TensorInfo& info) {
  const auto bytes = rm::TensorBytes(info.dtype, info.shape);
  return bytes.ok() ? static_cast<int64_t>(*bytes) : 0;
}

// Writes one bundle per shard next to the prefix and merges them, as a sharded Saver does. The
// tensors go in order into shards of about the same number of bytes. No shard is empty.
class ShardedSink final : public TensorSink {
 public:
  ShardedSink(std::string prefix, const std::vector<TensorInfo>& tensors, int shards)
      : prefix_(std::move(prefix)),
        folder_(rm::StrCat(prefix_, "_temp_", getpid())),
        shards_(shards),
        n_(tensors.size()),
        left_(static_cast<int64_t>(n_)) {
    for (const TensorInfo& info : tensors) total_ += BytesOf(info) + 1;
  }
  ShardedSink(const ShardedSink&) = delete;
  ShardedSink& operator=(const ShardedSink&) = delete;
  // Removes what was written unless Finish has succeeded.
  ~ShardedSink() override {
    std::error_code ignored;
    if (!finished_) std::filesystem::remove_all(folder_, ignored);
  }
  std::vector<size_t> Order() const override { return InOrder(n_); }

  rm::Status Add(const TensorInfo& info, const rm::Tensor& tensor) override {
    const auto begun = static_cast<int64_t>(prefixes_.size());
    const bool full = done_ >= begun * (total_ / shards_);
    const bool each_needs_one = left_ <= shards_ - begun;
    if (begun < shards_ && (full || each_needs_one)) RAMET_RETURN_IF_ERROR(Next());
    done_ += BytesOf(info) + 1;
    --left_;
    return writer_->Add(info.name, tensor);
  }

  rm::Status Finish() override {
    RAMET_RETURN_IF_ERROR(writer_->Finish());
    RAMET_RETURN_IF_ERROR(rm::MergeBundles(prefixes_, prefix_));
    finished_ = true;
    return rm::OkStatus();
  }

 private:
  rm::Status Next() {
    if (writer_) RAMET_RETURN_IF_ERROR(writer_->Finish());
    prefixes_.push_back(rm::StrCat(folder_, "/part-", prefixes_.size()));
    RAMET_ASSIGN_OR_RETURN(rm::BundleWriter writer, rm::BundleWriter::Create(prefixes_.back()));
    writer_ = std::make_unique<rm::BundleWriter>(std::move(writer));
    return rm::OkStatus();
  }

  const std::string prefix_, folder_;
  bool finished_ = false;
  const int shards_;
  const size_t n_;
  int64_t total_ = 0, done_ = 0, left_;
  std::vector<std::string> prefixes_;
  std::unique_ptr<rm::BundleWriter> writer_;
};

class SafetensorsSink final : public TensorSink {
 public:
  SafetensorsSink(rm::SafetensorsWriter writer, const std::vector<TensorInfo>& tensors)
      : writer_(std::move(writer)) {
    for (size_t i = 0; i < tensors.size(); ++i) by_name_[tensors[i].name] = i;
  }
  std::vector<size_t> Order() const override {
    std::vector<size_t> order;
    for (const auto& entry : writer_.entries()) order.push_back(by_name_.at(entry.name));
    return order;
  }
  rm::Status Add(const TensorInfo&, const rm::Tensor& tensor) override {
    return writer_.Add(tensor);
  }
  rm::Status Finish() override { return writer_.Finish(); }

 private:
  rm::SafetensorsWriter writer_;
  std::unordered_map<std::string, size_t> by_name_;
};

class NpzSink final : public TensorSink {
 public:
  NpzSink(NpzWriter writer, size_t n) : writer_(std::move(writer)), n_(n) {}
  std::vector<size_t> Order() const override { return InOrder(n_); }
  rm::Status Add(const TensorInfo& info, const rm::Tensor& tensor) override {
    return writer_.Add(info.name, tensor);
  }
  rm::Status Finish() override { return writer_.Finish(); }

 private:
  NpzWriter writer_;
  const size_t n_;
};

using Made = rm::StatusOr<std::unique_ptr<TensorSink>>;
using Maker = Made (*)(const std::string&, const std::vector<TensorInfo>&, const SinkOptions&);

Made MakeBundle(const std::string& path, const std::vector<TensorInfo>& tensors,
                const SinkOptions& options) {
  if (options.shards > 1) {
    return std::unique_ptr<TensorSink>(
        std::make_unique<ShardedSink>(path, tensors, options.shards));
  }
  RAMET_ASSIGN_OR_RETURN(rm::BundleWriter writer, rm::BundleWriter::Create(path));
  return std::unique_ptr<TensorSink>(
      std::make_unique<BundleSink>(std::move(writer), tensors.size()));
}

Made MakeV1(const std::string& path, const std::vector<TensorInfo>& tensors,
            const SinkOptions& options) {
  if (options.shards > 1) return rm::InvalidArgument("--shards: a v1 checkpoint is one file");
  return std::unique_ptr<TensorSink>(std::make_unique<V1Sink>(path, tensors.size()));
}

Made MakeSafetensors(const std::string& path, const std::vector<TensorInfo>& tensors,
                     const SinkOptions&) {
  std::vector<rm::SafetensorsEntry> entries;
  for (const TensorInfo& info : tensors) entries.push_back({info.name, info.dtype, info.shape});
  RAMET_ASSIGN_OR_RETURN(rm::SafetensorsWriter writer,
                         rm::SafetensorsWriter::Create(path, std::move(entries)));
  return std::unique_ptr<TensorSink>(std::make_unique<SafetensorsSink>(std::move(writer), tensors));
}

Made MakeNpz(const std::string& path, const std::vector<TensorInfo>& tensors,
             const SinkOptions& options) {
  RAMET_ASSIGN_OR_RETURN(NpzWriter writer, NpzWriter::Create(path, options.compress));
  return std::unique_ptr<TensorSink>(std::make_unique<NpzSink>(std::move(writer), tensors.size()));
}

struct Format {
  std::string name, extension;
  Maker make;
};

const std::vector<Format>& Formats() {
  static const std::vector<Format>* const formats =
      new std::vector<Format>{{"v2", "", MakeBundle},
                              {"v1", "", MakeV1},
                              {"safetensors", ".safetensors", MakeSafetensors},
                              {"npz", ".npz", MakeNpz}};
  return *formats;
}

}  // namespace

const std::vector<std::string>& SinkFormats() {
  static const std::vector<std::string>* const names = [] {
    auto* all = new std::vector<std::string>;
    for (const Format& format : Formats()) all->push_back(format.name);
    return all;
  }();
  return *names;
}

std::string FormatOf(const std::string& path) {
  for (const Format& format : Formats()) {
    if (!format.extension.empty() && path.ends_with(format.extension)) return format.name;
  }
  return Formats().front().name;
}

rm::StatusOr<std::unique_ptr<TensorSink>> MakeSink(const std::string& path,
                                                   const std::vector<TensorInfo>& tensors,
                                                   const SinkOptions& options) {
  for (const Format& format : Formats()) {
    if (format.name == options.format) return format.make(path, tensors, options);
  }
  return rm::InvalidArgument("unknown format '", options.format, "'; expected one of ",
                             rm::StrJoin(SinkFormats(), ", "));
}

}  // namespace cli
