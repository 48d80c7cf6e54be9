#include "exercise.h"

#include <google/protobuf/text_format.h>

#include "build.h"
#include "clone_draft.h"
#include "draft.h"
#include "ramet/freeze/freeze.h"
#include "ramet/gradients/gradients.h"
#include "ramet/graph/add_op.h"
#include "ramet/graph_def/graph_def.h"
#include "ramet/graph_def/import.h"
#include "ramet/graph_def/meta_graph.h"
#include "use_session.h"
#include "values.h"

namespace ramet::fuzz {
namespace {

constexpr size_t kMaxFetches = 60;

bool IsGraphAlone(const MetaGraphDef& graph) {
  return !graph.has_meta_info_def() && graph.collection_def().empty();
}

// Exercises one graph in every way.
class Exerciser {
 public:
  Exerciser(const MetaGraphDef& graph, Random& random, Progress& progress)
      : meta_(graph), def_(graph.graph_def()), random_(random), progress_(progress) {}

  void Run() {
    if (!Build()) return;
    Look(graph_);
    const Targets targets = TargetsOf(graph_);
    const bool ran = RunTargets(graph_, targets, "running");
    if (ran) progress_.Ran();
    const int64_t first = random_.Below(4);
    for (int64_t i = 0; i < 4; ++i) {
      switch ((first + i) % 4) {
        case 0: Differentiate(targets); break;
        case 1: CloneIt(targets); break;
        case 2: Export(); break;
        default: Freeze();
      }
    }
  }

 private:
  bool Build() {
    const bool import = !IsGraphAlone(meta_) || random_.Percent(50);
    progress_.Phase(import ? "importing" : "adding nodes");
    const Status status = import ? Import() : BuildNodeByNode(def_, &graph_);
    progress_.Note(status.ToString());
    graph_.TakeError().IgnoreError();
    if (!status.ok()) return false;
    progress_.Built();
    return true;
  }

  Status Import() {
    if (IsGraphAlone(meta_) && random_.Percent(25)) ImportOddly();
    if (IsGraphAlone(meta_)) {
      return ImportGraphDef(graph_, def_.SerializeAsString(), {.name = ""}).status();
    }
    return ImportMetaGraphBytes(graph_, meta_.SerializeAsString()).status();
  }

  // Imports the graph into one that already has nodes, with options that may not fit.
  void ImportOddly() {
    progress_.Phase("importing with options");
    Graph target;
    const Output present = Constant(target, Tensor(1.0f), "subject");
    ImportOptions options;
    options.name = random_.Pick({"", "import", "a/b", "a/b/", "/", "subject", "9", " ", "\xff"});
    options.clear_devices = random_.Percent(30);
    options.validate_shapes = random_.Percent(50);
    for (int64_t n = random_.Below(4); n > 0; --n) {
      options.input_map[DrawElementName()] = random_.Percent(90) ? present : Output();
      if (random_.Percent(50)) options.return_elements.push_back(DrawElementName());
    }
    if (random_.Percent(10)) options.producer_op_list = DrawString(random_);
    const std::string bytes = def_.SerializeAsString();
    for (int i = 0; i < 2; ++i) {  // the second time, most names are taken
      const auto imported = ImportGraphDef(target, bytes, options);
      progress_.Note(imported.status().ToString());
    }
    target.TakeError().IgnoreError();
    ExportGraphDef(target).status().IgnoreError();
  }

  std::string DrawElementName() {
    if (def_.node().empty() || random_.Percent(10)) return DrawString(random_);
    const auto at = static_cast<int>(random_.Below(def_.node_size()));
    return StrCat(random_.Pick({"", "", "", "^"}), def_.node(at).name(),
                  random_.Pick({"", ":0", ":0", ":1", ":-1", ":99999999999"}));
  }

  void Look(const Graph& graph) {
    progress_.Phase("looking");
    for (const Operation& op : graph.operations()) {
      for (const Output& output : op.outputs()) {
        const Tensor value = ConstantValue(output);
        if (!value.empty()) Check(output, value, "constant value");
        HandleShape(output);
        output.shape().ToString();
      }
      op.attrs();
      ExportNodeDef(op).status().IgnoreError();
    }
  }

  // Returns the subject of a drafted graph; for other graphs, everything.
  Targets TargetsOf(const Graph& graph) {
    Targets targets;
    const auto add = [&](const Operation& op) {
      bool fetched = false;
      for (const Output& output : op.outputs()) {
        const DType dtype = BaseType(output.dtype());
        if (dtype == DType::kResource || dtype == DType::kVariant) continue;
        targets.outputs.push_back(output);
        fetched = true;
      }
      if (!fetched) targets.operations.push_back(op);
    };
    if (auto subject = graph.FindOperation(kSubject); subject.ok()) {
      add(*subject);
    } else {
      for (const Operation& op : graph.operations()) {
        if (op.type() != "Const" && op.type() != "Placeholder") add(op);
      }
    }
    if (targets.outputs.size() > kMaxFetches) targets.outputs.resize(kMaxFetches);
    return targets;
  }

