#include "ramet/graph_def/graph_writer.h"

#include <algorithm>
#include <limits>

#include "ramet/base/wire_format.h"
#include "ramet/graph/function_library.h"
#include "ramet/graph_def/import_attrs.h"
#include "ramet/wire/attr_proto.h"
#include "ramet/wire/message_file.h"

namespace ramet {
namespace {

// Readers before this version do not support functions.
constexpr int kFunctionConsumer = 12;
constexpr size_t kMaxBytes = std::numeric_limits<int>::max();

bool IsEnter(const std::string& op) { return op == "Enter" || op == "RefEnter"; }

bool IsDefault(const Op& op, const std::string& name, const Attr& attr) {
  if (name.starts_with('_')) return false;
  const AttrSchema* schema = op.schema().FindAttr(name);
  return schema != nullptr && schema->has_default && schema->default_value == attr;
}

void StripFunctionNode(const GraphImpl& impl, NodeDef* node) {
  const OpSchema* schema = FindSchema(impl, node->op());
  if (schema == nullptr) return;
  for (const AttrSchema& attr : schema->attrs) {
    auto it = node->attr().find(attr.name);
    if (!attr.has_default || it == node->attr().end()) continue;
    AttrBudget budget;
    auto value = AttrFromProto(it->second, &budget);
    if (value.ok() && *value == attr.default_value) node->mutable_attr()->erase(attr.name);
  }
}

void StripLibrary(const GraphImpl& impl, FunctionDefLibrary* library) {
  for (FunctionDef& function : *library->mutable_function()) {
    for (NodeDef& node : *function.mutable_node_def()) StripFunctionNode(impl, &node);
  }
}

void AppendVarintField(std::string* out, uint32_t number, uint64_t value) {
  AppendVarint64(out, uint64_t{number} << 3);
  AppendVarint64(out, value);
}

// Appends the result of ShapeToProto in wire format.
void AppendShape(const Shape& shape, std::string* out) {
  if (shape.unknown_rank()) {
    return AppendVarintField(out, TensorShapeProto::kUnknownRankFieldNumber, 1);
  }
  std::string dim;
  for (int64_t size : shape.dims()) {
    dim.clear();
    if (size != 0) {
      AppendVarintField(&dim, TensorShapeProto::Dim::kSizeFieldNumber, static_cast<uint64_t>(size));
    }
    AppendBytesField(out, TensorShapeProto::kDimFieldNumber, dim);
  }
}

}  // namespace

Status GraphWriter::Write(GraphBytes* out) {
  constexpr size_t kBytesPerNode = 160;
  out_ = out;
  *out = {};
  out->bytes.reserve(kBytesPerNode * impl_.nodes.size());
  RAMET_RETURN_IF_ERROR(WriteNodes());
  return WriteRest();
}

bool GraphWriter::Includes(std::string_view name) const {
  if (!options_.scope.Includes(name)) return false;
  if (options_.exclude == nullptr || options_.exclude->empty()) return true;
  return !options_.exclude->contains(std::string(name));
}

Status GraphWriter::WriteNodes() {
  for (NodeId id = 0; id < static_cast<NodeId>(impl_.nodes.size()); ++id) {
    const NodeRecord& node = impl_.nodes[id];
    if (!Includes(node.name)) continue;
    Status written = WriteNode(id);
    if (!written.ok()) return written.WithContext(StrCat("node '", node.name, "'"));
    AppendBytesField(&out_->bytes, GraphDef::kNodeFieldNumber, node_);
    out_->ops.insert(node.op);
    if (out_->bytes.size() > kMaxBytes) {
      return ResourceExhausted("a GraphDef of more than ", out_->bytes.size(),
                               " bytes cannot be written: the format is limited to 2 GiB");
    }
  }
  return OkStatus();
}

Status GraphWriter::WriteRest() {
  GraphDef rest;
  impl_.library->CopyTo(&rest);
  if (options_.def.strip_default_attrs) StripLibrary(impl_, rest.mutable_library());
  if (rest.library().ByteSizeLong() == 0) rest.clear_library();
  VersionDef* versions = rest.mutable_versions();
  versions->set_producer(impl_.versions.producer);
  versions->set_min_consumer(impl_.versions.min_consumer);
  if (rest.library().function_size() > 0) {
    versions->set_min_consumer(std::max(impl_.versions.min_consumer, kFunctionConsumer));
  }
  for (int bad : impl_.versions.bad_consumers) versions->add_bad_consumers(bad);
  rest.ByteSizeLong();
  AppendCanonical(rest, &out_->bytes);
  out_->library = std::move(*rest.mutable_library());
  return OkStatus();
}

Status GraphWriter::WriteNode(NodeId id) {
  const NodeRecord& node = impl_.nodes[id];
  node_.clear();
  if (whole_) {
    AppendBytesField(&node_, NodeDef::kNameFieldNumber, node.name);
  } else {
    AppendBytesField(&node_, NodeDef::kNameFieldNumber, options_.scope.Strip(node.name));
  }
  AppendBytesField(&node_, NodeDef::kOpFieldNumber, node.op->name());
  for (Endpoint e : impl_.inputs(id)) WriteInput(e);
  for (Endpoint e : Controls(id)) WriteInput(e);
  const std::string& device = impl_.devices[node.device];
  if (!options_.def.clear_devices && !device.empty()) {
    AppendBytesField(&node_, NodeDef::kDeviceFieldNumber, device);
  }
  RAMET_RETURN_IF_ERROR(WriteAttrs(node));
  const Attr* extras = node.attrs->Find(kNodeExtrasAttr);
  if (const auto* bytes = extras ? extras->get<std::string>() : nullptr) node_ += *bytes;
  return OkStatus();
}

std::span<const Endpoint> GraphWriter::Controls(NodeId id) {
  std::span<const Endpoint> controls = impl_.controls(id);
  if (out_ == nullptr || controls.size() < 2) return controls;
  controls_.assign(controls.begin(), controls.end());
  std::ranges::sort(controls_, {}, [this](Endpoint e) { return impl_.nodes[e.node].name; });
  return controls_;
}

StatusOr<std::string> GraphWriter::NodeBytes(NodeId id) {
  RAMET_RETURN_IF_ERROR(WriteNode(id));
  return std::move(node_);
}

void GraphWriter::WriteInput(Endpoint e) {
  const std::string_view name = impl_.nodes[e.node].name;
  const bool outside = !options_.scope.Includes(name);
  text_.clear();
  if (e.index == Endpoint::kControl) text_.push_back('^');
  if (outside) text_.append(kUnboundInputPrefix);
  if (outside || whole_) {
    text_.append(name);
  } else {
    text_.append(options_.scope.Strip(name));
  }
  if (e.index > 0) text_.append(StrCat(":", e.index));
  if (outside) out_->unbound.push_back(text_);
  AppendBytesField(&node_, NodeDef::kInputFieldNumber, text_);
}

Status GraphWriter::WriteAttrs(const NodeRecord& node) {
  if (node.attrs.use_count() == 1) {
    ReadOriginals(node);
    RAMET_RETURN_IF_ERROR(AppendAttrs(node, true, &node_));
    if (HasShapes(node)) AppendShapes(node);
    return AppendAttrs(node, false, &node_);
  }
  auto [it, added] = known_.try_emplace({node.attrs.get(), node.op});
  AttrBytes& bytes = it->second;
  if (added) {
    ReadOriginals(node);
    RAMET_RETURN_IF_ERROR(AppendAttrs(node, true, &bytes.before));
    RAMET_RETURN_IF_ERROR(AppendAttrs(node, false, &bytes.after));
  }
  node_ += bytes.before;
  if (HasShapes(node)) AppendShapes(node);
  node_ += bytes.after;
  return OkStatus();
}

void GraphWriter::ReadOriginals(const NodeRecord& node) {
  const Attr* kept = node.attrs->Find(kOriginalAttrsAttr);
  const std::string* bytes = kept == nullptr ? nullptr : kept->get<std::string>();
  originals_.Clear();
  if (bytes != nullptr && !originals_.ParseFromString(*bytes)) originals_.Clear();
}

Status GraphWriter::AppendAttrs(const NodeRecord& node, bool before, std::string* bytes) {
  for (const auto& [name, attr] : *node.attrs) {
    const int order = name.compare(kOutputShapesAttr);
    if ((order < 0) != before || name == kNodeExtrasAttr || name == kOriginalAttrsAttr) continue;
    if (order == 0 && HasShapes(node)) continue;
    if (options_.def.strip_default_attrs && IsDefault(*node.op, name, attr)) continue;
    Status written = AppendAttr(node, name, attr, bytes);
    if (!written.ok()) return written.WithContext(StrCat("attr '", name, "'"));
  }
  return OkStatus();
}

Status GraphWriter::AppendAttr(const NodeRecord& node, const std::string& name, const Attr& attr,
                               std::string* bytes) {
  if (!TakeOriginal(name, attr)) {
    RAMET_RETURN_IF_ERROR(whole_ ? AttrToProto(attr, &value_)
                                 : ScopedAttrToProto(node, name, attr));
  }
  const size_t size = value_.ByteSizeLong();
  if (size > kMaxBytes) {
    return ResourceExhausted("a value of ", size,
                             " bytes cannot be written: the format is limited to 2 GiB");
  }
  std::string& head = text_;
  head.clear();
  AppendBytesField(&head, 1, name);
  AppendBytesHead(&head, 2, size);
  AppendBytesHead(bytes, NodeDef::kAttrFieldNumber, head.size() + size);
  *bytes += head;
  AppendCanonical(value_, bytes);
  return OkStatus();
}

// Copies the message that import converted to `attr` to value_, unless the attr has changed since.
bool GraphWriter::TakeOriginal(const std::string& name, const Attr& attr) {
  if (originals_.attr().empty() || (!whole_ && name == "frame_name")) return false;
  auto original = originals_.attr().find(name);
  if (original == originals_.attr().end()) return false;
  AttrBudget budget;
  auto value = KnownAttrFromProto(original->second, &budget);
  if (!value.ok() || !(*value == attr)) return false;
  value_ = original->second;
  return true;
}

// Like AttrToProto, but strips the names in colocations and frames.
Status GraphWriter::ScopedAttrToProto(const NodeRecord& node, const std::string& name,
                                      const Attr& attr) {
  const ExportScope& scope = options_.scope;
  const auto* groups = attr.get<std::vector<std::string>>();
  const std::string* text = attr.get<std::string>();
  value_.Clear();
  if (name == "_class" && groups != nullptr) {
    value_.mutable_list();
    for (const std::string& group : *groups) {
      if (scope.Includes(std::string_view(group).substr(group.find('@') + 1))) {
        value_.mutable_list()->add_s(scope.Strip(group));
      }
    }
    return OkStatus();
  }
  if (name == "frame_name" && IsEnter(node.op->name()) && text != nullptr) {
    value_.set_s(scope.Strip(*text));
    return OkStatus();
  }
  return AttrToProto(attr, &value_);
}

void GraphWriter::AppendShapes(const NodeRecord& node) {
  std::string& list = list_;
  std::string& shape = shape_;
  list.clear();
  for (int i = 0; i < node.num_outputs; ++i) {
    shape.clear();
    AppendShape(impl_.outputs[node.first_output + i].shape, &shape);
    AppendBytesField(&list, AttrValue::ListValue::kShapeFieldNumber, shape);
  }
  text_.clear();
  AppendBytesField(&text_, 1, kOutputShapesAttr);
  shape.clear();
  AppendBytesField(&shape, AttrValue::kListFieldNumber, list);
  AppendBytesField(&text_, 2, shape);
  AppendBytesField(&node_, NodeDef::kAttrFieldNumber, text_);
}

}  // namespace ramet
