#include "clone_draft.h"

#include "ramet/graph/add_op.h"
#include "values.h"

namespace ramet::fuzz {
namespace {

// A CloneDrafter draws the options one group after another.
class CloneDrafter {
 public:
  CloneDrafter(Random& random, Graph& graph, Graph* other, const Targets& targets)
      : random_(random), graph_(graph), targets_(targets), all_(graph.operations()) {
    options_.into = other;
  }

  CloneOptions Take() {
    DrawBoundary();
    DrawReplacements();
    DrawNames();
    DrawState();
    DrawChanges();
    return std::move(options_);
  }

 private:
  Output AnyOutput() {
    for (int tries = 0; tries < 5 && !all_.empty(); ++tries) {
      const Operation op = random_.Pick(all_);
      if (op.num_outputs() > 0) return op.output(static_cast<int>(random_.Below(op.num_outputs())));
    }
    return Output();
  }

  void DrawBoundary() {
    if (!targets_.outputs.empty() && random_.Percent(60)) {
      options_.outputs.push_back(random_.Pick(targets_.outputs));
    }
    if (random_.Percent(25)) {
      if (const Output cut = AnyOutput(); cut.valid()) options_.inputs.push_back(cut);
    }
    if (random_.Percent(4)) options_.inputs.push_back(DrawString(random_));
    if (random_.Percent(8) && !all_.empty()) {
      for (int64_t n = random_.In(1, 4); n > 0; --n) options_.ops.push_back(random_.Pick(all_));
    }
    if (random_.Percent(6))
      options_.scope = random_.Pick({"n0", "n1", "loop0", "", "missing", "/"});
  }

  void DrawReplacements() {
    for (int64_t n = random_.Percent(25) ? random_.In(1, 3) : 0; n > 0; --n) {
      const Output from = AnyOutput();
      if (!from.valid()) return;
      if (random_.Percent(50)) {
        ClonePlaceholder placeholder;
        if (random_.Percent(40)) placeholder.name = DrawString(random_);
        if (random_.Percent(40)) placeholder.shape = from.shape();
        options_.input_map.emplace_back(from, placeholder);
      } else {
        options_.input_map.emplace_back(from, DrawReplacement(from));
      }
    }
  }

  CloneReplacement DrawReplacement(const Output& from) {
    const bool has_value = DTypeSize(BaseType(from.dtype())) > 0;
    if (!has_value || random_.Percent(40)) return AnyOutput();  // often another dtype, shape, graph
    Graph& target = options_.into != nullptr ? *options_.into : graph_;
    const Shape shape = from.shape().IsFullyDefined() ? from.shape() : DrawShape(random_);
    auto value = DrawTensor(random_, BaseType(from.dtype()), shape, DrawValuesKind(random_));
    return value.ok() ? Constant(target, *value, "replacement") : AnyOutput();
  }

  void DrawNames() {
    if (random_.Percent(15)) {
      options_.dst_scope =
          random_.Pick({"", "copy/", "a/b/c", "/", "n0", "n0/", "copy_1", "9", "a b", "_x"});
    } else if (random_.Percent(3)) {
      options_.dst_scope = DrawString(random_);
    }
    if (random_.Percent(10)) {
      options_.device = random_.Pick({"/cpu:0", "/device:SIM:0", "/gpu:9", "bad", "/job:a/task:1"});
    }
    if (random_.Percent(5)) options_.device = CloneDevice::Map{{"", "/cpu:1"}, {"/cpu:0", "x"}};
    if (random_.Percent(10)) {
      options_.collections = std::vector<std::string>{"variables", DrawString(random_)};
    }
  }

  void DrawState() {
    options_.slots = random_.Percent(10);
    if (random_.Percent(15)) options_.variables = CloneState::kShared;
    if (random_.Percent(15)) options_.resources = CloneState::kShared;
    if (random_.Percent(10)) options_.initial = kCurrent;
    if (random_.Percent(5)) options_.initial = DrawString(random_);
    if (random_.Percent(10)) {
      options_.initial = kCurrent;
      Random* const random = &random_;
      options_.session = [random](const Variable&) -> StatusOr<Tensor> {
        return DrawTensor(*random, kFloat, DrawShape(*random), Values::kPlausible);
      };
    }
  }

  void DrawChanges() {
    options_.strip_training = random_.Percent(20);
    const DType to = random_.Pick({kHalf, kDouble, kBFloat16, kInt32, kComplex64});
    if (random_.Percent(15)) options_.dtype = random_.Pick({kHalf, kDouble, kBFloat16});
    if (random_.Percent(5)) options_.dtype = CloneDtype::Map{{kFloat, to}, {kDouble, kFloat}};
  }

  Random& random_;
  Graph& graph_;
  const Targets& targets_;
  const std::vector<Operation> all_;
  CloneOptions options_;
};

}  // namespace

CloneOptions DrawCloneOptions(Random& random, Graph& graph, Graph* other, const Targets& targets) {
  return CloneDrafter(random, graph, other, targets).Take();
}

namespace {

std::string NameOf(const GraphElement& element) {
  const auto* output = std::get_if<Output>(&element.element());
  return output == nullptr ? "?" : output->name();
}

}  // namespace

std::string Describe(const CloneOptions& options) {
  std::string text =
      StrCat(options.into == nullptr ? "same graph" : "other graph", ", scope '", options.scope,
             "' -> '", options.dst_scope, "', ", options.ops.size(), " ops, ",
             options.inputs.size(), " inputs, ", options.outputs.size(), " outputs");
  for (const auto& [from, replacement] : options.input_map) {
    const Output* by = replacement.tensor();
    text += StrCat(
        ", input_map ", NameOf(from), " -> ",
        by == nullptr ? StrCat("placeholder '", replacement.placeholder()->name, "'") : by->name());
  }
  if (const auto* dtypes = std::get_if<CloneDtype::Map>(&options.dtype.rule())) {
    for (const auto& [from, to] : *dtypes)
      text += StrCat(", ", DTypeName(from), " -> ", DTypeName(to));
  }
  if (options.strip_training) text += ", strip_training";
  return text;
}

}  // namespace ramet::fuzz
