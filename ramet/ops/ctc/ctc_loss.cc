#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ramet/op/op.h"
#include "ramet/ops/ctc/ctc_inputs.h"
#include "ramet/ops/ctc/log_sum.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/sparse/sparse.h"

// CTCLoss: the negative log probability of label sequences, by the forward-backward algorithm of
// Graves (2012), chapter 7, and its gradient for the logits.

namespace ramet {
namespace {

struct CtcOptions {
  bool collapse_repeated, merge_repeated, ignore_longer;

  explicit CtcOptions(const AttrMap& attrs)
      : collapse_repeated(attrs.GetOr("preprocess_collapse_repeated", false)),
        merge_repeated(attrs.GetOr("ctc_merge_repeated", true)),
        ignore_longer(attrs.GetOr("ignore_longer_outputs_than_inputs", false)) {}
};

using Labels = std::vector<int>;

Status CheckLossRanks(const Tensor& inputs, const SparseView& labels, const Tensor& lengths) {
  if (inputs.rank() != 3) return InvalidArgument("inputs is not a 3-Tensor");
  if (lengths.rank() != 1) return InvalidArgument("sequence_length is not a vector");
  if (labels.indices.rank() != 2) return InvalidArgument("labels_indices is not a matrix");
  if (labels.indices.dim(1) <= 1) {
    return InvalidArgument("labels_indices second dimension must be >= 1. Received ",
                           labels.indices.dim(1));
  }
  if (labels.values.rank() != 1) return InvalidArgument("labels_values is not a vector");
  if (inputs.dim(0) == 0) {
    return InvalidArgument("Max time or first dimension of input cannot be 0.");
  }
  if (lengths.dim(0) != inputs.dim(1)) {
    return InvalidArgument("len(sequence_length) != batch_size.  len(sequence_length):  ",
                           lengths.dim(0), " batch_size: ", inputs.dim(1));
  }
  if (labels.indices.dim(0) != labels.values.dim(0)) {
    return InvalidArgument(
        "labels_indices and labels_values must contain the same number of rows, but saw shapes: ",
        labels.indices.shape(), " vs. ", labels.values.shape());
  }
  if (inputs.dim(1) == 0) return InvalidArgument("batch_size must not be 0");
  if (inputs.dim(2) == 0) return InvalidArgument("inputs must have at least one class");
  return OkStatus();
}

// Checks the indices: sorted, distinct, and rows within the batch.
Status CheckLabelIndices(const SparseView& parts, int64_t batch) {
  int64_t longest = 0;
  const auto rows = parts.indices.flat<int64_t>();
  for (int64_t i = 0; i < parts.count(); ++i) longest = std::max(longest, rows[2 * i + 1]);
  if (longest < std::numeric_limits<int64_t>::max()) ++longest;
  const Tensor shape = Tensor::Vector<int64_t>({batch, longest});
  const SparseView labels{parts.indices, parts.values, shape};
  RAMET_RETURN_IF_ERROR(CheckParts(labels));
  const Status valid = CheckOrdered(labels);
  if (valid.ok()) return valid;
  return InvalidArgument("label SparseTensor is not valid: ", valid.message());
}

std::vector<Labels> GroupLabels(const SparseView& labels, int64_t batch) {
  std::vector<Labels> groups(batch);
  for (int64_t i = 0; i < labels.count(); ++i) {
    groups[labels.row(i)[0]].push_back(labels.values.data<int32_t>()[i]);
  }
  return groups;
}

Status CheckLengths(std::span<const int32_t> lengths, int64_t time) {
  for (size_t b = 0; b < lengths.size(); ++b) {
    if (lengths[b] > time) return InvalidArgument("sequence_length(", b, ") <= ", time);
  }
  for (size_t b = 0; b < lengths.size(); ++b) {
    if (lengths[b] < 0) return InvalidArgument("seq_len(", b, ") < 0");
  }
  return OkStatus();
}

// Returns the labels of example b without blanks at the end, with repeated ones merged if asked.
StatusOr<Labels> TargetOf(const Labels& labels, int64_t b, int64_t classes, bool collapse) {
  if (labels.empty()) return InvalidArgument("Labels length is zero in batch ", b);
  Labels target;
  bool ended = false;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (i > 0 && collapse && labels[i] == labels[i - 1]) continue;
    if (labels[i] >= classes - 1) {
      ended = true;
      continue;
    }
    if (ended) {
      return InvalidArgument(
          "Saw a non-null label (index >= num_classes - 1) following a null label, batch: ", b,
          " num_classes: ", classes, " labels: ", StrJoin(labels, ","),
          " labels seen so far: ", StrJoin(target, ","));
    }
    target.push_back(labels[i]);
  }
  if (std::ranges::any_of(target, [](int label) { return label < 0; })) {
    return InvalidArgument("All labels must be nonnegative integers, batch: ", b,
                           " labels: ", StrJoin(target, ","));
  }
  return target;
}

// Returns the labels with blanks between them and at both ends.
Labels WithBlanks(const Labels& target, int blank) {
  Labels spaced;
  spaced.reserve(2 * target.size() + 1);
  for (const int label : target) {
    spaced.push_back(blank);
    spaced.push_back(label);
  }
  spaced.push_back(blank);
  return spaced;
}

// One example: probabilities of the classes over time, and the path probabilities along `labels`.
// Matrices are [time, classes] and [time, labels].
template <class T>
class CtcExample {
 public:
  CtcExample(const CtcLogits<T>& logits, int64_t b, int64_t time, Labels labels, bool merge)
      : time_(time),
        classes_(logits.classes()),
        blank_(static_cast<int>(classes_) - 1),
        labels_(std::move(labels)),
        merge_(merge),
        y_(time * classes_) {
    for (int64_t t = 0; t < time_; ++t) Softmax(logits.row(t, b), y_.data() + t * classes_);
    RunForward();
    RunBackward();
    total_ = kLogZero;
    for (int64_t u = 0; u < size(); ++u) total_ = LogSum(total_, alpha(u, 0) + beta(u, 0));
  }

