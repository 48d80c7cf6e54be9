#include <limits>
#include <unordered_map>
#include <vector>

#include "ramet/op/op.h"
#include "ramet/ops/random/random_state.h"
#include "ramet/ops/random/range_sampler.h"
#include "ramet/ops/random/unigram_weights.h"

namespace ramet {
namespace {

Status CheckTrueClasses(const Tensor& classes, int64_t num_true, int64_t range) {
  if (classes.rank() != 2) return InvalidArgument("true_classes must be a matrix");
  if (classes.dim(1) != num_true) {
    return InvalidArgument("true_classes must have num_true columns, expected: ", classes.dim(1),
                           " was: ", num_true);
  }
  for (int64_t candidate : classes.flat<int64_t>()) {
    if (candidate >= 0 && candidate < range) continue;
    return InvalidArgument("`true_candidate` out of range [0, ", range, "), received ", candidate);
  }
  return OkStatus();
}

using MakeSampler = StatusOr<std::unique_ptr<RangeSampler>> (*)(const AttrMap& attrs);

template <MakeSampler make_sampler>
class CandidateSamplerKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(auto sampler, make_sampler(*node.attrs));
    return std::make_unique<CandidateSamplerKernel>(*node.attrs, std::move(sampler));
  }
  CandidateSamplerKernel(const AttrMap& attrs, std::unique_ptr<RangeSampler> sampler)
      : num_true_(attrs.GetOr<int64_t>("num_true", 1)),
        num_sampled_(attrs.GetOr<int64_t>("num_sampled", 1)),
        unique_(attrs.GetOr<bool>("unique", false)),
        sampler_(std::move(sampler)),
        random_(attrs) {}

  Status Compute(KernelContext& c) override {
    const Tensor& classes = c.input(0);
    RAMET_RETURN_IF_ERROR(CheckTrueClasses(classes, num_true_, sampler_->range()));
    if (unique_ && num_sampled_ > sampler_->range()) {
      return InvalidArgument("Sampler's range is too small.");
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * sampled, c.Allocate(0, kInt64, Shape{num_sampled_}));
    RAMET_ASSIGN_OR_RETURN(Tensor * true_expected, c.Allocate(1, kFloat, classes.shape()));
    RAMET_ASSIGN_OR_RETURN(Tensor * sampled_expected, c.Allocate(2, kFloat, Shape{num_sampled_}));
    // TensorFlow reserves 2048 words for each class, whose numbers may take more of them.
    constexpr int64_t kReservedGroups = 2048 / 4;
    linalg::Philox generator;
    random_.Move([&](linalg::Philox& next) {
      generator = next;
      next.Skip(static_cast<uint64_t>(kReservedGroups * num_sampled_));
    });
    linalg::WordStream word(&generator);
    return sampler_->Draw(
        word, unique_,
        {classes.flat<int64_t>(), sampled->mutable_flat<int64_t>(),
         true_expected->mutable_flat<float>(), sampled_expected->mutable_flat<float>()},
        c.cancellation());
  }

 private:
  const int64_t num_true_, num_sampled_;
  const bool unique_;
  const std::unique_ptr<RangeSampler> sampler_;
  RandomState random_;
};

template <std::unique_ptr<RangeSampler> (*make)(int64_t range)>
StatusOr<std::unique_ptr<RangeSampler>> SamplerOfRange(const AttrMap& attrs) {
  RAMET_ASSIGN_OR_RETURN(int64_t range, attrs.Get<int64_t>("range_max"));
  return make(range);
}

StatusOr<std::unique_ptr<RangeSampler>> AllSamplerOf(const AttrMap& attrs) {
  RAMET_ASSIGN_OR_RETURN(int64_t range, attrs.Get<int64_t>("num_sampled"));
  return MakeAllSampler(range);
}

StatusOr<std::unique_ptr<RangeSampler>> FixedSamplerOf(const AttrMap& attrs) {
  const auto file = attrs.GetOr<std::string>("vocab_file", "");
  const auto unigrams = attrs.GetOr<std::vector<float>>("unigrams", {});
  if (file.empty() && unigrams.empty()) {
    return InvalidArgument("Must provide either vocab_file or unigrams.");
  }
  if (!file.empty() && !unigrams.empty()) {
    return InvalidArgument("Must only provide one of vocab_file and unigrams.");
  }
  UnigramOptions options;
  RAMET_ASSIGN_OR_RETURN(options.range, attrs.Get<int64_t>("range_max"));
  options.distortion = attrs.GetOr<float>("distortion", 1);
  options.reserved_ids = attrs.GetOr<int64_t>("num_reserved_ids", 0);
  options.num_shards = attrs.GetOr<int64_t>("num_shards", 1);
  options.shard = attrs.GetOr<int64_t>("shard", 0);
  RAMET_ASSIGN_OR_RETURN(
      auto weights, file.empty() ? WeightsOf(unigrams, options) : WeightsOfFile(file, options));
  return MakeFixedSampler(std::move(weights));
}

