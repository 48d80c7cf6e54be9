#include <cstdio>

#include "ramet/format/bundle_reader.h"
#include "ramet/format/bundle_writer.h"
#include "ramet/ops/dataset/dataset_args.h"
#include "ramet/ops/dataset/list_dataset.h"

namespace ramet {
namespace {

// The elements of a dataset after its first complete pass. Thread-safe.
class MemoryCache {
 public:
  using Elements = std::shared_ptr<const std::vector<Element>>;
  // Returns null before the first complete pass.
  Elements Get() {
    MutexLock lock(mutex_);
    return elements_;
  }
  void Set(std::vector<Element> elements) {
    auto made = std::make_shared<const std::vector<Element>>(std::move(elements));
    MutexLock lock(mutex_);
    if (elements_ == nullptr) elements_ = std::move(made);
  }

 private:
  Mutex mutex_;
  Elements elements_ RAMET_GUARDED_BY(mutex_);
};

// Passes elements on and keeps them.
class MemoryCacheWriter final : public DatasetIterator {
 public:
  MemoryCacheWriter(DatasetPtr dataset, IteratorPtr input, std::shared_ptr<MemoryCache> cache)
      : DatasetIterator(std::move(dataset)), input_(std::move(input)), cache_(std::move(cache)) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    *end = input_ == nullptr;
    if (*end) return OkStatus();
    RAMET_RETURN_IF_ERROR(input_->Next(c, element, end));
    if (!*end) {
      elements_.push_back(*element);
      return OkStatus();
    }
    input_.reset();
    cache_->Set(std::move(elements_));
    return OkStatus();
  }

 private:
  IteratorPtr input_;
  const std::shared_ptr<MemoryCache> cache_;
  std::vector<Element> elements_;
};

// Returns the key of a component of an element in the files of a cache, as in TensorFlow.
std::string CacheKey(int64_t element, size_t component, size_t components) {
  const int width = static_cast<int>(std::to_string(components - 1).size());
  char text[64];
  std::snprintf(text, sizeof text, "%7lld_%*zu", static_cast<long long>(element), width, component);
  return text;
}

// Passes elements on and writes them to the files of a checkpoint, which become visible at the end.
class FileCacheWriter final : public DatasetIterator {
 public:
  FileCacheWriter(DatasetPtr dataset, IteratorPtr input, std::string prefix)
      : DatasetIterator(std::move(dataset)), input_(std::move(input)), prefix_(std::move(prefix)) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    *end = input_ == nullptr;
    if (*end) return OkStatus();
    if (writer_ == nullptr) {
      RAMET_ASSIGN_OR_RETURN(BundleWriter writer, BundleWriter::Create(prefix_));
      writer_ = std::make_unique<BundleWriter>(std::move(writer));
    }
    RAMET_RETURN_IF_ERROR(input_->Next(c, element, end));
    if (*end) {
      input_.reset();
      return writer_->Finish();
    }
    if (written_ >= kMaxElements) {
      return InvalidArgument("Upstream iterator is producing more than ", kMaxElements,
                             " items, which is more than the cache limit.");
    }
    for (size_t i = 0; i < element->size(); ++i) {
      RAMET_RETURN_IF_ERROR(writer_->Add(CacheKey(written_, i, element->size()), (*element)[i]));
    }
    ++written_;
    return OkStatus();
  }

 private:
  static constexpr int64_t kMaxElements = 10'000'000;

  IteratorPtr input_;
  const std::string prefix_;
  std::unique_ptr<BundleWriter> writer_;
  int64_t written_ = 0;
};

class FileCacheReader final : public DatasetIterator {
 public:
  FileCacheReader(DatasetPtr dataset, BundleReader reader)
      : DatasetIterator(std::move(dataset)), reader_(std::move(reader)) {}

 protected:
  Status Produce(NextContext&, Element* element, bool* end) override {
    const size_t components = dataset().spec().types.size();
    for (size_t i = 0; i < components; ++i) {
      const auto record = reader_.FindRecord(CacheKey(next_, i, components));
      *end = i == 0 && IsNotFound(record.status());
      if (*end) return OkStatus();
      if (!record.ok()) return record.status();
      RAMET_ASSIGN_OR_RETURN(Tensor value, reader_.Read(*record));
      element->push_back(std::move(value));
    }
    ++next_;
    return OkStatus();
  }

 private:
  BundleReader reader_;
  int64_t next_ = 0;
};

StatusOr<IteratorPtr> NewFileCacheIterator(const DatasetPtr& dataset, NextContext& c,
                                           const std::string& prefix) {
  if (GetFileIdentity(StrCat(prefix, ".index")).ok()) {
    RAMET_ASSIGN_OR_RETURN(BundleReader reader, BundleReader::Open(prefix));
    return IteratorPtr(std::make_unique<FileCacheReader>(dataset, std::move(reader)));
  }
  RAMET_ASSIGN_OR_RETURN(IteratorPtr input, dataset->NewInputIterator(c));
  return IteratorPtr(std::make_unique<FileCacheWriter>(dataset, std::move(input), prefix));
}

StatusOr<IteratorPtr> NewMemoryCacheIterator(const DatasetPtr& dataset, NextContext& c,
                                             const std::shared_ptr<MemoryCache>& cache) {
  if (MemoryCache::Elements elements = cache->Get()) {
    RAMET_ASSIGN_OR_RETURN(const auto list,
                           MakeListOfElements(dataset->spec(), std::move(elements)));
    return list->NewIterator(c);
  }
  RAMET_ASSIGN_OR_RETURN(IteratorPtr input, dataset->NewInputIterator(c));
  return IteratorPtr(std::make_unique<MemoryCacheWriter>(dataset, std::move(input), cache));
}

StatusOr<std::shared_ptr<Dataset>> MakeCacheDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.SameTypes());
  RAMET_ASSIGN_OR_RETURN(const std::string prefix, args.String(1, "filename"));
  const int64_t cardinality = input->cardinality();
  IteratorFactory factory;
  if (prefix.empty()) {
    factory = [cache = std::make_shared<MemoryCache>()](const DatasetPtr& dataset, NextContext& c) {
      return NewMemoryCacheIterator(dataset, c, cache);
    };
  } else {
    factory = [prefix](const DatasetPtr& dataset, NextContext& c) {
      return NewFileCacheIterator(dataset, c, prefix);
    };
  }
  return Dataset::Make(args.spec(), {std::move(input)}, std::move(factory), cardinality);
}

Status DummyMemoryCache(KernelContext& c) {
  c.SetOutput(0, Tensor(DType::kResource, Shape()));
  return OkStatus();
}

RAMET_OP("CacheDataset")
    .Input("input_dataset: variant")
    .Input("filename: string")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc(
        "Makes a dataset that keeps its elements after the first complete pass: in memory if "
        "filename is empty, else in files with this prefix, in TensorFlow's format. Error: the "
        "files cannot be read or written.")
    .HostMemory({"filename"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeCacheDataset>>();

RAMET_OP("CacheDatasetV2")
    .Input("input_dataset: variant")
    .Input("filename: string")
    .Input("cache: resource")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Stateful()
    .Doc("Like CacheDataset. Each dataset has a cache of its own.")
    .HostMemory({"filename"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeCacheDataset>>();

RAMET_OP("DummyMemoryCache")
    .Output("handle: resource")
    .Stateful()
    .Doc("Returns a handle that stands for no cache.")
    .Shape(ScalarShape)
    .CpuKernel(DummyMemoryCache);

}  // namespace
}  // namespace ramet
