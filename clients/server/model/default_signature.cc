#include "model/default_signature.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace server {
namespace {

namespace rm = ramet;

constexpr char kOutputsCollection[] = "outputs";

bool IsInput(const rm::Operation& op) {
  return (op.type() == "Placeholder" || op.type() == "PlaceholderV2") && op.num_outputs() > 0;
}

bool IsVariable(const rm::Operation& op) {
  return op.type() == "VariableV2" || op.type() == "Variable" || op.type() == "VarHandleOp";
}

// Reports whether an operation may come after the last weights of a model, before its loss.
bool IsActivation(const rm::Operation& op) {
  static constexpr std::string_view kTypes[] = {"Sigmoid",  "Softmax",  "LogSoftmax", "Tanh",
                                                "Relu",     "Relu6",    "Elu",        "Selu",
                                                "Softplus", "Softsign", "LeakyRelu",  "Identity",
                                                "Reshape",  "Squeeze",  "ExpandDims", "Transpose"};
  return std::ranges::find(kTypes, op.type()) != std::end(kTypes);
}

// A set of placeholders, with a bit for each. All from the 64th on share the last bit.
using Needs = uint64_t;

// Finds tensors that look like results of a model.
class OutputFinder {
 public:
  explicit OutputFinder(const rm::Graph& graph) : operations_(graph.operations()) {
    needs_.resize(operations_.size());
    aside_.resize(operations_.size());
    read_.resize(operations_.size());
    weights_.resize(operations_.size());
    readers_.resize(operations_.size());
    for (const rm::Operation& op : operations_) Visit(op);
    for (const rm::Operation& op : operations_) NoteReads(op);
  }

  std::vector<rm::Output> Find() const {
    std::vector<rm::Output> found = Candidates(true);
    if (found.empty()) found = AfterLastWeights();
    if (found.empty()) found = Candidates(false);
    std::erase_if(found, [&](const rm::Output& output) {
      return std::ranges::any_of(
          found, [&](const rm::Output& other) { return IsLess(NeedsOf(other), NeedsOf(output)); });
    });
    return found;
  }

 private:
  // Reports whether `a` is a part of `b`.
  static bool IsLess(Needs a, Needs b) { return a != b && (a & b) == a; }

  Needs NeedsOf(const rm::Output& output) const {
    return needs_[static_cast<size_t>(output.op().id())];
  }

  // Operations come after their inputs, except in loops.
  void Visit(const rm::Operation& op) {
    const size_t id = static_cast<size_t>(op.id());
    aside_[id] = ("/" + op.name()).find("/gradients") != std::string::npos;
    if (IsInput(op)) needs_[id] = Needs{1} << std::min(inputs_++, 63);
    for (const rm::Output& input : op.inputs()) {
      const size_t from = static_cast<size_t>(input.op().id());
      aside_[id] |= aside_[from];
      needs_[id] |= needs_[from];
      weights_[id] |= weights_[from];
    }
    if (needs_[id] != 0) weights_[id] = false;
    if (IsVariable(op)) weights_[id] = true;
  }

  // A loss reads the result together with labels. It does not make the result less of one.
  void NoteReads(const rm::Operation& op) {
    const size_t id = static_cast<size_t>(op.id());
    if (aside_[id]) return;
    for (const rm::Output& input : op.inputs()) {
      const size_t from = static_cast<size_t>(input.op().id());
      readers_[from].push_back(static_cast<int32_t>(id));
      if (!IsLess(needs_[from], needs_[id])) read_[from] = true;
    }
  }

  // Reports whether an operation combines a value that depends on placeholders with weights.
  bool UsesWeights(const rm::Operation& op) const {
    const auto is_weights = [this](const rm::Output& input) {
      return weights_[static_cast<size_t>(input.op().id())] != 0;
    };
    return needs_[static_cast<size_t>(op.id())] != 0 &&
           std::ranges::any_of(op.inputs(), is_weights);
  }

