#include "ramet/graph/graph_def.h"

#include <google/protobuf/arena.h>

#include "ramet/base/file.h"
#include "ramet/graph/attr_proto.h"
#include "ramet/graph/export_proto.h"
#include "ramet/graph/import_attrs.h"
#include "ramet/graph/message_file.h"
#include "ramet/tensor/tensor_proto.h"

namespace ramet {
namespace {

// Readers before this version know no functions.
constexpr int kFunctionConsumer = 12;

bool IsEnter(const std::string& op) { return op == "Enter" || op == "RefEnter"; }

// What import kept of the node besides.
NodeDef ExtrasOf(const NodeRecord& node) {
  NodeDef extras;
  const Attr* attr = node.attrs->Find(kNodeExtrasAttr);
  const std::string* bytes = attr == nullptr ? nullptr : attr->get<std::string>();
  if (bytes == nullptr || !extras.ParseFromString(*bytes)) extras.Clear();
  return extras;
}

void MergeAllButAttrs(const NodeDef& extras, NodeDef* proto) {
  if (extras.has_experimental_debug_info()) {
    *proto->mutable_experimental_debug_info() = extras.experimental_debug_info();
  }
  if (extras.has_experimental_type()) {
    *proto->mutable_experimental_type() = extras.experimental_type();
  }
  const auto& unknown = extras.GetReflection()->GetUnknownFields(extras);
  if (!unknown.empty()) proto->GetReflection()->MutableUnknownFields(proto)->MergeFrom(unknown);
}

// Writes the nodes of one graph.
class GraphWriter {
 public:
  GraphWriter(const GraphImpl& impl, const GraphToProtoOptions& options,
              std::vector<std::string>* unbound)
      : impl_(impl), options_(options), whole_(options.scope.scope().empty()), unbound_(unbound) {}

  Status Write(GraphDef* def) {
    if (!def->ParseFromString(impl_.library_bytes)) {
      return DataLoss("the function library of the graph cannot be read back");
    }
    if (options_.def.strip_default_attrs) StripLibrary(def->mutable_library());
    if (def->library().ByteSizeLong() == 0) def->clear_library();
    def->mutable_node()->Reserve(static_cast<int>(impl_.nodes.size()));
    for (NodeId id = 0; id < static_cast<NodeId>(impl_.nodes.size()); ++id) {
      if (!Includes(impl_.nodes[id].name)) continue;
      Status written = WriteNode(id, def->add_node());
      if (!written.ok()) return written.WithContext(StrCat("node '", impl_.nodes[id].name, "'"));
    }
    VersionDef* versions = def->mutable_versions();
    versions->set_producer(impl_.versions.producer);
    versions->set_min_consumer(impl_.versions.min_consumer);
    if (def->library().function_size() > 0) {
      versions->set_min_consumer(std::max(impl_.versions.min_consumer, kFunctionConsumer));
    }
    for (int bad : impl_.versions.bad_consumers) versions->add_bad_consumers(bad);
    return OkStatus();
  }

 private:
  bool Includes(std::string_view name) const {
    if (!options_.scope.Includes(name)) return false;
    if (options_.exclude == nullptr || options_.exclude->empty()) return true;
    return !options_.exclude->contains(std::string(name));
  }

  Status WriteNode(NodeId id, NodeDef* proto) {
    const NodeRecord& node = impl_.nodes[id];
    if (whole_) {
      proto->set_name(node.name.data(), node.name.size());
    } else {
      proto->set_name(options_.scope.Strip(node.name));
    }
    proto->set_op(node.op->name());
    for (Endpoint e : impl_.inputs(id)) WriteInput(e, proto->add_input());
    for (Endpoint e : impl_.controls(id)) WriteInput(e, proto->add_input());
    if (!options_.def.clear_devices) proto->set_device(impl_.devices[node.device]);
    const NodeDef extras = ExtrasOf(node);
    for (const auto& [name, attr] : *node.attrs) {
      RAMET_RETURN_IF_ERROR(WriteAttr(node, name, attr, extras, proto));
    }
    MergeAllButAttrs(extras, proto);
    if (options_.def.add_shapes && node.num_outputs > 0) WriteShapes(node, proto);
    return OkStatus();
  }

  void WriteInput(Endpoint e, std::string* text) {
    const std::string_view name = impl_.nodes[e.node].name;
    const bool outside = !options_.scope.Includes(name);
    if (e.index == Endpoint::kControl) text->push_back('^');
    if (outside) text->append(kUnboundInputPrefix);
    if (outside || whole_) {
      text->append(name);
    } else {
      text->append(options_.scope.Strip(name));
    }
    if (e.index > 0) text->append(StrCat(":", e.index));
    if (outside && unbound_ != nullptr) unbound_->push_back(*text);
  }

  Status WriteAttr(const NodeRecord& node, const std::string& name, const Attr& attr,
                   const NodeDef& extras, NodeDef* proto) const {
    if (name == kNodeExtrasAttr) return OkStatus();
    if (options_.def.strip_default_attrs && IsDefault(*node.op, name, attr)) return OkStatus();
    AttrValue* value = &(*proto->mutable_attr())[name];
    auto original = extras.attr().find(name);
    if (original != extras.attr().end() && IsAsImported(name, attr, original->second)) {
      *value = original->second;
      return OkStatus();
    }
    Status written = whole_ ? AttrToProto(attr, value) : WriteScopedAttr(node, name, attr, value);
    return written.ok() ? written : written.WithContext(StrCat("attr '", name, "'"));
  }

