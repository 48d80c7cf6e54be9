#include <algorithm>

#include "ramet/ops/dataset/dataset_args.h"

namespace ramet {
namespace {

// Returns a cardinality below the special ones unchanged, else fn(cardinality).
template <class Fn>
int64_t MapCardinality(int64_t n, Fn&& fn) {
  return n < 0 ? n : fn(n);
}

class RepeatIterator final : public DatasetIterator {
 public:
  RepeatIterator(DatasetPtr dataset, int64_t count)
      : DatasetIterator(std::move(dataset)), left_(count) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    while (left_ != 0) {
      const bool is_first = input_ == nullptr;
      if (is_first) {
        RAMET_ASSIGN_OR_RETURN(input_, dataset().NewInputIterator(c));
      }
      RAMET_RETURN_IF_ERROR(input_->Next(c, element, end));
      if (!*end) return OkStatus();
      input_.reset();
      if (left_ > 0) --left_;
      if (is_first && left_ < 0) left_ = 0;  // an empty input
    }
    *end = true;
    return OkStatus();
  }

 private:
  int64_t left_;  // negative: repeats forever
  IteratorPtr input_;
};

StatusOr<std::shared_ptr<Dataset>> MakeRepeatDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.SameTypes());
  RAMET_ASSIGN_OR_RETURN(const int64_t count, args.Int(1, "count"));
  int64_t cardinality = input->cardinality();
  if (count == 0 || cardinality == 0) {
    cardinality = 0;
  } else if (count < 0) {
    cardinality = kInfiniteCardinality;
  } else if (cardinality > 0 && __builtin_mul_overflow(cardinality, count, &cardinality)) {
    cardinality = INT64_MAX;
  }
  return Dataset::Make(
      args.spec(), {std::move(input)},
      [count](const DatasetPtr& dataset, NextContext&) -> StatusOr<IteratorPtr> {
        return std::make_unique<RepeatIterator>(dataset, count);
      },
      cardinality);
}

// Passes `count` elements on, after the first `skip`.
class RangeOfElements final : public DatasetIterator {
 public:
  RangeOfElements(DatasetPtr dataset, IteratorPtr input, int64_t skip, int64_t count)
      : DatasetIterator(std::move(dataset)), input_(std::move(input)), skip_(skip), left_(count) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    *end = left_ == 0 || input_ == nullptr;
    if (*end) return OkStatus();
    if (skip_ > 0) {
      int64_t skipped = 0;
      RAMET_RETURN_IF_ERROR(input_->Skip(c, skip_, &skipped));
      skip_ = 0;
    }
    RAMET_RETURN_IF_ERROR(input_->Next(c, element, end));
    if (left_ > 0) --left_;
    if (*end) input_.reset();
    return OkStatus();
  }

 private:
  IteratorPtr input_;
  int64_t skip_;
  int64_t left_;  // negative: all
};

template <bool is_take>
StatusOr<std::shared_ptr<Dataset>> MakeTakeOrSkipDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.SameTypes());
  RAMET_ASSIGN_OR_RETURN(const int64_t count, args.Int(1, "count"));
  int64_t cardinality = input->cardinality();
  if (is_take) {
    if (count == 0 || (cardinality == kInfiniteCardinality && count > 0)) cardinality = count;
    if (cardinality > 0 && count >= 0) cardinality = std::min(cardinality, count);
  } else {
    const int64_t skipped = count < 0 ? INT64_MAX : count;
    cardinality = count < 0 ? 0 : MapCardinality(cardinality, [&](int64_t n) {
      return std::max<int64_t>(n - skipped, 0);
    });
  }
  const int64_t skip = is_take ? 0 : std::max<int64_t>(count, 0);
  const int64_t left = is_take ? count : (count < 0 ? 0 : -1);
  return Dataset::Make(args.spec(), {std::move(input)}, OverInput<RangeOfElements>(skip, left),
                       cardinality);
}

class ShardIterator final : public DatasetIterator {
 public:
  ShardIterator(DatasetPtr dataset, IteratorPtr input, int64_t shards, int64_t index,
                bool must_have_element)
      : DatasetIterator(std::move(dataset)),
        input_(std::move(input)),
        shards_(shards),
        index_(index),
        to_skip_(index),
        must_have_element_(must_have_element) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    int64_t skipped = 0;
    RAMET_RETURN_IF_ERROR(input_->Skip(c, to_skip_, &skipped));
    *end = skipped < to_skip_;
    if (!*end) RAMET_RETURN_IF_ERROR(input_->Next(c, element, end));
    if (*end && must_have_element_) {
      return InvalidArgument("Could not apply FILE based sharding: the dataset only has ", skipped,
                             " file(s), which is not enough for the required ", shards_,
                             " shards/workers. Shard ", index_, " is empty.");
    }
    to_skip_ = shards_ - 1;
    must_have_element_ = false;
    return OkStatus();
  }

 private:
  const IteratorPtr input_;
  const int64_t shards_, index_;
  int64_t to_skip_;
  bool must_have_element_;
};

