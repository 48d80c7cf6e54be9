#include "graph_summary.h"

#include <algorithm>
#include <set>

namespace cli {
namespace {

namespace rm = ramet;

// Returns the scope of a node name with a slash: "save/" for "save/restore_all".
std::string ScopeOf(const std::string& name) { return name.substr(0, name.rfind('/') + 1); }

// Finds the tensors that a user would feed and fetch.
class EndsFinder {
 public:
  EndsFinder(const rm::Graph& graph, const rm::MetaGraphInfo& info)
      : operations_(graph.operations()), read_(operations_.size()), fed_(operations_.size()) {
    if (info.saver) saver_scopes_.insert(ScopeOf(info.saver->restore_op_name));
    for (const rm::Operation& op : operations_) {
      if (IsSaving(op.type())) saver_scopes_.insert(ScopeOf(op.name()));
    }
    saver_scopes_.erase("");
    for (const rm::Operation& op : operations_) {
      if (IsAside(op)) continue;
      for (const rm::Output& input : op.inputs()) read_[input.op().id()] = true;
    }
  }

  void Find(GraphSummary* summary) {
    for (const rm::Operation& op : operations_) {
      if (IsAside(op)) continue;
      if (op.type().starts_with("Placeholder") && op.num_outputs() > 0) {
        summary->inputs.push_back(op.output(0));
        fed_[op.id()] = true;
        continue;
      }
      for (const rm::Output& input : op.inputs()) fed_[op.id()] |= fed_[input.op().id()];
      if (fed_[op.id()] && !read_[op.id()]) AddOutputs(op, summary);
    }
  }

 private:
  // Reports whether a node is only for saving, training or checking.
  bool IsAside(const rm::Operation& op) const {
    const std::string path = "/" + op.name();
    return InSaverScope(op.name()) || path.find("/gradients") != std::string::npos ||
           path.ends_with("/switch_t") || path.ends_with("/switch_f") ||
           path.find("/assert_") != std::string::npos;
  }

  static bool IsSaving(const std::string& type) {
    return type == "SaveV2" || type == "RestoreV2" || type == "SaveSlices" ||
           type == "RestoreSlice" || type == "MergeV2Checkpoints";
  }

  bool InSaverScope(const std::string& name) const {
    for (size_t at = name.find('/'); at != name.npos; at = name.find('/', at + 1)) {
      if (saver_scopes_.contains(name.substr(0, at + 1))) return true;
    }
    return false;
  }

  static void AddOutputs(const rm::Operation& op, GraphSummary* summary) {
    constexpr std::string_view kPlumbing[] = {"Shape", "ShapeN", "Size",
                                              "Rank",  "Switch", "Assert"};
    if (std::ranges::find(kPlumbing, op.type()) != std::end(kPlumbing)) return;
    for (const rm::Output& output : op.outputs()) {
      if (!rm::IsRef(output.dtype())) summary->outputs.push_back(output);
    }
  }

  std::vector<rm::Operation> operations_;
  std::set<std::string> saver_scopes_;  // "save/"
  // By node id: whether another node reads it, and whether it depends on a placeholder.
  std::vector<char> read_, fed_;
};

bool IsVariable(const std::string& type) {
  return type == "Variable" || type == "VariableV2" || type == "VarHandleOp";
}

void AddVariable(const rm::Operation& op, const std::set<std::string>& trainable,
                 GraphSummary* summary) {
  GraphSummary::Variable v;
  v.name = op.name();
  v.dtype = op.attr<rm::DType>("dtype").value_or(rm::DType::kInvalid);
  v.shape = op.attr<rm::Shape>("shape").value_or(rm::Shape::Unknown());
  const auto bytes = rm::TensorBytes(v.dtype, v.shape);
  if (bytes.ok()) v.bytes = static_cast<int64_t>(*bytes);
  v.trainable = trainable.contains(v.name);
  summary->variable_bytes += v.bytes;
  summary->variables.push_back(std::move(v));
}

void AddConstant(const rm::Operation& op, GraphSummary* summary) {
  ++summary->constants;
  const auto value = op.attr<rm::Tensor>("value");
  if (value.ok()) summary->constant_bytes += static_cast<int64_t>(value->bytes());
}

std::string WhyNot(const rm::Operation& op) {
  if (op.op().registered()) {
    return op.op().FindKernel("CPU", *op.attrs(), op.name()).status().message();
  }
  std::vector<std::string_view> known;
  for (const rm::Op* each : rm::OpRegistry::Global().All()) known.push_back(each->name());
  const std::string type = op.type(), near = rm::NearestName(type, known);
  return rm::StrCat("Ramet has no op '", type, "'",
                    near.empty() ? "" : "; the nearest name is '" + near + "'");
}

// Finds the operations that cannot run in a graph and in the functions it calls.
class MissingFinder {
 public:
  explicit MissingFinder(const rm::Graph& graph) : graph_(graph) {}