  // Returns the results of a model whose loss needs no labels, so that nothing but scalars is left
  // unread: what the last operations with weights compute, and the activations after them.
  std::vector<rm::Output> AfterLastWeights() const {
    std::vector<char> leads_to_weights(operations_.size());
    std::vector<rm::Output> found;
    for (auto op = operations_.rbegin(); op != operations_.rend(); ++op) {
      const size_t id = static_cast<size_t>(op->id());
      if (aside_[id]) continue;
      const bool uses_weights =
          op->num_outputs() > 0 && !rm::IsRef(op->output(0).dtype()) && UsesWeights(*op);
      if (uses_weights && !leads_to_weights[id]) found.push_back(PastActivations(*op));
      if (!uses_weights && !leads_to_weights[id]) continue;
      for (const rm::Output& input : op->inputs()) {
        leads_to_weights[static_cast<size_t>(input.op().id())] = true;
      }
    }
    std::erase_if(found, [](const rm::Output& output) { return output.shape().rank() == 0; });
    return found;
  }

  rm::Output PastActivations(rm::Operation op) const {
    while (true) {
      const std::vector<int32_t>& readers = readers_[static_cast<size_t>(op.id())];
      if (readers.size() != 1) return op.output(0);
      const rm::Operation& next = operations_[static_cast<size_t>(readers[0])];
      if (!IsActivation(next)) return op.output(0);
      op = next;
    }
  }

  std::vector<rm::Output> Candidates(bool in_batches) const {
    static constexpr std::string_view kPlumbing[] = {
        "Shape", "ShapeN", "Size", "Rank", "Switch", "Merge", "Assert", "Exit", "NextIteration"};
    std::vector<rm::Output> found;
    for (const rm::Operation& op : operations_) {
      const size_t id = static_cast<size_t>(op.id());
      if (aside_[id] || read_[id] || needs_[id] == 0 || IsInput(op)) continue;
      if (std::ranges::find(kPlumbing, op.type()) != std::end(kPlumbing)) continue;
      if (op.type().find("Summary") != std::string::npos) continue;
      for (const rm::Output& output : op.outputs()) {
        const bool is_scalar = output.shape().rank() == 0;
        if (!rm::IsRef(output.dtype()) && !(in_batches && is_scalar)) found.push_back(output);
      }
    }
    return found;
  }

  std::vector<rm::Operation> operations_;
  int inputs_ = 0;
  // By node id: the placeholders it depends on; whether it is for training; whether a node that
  // depends on the same placeholders reads it.
  std::vector<Needs> needs_;
  std::vector<char> aside_, read_;
  // By node id: whether it is a variable or computed of variables alone; the nodes that read it and
  // are not for training.
  std::vector<char> weights_;
  std::vector<std::vector<int32_t>> readers_;
};

rm::StatusOr<std::vector<rm::Output>> FindNamed(const rm::Graph& graph,
                                                const std::vector<std::string>& names) {
  std::vector<rm::Output> found;
  for (const std::string& name : names) {
    const std::string full = name.find(':') == std::string::npos ? name + ":0" : name;
    RAMET_ASSIGN_OR_RETURN(const rm::Output output, graph.Tensor(full));
    found.push_back(output);
  }
  return found;
}

std::string KeyOf(const rm::Output& tensor) {
  return tensor.index() == 0 ? tensor.op().name() : tensor.name();
}

}  // namespace

rm::StatusOr<rm::Signature> DefaultSignature(const rm::Graph& graph,
                                             const std::vector<std::string>& outputs) {
  RAMET_ASSIGN_OR_RETURN(std::vector<rm::Output> found, FindNamed(graph, outputs));
  if (found.empty()) found = graph.collections().Get<rm::Output>(kOutputsCollection);
  if (found.empty()) found = OutputFinder(graph).Find();
  if (found.empty()) {
    return rm::InvalidArgument(
        "the graph has no signature, and no tensor that depends on a placeholder looks like an "
        "output; name the outputs with --outputs");
  }
  std::map<std::string, rm::Output> results, inputs;
  std::vector<rm::Operation> ends;
  for (const rm::Output& output : found) {
    results.emplace(KeyOf(output), output);
    ends.push_back(output.op());
  }
  for (const rm::Operation& op : rm::WalkBackward(ends)) {
    if (IsInput(op)) inputs.emplace(KeyOf(op.output(0)), op.output(0));
  }
  return rm::MakeSignature(inputs, results);
}

}  // namespace server