StatusOr<std::shared_ptr<Dataset>> MakeShardDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.SameTypes());
  RAMET_ASSIGN_OR_RETURN(const int64_t shards, args.Int(1, "num_shards"));
  RAMET_ASSIGN_OR_RETURN(const int64_t index, args.Int(2, "index"));
  if (shards <= 0) {
    return InvalidArgument(
        "Number of shards must be greater than zero (currently num_shards = ", shards, ").");
  }
  if (index < 0 || index >= shards) {
    return InvalidArgument("Index must be between 0 and ", shards - 1,
                           " (currently index = ", index, ", num_shards = ", shards, ").");
  }
  const bool must_have_element = args.attrs().GetOr("require_non_empty", false);
  const int64_t cardinality = MapCardinality(
      input->cardinality(), [&](int64_t n) { return n / shards + (index < n % shards ? 1 : 0); });
  return Dataset::Make(args.spec(), {std::move(input)},
                       OverInput<ShardIterator>(shards, index, must_have_element), cardinality);
}

class ConcatenateIterator final : public DatasetIterator {
 public:
  using DatasetIterator::DatasetIterator;

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    while (current_ < dataset().num_inputs()) {
      if (input_ == nullptr) {
        RAMET_ASSIGN_OR_RETURN(input_, dataset().NewInputIterator(c, current_));
      }
      RAMET_RETURN_IF_ERROR(input_->Next(c, element, end));
      if (!*end) return OkStatus();
      input_.reset();
      ++current_;
    }
    *end = true;
    return OkStatus();
  }

 private:
  size_t current_ = 0;
  IteratorPtr input_;
};

StatusOr<std::shared_ptr<Dataset>> MakeConcatenateDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr first, args.SameTypes(0));
  RAMET_ASSIGN_OR_RETURN(DatasetPtr second, args.SameTypes(1));
  const int64_t n1 = first->cardinality(), n2 = second->cardinality();
  int64_t cardinality = kUnknownCardinality;
  if (n1 == kInfiniteCardinality || n2 == kInfiniteCardinality) cardinality = kInfiniteCardinality;
  if (n1 >= 0 && n2 >= 0 && __builtin_add_overflow(n1, n2, &cardinality)) cardinality = INT64_MAX;
  return Dataset::Make(
      args.spec(), {std::move(first), std::move(second)},
      [](const DatasetPtr& dataset, NextContext&) -> StatusOr<IteratorPtr> {
        return std::make_unique<ConcatenateIterator>(dataset);
      },
      cardinality);
}

class ZipIterator final : public DatasetIterator {
 public:
  ZipIterator(DatasetPtr dataset, std::vector<IteratorPtr> inputs)
      : DatasetIterator(std::move(dataset)), inputs_(std::move(inputs)) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    *end = inputs_.empty();
    Element part;
    for (const IteratorPtr& input : inputs_) {
      RAMET_RETURN_IF_ERROR(input->Next(c, &part, end));
      if (*end) break;
      std::ranges::move(part, std::back_inserter(*element));
    }
    if (*end) inputs_.clear();
    return OkStatus();
  }

 private:
  std::vector<IteratorPtr> inputs_;
};

StatusOr<std::shared_ptr<Dataset>> MakeZipDataset(DatasetArgs& args) {
  std::vector<DatasetPtr> inputs;
  int64_t cardinality = kInfiniteCardinality;
  for (int i = 0; i < args.context().num_inputs(); ++i) {
    RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.InputDataset(i));
    const int64_t n = input->cardinality();
    if (n == kUnknownCardinality) {
      cardinality = n;
    } else if (cardinality != kUnknownCardinality && n >= 0) {
      cardinality = cardinality < 0 ? n : std::min(cardinality, n);
    }
    inputs.push_back(std::move(input));
  }
  return Dataset::Make(
      args.spec(), std::move(inputs),
      [](const DatasetPtr& dataset, NextContext& c) -> StatusOr<IteratorPtr> {
        std::vector<IteratorPtr> inputs;
        for (size_t i = 0; i < dataset->num_inputs(); ++i) {
          RAMET_ASSIGN_OR_RETURN(IteratorPtr input, dataset->NewInputIterator(c, i));
          inputs.push_back(std::move(input));
        }
        return std::make_unique<ZipIterator>(dataset, std::move(inputs));
      },
      cardinality);
}

// An op that changes how TensorFlow runs the dataset, not its elements.
StatusOr<std::shared_ptr<Dataset>> MakeSameDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.SameTypes());
  const int64_t cardinality = input->cardinality();
  return Dataset::Make(
      args.spec(), {std::move(input)},
      [](const DatasetPtr& dataset, NextContext& c) { return dataset->NewInputIterator(c); },
      cardinality);
}

