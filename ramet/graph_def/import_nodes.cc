#include "ramet/graph_def/import_nodes.h"

#include <algorithm>

#include "ramet/graph/max_nodes.h"

namespace ramet {
namespace {

// A node may have more than kFewOutputs outputs only if their total number stays proportional to
// the file.
constexpr size_t kFewOutputs = 64;
constexpr int64_t kFreeOutputs = 1 << 20;
constexpr int64_t kOutputsPerByte = 4;

bool Fits(DType given, DType wanted) {
  if (given == DType::kInvalid || wanted == DType::kInvalid) return true;
  return IsRef(wanted) ? given == wanted : BaseType(given) == wanted;
}

std::string Join(const std::vector<DType>& types) {
  std::vector<std::string> names;
  for (DType t : types) names.push_back(DTypeName(t));
  return StrJoin(names, ", ");
}

// A suffix for error messages.
std::string NodeSuffix(const NodeView& node) {
  return StrCat("; NodeDef: {{node ", node.name, "}}");
}

Status CheckNotRemoved(const ImportOp& op, const NodeView& node, int producer) {
  if (op.deprecated == nullptr || producer < op.deprecated->version) return OkStatus();
  return Unimplemented("Op ", node.op, " is not available in GraphDef version ", producer,
                       ". It has been removed in version ", op.deprecated->version, ". ",
                       op.deprecated->explanation, ".", NodeSuffix(node));
}

}  // namespace

ImportNodes::ImportNodes(GraphImpl& impl, const GraphDefView& def, const OpList& producer_ops,
                         const std::vector<std::string>& return_elements)
    : def_(def),
      return_elements_(return_elements),
      appended_(impl),
      ops_(impl, def.rest(), producer_ops),
      attrs_(names_) {}

Status ImportNodes::Append(InputRemap* remap) {
  RAMET_RETURN_IF_ERROR(edges_.Init(def_, names_, appended_.base(), remap));
  const size_t n = static_cast<size_t>(size());
  RAMET_RETURN_IF_ERROR(CheckMaxNodes(static_cast<size_t>(appended_.base()), n));
  appended_.AddEdges(edges_.edges(), n, names_.total_bytes());
  node_ops_.reserve(n);
  node_attrs_.reserve(n);
  for (int32_t i = 0; i < size(); ++i) {
    auto op = ops_.Find(def(i).op);
    if (!op.ok()) return op.status().WithSuffix(NodeSuffix(def(i)));
    node_ops_.push_back(*op);
    RAMET_RETURN_IF_ERROR(AppendNode(i, **op));
  }
  return OkStatus();
}

Status ImportNodes::AppendNode(int32_t i, const ImportOp& op) {
  const ImportEdges::Range& range = edges_.ranges()[i];
  RAMET_ASSIGN_OR_RETURN(ImportedAttrs attrs, attrs_.Read(def(i), op));
  RAMET_RETURN_IF_ERROR(CheckNotRemoved(op, def(i), def_.rest().versions().producer()));
  node_attrs_.push_back(attrs);
  NodeRecord& record = appended_.AddNode(names_.final_name(edges_.position(i)));
  record.op = op.op;
  record.attrs = attrs.set->attrs;
  record.device = 0;
  record.first_edge = appended_.edge(range.first);
  record.num_inputs = range.num_inputs;
  record.num_controls = range.num_controls;
  if (op.schema != nullptr) return AppendOutputs(i, *attrs.set->outputs);
  return AppendOutputs(i, GuessOutputTypes(*record.attrs, UsedOutputs(i)));
}

Status ImportNodes::AppendOutputs(int32_t i, const std::vector<DType>& types) {
  const int64_t added = static_cast<int64_t>(appended_.num_outputs() + types.size());
  if (types.size() > kFewOutputs && added > kFreeOutputs &&
      added > kOutputsPerByte * static_cast<int64_t>(def_.bytes())) {
    return ResourceExhausted("Node '", def(i).name, "' (", def(i).op, ") has ", types.size(),
                             " outputs: the graph would have far more outputs than the "
                             "size of its file justifies");
  }
  appended_.AddOutputs(types);
  return OkStatus();
}

int ImportNodes::UsedOutputs(int32_t i) {
  if (used_outputs_.empty()) CountUsedOutputs();
  const StatedShapes* shapes = node_attrs_[i].output_shapes;
  const int stated = shapes == nullptr ? 0 : static_cast<int>(shapes->size());
  return std::max(used_outputs_[i], stated);
}

void ImportNodes::CountUsedOutputs() {
  used_outputs_.assign(static_cast<size_t>(size()), 0);
  auto use = [&](int32_t producer, int32_t index) {
    if (producer < 0 || index >= kFreeOutputs) return;
    used_outputs_[producer] = std::max(used_outputs_[producer], index + 1);
  };
  for (Endpoint e : edges_.edges()) use(e.node - appended_.base(), e.index);
  for (const std::string& element : return_elements_) {
    if (element.find(':') == std::string::npos) continue;
    const TensorRef ref = TensorRef::Parse(element);
    use(FindInFile(ref.node), ref.index);
  }
}

Status ImportNodes::CheckInputs() {
  for (int32_t i = 0; i < size(); ++i) {
    const OpSchema* schema = node_ops_[i]->schema;
    const std::vector<DType>& wanted = *node_attrs_[i].set->inputs;
    if (schema != nullptr && wanted.size() != static_cast<size_t>(record(i).num_inputs)) {
      return InvalidArgument("NodeDef expected inputs '", Join(wanted), "' do not match ",
                             record(i).num_inputs, " inputs specified; Op<", *schema, ">",
                             NodeSuffix(def(i)));
    }
    RAMET_RETURN_IF_ERROR(CheckNodeInputs(i, schema == nullptr ? nullptr : wanted.data()));
  }
  return OkStatus();
}

// `wanted` is nullptr if the op has no definition.
Status ImportNodes::CheckNodeInputs(int32_t i, const DType* wanted) {
  auto inputs = impl().inputs(id(i));
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Endpoint e = inputs[k];
    const NodeRecord& source = impl().nodes[e.node];
    if (e.index < 0 || e.index >= source.num_outputs) {
      return InvalidArgument("Node '", def(i).name, "': Connecting to invalid output ", e.index,
                             " of source node ", source.name, " which has ", source.num_outputs,
                             " outputs.");
    }
    if (wanted == nullptr) continue;
    OutputRecord& output = impl().output(e);
    if (!Fits(output.dtype, wanted[k])) {
      return InvalidArgument("Input ", k, " of node ", record(i).name, " was passed ",
                             DTypeName(output.dtype), " from ", source.name, ":", e.index,
                             " incompatible with expected ", DTypeName(wanted[k]), ".");
    }
    if (output.dtype == DType::kInvalid && e.node >= appended_.base()) output.dtype = wanted[k];
  }
  return OkStatus();
}

std::vector<int32_t> ImportNodes::Colocated(int32_t i) const {
  std::vector<int32_t> nodes;
  const size_t first = node_attrs_[i].first_colocated;
  for (size_t c = first; c < first + node_attrs_[i].num_colocated; ++c) {
    nodes.push_back(edges_.rank(attrs_.colocated()[c]));
  }
  return nodes;
}

void ImportNodes::Keep() {
  appended_.Keep();
  ops_.MoveTo(&impl());
}

}  // namespace ramet
