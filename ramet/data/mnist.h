#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// A batch of examples, for `auto [images, labels] = data.NextBatch(50)`.
struct Batch {
  Tensor images;
  Tensor labels;
};

struct MnistOptions {
  // If true, labels are rows of num_classes floats with a single 1. Otherwise they are class
  // numbers.
  bool one_hot = false;
  // kFloat: pixels scaled to [0, 1]. kUInt8: pixels as in the file.
  DType dtype = kFloat;
  // If true, images are rows of rows*cols pixels. Otherwise they are [rows, cols, 1].
  bool reshape = true;
  // The number of training examples, taken from the beginning, that become the validation set.
  int64_t validation_size = 5000;
  int num_classes = 10;
  // Seed for shuffling. The order is that of TensorFlow's class with the same NumPy seed. Without a
  // seed, the order differs from run to run.
  std::optional<uint32_t> seed = std::nullopt;
};

// A DataSet is a list of images with labels that returns batches, epoch after epoch. It behaves
// like tensorflow.examples.tutorials.mnist. Copies share the pixels and the random generator but
// advance independently. Only one thread at a time may use the data sets of one Mnist.
class RAMET_EXPORT DataSet {
 public:
  int64_t num_examples() const { return static_cast<int64_t>(order_.size()); }
  // Returns how often NextBatch has passed the end.
  int64_t epochs_completed() const { return epochs_completed_; }

  // Returns all images in the current order, as a new tensor of options.dtype:
  // [n, rows*cols] or [n, rows, cols, 1].
  Tensor images() const;
  // Returns all labels in the current order: float[n, num_classes] if one_hot, otherwise int64[n].
  Tensor labels() const;

  // Returns the next `batch_size` examples, with shapes as above and n = batch_size. The examples
  // are shuffled before the first batch and at the end of each epoch, unless `shuffle` is false. A
  // batch that passes the end has the rest of the old epoch and the start of the new one. If
  // batch_size is less than 1 or the data set is empty, n is 0.
  Batch NextBatch(int64_t batch_size, bool shuffle = true);

 private:
  friend class Mnist;
  DataSet() = default;
  // Return the examples at these positions of the source.
  Tensor Images(const std::vector<int32_t>& picks) const;
  Tensor Labels(const std::vector<int32_t>& picks) const;
  void Shuffle();

  struct Source {
    int64_t rows, cols;
    std::vector<uint8_t> pixels, labels;
  };
  MnistOptions options_;
  std::shared_ptr<const Source> source_;
  std::shared_ptr<std::mt19937> random_;
  // order_[i] is the position in the source of example i.
  std::vector<int32_t> order_;
  int64_t index_in_epoch_ = 0;
  int64_t epochs_completed_ = 0;
};

// A Mnist holds the data of the four files of MNIST and similar data sets (Fashion-MNIST, KMNIST),
// split like in TensorFlow's tutorials. See https://yann.lecun.com/exdb/mnist and
// docs/formats/idx.md.
class RAMET_EXPORT Mnist {
 public:
  using Options = MnistOptions;
  // Reads train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and
  // t10k-labels-idx1-ubyte from `folder`, each with or without .gz at the end. Downloads nothing.
  // \error kNotFound: a file is missing.
  // \error kDataLoss: a file is damaged, the numbers of images and labels differ, or a label is not
  //   less than num_classes.
  // \error kInvalidArgument: the options do not fit the data.
  // \error kUnimplemented: the pixels are not bytes, or there are 2^31 images or more.
  static StatusOr<Mnist> Read(const std::string& folder, const Options& options = {});

  DataSet train;
  DataSet validation;
  DataSet test;

 private:
  Mnist() = default;
};

}  // namespace ramet