  T loss() const { return -total_; }

  // Writes the gradient for the logits of this example at time t.
  void Gradient(int64_t t, T* out) const {
    const T* y = y_.data() + t * classes_;
    std::copy_n(y, classes_, out);
    if (total_ == kLogZero) return;
    std::vector<T> sums(classes_, kLogZero);
    for (int64_t u = 0; u < size(); ++u) {
      T& sum = sums[labels_[u]];
      sum = LogSum(sum, alpha(u, t) + beta(u, t));
    }
    for (int64_t l = 0; l < classes_; ++l) {
      out[l] = y[l] - static_cast<T>(std::exp(static_cast<float>(sums[l] - total_)));
    }
  }

 private:
  static constexpr T kLogZero = -std::numeric_limits<T>::infinity();

  int64_t size() const { return std::ssize(labels_); }
  T alpha(int64_t u, int64_t t) const { return alpha_[t * size() + u]; }
  T beta(int64_t u, int64_t t) const { return beta_[t * size() + u]; }
  T LogOf(int64_t u, int64_t t) const { return std::log(y_[t * classes_ + labels_[u]]); }
  bool Stays(int64_t u) const { return merge_ || labels_[u] == blank_; }
  // Reports whether a path may go from position u to u + 2.
  bool Skips(int64_t from, int64_t to) const {
    return labels_[from] != blank_ && !(merge_ && labels_[from] == labels_[to]);
  }
  // The positions that a path can have at time t and still end in time.
  int64_t FirstAt(int64_t t) const { return std::max<int64_t>(0, size() - 2 * (time_ - t)); }
  int64_t LastAt(int64_t t) const { return std::min(size(), 2 * (t + 1)); }

  void Softmax(const T* x, T* y) const {
    const T most = *std::max_element(x, x + classes_);
    T sum = 0;
    for (int64_t i = 0; i < classes_; ++i) sum += y[i] = std::exp(x[i] - most);
    for (int64_t i = 0; i < classes_; ++i) y[i] /= sum;
  }

