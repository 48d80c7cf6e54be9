#include <algorithm>

#include "ramet/ops/dataset/dataset_args.h"
#include "ramet/ops/dataset/prefetch.h"

namespace ramet {
namespace {

class FlatMapIterator final : public DatasetIterator {
 public:
  FlatMapIterator(DatasetPtr dataset, IteratorPtr input, CapturedFunctionPtr function)
      : DatasetIterator(std::move(dataset)),
        input_(std::move(input)),
        function_(std::move(function)) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    while (true) {
      if (current_ == nullptr) {
        Element next;
        *end = input_ == nullptr;
        if (!*end) RAMET_RETURN_IF_ERROR(input_->Next(c, &next, end));
        if (*end) {
          input_.reset();
          return OkStatus();
        }
        RAMET_ASSIGN_OR_RETURN(DatasetPtr inner, function_->CallForDataset(c, std::move(next)));
        RAMET_ASSIGN_OR_RETURN(current_, inner->NewIterator(c));
      }
      bool inner_ended = false;
      RAMET_RETURN_IF_ERROR(current_->Next(c, element, &inner_ended));
      if (!inner_ended) return OkStatus();
      current_.reset();
    }
  }

 private:
  IteratorPtr input_;
  const CapturedFunctionPtr function_;
  IteratorPtr current_;
};

StatusOr<std::shared_ptr<Dataset>> MakeFlatMapDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.InputDataset());
  RAMET_ASSIGN_OR_RETURN(auto f, args.Function("f", input->spec().types, {{DType::kVariant}}));
  return Dataset::Make(args.spec(), {std::move(input)}, OverInputWith<FlatMapIterator>(f));
}

// How an interleaving iterator takes turns.
struct Turns {
  int64_t cycle_length = 1;
  int64_t block_length = 1;
  int threads = 0;         // the datasets that are read ahead, each on a thread
  int64_t read_ahead = 0;  // the elements that each of these reads ahead
};

// Takes blocks of elements from a cycle of datasets that the function makes.
class InterleaveIterator final : public DatasetIterator {
 public:
  InterleaveIterator(DatasetPtr dataset, IteratorPtr input, CapturedFunctionPtr function,
                     Turns turns)
      : DatasetIterator(std::move(dataset)),
        input_(std::move(input)),
        function_(std::move(function)),
        turns_(turns) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    while (input_ != nullptr || open_ > 0) {
      if (at_ >= cycle_.size()) cycle_.emplace_back();
      if (cycle_[at_] == nullptr) {
        if (input_ == nullptr) {
          Advance();
        } else {
          RAMET_RETURN_IF_ERROR(OpenNext(c));
        }
        continue;
      }
      bool inner_ended = false;
      RAMET_RETURN_IF_ERROR(cycle_[at_]->Next(c, element, &inner_ended));
      if (!inner_ended) {
        if (++in_block_ == turns_.block_length) Advance();
        return OkStatus();
      }
      cycle_[at_].reset();
      --open_;
      Advance();
    }
    *end = true;
    return OkStatus();
  }

 private:
  // Opens the dataset for the next element of the input in this place of the cycle.
  Status OpenNext(NextContext& c) {
    Element next;
    bool input_ended = false;
    RAMET_RETURN_IF_ERROR(input_->Next(c, &next, &input_ended));
    if (input_ended) {
      input_.reset();
      return OkStatus();
    }
    RAMET_ASSIGN_OR_RETURN(DatasetPtr inner, function_->CallForDataset(c, std::move(next)));
    RAMET_ASSIGN_OR_RETURN(IteratorPtr made, inner->NewIterator(c));
    if (static_cast<int64_t>(at_) < turns_.threads) {
      made = MakePrefetchIterator(inner, std::move(made), turns_.read_ahead, c.scope);
    }
    cycle_[at_] = std::move(made);
    ++open_;
    return OkStatus();
  }

  void Advance() {
    in_block_ = 0;
    // Without more input, places that were never opened stay empty.
    const int64_t length = input_ == nullptr ? std::ssize(cycle_) : turns_.cycle_length;
    at_ = static_cast<int64_t>(at_) + 1 < length ? at_ + 1 : 0;
  }

  IteratorPtr input_;
  const CapturedFunctionPtr function_;
  const Turns turns_;
  std::vector<IteratorPtr> cycle_;  // grows up to the cycle's length
  size_t at_ = 0;
  int64_t in_block_ = 0;
  int64_t open_ = 0;
};

StatusOr<std::shared_ptr<Dataset>> MakeInterleaved(DatasetArgs& args, Turns turns) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.InputDataset());
  RAMET_ASSIGN_OR_RETURN(auto f, args.Function("f", input->spec().types, {{DType::kVariant}}));
  return Dataset::Make(args.spec(), {std::move(input)},
                       OverInputWith<InterleaveIterator>(f, turns));
}

// Reads the inputs cycle_length and block_length. `any_length` stands for a cycle_length of -1.
StatusOr<Turns> TurnsOf(DatasetArgs& args, int64_t any_length) {
  const int first = args.after_captured(1);
  Turns turns;
  RAMET_ASSIGN_OR_RETURN(turns.cycle_length, args.Int(first, "cycle_length"));
  RAMET_ASSIGN_OR_RETURN(turns.block_length, args.Int(first + 1, "block_length"));
  if (turns.cycle_length == -1) turns.cycle_length = any_length;
  if (turns.cycle_length <= 0) {
    return InvalidArgument("`cycle_length` must be greater than zero.");
  }
  if (turns.block_length <= 0) {
    return InvalidArgument("`block_length` must be greater than zero.");
  }
  return turns;
}