class IgnoreErrorsIterator final : public DatasetIterator {
 public:
  IgnoreErrorsIterator(DatasetPtr dataset, IteratorPtr input)
      : DatasetIterator(std::move(dataset)), input_(std::move(input)) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    while (true) {
      const Status status = input_->Next(c, element, end);
      const bool stopped = c.call.cancellation != nullptr && c.call.cancellation->due();
      if (status.ok() || stopped || status.code() == Code::kCancelled) return status;
    }
  }

 private:
  const IteratorPtr input_;
};

StatusOr<std::shared_ptr<Dataset>> MakeIgnoreErrorsDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.SameTypes());
  return Dataset::Make(args.spec(), {std::move(input)}, OverInput<IgnoreErrorsIterator>());
}

RAMET_OP("RepeatDataset")
    .Input("input_dataset: variant")
    .Input("count: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc(
        "Makes a dataset of the elements, `count` times over. A negative count means without an "
        "end.")
    .HostMemory({"count"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeRepeatDataset>>();

RAMET_OP("TakeDataset")
    .Input("input_dataset: variant")
    .Input("count: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc("Makes a dataset of the first `count` elements, or of all if count is -1.")
    .HostMemory({"count"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeTakeOrSkipDataset<true>>>();

RAMET_OP("SkipDataset")
    .Input("input_dataset: variant")
    .Input("count: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc("Makes a dataset without the first `count` elements; without any if count is -1.")
    .HostMemory({"count"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeTakeOrSkipDataset<false>>>();

RAMET_OP("ShardDataset")
    .Input("input_dataset: variant")
    .Input("num_shards: int64")
    .Input("index: int64")
    .Output("handle: variant")
    .Attr("require_non_empty: bool = false")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc(
        "Makes a dataset of every num_shards-th element, from element `index` on. Error: "
        "num_shards is not positive; index is not in [0, num_shards).")
    .HostMemory({"num_shards", "index"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeShardDataset>>();

RAMET_OP("ConcatenateDataset")
    .Input("input_dataset: variant")
    .Input("another_dataset: variant")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc("Makes a dataset of the elements of input_dataset, then those of another_dataset.")
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeConcatenateDataset>>();

RAMET_OP("ZipDataset")
    .Input("input_datasets: N * variant")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("N: int >= 1")
    .Attr("metadata: string = ''")
    .Doc(
        "Makes a dataset whose elements have the components of an element of each input. It ends "
        "with the shortest input.")
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeZipDataset>>();

RAMET_OP("IgnoreErrorsDataset")
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("log_warning: bool = false")
    .Doc("Makes a dataset without the elements that fail.")
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeIgnoreErrorsDataset>>();

RAMET_OP("OptionsDataset")
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("serialized_options: string")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc("Makes a dataset of the same elements. Ramet ignores the options.")
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeSameDataset>>();

RAMET_OP("ModelDataset")
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("algorithm: int = 0")
    .Attr("cpu_budget: int = 0")
    .Attr("ram_budget: int = 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .AttrRange("algorithm", INT64_MIN, INT64_MAX)
    .AttrRange("cpu_budget", INT64_MIN, INT64_MAX)
    .AttrRange("ram_budget", INT64_MIN, INT64_MAX)
    .Doc("Makes a dataset of the same elements. In TensorFlow it tunes the input.")
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeSameDataset>>();

RAMET_OP("OptimizeDataset")
    .Input("input_dataset: variant")
    .Input("optimizations: string")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("optimization_configs: list(string) = []")
    .Doc("Makes a dataset of the same elements. Ramet ignores the optimizations.")
    .HostMemory({"optimizations"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeSameDataset>>();

RAMET_OP("OptimizeDatasetV2")
    .Input("input_dataset: variant")
    .Input("optimizations_enabled: string")
    .Input("optimizations_disabled: string")
    .Input("optimizations_default: string")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("optimization_configs: list(string) = []")
    .Doc("Makes a dataset of the same elements. Ramet ignores the optimizations.")
    .HostMemory({"optimizations_enabled", "optimizations_disabled", "optimizations_default"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeSameDataset>>();

RAMET_OP("MaxIntraOpParallelismDataset")
    .Input("input_dataset: variant")
    .Input("max_intra_op_parallelism: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Doc("Makes a dataset of the same elements. Ramet uses the session's threads.")
    .HostMemory({"max_intra_op_parallelism"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeSameDataset>>();

RAMET_OP("PrivateThreadPoolDataset")
    .Input("input_dataset: variant")
    .Input("num_threads: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Doc("Makes a dataset of the same elements. In Ramet iterators always have own threads.")
    .HostMemory({"num_threads"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeSameDataset>>();

RAMET_OP("NonSerializableDataset")
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Doc("Makes a dataset of the same elements.")
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeSameDataset>>();

RAMET_OP("RewriteDataset")
    .Input("input_dataset: variant")
    .Input("rewrite_name: string")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Doc("Makes a dataset of the same elements. Ramet ignores the rewrite.")
    .HostMemory({"rewrite_name"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeSameDataset>>();

RAMET_OP("FinalizeDataset")
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("has_captured_ref: bool = false")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Doc("Makes a dataset of the same elements.")
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeSameDataset>>();

}  // namespace
}  // namespace ramet