  std::vector<GraphSummary::Missing> Run() {
    Look(graph_, "");
    while (!called_.empty()) {
      const Called next = std::move(called_.back());
      called_.pop_back();
      if (!seen_.insert(next.function.name).second) continue;
      auto body = rm::FindFunction(graph_, next.function);
      if (!body.ok()) {
        Add(next.op, next.node, body.status().message());
        continue;
      }
      Look(*(*body)->graph, rm::StrCat(next.function.name, "/"));
      bodies_.push_back(*std::move(body));
    }
    std::vector<GraphSummary::Missing> list;
    for (auto& [op, found] : missing_) list.push_back(std::move(found));
    return list;
  }

 private:
  struct Called {
    rm::FunctionRef function;
    std::string op, node;
  };

  void Look(const rm::Graph& graph, const std::string& prefix) {
    for (const rm::Operation& op : graph.operations()) {
      const std::string node = prefix + op.name();
      const auto attrs = op.attrs();
      auto call = [&](const rm::FunctionRef& f) { called_.push_back({f, op.type(), node}); };
      if (!op.op().registered() && rm::HasFunction(graph_, op.type())) {
        call({op.type(), attrs});
        continue;
      }
      for (const auto& [name, attr] : *attrs) {
        if (const auto* f = attr.get<rm::FunctionRef>()) call(*f);
        if (attr.IsEmptyList()) continue;
        if (const auto* list = attr.get<std::vector<rm::FunctionRef>>()) {
          for (const rm::FunctionRef& f : *list) call(f);
        }
      }
      if (op.op().registered() && op.op().HasKernel("CPU", *attrs)) continue;
      Add(op.type(), node, WhyNot(op));
    }
  }

  void Add(const std::string& op, const std::string& node, const std::string& reason) {
    GraphSummary::Missing& found = missing_[op];
    if (found.nodes.empty()) found.reason = reason;
    found.op = op;
    found.nodes.push_back(node);
  }

  const rm::Graph& graph_;
  std::vector<Called> called_;
  std::set<std::string> seen_;
  std::vector<std::shared_ptr<const rm::FunctionBody>> bodies_;
  std::map<std::string, GraphSummary::Missing> missing_;
};

}  // namespace

GraphSummary Summarize(rm::Graph& graph, const rm::MetaGraphInfo& info) {
  GraphSummary summary;
  summary.ops = graph.num_operations();
  summary.producer = graph.versions().producer;
  summary.min_consumer = graph.versions().min_consumer;
  summary.tensorflow_version = info.tensorflow_version;
  summary.tags = info.tags;
  EndsFinder(graph, info).Find(&summary);
  std::set<std::string> trainable;
  const auto& collections = graph.collections();
  for (const auto& v : collections.Get<rm::Variable>(rm::graph_keys::kTrainableVariables)) {
    trainable.insert(v.op_name());
  }
  for (const rm::Operation& op : graph.operations()) {
    ++summary.op_types[op.type()];
    if (IsVariable(op.type())) AddVariable(op, trainable, &summary);
    if (op.type() == "Const") AddConstant(op, &summary);
  }
  for (const auto& [key, items] : collections.all()) {
    if (!items.empty()) summary.collections[key] = items.size();
  }
  for (const auto& [key, bytes] : info.signature_defs) {
    const auto signature = rm::ParseSignature(bytes);
    if (signature.ok() && !key.starts_with("__saved_model_")) summary.signatures[key] = *signature;
  }
  summary.cannot_run = MissingFinder(graph).Run();
  return summary;
}

}  // namespace cli