  void RunForward() {
    alpha_.assign(time_ * size(), kLogZero);
    alpha_[0] = LogOf(0, 0);
    if (size() > 1) alpha_[1] = LogOf(1, 0);
    for (int64_t t = 1; t < time_; ++t) {
      for (int64_t u = FirstAt(t); u < LastAt(t); ++u) {
        T sum = Stays(u) ? alpha(u, t - 1) : kLogZero;
        if (u > 0) sum = LogSum(sum, alpha(u - 1, t - 1));
        if (u > 1 && Skips(u, u - 2)) sum = LogSum(sum, alpha(u - 2, t - 1));
        alpha_[t * size() + u] = LogOf(u, t) + sum;
      }
    }
  }

  void RunBackward() {
    beta_.assign(time_ * size(), kLogZero);
    for (int64_t u = std::max<int64_t>(0, size() - 2); u < size(); ++u) {
      beta_[(time_ - 1) * size() + u] = 0;
    }
    for (int64_t t = time_ - 2; t >= 0; --t) {
      for (int64_t u = FirstAt(t); u < LastAt(t); ++u) {
        T sum = kLogZero;
        if (Stays(u)) sum = LogSum(sum, beta(u, t + 1) + LogOf(u, t + 1));
        if (u + 1 < size()) sum = LogSum(sum, beta(u + 1, t + 1) + LogOf(u + 1, t + 1));
        if (u + 2 < size() && Skips(u, u + 2)) {
          sum = LogSum(sum, beta(u + 2, t + 1) + LogOf(u + 2, t + 1));
        }
        beta_[t * size() + u] = sum;
      }
    }
  }

  const int64_t time_, classes_;
  const int blank_;
  const Labels labels_;
  const bool merge_;
  std::vector<T> y_, alpha_, beta_;
  T total_;
};

template <class T>
class CtcLossKernel final : public Kernel {
 public:
  explicit CtcLossKernel(const AttrMap& attrs) : options_(attrs) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<CtcLossKernel>(*node.attrs));
  }

  Status Compute(KernelContext& c) override {
    const CtcLogits<T> logits{c.input(0)};
    const SparseView labels{c.input(1), c.input(2), c.input(1)};
    RAMET_RETURN_IF_ERROR(CheckLossRanks(logits.tensor, labels, c.input(3)));
    RAMET_RETURN_IF_ERROR(CheckLabelIndices(labels, logits.batch()));
    const auto lengths = c.input(3).flat<int32_t>();
    RAMET_RETURN_IF_ERROR(CheckLengths(lengths, logits.time()));
    const std::vector<Labels> groups = GroupLabels(labels, logits.batch());
    RAMET_ASSIGN_OR_RETURN(const std::vector<Labels> targets,
                           Targets(groups, lengths, logits.classes()));
    RAMET_ASSIGN_OR_RETURN(Tensor * loss,
                           c.Allocate(0, logits.tensor.dtype(), Shape{logits.batch()}));
    RAMET_ASSIGN_OR_RETURN(Tensor * gradient,
                           c.Allocate(1, logits.tensor.dtype(), logits.tensor.shape()));
    std::fill_n(loss->mutable_data<T>(), loss->num_elements(), T(0));
    std::fill_n(gradient->mutable_data<T>(), gradient->num_elements(), T(0));
    for (int64_t b = 0; b < logits.batch(); ++b) {
      const bool longer = options_.ignore_longer && std::ssize(groups[b]) > lengths[b];
      if (lengths[b] > 0 && !longer) Run(logits, b, lengths[b], targets[b], *loss, *gradient);
    }
    return OkStatus();
  }

 private:
  StatusOr<std::vector<Labels>> Targets(const std::vector<Labels>& groups,
                                        std::span<const int32_t> lengths, int64_t classes) const {
    std::vector<Labels> targets;
    for (size_t b = 0; b < groups.size(); ++b) {
      RAMET_ASSIGN_OR_RETURN(const Labels target, TargetOf(groups[b], static_cast<int64_t>(b),
                                                           classes, options_.collapse_repeated));
      const int64_t needed = std::ssize(groups[b]);
      if (!options_.ignore_longer && needed > lengths[b]) {
        return InvalidArgument("Not enough time for target transition sequence (required: ", needed,
                               ", available: ", lengths[b], ")", b,
                               "You can turn this error into a warning by using the flag "
                               "ignore_longer_outputs_than_inputs");
      }
      targets.push_back(WithBlanks(target, static_cast<int>(classes) - 1));
    }
    return targets;
  }

  void Run(const CtcLogits<T>& logits, int64_t b, int64_t time, const Labels& target, Tensor& loss,
           Tensor& gradient) const {
    const CtcExample<T> example(logits, b, time, target, options_.merge_repeated);
    loss.mutable_data<T>()[b] = example.loss();
    for (int64_t t = 0; t < time; ++t) {
      example.Gradient(t, gradient.mutable_data<T>() + (t * logits.batch() + b) * logits.classes());
    }
  }

  const CtcOptions options_;
};