  // Whether `attr` is what import made of `original`: nobody has changed it since.
  bool IsAsImported(const std::string& name, const Attr& attr, const AttrValue& original) const {
    if (!whole_ && name == "frame_name") return false;
    AttrBudget budget;
    auto value = KnownAttrFromProto(original, &budget);
    return value.ok() && *value == attr;
  }

  // As AttrToProto, with the names in colocations and frames stripped.
  Status WriteScopedAttr(const NodeRecord& node, const std::string& name, const Attr& attr,
                         AttrValue* value) const {
    const ExportScope& scope = options_.scope;
    const auto* groups = attr.get<std::vector<std::string>>();
    const std::string* text = attr.get<std::string>();
    if (name == "_class" && groups != nullptr) {
      value->mutable_list();
      for (const std::string& group : *groups) {
        if (scope.Includes(std::string_view(group).substr(group.find('@') + 1))) {
          value->mutable_list()->add_s(scope.Strip(group));
        }
      }
      return OkStatus();
    }
    if (name == "frame_name" && IsEnter(node.op->name()) && text != nullptr) {
      value->set_s(scope.Strip(*text));
      return OkStatus();
    }
    return AttrToProto(attr, value);
  }

  static bool IsDefault(const Op& op, const std::string& name, const Attr& attr) {
    if (name.starts_with('_')) return false;
    const AttrSchema* schema = op.schema().FindAttr(name);
    return schema != nullptr && schema->has_default && schema->default_value == attr;
  }

  void WriteShapes(const NodeRecord& node, NodeDef* proto) const {
    auto* list = (*proto->mutable_attr())[kOutputShapesAttr].mutable_list();
    for (int i = 0; i < node.num_outputs; ++i) {
      ShapeToProto(impl_.outputs[node.first_output + i].shape, list->add_shape());
    }
  }

  void StripLibrary(FunctionDefLibrary* library) const {
    for (FunctionDef& function : *library->mutable_function()) {
      for (NodeDef& node : *function.mutable_node_def()) StripFunctionNode(&node);
    }
  }

  void StripFunctionNode(NodeDef* node) const {
    const OpSchema* schema = FindSchema(impl_, node->op());
    if (schema == nullptr) return;
    for (const AttrSchema& attr : schema->attrs) {
      auto it = node->attr().find(attr.name);
      if (!attr.has_default || it == node->attr().end()) continue;
      AttrBudget budget;
      auto value = AttrFromProto(it->second, &budget);
      if (value.ok() && *value == attr.default_value) node->mutable_attr()->erase(attr.name);
    }
  }

  const GraphImpl& impl_;
  const GraphToProtoOptions& options_;
  const bool whole_;  // no scope: names are written as they are
  std::vector<std::string>* unbound_;
};

}  // namespace

std::string ExportScope::Strip(std::string_view name) const {
  if (scope_.empty()) return std::string(name);
  std::string_view mark;
  if (name.starts_with('^')) mark = name.substr(0, 1);
  if (name.starts_with("loc:@")) mark = name.substr(0, 5);
  std::string_view rest = name.substr(mark.size());
  if (!rest.starts_with(scope_) || !rest.substr(scope_.size()).starts_with('/')) {
    return std::string(name);
  }
  return StrCat(mark, rest.substr(scope_.size() + 1));
}

const OpSchema* FindSchema(const GraphImpl& impl, const std::string& op) {
  if (const Op* known = OpRegistry::Global().Find(op)) return &known->schema();
  auto foreign = impl.foreign_ops.find(op);
  if (foreign == impl.foreign_ops.end()) return nullptr;
  const OpSchema& schema = foreign->second->schema();
  return schema.doc == kInferredOpDoc ? nullptr : &schema;
}

Status GraphToProto(const GraphImpl& impl, const GraphToProtoOptions& options, GraphDef* def,
                    std::vector<std::string>* unbound) {
  return GraphWriter(impl, options, unbound).Write(def);
}

StatusOr<std::string> ExportGraphDef(const Graph& graph, const GraphDefOptions& options) {
  constexpr size_t kBytesPerNode = 256;
  google::protobuf::Arena arena(ArenaFor(kBytesPerNode * graph.num_operations()));
  auto* def = google::protobuf::Arena::CreateMessage<GraphDef>(&arena);
  {
    std::shared_lock lock(graph.impl().mutex);
    RAMET_RETURN_IF_ERROR(GraphToProto(graph.impl(), {.def = options}, def, nullptr));
  }
  return MessageToBytes(*def, options.as_text);
}

Status ExportGraphDefFile(const Graph& graph, const std::string& path,
                          const GraphDefOptions& options) {
  RAMET_ASSIGN_OR_RETURN(std::string bytes, ExportGraphDef(graph, options));
  return AtomicWriteFile(path, bytes);
}

}  // namespace ramet
