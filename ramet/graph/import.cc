#include "ramet/graph/import.h"

#include <algorithm>
#include <set>

#include "ramet/graph/device_name.h"
#include "ramet/graph/function_library.h"
#include "ramet/graph/import_proto.h"
#include "ramet/graph/message_file.h"
#include "ramet/graph/names.h"

namespace ramet {
namespace {

constexpr int kConsumerVersion = 2474;
constexpr size_t kMaxNodes = size_t{1} << 30;
// A node may have more than kFewOutputs outputs only if their total number stays proportional to
// the file.
constexpr size_t kFewOutputs = 64;
constexpr int64_t kFreeOutputs = 1 << 20;
constexpr int64_t kOutputsPerByte = 4;
constexpr int64_t kFoldingWork = int64_t{1} << 24;

bool Fits(DType given, DType wanted) {
  if (given == DType::kInvalid || wanted == DType::kInvalid) return true;
  return IsRef(wanted) ? given == wanted : BaseType(given) == wanted;
}

std::string Join(const std::vector<DType>& types) {
  std::vector<std::string> names;
  for (DType t : types) names.push_back(DTypeName(t));
  return StrJoin(names, ", ");
}

// Returns the node's own device merged with those of the open scopes.
StatusOr<std::string> MergedDevice(const BuildState& state, std::string_view own) {
  RAMET_ASSIGN_OR_RETURN(DeviceName merged, DeviceName::Parse(own));
  for (auto it = state.devices.rbegin(); it != state.devices.rend() && *it; ++it) {
    RAMET_ASSIGN_OR_RETURN(DeviceName outer, DeviceName::Parse(**it));
    merged = merged.MergedUnder(outer);
  }
  return merged.ToString();
}

int32_t InternDevice(GraphImpl& impl, const std::string& device) {
  auto [it, added] = impl.device_ids.try_emplace(device, static_cast<int32_t>(impl.devices.size()));
  if (added) impl.devices.push_back(device);
  return it->second;
}

StatusOr<ImportResults> ImportView(Graph& graph, const GraphDefView& def,
                                   const ImportOptions& options) {
  OpList producer_ops;
  if (!producer_ops.ParseFromString(options.producer_op_list)) {
    return InvalidArgument("producer_op_list is not a serialized OpList");
  }
  GraphImport import(graph, def, producer_ops, options);
  RAMET_RETURN_IF_ERROR(import.Prepare());
  return import.Commit();
}

}  // namespace

GraphImport::GraphImport(Graph& graph, const GraphDefView& def, const OpList& producer_ops,
                         const ImportOptions& options)
    : graph_(graph),
      impl_(graph.impl()),
      def_(def),
      options_(options),
      lock_(impl_.mutex),
      base_(static_cast<NodeId>(impl_.nodes.size())),
      edges_before_(impl_.edges.size()),
      outputs_before_(impl_.outputs.size()),
      names_before_(impl_.names.size()),
      ops_(impl_, def.rest(), producer_ops),
      attrs_(names_),
      constants_(impl_, kFoldingWork + ConstantEvaluator::kWorkPerNode * def.node_size()) {}

GraphImport::~GraphImport() {
  if (committed_) return;
  if (library_before_) impl_.library->Remove(*library_before_);
  impl_.nodes.resize(static_cast<size_t>(base_));
  impl_.edges.resize(edges_before_);
  impl_.outputs.resize(outputs_before_);
  impl_.names.resize(names_before_);
}

Status GraphImport::Prepare() {
  if (impl_.finalized) return FailedPrecondition("Graph is finalized and cannot be modified.");
  RAMET_RETURN_IF_ERROR(CheckVersions());
  RAMET_ASSIGN_OR_RETURN(prefix_, ImportPrefix(impl_, options_.name));
  RAMET_RETURN_IF_ERROR(names_.Init(impl_, def_, prefix_));
  RAMET_RETURN_IF_ERROR(remap_.Init(&graph_, options_.input_map));
  RAMET_RETURN_IF_ERROR(edges_.Init(def_, names_, base_, &remap_));
  RAMET_RETURN_IF_ERROR(AppendNodes());
  RAMET_RETURN_IF_ERROR(CheckInputs());
  RAMET_RETURN_IF_ERROR(CheckUnusedKeys());
  RAMET_RETURN_IF_ERROR(impl_.library->Check(def_.rest()));
  library_before_ = impl_.library->AddFunctions(def_.rest());
  for (int32_t i = 0; i < size(); ++i) RAMET_RETURN_IF_ERROR(InferNodeShapes(i));
  RAMET_RETURN_IF_ERROR(SetDevices());
  return ResolveReturnElements();
}

Status GraphImport::CheckVersions() const {
  const VersionDef& versions = def_.rest().versions();
  if (versions.min_consumer() > kConsumerVersion) {
    return InvalidArgument("GraphDef min consumer version ", versions.min_consumer(),
                           " above current version ", kConsumerVersion,
                           " for TensorFlow 2.21.0 (and "
                           "Ramet, which follows it).  Please upgrade TensorFlow.");
  }
  if (versions.producer() < 0) {
    return InvalidArgument("GraphDef producer version ", versions.producer(),
                           " below min producer 0 "
                           "supported by TensorFlow 2.21.0.  Please regenerate your graph.");
  }
  for (int bad : versions.bad_consumers()) {
    if (bad != kConsumerVersion) continue;
    return InvalidArgument("GraphDef disallows consumer version ", bad,
                           ".  Please upgrade TensorFlow: this version is likely buggy.");
  }
  return OkStatus();
}

Status GraphImport::AppendNodes() {
  const size_t n = static_cast<size_t>(size());
  if (static_cast<size_t>(base_) + n > kMaxNodes) {
    return ResourceExhausted("a graph cannot hold ", base_, " + ", n, " nodes");
  }
  impl_.nodes.reserve(base_ + n);
  impl_.names.emplace_back().reserve(names_.total_bytes());
  impl_.edges.insert(impl_.edges.end(), edges_.edges().begin(), edges_.edges().end());
  node_ops_.reserve(n);
  node_attrs_.reserve(n);
  for (int32_t i = 0; i < size(); ++i) {
    auto found = ops_.Find(node_def(i).op);
    if (!found.ok()) return found.status().WithSuffix(InNode(i));
    const ImportOp* op = *found;
    if (op->deprecated != nullptr && def_.rest().versions().producer() >= op->deprecated->version) {
      return Unimplemented("Op ", node_def(i).op, " is not available in GraphDef version ",
                           def_.rest().versions().producer(), ". It has been removed in version ",
                           op->deprecated->version, ". ", op->deprecated->explanation, ".",
                           InNode(i));
    }
    node_ops_.push_back(op);
    RAMET_RETURN_IF_ERROR(AppendNode(i, *op));
  }
  return OkStatus();
}

std::string GraphImport::InNode(int32_t i) const {
  return StrCat("; NodeDef: {{node ", node_def(i).name, "}}");
}

Status GraphImport::AppendNode(int32_t i, const ImportOp& op) {
  const ImportEdges::Range& range = edges_.ranges()[i];
  RAMET_ASSIGN_OR_RETURN(ImportedAttrs attrs, attrs_.Read(node_def(i), op));
  node_attrs_.push_back(attrs);
  NodeRecord& record = impl_.nodes.emplace_back();
  record.name = KeepName(names_.final_name(edges_.position(i)));
  record.op = op.op;
  record.attrs = attrs.set->attrs;
  record.device = 0;
  record.first_edge = static_cast<int32_t>(edges_before_) + range.first;
  record.num_inputs = range.num_inputs;
  record.num_controls = range.num_controls;
  record.first_output = static_cast<int32_t>(impl_.outputs.size());
  if (op.schema != nullptr) return AppendOutputs(i, *attrs.set->outputs);
  return AppendOutputs(i, GuessOutputTypes(*record.attrs, UsedOutputs(i)));
}

// All names of the import are in one block, to which AppendNodes gave sufficient capacity.
std::string_view GraphImport::KeepName(std::string_view name) {
  std::string& block = impl_.names.back();
  const size_t at = block.size();
  block += name;
  return std::string_view(block).substr(at);
}

Status GraphImport::AppendOutputs(int32_t i, const std::vector<DType>& types) {
  record(i).num_outputs = static_cast<int32_t>(types.size());
  const int64_t added = static_cast<int64_t>(impl_.outputs.size() - outputs_before_ + types.size());
  if (types.size() > kFewOutputs && added > kFreeOutputs &&
      added > kOutputsPerByte * static_cast<int64_t>(def_.bytes())) {
    return ResourceExhausted("Node '", node_def(i).name, "' (", node_def(i).op, ") has ",
                             types.size(),
                             " outputs: the graph would have far more outputs than the "
                             "size of its file justifies");
  }
  for (DType t : types) impl_.outputs.push_back({t, Shape::Unknown()});
  return OkStatus();
}

int GraphImport::UsedOutputs(int32_t i) {
  if (used_outputs_.empty()) {
    used_outputs_.assign(static_cast<size_t>(size()), 0);
    auto use = [&](int32_t producer, int32_t index) {
      if (producer < 0 || index >= kFreeOutputs) return;
      used_outputs_[producer] = std::max(used_outputs_[producer], index + 1);
    };
    for (Endpoint e : edges_.edges()) use(e.node - base_, e.index);
    for (const std::string& element : options_.return_elements) {
      if (element.find(':') == std::string::npos) continue;
      const TensorRef ref = TensorRef::Parse(element);
      use(FindInFile(ref.node), ref.index);
    }
  }
  const StatedShapes* shapes = node_attrs_[i].output_shapes;
  const int stated = shapes == nullptr ? 0 : static_cast<int>(shapes->size());
  return std::max(used_outputs_[i], stated);
}

Status GraphImport::CheckInputs() {
  for (int32_t i = 0; i < size(); ++i) {
    const OpSchema* schema = node_ops_[i]->schema;
    const std::vector<DType>& wanted = *node_attrs_[i].set->inputs;
    if (schema != nullptr && wanted.size() != static_cast<size_t>(record(i).num_inputs)) {
      return InvalidArgument("NodeDef expected inputs '", Join(wanted), "' do not match ",
                             record(i).num_inputs, " inputs specified; Op<", *schema, ">",
                             InNode(i));
    }
    RAMET_RETURN_IF_ERROR(CheckNodeInputs(i, schema == nullptr ? nullptr : wanted.data()));
  }
  return OkStatus();
}

// `wanted` is nullptr if the op has no definition.
Status GraphImport::CheckNodeInputs(int32_t i, const DType* wanted) {
  auto inputs = impl_.inputs(base_ + i);
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Endpoint e = inputs[k];
    const NodeRecord& source = impl_.nodes[e.node];
    if (e.index < 0 || e.index >= source.num_outputs) {
      return InvalidArgument("Node '", node_def(i).name, "': Connecting to invalid output ",
                             e.index, " of source node ", source.name, " which has ",
                             source.num_outputs, " outputs.");
    }
    if (wanted == nullptr) continue;
    OutputRecord& output = impl_.output(e);
    if (!Fits(output.dtype, wanted[k])) {
      return InvalidArgument("Input ", k, " of node ", record(i).name, " was passed ",
                             DTypeName(output.dtype), " from ", source.name, ":", e.index,
                             " incompatible with expected ", DTypeName(wanted[k]), ".");
    }
    if (output.dtype == DType::kInvalid && e.node >= base_) output.dtype = wanted[k];
  }
  return OkStatus();
}