Status CtcLossShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape inputs, c.WithRank(0, 3));
  RAMET_ASSIGN_OR_RETURN(const Shape indices, c.WithRank(1, 2));
  RAMET_ASSIGN_OR_RETURN(const Shape values, c.WithRank(2, 1));
  RAMET_ASSIGN_OR_RETURN(const Shape lengths, c.WithRank(3, 1));
  RAMET_RETURN_IF_ERROR(Shape{indices.dim(0)}.MergeWith(values).status());
  RAMET_ASSIGN_OR_RETURN(Shape batch, Shape{inputs.dim(1)}.MergeWith(lengths));
  inputs.set_dim(1, batch.dim(0));
  c.set_output(0, std::move(batch));
  c.set_output(1, std::move(inputs));
  return OkStatus();
}

// The op computes the gradient together with the loss, so it cannot be differentiated again.
Status CtcLossGradient(GradientContext& c) {
  const Output grad = c.grad(0);
  const Output once = c.Add(
      "PreventGradient", {c.output(1)},
      {{"message",
        "Currently there is no way to take the second  derivative of ctc_loss due to the fused "
        "implementation's interaction  with tf.gradients()"}});
  const Output column = c.Add("ExpandDims", {grad, -1});
  const Output scaled = c.Add("Mul", {column, once}, {}, "mul");
  return c.Return({scaled, Gradient(), Gradient(), Gradient()});
}

#define RAMET_CTC_LOSS(name, type)                             \
  RAMET_OP(name)                                               \
      .Input("inputs: " type)                                  \
      .Input("labels_indices: int64")                          \
      .Input("labels_values: int32")                           \
      .Input("sequence_length: int32")                         \
      .Output("loss: " type)                                   \
      .Output("gradient: " type)                               \
      .Attr("preprocess_collapse_repeated: bool = false")      \
      .Attr("ctc_merge_repeated: bool = true")                 \
      .Attr("ignore_longer_outputs_than_inputs: bool = false") \
      .Shape(CtcLossShape)                                     \
      .Gradient(CtcLossGradient)
#define RAMET_CTC_LOSS_DOC(blank)                                                                  \
  "Returns the CTC loss of each example, -log p(labels | inputs), and its gradient for `inputs`, " \
  "the logits of shape [time, batch, classes]; " blank                                             \
  ". Labels are the values of a sparse matrix with one row per example; sequence_length has the "  \
  "number of steps per example. preprocess_collapse_repeated merges repeated labels first; "       \
  "without ctc_merge_repeated, repeated classes count as repeated labels. With "                   \
  "ignore_longer_outputs_than_inputs, examples with more labels than steps have loss 0. Error: "   \
  "the shapes do not fit together; the labels are not sorted or out of range; an example has no "  \
  "labels or more than steps; sequence_length is out of range."

RAMET_CTC_LOSS("CTCLoss", "T")
    .Attr("T: {float, double} = float")
    .Doc(RAMET_CTC_LOSS_DOC("the last class is the blank"))
    .CpuKernelClasses<CtcLossKernel, float, double>();

}  // namespace
}  // namespace ramet