Status CandidateShapes(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(int64_t num_sampled, c.attr<int64_t>("num_sampled"));
  RAMET_ASSIGN_OR_RETURN(int64_t num_true, c.attr<int64_t>("num_true"));
  RAMET_ASSIGN_OR_RETURN(Shape classes, c.WithRank(0, 2));
  c.set_output(0, Shape{num_sampled});
  c.set_output(1, Shape{classes.dim(0), num_true});
  c.set_output(2, Shape{num_sampled});
  return OkStatus();
}

// Finds the true classes among the sampled ones.
Status ComputeAccidentalHits(KernelContext& c, int64_t num_true) {
  const Tensor &true_classes = c.input(0), &sampled = c.input(1);
  if (true_classes.rank() != 2 || true_classes.dim(1) != num_true) {
    return InvalidArgument("true_candidates must be a batch_size * num_true matrix");
  }
  if (sampled.rank() != 1) {
    return InvalidArgument(
        "sampled_candidates must be a vector, which is typically an output from CandidateSampler");
  }
  std::unordered_map<int64_t, int64_t> positions;
  for (int64_t i = 0; i < sampled.dim(0); ++i) positions[sampled.data<int64_t>()[i]] = i;
  std::vector<int32_t> indices;
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < true_classes.num_elements(); ++i) {
    const auto found = positions.find(true_classes.data<int64_t>()[i]);
    if (found == positions.end()) continue;
    indices.push_back(static_cast<int32_t>(i / num_true));
    ids.push_back(found->second);
  }
  const Shape shape{std::ssize(ids)};
  RAMET_ASSIGN_OR_RETURN(Tensor * rows, c.Allocate(0, kInt32, shape));
  RAMET_ASSIGN_OR_RETURN(Tensor * hits, c.Allocate(1, kInt64, shape));
  RAMET_ASSIGN_OR_RETURN(Tensor * weights, c.Allocate(2, kFloat, shape));
  std::ranges::copy(indices, rows->mutable_data<int32_t>());
  std::ranges::copy(ids, hits->mutable_data<int64_t>());
  std::ranges::fill(weights->mutable_flat<float>(), std::numeric_limits<float>::lowest());
  return OkStatus();
}

class AccidentalHitsKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(int64_t num_true, node.attrs->Get<int64_t>("num_true"));
    return std::make_unique<AccidentalHitsKernel>(num_true);
  }
  explicit AccidentalHitsKernel(int64_t num_true) : num_true_(num_true) {}
  Status Compute(KernelContext& c) override { return ComputeAccidentalHits(c, num_true_); }

 private:
  const int64_t num_true_;
};

Status AccidentalHitsShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(int64_t num_true, c.attr<int64_t>("num_true"));
  RAMET_ASSIGN_OR_RETURN(Shape classes, c.WithRank(0, 2));
  RAMET_RETURN_IF_ERROR(classes.MergeWith(Shape{Shape::kUnknownDim, num_true}).status());
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  for (int i = 0; i < 3; ++i) c.set_output(i, Shape{Shape::kUnknownDim});
  return OkStatus();
}

constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();

}  // namespace

#define RAMET_CANDIDATE_SAMPLER(name, sampler)  \
  RAMET_OP(name)                                \
      .Input("true_classes: int64")             \
      .Output("sampled_candidates: int64")      \
      .Output("true_expected_count: float")     \
      .Output("sampled_expected_count: float")  \
      .Attr("num_true: int >= 1")               \
      .Attr("num_sampled: int >= 1")            \
      .Attr("unique: bool")                     \
      .Attr("seed: int = 0")                    \
      .Attr("seed2: int = 0")                   \
      .AttrRange("num_true", 1, kMaxInt32)      \
      .AttrRange("num_sampled", 1, kMaxInt32)   \
      .AttrRange("seed", INT64_MIN, INT64_MAX)  \
      .AttrRange("seed2", INT64_MIN, INT64_MAX) \
      .Stateful()                               \
      .Shape(CandidateShapes)                   \
      .CpuKernelClass<CandidateSamplerKernel<sampler>>()

