#include "ramet/graph/graph.h"

#include <algorithm>
#include <utility>

#include "ramet/graph/function_library.h"
#include "ramet/graph/graph_impl.h"
#include "ramet/graph/inferred_op.h"
#include "ramet/graph/names.h"
#include "ramet/graph/node_build.h"
#include "ramet/graph/shape_inference.h"
#include "ramet/wire/op_def_proto.h"

namespace ramet {
namespace {

constexpr int64_t kMaxSeed = (int64_t{1} << 31) - 1;
constexpr int64_t kDefaultGraphSeed = 87654321;

std::string NearNames(const GraphImpl& impl, std::string_view name) {
  constexpr size_t kMaxReservedNodes = 20'000;
  if (impl.nodes.size() > kMaxReservedNodes) return "";
  std::vector<std::string_view> names;
  for (const NodeRecord& n : impl.nodes) names.push_back(n.name);
  std::string near = NearestName(name, names);
  return near.empty() ? "" : StrCat(" Did you mean '", near, "'?");
}

// Finds an op in the registry, among those the graph knows, and in the functions of its library.
StatusOr<const Op*> FindOp(GraphImpl& impl, const std::string& name) {
  if (const Op* op = OpRegistry::Global().Find(name)) return op;
  auto it = impl.foreign_ops.find(name);
  if (it != impl.foreign_ops.end()) return it->second.get();
  const FunctionDef* function = impl.library->Find(name);
  if (function == nullptr) return OpRegistry::Global().Lookup(name);
  RAMET_ASSIGN_OR_RETURN(OpSchema schema, OpSchemaFromProto(function->signature()));
  auto added = impl.foreign_ops.emplace(name, std::make_unique<Op>(std::move(schema))).first;
  return added->second.get();
}

// Returns the output dtypes of a new node whose op is known only from use. There are as many as the
// largest node of that op has, with dtypes from the attrs or else from that node.
std::vector<DType> OutputsAsUsed(const GraphImpl& impl, const Op* op, const AttrMap& attrs) {
  const NodeRecord* model = nullptr;
  for (const NodeRecord& node : impl.nodes) {
    if (node.op != op) continue;
    if (model == nullptr || node.num_outputs > model->num_outputs) model = &node;
  }
  if (model == nullptr) return {};
  std::vector<DType> types = GuessOutputTypes(attrs, model->num_outputs);
  for (int i = 0; i < model->num_outputs; ++i) {
    if (types[i] == DType::kInvalid) types[i] = impl.outputs[model->first_output + i].dtype;
  }
  return types;
}

bool SameTypes(const std::vector<DType>& wanted, const std::vector<DType>& given) {
  return std::ranges::equal(wanted, given, [](DType a, DType b) {
    return b == DType::kInvalid || BaseType(a) == BaseType(b);
  });
}

// Checks that the attrs do not change a node's inputs and outputs, which kernels rely on.
Status CheckEnds(const GraphImpl& impl, NodeId id, const AttrMap& attrs) {
  const NodeRecord& node = impl.nodes[id];
  if (IsInferred(*node.op)) return OkStatus();
  const OpSchema& schema = node.op->schema();
  RAMET_ASSIGN_OR_RETURN(const auto inputs, schema.Expand(schema.inputs, attrs));
  RAMET_ASSIGN_OR_RETURN(const auto outputs, schema.Expand(schema.outputs, attrs));
  std::vector<DType> given, made;
  for (Endpoint e : impl.inputs(id)) given.push_back(impl.output(e).dtype);
  for (int i = 0; i < node.num_outputs; ++i) {
    made.push_back(impl.outputs[node.first_output + i].dtype);
  }
  if (SameTypes(inputs, given) && SameTypes(outputs, made)) return OkStatus();
  return InvalidArgument("node '", node.name, "' (", node.op->name(),
                         ") has inputs and outputs that do not match the new attr; add a node "
                         "instead of changing the attr");
}

Status CheckInputTypes(const GraphImpl& impl, const NodeSpec& spec, const std::vector<DType>& given,
                       const std::vector<DType>& wanted) {
  if (given.size() != wanted.size()) {
    return InvalidArgument("NodeDef expected ", wanted.size(), " inputs but has ", given.size());
  }
  for (size_t i = 0; i < given.size(); ++i) {
    const bool fits = IsRef(wanted[i]) ? given[i] == wanted[i] : BaseType(given[i]) == wanted[i];
    if (fits) continue;
    const Output& in = spec.inputs[i];
    return InvalidArgument("Input ", i, " of node ", spec.name, " was passed ", DTypeName(given[i]),
                           " from ", impl.nodes[in.op().id()].name, ":", in.index(),
                           " incompatible with expected ", DTypeName(wanted[i]), ".");
  }
  return OkStatus();
}

StatusOr<std::vector<Endpoint>> ToEndpoints(const GraphImpl& impl, const Graph* graph,
                                            const std::vector<Output>& inputs) {
  std::vector<Endpoint> endpoints;
  for (const Output& in : inputs) {
    if (!in.valid()) return InvalidArgument("an input is an invalid handle");
    if (in.graph() != graph) {
      return InvalidArgument("Tensor ", in.name(), " is not an element of this graph.");
    }
    const NodeRecord& node = impl.nodes[in.op().id()];
    if (in.index() < 0 || in.index() >= node.num_outputs) {
      return InvalidArgument("Connecting to invalid output ", in.index(), " of source node ",
                             node.name, " which has ", node.num_outputs, " outputs.");
    }
    endpoints.push_back({in.op().id(), in.index()});
  }
  return endpoints;
}

NodeId AppendNode(GraphImpl& impl, const Op* op, NodeSpec&& spec,
                  const std::vector<Endpoint>& inputs, const std::vector<DType>& types,
                  std::vector<Shape>&& shapes) {
  const NodeId id = static_cast<NodeId>(impl.nodes.size());
  NodeRecord node;
  node.name = impl.names.emplace_back(std::move(spec.name));
  node.op = op;
  node.attrs = std::make_shared<const AttrMap>(std::move(spec.attrs));
  node.device = impl.devices.Intern(spec.device);
  node.first_edge = static_cast<int32_t>(impl.edges.size());
  node.num_inputs = static_cast<int32_t>(inputs.size());
  impl.edges.insert(impl.edges.end(), inputs.begin(), inputs.end());
  for (const Operation& control : spec.control_inputs) {
    impl.edges.push_back({control.id(), Endpoint::kControl});
  }
  node.num_controls = static_cast<int32_t>(spec.control_inputs.size());
  node.first_output = static_cast<int32_t>(impl.outputs.size());
  node.num_outputs = static_cast<int32_t>(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    impl.outputs.push_back({types[i], std::move(shapes[i])});
  }
  impl.nodes.push_back(std::move(node));
  impl.node_names.Add(impl.nodes, id);
  BuildState& state = impl.build_state;
  if (state.names.imported.empty()) {
    state.names.in_use.try_emplace(LowerCase(impl.nodes.back().name), 1);
  } else {
    state.names.imported.push_back(impl.nodes.back().name);
  }
  return id;
}

Status TensorNameError(std::string_view name) {
  return InvalidArgument("The name '", name,
                         "' looks a like a Tensor name, but is not a valid one. "
                         "Tensor names must be of the form \"<op_name>:<output_index>\".");
}

}  // namespace

const GraphData& GraphDataOf(const Graph& graph) { return graph.impl(); }

Graph::Graph() : impl_(std::make_unique<GraphImpl>()) {
  impl_->library = std::make_shared<FunctionLibrary>();
}

Graph::~Graph() {
  if (impl_->owns_library) impl_->library->Close();
}

Status Graph::status() const {
  ReaderLock lock(impl_->mutex);
  return impl_->status;
}

Status Graph::TakeError() {
  WriterLock lock(impl_->mutex);
  return std::exchange(impl_->status, OkStatus());
}

void Graph::RecordError(const Status& status) {
  WriterLock lock(impl_->mutex);
  impl_->status.Update(status);
}

int Graph::num_operations() const {
  ReaderLock lock(impl_->mutex);
  return static_cast<int>(impl_->nodes.size());
}

std::vector<Operation> Graph::operations() const {
  std::vector<Operation> all;
  for (int i = 0, n = num_operations(); i < n; ++i) all.push_back(Operation(this, i));
  return all;
}

bool Graph::HasOperation(std::string_view name) const {
  ReaderLock lock(impl_->mutex);
  return impl_->FindNode(name) >= 0;
}

StatusOr<Operation> Graph::FindOperation(std::string_view name) const {
  ReaderLock lock(impl_->mutex);
  const NodeId id = impl_->FindNode(name);
  if (id >= 0) return Operation(this, id);
  if (name.find(':') != std::string_view::npos) {
    return InvalidArgument("Name '", name, "' appears to refer to a Tensor, not a Operation.");
  }
  return NotFound("The name '", name, "' refers to an Operation not in the graph.",
                  NearNames(*impl_, name));
}

StatusOr<Output> Graph::Tensor(std::string_view name) const {
  std::vector<std::string_view> parts = StrSplit(name, ':');
  if (parts.size() == 1) {
    if (!HasOperation(name)) return FindOperation(name).status();
    return InvalidArgument("The name '", name,
                           "' refers to an Operation, not a Tensor. Tensor names "
                           "must be of the form \"<op_name>:<output_index>\".");
  }
  int64_t index;
  if (parts.size() != 2 || !ParseInt64(parts[1], &index) || index < 0) return TensorNameError(name);
  ReaderLock lock(impl_->mutex);
  const NodeId id = impl_->FindNode(parts[0]);
  if (id < 0) {
    return NotFound("The name '", name,
                    "' refers to a Tensor which does not exist. The operation, '", parts[0],
                    "', does not exist in the graph.", NearNames(*impl_, parts[0]));
  }
  const int outputs = impl_->nodes[id].num_outputs;
  if (index >= outputs) {
    return NotFound("The name '", name,
                    "' refers to a Tensor which does not exist. The operation, '", parts[0],
                    "', exists but only has ", outputs, " outputs.");
  }
  return Output(Operation(this, id), static_cast<int>(index));
}

StatusOr<Operation> Graph::AddNode(NodeSpec spec) {
  WriterLock lock(impl_->mutex);
  GraphImpl& impl = *impl_;
  auto fail = [&](const Status& status) {
    return status.WithContext(StrCat("node '", spec.name, "' (", spec.op, ")"));
  };
  if (impl.finalized) {
    return FailedPrecondition("Graph is finalized and cannot be modified.");
  }
  if (!IsValidOpName(spec.name)) {
    return InvalidArgument("'", spec.name,
                           "' is not a valid node name: letters, digits and ._-/> are "
                           "allowed, and the first character must be a letter, digit or dot");
  }
  if (impl.FindNode(spec.name) >= 0) {
    return InvalidArgument("Node '", spec.name, "' is not unique");
  }
  auto op = FindOp(impl, spec.op);
  if (!op.ok()) return fail(op.status());
  const OpSchema& schema = (*op)->schema();
  auto inputs = ToEndpoints(impl, this, spec.inputs);
  if (!inputs.ok()) return fail(inputs.status());
  std::vector<DType> given;
  for (Endpoint e : *inputs) given.push_back(impl.output(e).dtype);
  if (IsInferred(**op)) {
    const std::vector<DType> types = OutputsAsUsed(impl, *op, spec.attrs);
    std::vector<Shape> shapes(types.size(), Shape::Unknown());
    return Operation(this,
                     AppendNode(impl, *op, std::move(spec), *inputs, types, std::move(shapes)));
  }
  if (Status s = InferAttrs(schema, given, &spec.attrs); !s.ok()) return fail(s);
  if (Status s = schema.CheckAttrs(spec.attrs); !s.ok()) return fail(s);
  auto wanted = schema.Expand(schema.inputs, spec.attrs);
  if (!wanted.ok()) return fail(wanted.status());
  if (Status s = CheckInputTypes(impl, spec, given, *wanted); !s.ok()) return fail(s);
  auto types = schema.Expand(schema.outputs, spec.attrs);
  if (!types.ok()) return fail(types.status());
  auto shapes = InferShapes(impl, **op, spec.attrs, *inputs, static_cast<int>(types->size()));
  if (!shapes.ok()) return fail(shapes.status());
  return Operation(this,
                   AppendNode(impl, *op, std::move(spec), *inputs, *types, *std::move(shapes)));
}

Status Graph::UpdateInput(Operation op, int index, Output input) {
  WriterLock lock(impl_->mutex);
  GraphImpl& impl = *impl_;
  const NodeRecord& node = impl.nodes[op.id()];
  if (index < 0 || index >= node.num_inputs) {
    return InvalidArgument("node '", node.name, "' has ", node.num_inputs,
                           " inputs, so there is no input ", index);
  }
  Endpoint& slot = impl.edges[node.first_edge + index];
  const Endpoint next{input.op().id(), input.index()};
  if (BaseType(impl.output(slot).dtype) != BaseType(impl.output(next).dtype)) {
    return InvalidArgument("Input ", index, " of node ", node.name, " was passed ",
                           DTypeName(impl.output(next).dtype), " incompatible with expected ",
                           DTypeName(impl.output(slot).dtype), ".");
  }
  slot = next;
  ++impl.edit_version;
  return OkStatus();
}

Status Graph::AddControlInput(Operation op, Operation control) {
  WriterLock lock(impl_->mutex);
  GraphImpl& impl = *impl_;
  NodeRecord& node = impl.nodes[op.id()];
  for (Endpoint e : impl.controls(op.id())) {
    if (e.node == control.id()) return OkStatus();
  }
  const int32_t first = static_cast<int32_t>(impl.edges.size());
  const int32_t count = node.num_inputs + node.num_controls;
  for (int32_t i = 0; i < count; ++i)
    impl.edges.push_back(Endpoint(impl.edges[node.first_edge + i]));
  impl.edges.push_back({control.id(), Endpoint::kControl});
  node.first_edge = first;
  ++node.num_controls;
  ++impl.edit_version;
  return OkStatus();
}

Status Graph::SetAttr(Operation op, std::string_view name, Attr value) {
  WriterLock lock(impl_->mutex);
  NodeRecord& node = impl_->nodes[op.id()];
  AttrMap attrs = *node.attrs;
  attrs.Set(name, std::move(value));
  if (!name.starts_with('_')) {
    RAMET_RETURN_IF_ERROR(node.op->schema().CheckAttrs(attrs));
    RAMET_RETURN_IF_ERROR(CheckEnds(*impl_, op.id(), attrs));
  }
  node.attrs = std::make_shared<const AttrMap>(std::move(attrs));
  ++impl_->edit_version;
  return OkStatus();
}

Status Graph::SetDevice(Operation op, std::string_view device) {
  WriterLock lock(impl_->mutex);
  impl_->nodes[op.id()].device = impl_->devices.Intern(std::string(device));
  ++impl_->edit_version;
  return OkStatus();
}

Status Graph::SetShape(Output output, const Shape& shape) {
  WriterLock lock(impl_->mutex);
  OutputRecord& record = impl_->output({output.op().id(), output.index()});
  RAMET_ASSIGN_OR_RETURN(record.shape, record.shape.MergeWith(shape));
  return OkStatus();
}

std::string Graph::UniqueName(std::string_view name, bool mark_as_used) {
  BuildState& state = impl_->build_state;
  return UniqueFullName(state, JoinScope(state.name_stack, name), mark_as_used);
}

int64_t Graph::version() const {
  ReaderLock lock(impl_->mutex);
  return static_cast<int64_t>(impl_->nodes.size()) + impl_->edit_version;
}

int64_t Graph::edit_version() const {
  ReaderLock lock(impl_->mutex);
  return impl_->edit_version;
}

void Graph::Finalize() {
  WriterLock lock(impl_->mutex);
  impl_->finalized = true;
}

bool Graph::finalized() const {
  ReaderLock lock(impl_->mutex);
  return impl_->finalized;
}

Collections& Graph::collections() { return impl_->collections; }
const Collections& Graph::collections() const { return impl_->collections; }
const std::vector<VariableRecord>& Graph::variables() const { return impl_->variables; }

VariableId Graph::AddVariable(VariableRecord record) {
  WriterLock lock(impl_->mutex);
  impl_->variables.push_back(std::move(record));
  return static_cast<VariableId>(impl_->variables.size()) - 1;
}

void Graph::SetSeed(int64_t seed) { impl_->seed = seed; }

std::pair<int64_t, int64_t> Graph::SeedsForOp(const int64_t* op_seed) {
  int64_t first = 0, second = 0;
  if (impl_->seed) {
    first = *impl_->seed;
    second = op_seed ? *op_seed : impl_->seed_counter++;
  } else if (op_seed) {
    first = kDefaultGraphSeed;
    second = *op_seed;
  } else {
    return {0, 0};
  }
  auto reduce = [](int64_t s) { return ((s % kMaxSeed) + kMaxSeed) % kMaxSeed; };
  first = reduce(first);
  second = reduce(second);
  if (first == 0 && second == 0) second = kMaxSeed;
  return {first, second};
}

GraphVersions& Graph::versions() { return impl_->versions; }
BuildState& Graph::build_state() { return impl_->build_state; }

void Graph::AddForeignOp(OpSchema schema) {
  WriterLock lock(impl_->mutex);
  std::string name = schema.name;
  impl_->foreign_ops.try_emplace(std::move(name), std::make_unique<Op>(std::move(schema)));
}

}  // namespace ramet
