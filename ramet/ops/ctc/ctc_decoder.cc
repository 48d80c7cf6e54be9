#include <algorithm>
#include <cmath>
#include <limits>

#include "ramet/op/op.h"
#include "ramet/ops/ctc/beam_search.h"
#include "ramet/ops/ctc/ctc_inputs.h"

// The greedy and the beam search decoder.

namespace ramet {
namespace {

Status CheckDecoder(const Tensor& inputs, const Tensor& lengths) {
  if (inputs.rank() != 3) return InvalidArgument("inputs is not a 3-Tensor");
  if (inputs.num_elements() == 0) return InvalidArgument("inputs must not be empty");
  if (lengths.rank() != 1) return InvalidArgument("sequence_length is not a vector");
  if (lengths.dim(0) != inputs.dim(1)) {
    return FailedPrecondition("len(sequence_length) != batch_size.  len(sequence_length):  ",
                              lengths.dim(0), " batch_size: ", inputs.dim(1));
  }
  for (int64_t b = 0; b < lengths.dim(0); ++b) {
    if (lengths.data<int32_t>()[b] <= inputs.dim(0)) continue;
    return FailedPrecondition("sequence_length(", b, ") <= ", inputs.dim(0));
  }
  return OkStatus();
}

template <class T>
class GreedyDecoderKernel final : public Kernel {
 public:
  GreedyDecoderKernel(bool merge, int blank) : merge_(merge), blank_(blank) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<GreedyDecoderKernel>(
        node.attrs->GetOr("merge_repeated", false),
        static_cast<int>(node.attrs->GetOr<int64_t>("blank_index", -1))));
  }

  Status Compute(KernelContext& c) override {
    const CtcLogits<T> logits{c.input(0)};
    RAMET_RETURN_IF_ERROR(CheckDecoder(logits.tensor, c.input(1)));
    const int64_t classes = logits.classes(), batch = logits.batch();
    const int64_t blank = blank_ < 0 ? blank_ + classes : blank_;
    if (blank < 0 || blank >= classes) {
      return InvalidArgument("blank_index expected to be between ", -classes, " and ", classes - 1,
                             " but was ", blank_);
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * scores, c.Allocate(3, logits.tensor.dtype(), Shape{batch, 1}));
    std::vector<std::vector<int>> sequences(batch);
    for (int64_t b = 0; b < batch; ++b) {
      sequences[b] =
          Decode(logits, b, c.input(1).data<int32_t>()[b], blank, scores->mutable_data<T>() + b);
    }
    return WriteSequences(c, 0, 1, sequences);
  }

 private:
  std::vector<int> Decode(const CtcLogits<T>& logits, int64_t b, int64_t time, int64_t blank,
                          T* score) const {
    std::vector<int> labels;
    int64_t previous = -1;
    *score = 0;
    for (int64_t t = 0; t < time; ++t) {
      const T* row = logits.row(t, b);
      const int64_t best = std::max_element(row, row + logits.classes()) - row;
      *score -= row[best];
      if (best != blank && !(merge_ && best == previous)) labels.push_back(static_cast<int>(best));
      previous = best;
    }
    return labels;
  }

  const bool merge_;
  const int blank_;
};

template <class T>
class BeamSearchDecoderKernel final : public Kernel {
 public:
  explicit BeamSearchDecoderKernel(const AttrMap& attrs)
      : width_(attrs.GetOr<int64_t>("beam_width", 1)),
        paths_(attrs.GetOr<int64_t>("top_paths", 1)),
        merge_(attrs.GetOr("merge_repeated", true)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<BeamSearchDecoderKernel>(*node.attrs));
  }

  Status Compute(KernelContext& c) override {
    const CtcLogits<T> logits{c.input(0)};
    RAMET_RETURN_IF_ERROR(CheckDecoder(logits.tensor, c.input(1)));
    const int64_t batch = logits.batch();
    RAMET_ASSIGN_OR_RETURN(
        Tensor * scores,
        c.Allocate(static_cast<int>(3 * paths_), logits.tensor.dtype(), Shape{batch, paths_}));
    std::vector<std::vector<std::vector<int>>> decoded(paths_,
                                                       std::vector<std::vector<int>>(batch));
    for (int64_t b = 0; b < batch; ++b) {
      BeamSearch<T> search(width_, logits.classes());
      for (int64_t t = 0; t < c.input(1).data<int32_t>()[b]; ++t) search.Step(logits.row(t, b));
      RAMET_ASSIGN_OR_RETURN(const auto best, search.Best(paths_));
      for (int64_t p = 0; p < paths_; ++p) {
        decoded[p][b] = best[p]->Sequence(merge_);
        scores->mutable_data<T>()[b * paths_ + p] = best[p]->now.total;
      }
    }
    for (int64_t p = 0; p < paths_; ++p) {
      RAMET_RETURN_IF_ERROR(
          WriteSequences(c, static_cast<int>(p), static_cast<int>(paths_), decoded[p]));
    }
    return OkStatus();
  }

 private:
  const int64_t width_, paths_;
  const bool merge_;
};