  bool RunTargets(const Graph& graph, const Targets& targets, const char* phase) {
    progress_.Phase(phase);
    SessionOptions options;
    options.intra_op_parallelism_threads = static_cast<int>(random_.Pick({1, 1, 2}));
    options.inter_op_parallelism_threads = static_cast<int>(random_.Pick({1, 1, 2}));
    options.allow_soft_placement = random_.Percent(50);
    options.deterministic = random_.Percent(20);
    auto session = Session::Create(const_cast<Graph&>(graph), options);
    if (!session.ok()) return false;
    const Feeds feeds = FeedsOf(graph);
    bool ran = RunAll(*session, feeds, targets);
    if (ran && random_.Percent(40)) RunAll(*session, feeds, targets);
    if (!out_of_time_ && random_.Percent(25)) {
      UseSessionOddly(*session, feeds, targets, random_, progress_);
      return ran;
    }
    if (ran || targets.outputs.empty()) return ran;
    if (auto subject = graph.FindOperation(kSubject); subject.ok()) {  // its outputs may be dead
      return RunAll(*session, feeds, {{}, {*subject}});
    }
    return RunEach(*session, feeds, targets);
  }

  bool RunAll(Session& session, const Feeds& feeds, const Targets& targets) {
    std::vector<GraphElement> fetches(targets.outputs.begin(), targets.outputs.end());
    for (const Operation& op : targets.operations) fetches.push_back(op);
    if (fetches.empty() || out_of_time_) return false;
    RunOptions options;
    options.timeout_in_ms = kRunMillis;
    auto values = session.Run(feeds, Fetches(fetches), options);
    progress_.Note(values.status().ToString());
    out_of_time_ |= values.status().code() == Code::kDeadlineExceeded;
    if (!values.ok()) return false;
    for (size_t i = 0; i < targets.outputs.size(); ++i) {
      Check(targets.outputs[i], (*values)[i], "value");
    }
    return true;
  }

  bool RunEach(Session& session, const Feeds& feeds, const Targets& targets) {
    bool any = false;
    for (int i = 0; i < 6; ++i) {
      any |= RunAll(session, feeds, {{random_.Pick(targets.outputs)}, {}});
    }
    return any;
  }

  void Check(const Output& output, const Tensor& value, const char* what) {
    if (value.empty()) return;
    Touch(value);
    if (progress_.verbose()) progress_.Note(StrCat(output.name(), " ", value.ToString()));
    if (value.dtype() != BaseType(output.dtype())) {
      progress_.Finding(StrCat("dtype: the ", what, " of ", output.op().type(), " is ",
                               DTypeName(value.dtype()), ", but the graph says ",
                               DTypeName(output.dtype())));
    }
    if (progress_.strict() && !output.shape().IsCompatibleWith(value.shape())) {
      progress_.Finding(StrCat("shape: the ", what, " of ", output.op().type(), " has shape ",
                               value.shape().ToString(), ", but the graph says ",
                               output.shape().ToString()));
    }
  }

  void Differentiate(const Targets& targets) {
    progress_.Phase("differentiating");
    std::vector<Output> ys;
    for (const Output& y : targets.outputs) {
      if (IsFloating(BaseType(y.dtype())) || IsComplex(BaseType(y.dtype()))) ys.push_back(y);
    }
    const bool within = random_.Percent(20);  // also with respect to tensors within the graph
    std::vector<GradientTarget> xs;
    for (const Operation& op : graph_.operations()) {
      const bool taken = (op.num_inputs() == 0 || within) && op.num_outputs() > 0;
      if (taken && xs.size() < kMaxFetches) xs.emplace_back(op.output(0));
    }
    if (ys.empty() || xs.empty()) return;
    Targets first = AddGradients(ys, xs);
    if (first.outputs.empty()) return;
    if (RunTargets(graph_, first, "running gradients")) progress_.Differentiated();
    if (!random_.Percent(30)) return;
    progress_.Phase("differentiating gradients");
    std::vector<Output> floating;
    for (const Output& g : first.outputs) {
      if (IsFloating(BaseType(g.dtype()))) floating.push_back(g);
    }
    if (floating.empty()) return;
    const Targets second = AddGradients(floating, xs);
    if (!second.outputs.empty()) RunTargets(graph_, second, "running second gradients");
  }

  Targets AddGradients(const std::vector<Output>& ys, const std::vector<GradientTarget>& xs) {
    GradientsOptions options;
    if (random_.Percent(30)) options.unconnected = Unconnected::kZero;
    if (random_.Percent(10)) options.aggregation = Aggregation::kTree;
    options.gate_gradients = random_.Percent(10);
    options.colocate_gradients_with_ops = random_.Percent(10);
    if (random_.Percent(10)) options.stop_gradients.push_back(random_.Pick(xs).output());
    if (random_.Percent(30)) {
      for (const Output& y : ys) options.grad_ys.push_back(GradientOf(y));
    }
    auto gradients = Gradients(ys, xs, options);
    progress_.Note(gradients.status().ToString());
    graph_.TakeError().IgnoreError();
    Targets results;
    if (!gradients.ok()) return results;
    for (const Gradient& g : *gradients) {
      if (!g.exists()) continue;
      results.outputs.push_back(g.values);
      if (g.sparse()) results.outputs.push_back(g.indices);
    }
    return results;
  }

