#include <deque>
#include <random>

#include "ramet/linalg/random_bits.h"
#include "ramet/op/resource_handle.h"
#include "ramet/ops/dataset/dataset_args.h"

namespace ramet {
namespace {

using SeedPair = std::pair<uint64_t, uint64_t>;

// Draws the words of a Philox generator one at a time.
class SeededWords {
 public:
  explicit SeededWords(SeedPair seeds) : generator_(seeds.first, seeds.second) {}
  SeededWords(const SeededWords&) = delete;
  SeededWords& operator=(const SeededWords&) = delete;
  uint32_t operator()() { return words_(); }

 private:
  linalg::Philox generator_;
  linalg::WordStream words_{&generator_};
};

SeedPair SeedsOrRandom(int64_t seed, int64_t seed2) {
  if (seed != 0 || seed2 != 0) return {static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2)};
  std::random_device source;
  const auto word = [&] { return (uint64_t{source()} << 32) | source(); };
  return {word(), word()};
}

// The seeds for each iterator of a dataset. Thread-safe.
class SeedGenerator : public Resource, public SeedSource {
 public:
  SeedGenerator(SeedPair seeds, bool reshuffle)
      : reshuffle_(reshuffle), seeds_(seeds), words_(std::make_unique<SeededWords>(seeds)) {}
  std::string_view type_name() const override { return "seed generator"; }
  SeedPair Next() {
    MutexLock lock(mutex_);
    return reshuffle_ ? Draw() : seeds_;
  }
  SeedState state() override {
    MutexLock lock(mutex_);
    return {seeds_.first, seeds_.second, draws_};
  }
  void Restore(const SeedState& state) override {
    MutexLock lock(mutex_);
    seeds_ = {state.seed, state.seed2};
    words_ = std::make_unique<SeededWords>(seeds_);
    draws_ = 0;
    while (draws_ < state.draws) Draw();
  }

 private:
  SeedPair Draw() RAMET_REQUIRES(mutex_) {
    ++draws_;
    const uint64_t first = (*words_)();
    return {first, (*words_)()};
  }

  const bool reshuffle_;
  Mutex mutex_;
  SeedPair seeds_ RAMET_GUARDED_BY(mutex_);
  std::unique_ptr<SeededWords> words_ RAMET_GUARDED_BY(mutex_);
  uint64_t draws_ RAMET_GUARDED_BY(mutex_) = 0;
};

// A ShuffleIterator keeps a ring of up to `size` elements and passes on a random one of the oldest
// epoch. The order of draws is TensorFlow's.
class ShuffleIterator final : public DatasetIterator {
 public:
  ShuffleIterator(DatasetPtr dataset, int64_t size, int64_t epochs,
                  std::shared_ptr<SeedGenerator> generator)
      : DatasetIterator(std::move(dataset)),
        size_(size),
        epochs_(epochs),
        generator_(std::move(generator)),
        random_(std::make_unique<SeededWords>(generator_->Next())) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    RAMET_RETURN_IF_ERROR(Fill(c));
    while (slices_.size() > 1 && slices_.front() == 0) {
      slices_.pop_front();
      random_ = std::make_unique<SeededWords>(generator_->Next());
    }
    if (buffer_.empty()) {
      *end = true;
      return OkStatus();
    }
    const size_t index = (*random_)() % slices_.front();
    *element = std::move(buffer_[index]);
    std::swap(buffer_[index], buffer_.front());
    buffer_.pop_front();
    --slices_.front();
    return OkStatus();
  }

 private:
  Status Fill(NextContext& c) {
    while (!ended_ && slices_.size() <= kMaxEpochs && (size_ < 0 || std::ssize(buffer_) < size_)) {
      if (input_ == nullptr) {
        RAMET_ASSIGN_OR_RETURN(input_, dataset().NewInputIterator(c));
        slices_.push_back(0);
        ++epoch_;
        epoch_has_elements_ = false;
      }
      Element next;
      bool input_ended = false;
      RAMET_RETURN_IF_ERROR(input_->Next(c, &next, &input_ended));
      if (input_ended) {
        input_.reset();
        ended_ = epoch_ == epochs_ || (epochs_ < 0 && !epoch_has_elements_);
        continue;
      }
      epoch_has_elements_ = true;
      buffer_.push_back(std::move(next));
      ++slices_.back();
    }
    return OkStatus();
  }