StatusOr<int64_t> DecoderBatch(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape inputs, c.WithRank(0, 3));
  RAMET_ASSIGN_OR_RETURN(const Shape lengths, c.WithRank(1, 1));
  RAMET_ASSIGN_OR_RETURN(const Shape batch, Shape{inputs.dim(1)}.MergeWith(lengths));
  return batch.dim(0);
}

void SetDecoded(ShapeContext& c, int first, int step) {
  c.set_output(first, Shape{Shape::kUnknownDim, 2});
  c.set_output(first + step, Shape{Shape::kUnknownDim});
  c.set_output(first + 2 * step, Shape{2});
}

Status GreedyDecoderShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const int64_t batch, DecoderBatch(c));
  SetDecoded(c, 0, 1);
  c.set_output(3, Shape{batch, 1});
  return OkStatus();
}

Status BeamSearchDecoderShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const int64_t batch, DecoderBatch(c));
  const int paths = (c.num_outputs() - 1) / 3;
  for (int p = 0; p < paths; ++p) SetDecoded(c, p, paths);
  c.set_output(3 * paths, Shape{batch, paths});
  return OkStatus();
}

RAMET_OP("CTCGreedyDecoder")
    .Input("inputs: T")
    .Input("sequence_length: int32")
    .Output("decoded_indices: int64")
    .Output("decoded_values: int64")
    .Output("decoded_shape: int64")
    .Output("log_probability: T")
    .Attr("merge_repeated: bool = false")
    .Attr("blank_index: int = -1")
    .Attr("T: {float, double} = float")
    .Doc(
        "Decodes the best class of each step. `inputs`, logits of shape [time, batch, classes], "
        "gives a sparse matrix with the classes of each example without blanks, and the negative "
        "sum of their logits. A negative blank_index counts from the end. With merge_repeated, "
        "repeated classes count once. Error: `inputs` is empty or not of rank 3; sequence_length "
        "is not a vector with the steps of each example; blank_index is out of range.")
    .Shape(GreedyDecoderShape)
    .NotDifferentiable()
    .CpuKernelClasses<GreedyDecoderKernel, float, double>();

RAMET_OP("CTCBeamSearchDecoder")
    .Input("inputs: T")
    .Input("sequence_length: int32")
    .Output("decoded_indices: top_paths * int64")
    .Output("decoded_values: top_paths * int64")
    .Output("decoded_shape: top_paths * int64")
    .Output("log_probability: T")
    .Attr("beam_width: int >= 1")
    .Attr("top_paths: int >= 1")
    .Attr("merge_repeated: bool = true")
    .Attr("T: {float, double} = float")
    .Doc(
        "Decodes the top_paths most likely label sequences of each example with a beam of "
        "beam_width candidates. `inputs` are logits of shape [time, batch, classes]; the last "
        "class is the blank. Returns a sparse matrix per path, with one row per example, and the "
        "log probabilities, [batch, top_paths]. With merge_repeated, repeated labels of the result "
        "count once. Error: `inputs` is empty or not of rank 3; sequence_length is not a vector "
        "with the steps of each example; top_paths is larger than beam_width or than the number of "
        "sequences that were found.")
    .Shape(BeamSearchDecoderShape)
    .NotDifferentiable()
    .CpuKernelClasses<BeamSearchDecoderKernel, float, double>();

}  // namespace
}  // namespace ramet