Status GraphImport::CheckUnusedKeys() const {
  std::vector<std::string> missing;
  for (const InputRemap::Entry& entry : remap_.entries()) {
    const TensorRef ref = TensorRef::Parse(entry.key);
    const int32_t i = FindInFile(ref.node);
    const bool exists = i >= 0 && ref.index < record(i).num_outputs;
    if (!entry.used && !exists) missing.push_back(entry.key);
  }
  if (missing.empty()) return OkStatus();
  return InvalidArgument("Attempted to map inputs that were not found in graph_def: [",
                         StrJoin(missing, ", "), "]");
}

Status GraphImport::SetDevices() {
  std::unordered_map<std::string_view, int32_t> merged;
  std::vector<int32_t> colocated;
  for (int32_t i = 0; i < size(); ++i) {
    if (node_attrs_[i].num_colocated > 0) {
      colocated.push_back(i);
      continue;
    }
    const std::string_view own = options_.clear_devices ? std::string_view() : node_def(i).device;
    auto [it, added] = merged.try_emplace(own);
    if (added) {
      auto device = MergedDevice(impl_.build_state, own);
      if (!device.ok()) {
        return device.status().WithContext(StrCat("Node '", node_def(i).name, "'"));
      }
      it->second = InternDevice(impl_, *device);
    }
    record(i).device = it->second;
  }
  for (int32_t i : colocated) {
    const size_t first = node_attrs_[i].first_colocated;
    for (size_t c = first; c < first + node_attrs_[i].num_colocated && record(i).device == 0; ++c) {
      record(i).device = record(edges_.rank(attrs_.colocated()[c])).device;
    }
  }
  return OkStatus();
}