  // The buffer holds elements of at most this many epochs, and of the next one.
  static constexpr size_t kMaxEpochs = 3;

  const int64_t size_;    // negative: all elements
  const int64_t epochs_;  // negative: without an end
  const std::shared_ptr<SeedGenerator> generator_;
  std::unique_ptr<SeededWords> random_;  // for the draws from one epoch
  IteratorPtr input_;
  int64_t epoch_ = 0;
  bool epoch_has_elements_ = false;
  bool ended_ = false;
  std::deque<Element> buffer_;  // the elements of the oldest epoch come first
  std::deque<size_t> slices_;   // the number of elements of each epoch in the buffer
};

StatusOr<std::shared_ptr<SeedGenerator>> GeneratorOf(DatasetArgs& args, int seed_input) {
  RAMET_ASSIGN_OR_RETURN(const int64_t seed, args.Int(seed_input, "seed"));
  RAMET_ASSIGN_OR_RETURN(const int64_t seed2, args.Int(seed_input + 1, "seed2"));
  const bool reshuffle = args.attrs().GetOr("reshuffle_each_iteration", true);
  return std::make_shared<SeedGenerator>(SeedsOrRandom(seed, seed2), reshuffle);
}

// Returns the generator that a resource input holds, or one with the seeds before it if it is that
// of DummySeedGenerator.
StatusOr<std::shared_ptr<SeedGenerator>> GeneratorFrom(DatasetArgs& args, int input,
                                                       int seed_input) {
  auto resource =
      args.context().variable(input) == nullptr ? CarriedResource(args.input(input)) : nullptr;
  if (auto found = std::dynamic_pointer_cast<SeedGenerator>(resource)) return found;
  if (seed_input >= 0) return GeneratorOf(args, seed_input);
  return InvalidArgument("input ", input, " must be the handle of a seed generator");
}

StatusOr<std::shared_ptr<Dataset>> MakeShuffled(DatasetArgs& args, int64_t epochs,
                                                std::shared_ptr<SeedGenerator> generator) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.SameTypes());
  RAMET_ASSIGN_OR_RETURN(const int64_t size, args.Int(1, "buffer_size"));
  if (size < 1 && size != kUnknownCardinality) {
    return InvalidArgument("buffer_size must be greater than zero or UNKNOWN_CARDINALITY");
  }
  int64_t cardinality = input->cardinality();
  if (epochs < 0) cardinality = cardinality == 0 ? 0 : kInfiniteCardinality;
  if (cardinality > 0 && __builtin_mul_overflow(cardinality, epochs, &cardinality)) {
    cardinality = INT64_MAX;
  }
  return Dataset::Make(
      args.spec(), {std::move(input)},
      [=](const DatasetPtr& dataset, NextContext& context) -> StatusOr<IteratorPtr> {
        context.scope.NoteSeeds(*generator);
        return std::make_unique<ShuffleIterator>(dataset, size, epochs, generator);
      },
      cardinality);
}

StatusOr<std::shared_ptr<Dataset>> MakeShuffleDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(auto generator, GeneratorOf(args, 2));
  return MakeShuffled(args, 1, std::move(generator));
}

StatusOr<std::shared_ptr<Dataset>> MakeShuffleDatasetV2(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(auto generator, GeneratorFrom(args, 2, -1));
  return MakeShuffled(args, 1, std::move(generator));
}

StatusOr<std::shared_ptr<Dataset>> MakeShuffleDatasetV3(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(auto generator, GeneratorFrom(args, 4, 2));
  return MakeShuffled(args, 1, std::move(generator));
}

StatusOr<std::shared_ptr<Dataset>> MakeShuffleAndRepeatDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(const int64_t count, args.Int(4, "count"));
  if (count < 1 && count != -1) {
    return InvalidArgument("count must be greater than zero or equal to -1.");
  }
  const bool has_generator = args.context().num_inputs() > 5;
  RAMET_ASSIGN_OR_RETURN(auto generator,
                         has_generator ? GeneratorFrom(args, 5, 2) : GeneratorOf(args, 2));
  return MakeShuffled(args, count, std::move(generator));
}

Status DummySeedGenerator(KernelContext& c) {
  c.SetOutput(0, Tensor(DType::kResource, Shape()));
  return OkStatus();
}

// The numbers that the words of a generator are.
class RandomIterator final : public DatasetIterator {
 public:
  RandomIterator(DatasetPtr dataset, SeedPair seeds)
      : DatasetIterator(std::move(dataset)), random_(seeds) {}