  // Draws a gradient of the tensor's dtype and, usually, shape.
  Gradient GradientOf(const Output& y) {
    constexpr int64_t kMaxElements = 4096;
    if (random_.Percent(40)) return Gradient();
    Shape shape = y.shape();
    const bool fits = shape.IsFullyDefined() && shape.num_elements() <= kMaxElements;
    if (!fits || random_.Percent(10)) shape = DrawShape(random_);
    auto value = DrawTensor(random_, BaseType(y.dtype()), shape, DrawValuesKind(random_));
    return value.ok() ? Gradient(Constant(graph_, *value, "grad_y")) : Gradient();
  }

  void CloneIt(const Targets& targets) {
    progress_.Phase("cloning");
    Graph other;
    const CloneOptions options =
        DrawCloneOptions(random_, graph_, random_.Percent(60) ? &other : nullptr, targets);
    progress_.Note(Describe(options));
    auto cloned = Clone(graph_, options);
    progress_.Note(cloned.status().ToString());
    graph_.TakeError().IgnoreError();
    if (!cloned.ok()) return;
    progress_.Cloned();
    Targets copies;
    for (const Output& output : targets.outputs) {
      if (Output copy = cloned->Transformed(output); copy.valid()) copies.outputs.push_back(copy);
    }
    if (!copies.outputs.empty()) RunTargets(cloned->graph(), copies, "running a clone");
    if (random_.Percent(20)) {
      progress_.Phase("updating a clone");
      cloned->UpdateOp().status().IgnoreError();
      cloned->PolyakOp(HostileNumber(random_)).status().IgnoreError();
      cloned->SaverMap();
    }
  }

  void Export() {
    progress_.Phase("exporting");
    GraphDefOptions options;
    options.add_shapes = random_.Percent(40);
    options.strip_default_attrs = random_.Percent(30);
    options.clear_devices = random_.Percent(30);
    const auto first = ExportGraphDef(graph_, options);
    progress_.Note(first.status().ToString());
    if (!first.ok()) return;
    progress_.Phase("importing the export");
    Graph again;
    const Status imported = ImportGraphDef(again, *first, {.name = ""}).status();
    if (!imported.ok()) {
      progress_.Finding(StrCat("export: cannot be imported: ", imported.ToString()));
      return;
    }
    progress_.Phase("exporting again");
    const auto second = ExportGraphDef(again, options);
    if (!second.ok()) {
      progress_.Finding(StrCat("export: cannot be exported again: ", second.status().ToString()));
    }
    options.as_text = true;
    const auto text = ExportGraphDef(again, options);
    Graph from_text;
    if (text.ok()) ImportGraphDef(from_text, *text, {.name = ""}).status().IgnoreError();
    progress_.Exported();
  }

  void Freeze() {
    progress_.Phase("freezing");
    const auto bytes = ExportGraphDef(graph_);
    if (!bytes.ok()) return;
    const std::vector<Operation> all = graph_.operations();
    if (all.empty()) return;
    const std::string node = random_.Pick(all).name();
    ExtractSubGraph(*bytes, {node}).status().IgnoreError();
    RemoveTrainingNodes(*bytes, {node}, random_.Percent(50)).status().IgnoreError();
    std::map<std::string, Tensor> values;
    for (const Operation& op : all) {
      if (op.type() != "VarHandleOp" && op.type() != "VariableV2") continue;
      const DType dtype = op.attrs()->GetOr<DType>("dtype", kFloat);
      Shape shape = op.attrs()->GetOr<Shape>("shape", Shape());
      if (!shape.IsFullyDefined() || shape.num_elements() > 4096) shape = DrawShape(random_);
      auto value = DrawTensor(random_, dtype, shape, Values::kPlausible);
      if (value.ok()) values.emplace(op.name(), *std::move(value));
    }
    const auto frozen = ReplaceVariables(*bytes, values);
    progress_.Note(frozen.status().ToString());
    if (!frozen.ok()) return;
    progress_.Phase("importing a frozen graph");
    Graph graph;
    ImportGraphDef(graph, *frozen, {.name = ""}).status().IgnoreError();
  }

  const MetaGraphDef& meta_;
  const GraphDef& def_;
  Random& random_;
  Progress& progress_;
  Graph graph_;
  bool out_of_time_ = false;  // an infinite loop: further runs would not end either
};

}  // namespace

void Exercise(const MetaGraphDef& graph, Random& random, Progress& progress) {
  Exerciser(graph, random, progress).Run();
}

std::string TextOf(const MetaGraphDef& graph) {
  std::string text;
  if (IsGraphAlone(graph)) {
    google::protobuf::TextFormat::PrintToString(graph.graph_def(), &text);
  } else {
    google::protobuf::TextFormat::PrintToString(graph, &text);
  }
  return text;
}

}  // namespace ramet::fuzz
