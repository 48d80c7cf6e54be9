#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ramet/op/function_runner.h"
#include "ramet/tensor/variant.h"

namespace ramet {

class Dataset;
class DatasetIterator;
class IteratorScope;
using DatasetPtr = std::shared_ptr<const Dataset>;
using IteratorPtr = std::unique_ptr<DatasetIterator>;

// An element of a dataset: its components in the order of the flattened structure.
using Element = std::vector<Tensor>;

// The dtypes and the partial shapes of the components of a dataset's elements.
struct ElementSpec {
  std::vector<DType> types;
  std::vector<Shape> shapes;
  // Checks that an element has these components.
  // \error kInvalidArgument: a dtype or a shape differs.
  Status Check(const Element& element) const;
};

// The numbers that stand for a cardinality without a number, as in TensorFlow.
inline constexpr int64_t kInfiniteCardinality = -1;
inline constexpr int64_t kUnknownCardinality = -2;

// A NextContext is the environment of a call of Next. A value for one thread.
struct NextContext {
  IteratorScope& scope;
  CallContext call;
};

// Makes an iterator of a dataset.
using IteratorFactory =
    std::function<StatusOr<IteratorPtr>(const DatasetPtr& dataset, NextContext& context)>;

// A Dataset is a sequence of elements: what the variant of a dataset op holds. It describes how to
// make the elements; iterators make them. Immutable. Thread-safe.
class Dataset final : public VariantValue, public std::enable_shared_from_this<Dataset> {
 public:
  // A chain of more datasets than this is refused, because each level of it uses stack.
  static constexpr int kMaxDepth = 5000;

  // `inputs` are the datasets that iterators of this one read from.
  // \error kResourceExhausted: the chain of datasets is too long.
  static StatusOr<std::shared_ptr<Dataset>> Make(ElementSpec spec, std::vector<DatasetPtr> inputs,
                                                 IteratorFactory factory,
                                                 int64_t cardinality = kUnknownCardinality);

  std::string_view type_name() const override { return "tensorflow::data::DatasetVariantWrapper"; }
  const ElementSpec& spec() const { return spec_; }
  const DatasetPtr& input(size_t i = 0) const { return inputs_[i]; }
  size_t num_inputs() const { return inputs_.size(); }
  // Returns the number of elements, or kInfiniteCardinality or kUnknownCardinality.
  int64_t cardinality() const { return cardinality_; }
  // Makes an iterator at the start of the sequence.
  // \error kResourceExhausted: datasets are nested too deeply.
  // \error any error of the factory.
  StatusOr<IteratorPtr> NewIterator(NextContext& context) const;
  StatusOr<IteratorPtr> NewInputIterator(NextContext& context, size_t i = 0) const {
    return inputs_[i]->NewIterator(context);
  }

 private:
  Dataset(ElementSpec spec, std::vector<DatasetPtr> inputs, IteratorFactory factory,
          int64_t cardinality, int depth)
      : spec_(std::move(spec)),
        inputs_(std::move(inputs)),
        factory_(std::move(factory)),
        cardinality_(cardinality),
        depth_(depth) {}

  const ElementSpec spec_;
  const std::vector<DatasetPtr> inputs_;
  const IteratorFactory factory_;
  const int64_t cardinality_;
  const int depth_;
};

// A DatasetIterator makes the elements of a dataset, one after another. For one thread at a time.
class DatasetIterator {
 public:
  explicit DatasetIterator(DatasetPtr dataset) : dataset_(std::move(dataset)) {}
  virtual ~DatasetIterator() = default;
  DatasetIterator(const DatasetIterator&) = delete;
  DatasetIterator& operator=(const DatasetIterator&) = delete;

  // Sets *element to the next element, or *end after the last one. *end is false before. After an
  // error, the next call continues with the element after the one that failed.
  // \error kInvalidArgument: an element does not have the dtypes of the dataset.
  // \error kResourceExhausted: datasets are nested too deeply.
  // \error kCancelled, kDeadlineExceeded: the call must end.
  Status Next(NextContext& context, Element* element, bool* end);
  // Drops up to `count` elements; sets *skipped to how many.
  virtual Status Skip(NextContext& context, int64_t count, int64_t* skipped);

 protected:
  virtual Status Produce(NextContext& context, Element* element, bool* end) = 0;
  const Dataset& dataset() const { return *dataset_; }

 private:
  const DatasetPtr dataset_;
};

// Returns the dataset that a variant holds.
// \error kInvalidArgument: the tensor is not a scalar that holds a dataset.
StatusOr<DatasetPtr> DatasetOf(const Tensor& variant);

}  // namespace ramet