StatusOr<std::shared_ptr<Dataset>> MakeInterleaveDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(const Turns turns, TurnsOf(args, ParallelCalls(-1)));
  return MakeInterleaved(args, turns);
}

// Returns the cycle_length that TensorFlow chooses for a number of parallel calls, -1 for any. The
// order of the elements depends on it.
int64_t CycleLengthFor(int64_t calls) {
  constexpr int64_t kThreadsPerDataset = 3;
  const int64_t processors = ParallelCalls(-1);
  if (calls != -1) return std::min(calls, processors);
  return (processors + kThreadsPerDataset - 1) / kThreadsPerDataset;
}

// For ops whose num_parallel_calls is `calls_input` inputs after other_arguments.
template <int calls_input>
StatusOr<std::shared_ptr<Dataset>> MakeParallelInterleave(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(const int64_t calls,
                         args.Int(args.after_captured(1) + calls_input, "num_parallel_calls"));
  if (calls < 1 && calls != -1) {
    return InvalidArgument("`num_parallel_calls` must be greater than zero.");
  }
  RAMET_ASSIGN_OR_RETURN(Turns turns, TurnsOf(args, CycleLengthFor(calls)));
  turns.threads = ParallelCalls(calls);
  turns.read_ahead = std::min<int64_t>(turns.block_length, 64);
  return MakeInterleaved(args, turns);
}

// For ops whose buffer_output_elements is `buffer_input` inputs after other_arguments.
template <int buffer_input>
StatusOr<std::shared_ptr<Dataset>> MakeLegacyInterleave(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(Turns turns, TurnsOf(args, ParallelCalls(-1)));
  const int first = args.after_captured(1) + buffer_input;
  RAMET_ASSIGN_OR_RETURN(int64_t buffer, args.Int(first, "buffer_output_elements"));
  RAMET_ASSIGN_OR_RETURN(const int64_t inputs, args.Int(first + 1, "prefetch_input_elements"));
  if (buffer <= 0 && buffer != -1) {
    return InvalidArgument("`buffer_output_elements` must be ", -1, " or greater than zero");
  }
  if (inputs < 0 && inputs != -1) {
    return InvalidArgument("`prefetch_input_elements` must be ", -1,
                           " or greater than or equal "
                           "to zero");
  }
  turns.threads = ParallelCalls(turns.cycle_length);
  turns.read_ahead = std::min<int64_t>(buffer == -1 ? turns.block_length : buffer, 64);
  return MakeInterleaved(args, turns);
}

RAMET_OP("FlatMapDataset")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc(
        "Makes a dataset of the elements of the datasets that f returns for each element. Error: f "
        "returns something else.")
    .HostMemory({"other_arguments"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeFlatMapDataset>>();

RAMET_OP("InterleaveDataset")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc(
        "Makes a dataset of the elements of the datasets that f returns for each element. It takes "
        "block_length elements in turn from each of cycle_length datasets. Error: cycle_length or "
        "block_length is not positive.")
    .HostMemory({"other_arguments", "cycle_length", "block_length"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeInterleaveDataset>>();

RAMET_OP("ParallelInterleaveDataset")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Input("sloppy: bool")
    .Input("buffer_output_elements: int64")
    .Input("prefetch_input_elements: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc("Like LegacyParallelInterleaveDatasetV2.")
    .HostMemory({"other_arguments", "cycle_length", "block_length", "sloppy",
                 "buffer_output_elements", "prefetch_input_elements"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeLegacyInterleave<3>>>();

RAMET_OP("LegacyParallelInterleaveDatasetV2")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Input("buffer_output_elements: int64")
    .Input("prefetch_input_elements: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("deterministic: string = 'default'")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc(
        "Like InterleaveDataset, with a thread for each dataset of the cycle, which reads "
        "buffer_output_elements ahead. The elements keep the order of InterleaveDataset. Error: a "
        "number is out of range.")
    .HostMemory({"other_arguments", "cycle_length", "block_length", "buffer_output_elements",
                 "prefetch_input_elements"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeLegacyInterleave<2>>>();

RAMET_OP("ParallelInterleaveDatasetV2")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Input("num_parallel_calls: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("sloppy: bool = false")
    .Attr("metadata: string = ''")
    .Doc("Like ParallelInterleaveDatasetV4.")
    .HostMemory({"other_arguments", "cycle_length", "block_length", "num_parallel_calls"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeParallelInterleave<2>>>();

RAMET_OP("ParallelInterleaveDatasetV3")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Input("num_parallel_calls: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("deterministic: string = 'default'")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc("Like ParallelInterleaveDatasetV4.")
    .HostMemory({"other_arguments", "cycle_length", "block_length", "num_parallel_calls"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeParallelInterleave<2>>>();

RAMET_OP("ParallelInterleaveDatasetV4")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Input("buffer_output_elements: int64")
    .Input("prefetch_input_elements: int64")
    .Input("num_parallel_calls: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("deterministic: string = 'default'")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc(
        "Like InterleaveDataset, with up to num_parallel_calls datasets of the cycle read ahead on "
        "threads; -1 means one per processor. The elements keep the order of InterleaveDataset. "
        "Error: num_parallel_calls is 0 or less than -1.")
    .HostMemory({"other_arguments", "cycle_length", "block_length", "buffer_output_elements",
                 "prefetch_input_elements", "num_parallel_calls"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeParallelInterleave<4>>>();

}  // namespace
}  // namespace ramet