// The text that the documentation of all samplers has in common.
#define RAMET_CANDIDATE_DOC                                                                   \
  " If `unique`, the classes are drawn again until all of them are different. "               \
  "true_classes is [batch, num_true], sampled_candidates [num_sampled]. The expected counts " \
  "say how often each true and each sampled class occurs in sampled_candidates on average. "  \
  "With the same seeds the classes are TensorFlow's; seeds and successive runs behave as in " \
  "RandomUniform. Error: true_classes is not a matrix with num_true columns, or has a class " \
  "out of range; `unique` and fewer classes than num_sampled."

RAMET_CANDIDATE_SAMPLER("AllCandidateSampler", AllSamplerOf)
    .Doc("Returns the classes 0 to num_sampled - 1 and expected counts of 1." RAMET_CANDIDATE_DOC);

RAMET_CANDIDATE_SAMPLER("UniformCandidateSampler", SamplerOfRange<MakeUniformSampler>)
    .Attr("range_max: int >= 1")
    .AttrRange("range_max", 1, INT64_MAX)
    .Doc("Draws classes from [0, range_max) with the same probability." RAMET_CANDIDATE_DOC);

RAMET_CANDIDATE_SAMPLER("LogUniformCandidateSampler", SamplerOfRange<MakeLogUniformSampler>)
    .Attr("range_max: int >= 1")
    .AttrRange("range_max", 1, INT64_MAX)
    .Doc(
        "Draws classes from [0, range_max), class k with the probability "
        "log((k + 2) / (k + 1)) / log(range_max + 1)." RAMET_CANDIDATE_DOC);

#define RAMET_UNIGRAM_SAMPLER(name, doc)                            \
  RAMET_CANDIDATE_SAMPLER(name, SamplerOfRange<MakeUnigramSampler>) \
      .Attr("range_max: int >= 1")                                  \
      .AttrRange("range_max", 1, kMaxInt32 - 1)                     \
      .Doc(doc RAMET_CANDIDATE_DOC)

RAMET_UNIGRAM_SAMPLER(
    "LearnedUnigramCandidateSampler",
    "Draws classes from [0, range_max), class k with a probability proportional to one more than "
    "its occurrences in true_classes in earlier runs.");
RAMET_UNIGRAM_SAMPLER("ThreadUnsafeUnigramCandidateSampler",
                      "Does the same as LearnedUnigramCandidateSampler, also if several threads "
                      "run the session.");

RAMET_CANDIDATE_SAMPLER("FixedUnigramCandidateSampler", FixedSamplerOf)
    .Attr("range_max: int >= 1")
    .Attr("vocab_file: string = ''")
    .Attr("distortion: float = 1.0")
    .Attr("num_reserved_ids: int = 0")
    .Attr("num_shards: int >= 1 = 1")
    .Attr("shard: int >= 0 = 0")
    .Attr("unigrams: list(float) = []")
    .AttrRange("range_max", 1, kMaxInt32)
    .AttrRange("num_shards", 1, kMaxInt32)
    .AttrRange("shard", 0, kMaxInt32)
    .Doc(
        "Draws classes from [0, range_max), class k with a probability proportional to its count "
        "to the power of `distortion`. The counts are `unigrams`, or the last columns of the lines "
        "of the comma-separated file vocab_file. They follow num_reserved_ids classes that are "
        "never drawn. Only the classes with the remainder `shard` modulo num_shards are "
        "kept." RAMET_CANDIDATE_DOC
        " Both or neither of vocab_file and unigrams are given, or "
        "they do not have range_max classes.");

RAMET_OP("ComputeAccidentalHits")
    .Input("true_classes: int64")
    .Input("sampled_candidates: int64")
    .Output("indices: int32")
    .Output("ids: int64")
    .Output("weights: float")
    .Attr("num_true: int")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .AttrRange("num_true", 0, kMaxInt32)
    .AttrRange("seed", INT64_MIN, INT64_MAX)
    .AttrRange("seed2", INT64_MIN, INT64_MAX)
    .Doc(
        "Finds the sampled classes that are also true ones: row indices[i] of true_classes has the "
        "class at position ids[i] of sampled_candidates. weights[i] is the lowest float. Error: "
        "true_classes is not a matrix with num_true columns; sampled_candidates is not a vector.")
    .Shape(AccidentalHitsShape)
    .CpuKernelClass<AccidentalHitsKernel>();

}  // namespace ramet