Status GraphImport::ResolveReturnElements() {
  for (const std::string& element : options_.return_elements) {
    RAMET_ASSIGN_OR_RETURN(auto resolved, ResolveReturnElement(element));
    results_.return_elements.push_back(resolved);
  }
  return OkStatus();
}

StatusOr<std::variant<Output, Operation>> GraphImport::ResolveReturnElement(
    const std::string& element) {
  using Element = std::variant<Output, Operation>;
  const TensorRef ref = TensorRef::Parse(element);
  const bool tensor = ref.node.size() != element.size();
  if (const Endpoint* e = tensor ? remap_.Find(ref) : nullptr) {
    return Element(Output(Operation(&graph_, e->node), e->index));
  }
  const int32_t i = FindInFile(ref.node);
  if (i < 0) {
    return InvalidArgument("Requested return ", tensor ? "tensor" : "node", " '", element,
                           "' not found in graph def");
  }
  const Operation op(&graph_, base_ + i);
  if (!tensor) return Element(op);
  const int outputs = record(i).num_outputs;
  if (ref.index < 0 || ref.index >= outputs) {
    return InvalidArgument("Invalid return output ", ref.index, " of node '", ref.node,
                           "', which has ", outputs, " output(s)");
  }
  return Element(Output(op, ref.index));
}

