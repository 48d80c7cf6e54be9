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
  // Labels as rows of num_classes floats, one of them 1; or else as class numbers.
  bool one_hot = false;
  // kFloat: pixels scaled to [0, 1]; kUInt8: as they are in the file.
  DType dtype = kFloat;
  // Images as rows of rows*cols pixels; or else as [rows, cols, 1].
  bool reshape = true;
  // So many of the first training examples become the validation set.
  int64_t validation_size = 5000;
  int num_classes = 10;
  // Of the shuffling. The same seed gives the order that NumPy gave TensorFlow's class; without a
  // seed the order differs from run to run.
  std::optional<uint32_t> seed = std::nullopt;
};

// A DataSet is a list of images with labels that hands out batches, epoch after epoch; it behaves
// as tensorflow.examples.tutorials.mnist's. Copies go their own way through the same pixels, but
// share the random generator. One thread at a time, together with the data sets of the same Mnist.
class RAMET_EXPORT DataSet {
 public:
  int64_t num_examples() const { return static_cast<int64_t>(order_.size()); }
  // How often NextBatch has gone over the end.
  int64_t epochs_completed() const { return epochs_completed_; }

  // All images, in the present order (each call makes a new tensor):
  // [n, rows*cols] or [n, rows, cols, 1], of options.dtype.
  Tensor images() const;
  // All labels, likewise: float[n, num_classes] if one_hot, or else int64[n].
  Tensor labels() const;

  // The next `batch_size` examples, shapes as above with n = batch_size. The examples are shuffled
  // before the first batch and at each end of an epoch; a batch over the end is the rest of the old
  // epoch and the start of the new one. Without `shuffle` the present order stays. Less than one
  // example asked for, or an empty data set: n = 0.
  Batch NextBatch(int64_t batch_size, bool shuffle = true);

 private:
  friend class Mnist;
  DataSet() = default;
  // The examples at these places of the source.
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
  // order_[i]: where in the source the example at place i is.
  std::vector<int32_t> order_;
  int64_t index_in_epoch_ = 0;
  int64_t epochs_completed_ = 0;
};

// A Mnist is the data of the four files that MNIST and its kin (Fashion-MNIST, KMNIST) come in,
// split as TensorFlow's tutorials do: https://yann.lecun.com/exdb/mnist, docs/formats/idx.md.
class RAMET_EXPORT Mnist {
 public:
  using Options = MnistOptions;
  // Reads train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and
  // t10k-labels-idx1-ubyte from `folder`, each with .gz at its end or without. Nothing is
  // downloaded. \error kNotFound if one is missing; kDataLoss if one is damaged, images and labels
  // differ in number,
  //   or a label is not below num_classes; kInvalidArgument for options that the data does not
  //   allow.
  static StatusOr<Mnist> Read(const std::string& folder, const Options& options = {});

  DataSet train;
  DataSet validation;
  DataSet test;

 private:
  Mnist() = default;
};

}  // namespace ramet