 protected:
  Status Produce(NextContext&, Element* element, bool*) override {
    element->push_back(Tensor(static_cast<int64_t>(random_())));
    return OkStatus();
  }

 private:
  SeededWords random_;
};

StatusOr<std::shared_ptr<Dataset>> MakeRandomDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(const int64_t seed, args.Int(0, "seed"));
  RAMET_ASSIGN_OR_RETURN(const int64_t seed2, args.Int(1, "seed2"));
  const auto generator = std::make_shared<SeedGenerator>(SeedsOrRandom(seed, seed2), false);
  return Dataset::Make(
      args.spec(), {},
      [generator](const DatasetPtr& dataset, NextContext& context) -> StatusOr<IteratorPtr> {
        context.scope.NoteSeeds(*generator);
        return std::make_unique<RandomIterator>(dataset, generator->Next());
      },
      kInfiniteCardinality);
}

RAMET_OP("ShuffleDataset")
    .Input("input_dataset: variant")
    .Input("buffer_size: int64")
    .Input("seed: int64")
    .Input("seed2: int64")
    .Output("handle: variant")
    .Attr("reshuffle_each_iteration: bool = true")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc(
        "Makes a dataset of the elements in random order: each is drawn from a buffer of the next "
        "buffer_size elements. The order for given seeds is TensorFlow's; if both are 0, it "
        "differs "
        "in each run. Each iterator has an order of its own, unless reshuffle_each_iteration is "
        "false. Error: buffer_size is not positive and not -2, which means all elements.")
    .HostMemory({"buffer_size", "seed", "seed2"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeShuffleDataset>>();

RAMET_OP("ShuffleDatasetV2")
    .Input("input_dataset: variant")
    .Input("buffer_size: int64")
    .Input("seed_generator: resource")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Stateful()
    .Doc("Like ShuffleDataset, with the seeds of a seed generator.")
    .HostMemory({"buffer_size"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeShuffleDatasetV2>>();

RAMET_OP("ShuffleDatasetV3")
    .Input("input_dataset: variant")
    .Input("buffer_size: int64")
    .Input("seed: int64")
    .Input("seed2: int64")
    .Input("seed_generator: resource")
    .Output("handle: variant")
    .Attr("reshuffle_each_iteration: bool = true")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Stateful()
    .Doc("Like ShuffleDataset, with the seeds of a seed generator if it is not a dummy.")
    .HostMemory({"buffer_size", "seed", "seed2"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeShuffleDatasetV3>>();

RAMET_OP("ShuffleAndRepeatDataset")
    .Input("input_dataset: variant")
    .Input("buffer_size: int64")
    .Input("seed: int64")
    .Input("seed2: int64")
    .Input("count: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("reshuffle_each_iteration: bool = true")
    .Attr("metadata: string = ''")
    .Doc(
        "Makes the dataset of ShuffleDataset, `count` times over, or without an end if count is "
        "-1. The buffer may hold elements of several repetitions. Error: count is 0 or less than "
        "-1.")
    .HostMemory({"buffer_size", "seed", "seed2", "count"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeShuffleAndRepeatDataset>>();

RAMET_OP("ShuffleAndRepeatDatasetV2")
    .Input("input_dataset: variant")
    .Input("buffer_size: int64")
    .Input("seed: int64")
    .Input("seed2: int64")
    .Input("count: int64")
    .Input("seed_generator: resource")
    .Output("handle: variant")
    .Attr("reshuffle_each_iteration: bool = true")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Stateful()
    .Doc("Like ShuffleAndRepeatDataset, with the seeds of a seed generator if it is not a dummy.")
    .HostMemory({"buffer_size", "seed", "seed2", "count"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeShuffleAndRepeatDataset>>();

RAMET_OP("DummySeedGenerator")
    .Output("handle: resource")
    .Stateful()
    .Doc("Returns a handle that stands for no seed generator.")
    .Shape(ScalarShape)
    .CpuKernel(DummySeedGenerator);

RAMET_OP("RandomDataset")
    .Input("seed: int64")
    .Input("seed2: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Stateful()
    .Doc(
        "Makes a dataset of random int64 numbers below 2^32, without an end. They are TensorFlow's "
        "for given seeds.")
    .HostMemory({"seed", "seed2"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeRandomDataset>>();

}  // namespace
}  // namespace ramet