NodeId GraphImport::FindNode(std::string_view name_in_file) const {
  const int32_t i = FindInFile(name_in_file);
  if (i >= 0) return base_ + i;
  return impl_.FindNode(JoinScope(prefix_, name_in_file));
}

void GraphImport::MergeVersions() {
  GraphVersions& mine = impl_.versions;
  const VersionDef& theirs = def_.rest().versions();
  mine.producer = std::min(mine.producer, theirs.producer());
  mine.min_consumer = std::max(mine.min_consumer, theirs.min_consumer());
  std::set<int> bad(mine.bad_consumers.begin(), mine.bad_consumers.end());
  bad.insert(theirs.bad_consumers().begin(), theirs.bad_consumers().end());
  mine.bad_consumers.assign(bad.begin(), bad.end());
}

ImportResults GraphImport::Commit() {
  committed_ = true;
  BuildState& state = impl_.build_state;
  if (!options_.name.empty() && !options_.name.ends_with('/')) {
    UniqueFullName(state, JoinScope(state.name_stack, options_.name), true);
  }
  const size_t total = impl_.nodes.size();
  impl_.node_names.AddFrom(impl_.nodes, base_);
  state.imported_names.reserve(state.imported_names.size() + total - base_);
  results_.operations.reserve(total - static_cast<size_t>(base_));
  for (NodeId id = base_; id < static_cast<NodeId>(total); ++id) {
    state.imported_names.push_back(impl_.nodes[id].name);
    results_.operations.push_back(Operation(&graph_, id));
  }
  ops_.MoveTo(&impl_);
  impl_.library->AddRest(def_.rest());
  if (def_.rest().has_versions() || def_.node_size() > 0) MergeVersions();
  results_.prefix = prefix_;
  lock_.unlock();
  return std::move(results_);
}

StatusOr<ImportResults> ImportGraphDef(Graph& graph, std::string_view graph_def,
                                       const ImportOptions& options) {
  RAMET_ASSIGN_OR_RETURN(const GraphDefView def, GraphDefView::Parse(graph_def));
  return ImportView(graph, def, options);
}

StatusOr<ImportResults> ImportGraphDefFile(Graph& graph, const std::string& path,
                                           const ImportOptions& options) {
  RAMET_ASSIGN_OR_RETURN(const std::string bytes, ReadMessageFile(path));
  const StatusOr<GraphDefView> def = GraphDefView::Parse(bytes);
  if (!def.ok()) return CannotParse(path, def.status());
  auto results = ImportView(graph, *def, options);
  if (!results.ok()) return results.status().WithContext(path);
  return results;
}

}  // namespace ramet
