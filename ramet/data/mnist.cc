#include "ramet/data/mnist.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "ramet/base/file.h"
#include "ramet/data/idx.h"

namespace ramet {
namespace {

constexpr std::array<std::string_view, 4> kFiles = {
    "train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte"};

// Returns the path with .gz if that exists, or the path without. Empty if there is neither.
std::string FindFile(const std::string& folder, std::string_view name) {
  std::string path = JoinPath(folder, name);
  if (FileExists(path + ".gz")) return path + ".gz";
  return FileExists(path) ? path : "";
}

StatusOr<std::array<std::string, 4>> FindFiles(const std::string& folder) {
  std::array<std::string, 4> paths;
  std::vector<std::string_view> missing;
  for (size_t i = 0; i < kFiles.size(); ++i) {
    paths[i] = FindFile(folder, kFiles[i]);
    if (paths[i].empty()) missing.push_back(kFiles[i]);
  }
  if (missing.empty()) return paths;
  std::string found = StrCat(StrJoin(missing, ", "), " not found");
  if (missing.size() == kFiles.size()) found = "none of its files found";
  if (!IsDirectory(folder)) found = "there is no such folder";
  return NotFound("data set in folder '", folder, "': ", found, ". It needs ",
                  StrJoin(kFiles, ", "), ", each with or without .gz at the end. Debian's package ",
                  "dataset-fashion-mnist has such files, in /usr/share/datasets/fashion-mnist");
}

Status CheckRank(const IdxArray& array, size_t rank, const std::string& path) {
  if (array.shape.size() == rank) return OkStatus();
  return DataLoss("file '", path, "': offset 3: rank ", array.shape.size(), ", expected ", rank);
}

Status CheckLabels(const IdxArray& labels, int num_classes, const std::string& path) {
  auto bad = std::find_if(labels.data.begin(), labels.data.end(),
                          [&](uint8_t label) { return label >= num_classes; });
  if (bad == labels.data.end()) return OkStatus();
  constexpr int kHeaderBytes = 8;
  return DataLoss("file '", path, "': offset ", kHeaderBytes + (bad - labels.data.begin()),
                  ": label ", int{*bad}, ", expected 0 to ", num_classes - 1);
}

struct Examples {
  IdxArray images;
  IdxArray labels;
};

StatusOr<Examples> ReadExamples(const std::string& images_path, const std::string& labels_path,
                                int num_classes) {
  Examples examples;
  RAMET_ASSIGN_OR_RETURN(examples.labels, ReadIdx(labels_path));
  RAMET_RETURN_IF_ERROR(CheckRank(examples.labels, 1, labels_path));
  RAMET_RETURN_IF_ERROR(CheckLabels(examples.labels, num_classes, labels_path));
  RAMET_ASSIGN_OR_RETURN(examples.images, ReadIdx(images_path));
  RAMET_RETURN_IF_ERROR(CheckRank(examples.images, 3, images_path));
  if (examples.images.shape[0] != examples.labels.shape[0]) {
    return DataLoss("file '", images_path, "': offset 4: ", examples.images.shape[0],
                    " images, but '", labels_path, "' has ", examples.labels.shape[0], " labels");
  }
  if (examples.images.shape[0] > std::numeric_limits<int32_t>::max()) {
    return Unimplemented("file '", images_path, "': ", examples.images.shape[0],
                         " images are too many");
  }
  return examples;
}

Status CheckOptions(const Mnist::Options& options) {
  if (options.dtype != kFloat && options.dtype != kUInt8) {
    return InvalidArgument("Invalid image dtype ", DTypeName(options.dtype),
                           ", expected uint8 or float");
  }
  if (options.num_classes < 1 || options.num_classes > 256) {
    return InvalidArgument("num_classes is ", options.num_classes, ", expected 1 to 256");
  }
  return OkStatus();
}

// Equals NumPy's random_interval: uniform in [0, max] by masking and rejection.
uint32_t RandomInterval(std::mt19937& random, uint32_t max) {
  uint32_t mask = max;
  for (int shift : {1, 2, 4, 8, 16}) mask |= mask >> shift;
  for (;;) {
    uint32_t value = static_cast<uint32_t>(random()) & mask;
    if (value <= max) return value;
  }
}

}  // namespace

Tensor DataSet::Images(const std::vector<int32_t>& picks) const {
  int64_t n = static_cast<int64_t>(picks.size());
  int64_t rows = source_->rows, cols = source_->cols, pixels = rows * cols;
  Tensor images(options_.dtype, options_.reshape ? Shape{n, pixels} : Shape{n, rows, cols, 1});
  for (int64_t i = 0; i < n; ++i) {
    const uint8_t* from = source_->pixels.data() + picks[i] * pixels;
    if (options_.dtype == kUInt8) {
      std::copy_n(from, pixels, images.mutable_data<uint8_t>() + i * pixels);
    } else {
      constexpr float kScale = 1.0 / 255.0;
      std::transform(from, from + pixels, images.mutable_data<float>() + i * pixels,
                     [](uint8_t pixel) { return static_cast<float>(pixel) * kScale; });
    }
  }
  return images;
}

Tensor DataSet::Labels(const std::vector<int32_t>& picks) const {
  int64_t n = static_cast<int64_t>(picks.size());
  if (!options_.one_hot) {
    Tensor labels(kInt64, Shape{n});
    for (int64_t i = 0; i < n; ++i) labels.mutable_data<int64_t>()[i] = source_->labels[picks[i]];
    return labels;
  }
  Tensor labels(kFloat, Shape{n, options_.num_classes});
  std::fill_n(labels.mutable_data<float>(), n * options_.num_classes, 0.0f);
  for (int64_t i = 0; i < n; ++i) {
    labels.mutable_data<float>()[i * options_.num_classes + source_->labels[picks[i]]] = 1;
  }
  return labels;
}

Tensor DataSet::images() const { return Images(order_); }
Tensor DataSet::labels() const { return Labels(order_); }

// Applies numpy.random.shuffle of arange(n) to the current order.
void DataSet::Shuffle() {
  std::vector<int32_t> picks(order_.size());
  std::iota(picks.begin(), picks.end(), 0);
  for (size_t i = picks.size(); i-- > 1;) {
    std::swap(picks[i], picks[RandomInterval(*random_, static_cast<uint32_t>(i))]);
  }
  for (int32_t& pick : picks) pick = order_[pick];
  order_ = std::move(picks);
}

Batch DataSet::NextBatch(int64_t batch_size, bool shuffle) {
  std::vector<int32_t> picks;
  size_t wanted = num_examples() == 0 ? 0 : static_cast<size_t>(std::max<int64_t>(batch_size, 0));
  picks.reserve(wanted);
  if (epochs_completed_ == 0 && index_in_epoch_ == 0 && shuffle) Shuffle();
  while (picks.size() < wanted) {
    if (index_in_epoch_ == num_examples()) {
      ++epochs_completed_;
      index_in_epoch_ = 0;
      if (shuffle) Shuffle();
    }
    int64_t n = std::min<int64_t>(wanted - picks.size(), num_examples() - index_in_epoch_);
    auto begin = order_.begin() + index_in_epoch_;
    picks.insert(picks.end(), begin, begin + n);
    index_in_epoch_ += n;
  }
  return {Images(picks), Labels(picks)};
}

StatusOr<Mnist> Mnist::Read(const std::string& folder, const Options& options) {
  RAMET_RETURN_IF_ERROR(CheckOptions(options));
  RAMET_ASSIGN_OR_RETURN(auto paths, FindFiles(folder));
  RAMET_ASSIGN_OR_RETURN(Examples train, ReadExamples(paths[0], paths[1], options.num_classes));
  RAMET_ASSIGN_OR_RETURN(Examples test, ReadExamples(paths[2], paths[3], options.num_classes));
  int64_t n = train.images.shape[0];
  if (options.validation_size < 0 || options.validation_size > n) {
    return InvalidArgument("Validation size should be between 0 and ", n,
                           ". Received: ", options.validation_size, ".");
  }
  auto random =
      std::make_shared<std::mt19937>(options.seed ? *options.seed : std::random_device()());
  auto make = [&](std::shared_ptr<const DataSet::Source> source, int64_t begin, int64_t end) {
    DataSet set;
    set.options_ = options;
    set.source_ = std::move(source);
    set.random_ = random;
    set.order_.resize(end - begin);
    std::iota(set.order_.begin(), set.order_.end(), static_cast<int32_t>(begin));
    return set;
  };
  auto source = [](Examples& e) {
    return std::make_shared<const DataSet::Source>(DataSet::Source{
        e.images.shape[1], e.images.shape[2], std::move(e.images.data), std::move(e.labels.data)});
  };
  auto train_source = source(train);
  Mnist mnist;
  mnist.validation = make(train_source, 0, options.validation_size);
  mnist.train = make(train_source, options.validation_size, n);
  mnist.test = make(source(test), 0, test.images.shape[0]);
  return mnist;
}

}  // namespace ramet
