#include "ramet/wire/graph_def_view.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ramet/base/utf8.h"
#include "ramet/wire/message_file.h"

namespace ramet {
namespace {

// Up to this many attrs of a node are compared pairwise.
constexpr size_t kFewAttrs = 16;

// Calls `visit` for the length-delimited fields `number` of a message; the fields in between are
// merged into `*rest`. Returns false if the bytes are not a `Message`.
template <class Message, class Visit>
bool Split(std::string_view bytes, uint32_t number, Message* rest, Visit visit) {
  const char* run = bytes.data();
  auto merge_run = [&](const char* end) {
    const std::string_view fields(run, static_cast<size_t>(end - run));
    return fields.empty() || rest->MergeFromString(std::string(fields));
  };
  for (WireField field; !bytes.empty();) {
    if (!TakeField(&bytes, &field)) return false;
    if (!field.Is(number)) continue;
    if (!merge_run(field.whole.data()) || !visit(field.bytes)) return false;
    run = bytes.data();
  }
  return merge_run(bytes.data());
}

}  // namespace

Status GraphDefView::Read(std::string_view bytes) {
  google::protobuf::LogSilencer silencer;
  bytes_ = bytes.size();
  const bool read = Split(bytes, GraphDef::kNodeFieldNumber, &rest_,
                          [this](std::string_view node) { return ReadNode(node); });
  PointToLists();
  return read ? OkStatus() : DataLoss("not a GraphDef: the bytes are not its binary form");
}

bool GraphDefView::ReadNode(std::string_view bytes) {
  NodeView node;
  std::string extras;
  const size_t first_input = inputs_.size(), first_attr = attrs_.size();
  for (WireField field; !bytes.empty();) {
    if (!TakeField(&bytes, &field) || !ReadNodeField(field, first_attr, &node, &extras)) {
      return false;
    }
  }
  if (!extras.empty()) node.extras = owned_.emplace_back(std::move(extras));
  if (attrs_.size() - first_attr > kFewAttrs) KeepLastOfEachName(first_attr);
  // Only the sizes of the lists are valid before PointToLists.
  node.inputs = {inputs_.data() + first_input, inputs_.size() - first_input};
  node.attrs = {attrs_.data() + first_attr, attrs_.size() - first_attr};
  nodes_.push_back(node);
  return true;
}

bool GraphDefView::ReadNodeField(const WireField& field, size_t first_attr, NodeView* node,
                                 std::string* extras) {
  switch (field.type == WireType::kBytes ? field.number : 0) {
    case NodeDef::kNameFieldNumber: node->name = field.bytes; return IsUtf8(field.bytes);
    case NodeDef::kOpFieldNumber: node->op = field.bytes; return IsUtf8(field.bytes);
    case NodeDef::kInputFieldNumber: inputs_.push_back(field.bytes); return true;
    case NodeDef::kDeviceFieldNumber: node->device = field.bytes; return IsUtf8(field.bytes);
    case NodeDef::kAttrFieldNumber: return ReadAttr(field.bytes, first_attr);
    default: extras->append(field.whole); return true;
  }
}

bool GraphDefView::ReadAttr(std::string_view bytes, size_t first_attr) {
  AttrView attr;
  for (WireField field; !bytes.empty();) {
    if (!TakeField(&bytes, &field)) return false;
    if (field.Is(1)) attr.name = field.bytes;
    if (field.Is(2)) attr.value = attr.value.empty() ? field.bytes : Join(attr.value, field.bytes);
  }
  if (!IsUtf8(attr.name)) return false;
  AddAttr(attr, first_attr);
  return true;
}

void GraphDefView::AddAttr(const AttrView& attr, size_t first_attr) {
  if (attrs_.size() - first_attr < kFewAttrs) {
    auto same = std::find_if(attrs_.begin() + static_cast<std::ptrdiff_t>(first_attr), attrs_.end(),
                             [&](const AttrView& a) { return a.name == attr.name; });
    if (same != attrs_.end()) {
      *same = attr;
      return;
    }
  }
  attrs_.push_back(attr);
}

void GraphDefView::KeepLastOfEachName(size_t first_attr) {
  const auto first = attrs_.begin() + static_cast<std::ptrdiff_t>(first_attr);
  std::stable_sort(first, attrs_.end(),
                   [](const AttrView& a, const AttrView& b) { return a.name < b.name; });
  auto kept = first;
  for (auto it = first; it != attrs_.end(); ++it) {
    if (kept != first && (kept - 1)->name == it->name) --kept;
    *kept++ = *it;
  }
  attrs_.erase(kept, attrs_.end());
}

void GraphDefView::PointToLists() {
  const std::string_view* input = inputs_.data();
  const AttrView* attr = attrs_.data();
  for (NodeView& node : nodes_) {
    node.inputs = {input, node.inputs.size()};
    node.attrs = {attr, node.attrs.size()};
    input += node.inputs.size();
    attr += node.attrs.size();
  }
}

std::string_view GraphDefView::Join(std::string_view a, std::string_view b) {
  if (!owned_.empty() && owned_.back().data() == a.data()) return owned_.back().append(b);
  return owned_.emplace_back(a).append(b);
}

StatusOr<GraphDefView> GraphDefView::ParseBinary(std::string_view bytes) {
  GraphDefView view;
  RAMET_RETURN_IF_ERROR(view.Read(bytes));
  return view;
}

StatusOr<GraphDefView> GraphDefView::Parse(std::string_view bytes) {
  StatusOr<GraphDefView> view = ParseBinary(bytes);
  if (view.ok()) return view;
  GraphDef def;
  RAMET_RETURN_IF_ERROR(ParseMessage(bytes, "GraphDef", &def));
  return FromMessage(def);
}

StatusOr<GraphDefView> GraphDefView::FromMessage(const GraphDef& def) {
  RAMET_ASSIGN_OR_RETURN(std::string bytes, MessageToBytes(def, false));
  return Own(std::move(bytes));
}

StatusOr<GraphDefView> GraphDefView::Own(std::string bytes) {
  GraphDefView view;
  RAMET_RETURN_IF_ERROR(view.Read(view.owned_.emplace_back(std::move(bytes))));
  return view;
}

StatusOr<MetaGraphView> MetaGraphView::Parse(std::string_view bytes) {
  MetaGraphDef rest;
  std::vector<std::string_view> graphs;
  google::protobuf::LogSilencer silencer;
  if (Split(bytes, MetaGraphDef::kGraphDefFieldNumber, &rest,
            [&](std::string_view graph) { return graphs.push_back(graph), true; }) &&
      graphs.size() <= 1) {
    auto graph = GraphDefView::ParseBinary(graphs.empty() ? std::string_view() : graphs[0]);
    if (graph.ok()) return MetaGraphView{std::move(rest), *std::move(graph)};
  }
  MetaGraphDef meta;
  RAMET_RETURN_IF_ERROR(ParseMessage(bytes, "MetaGraphDef", &meta));
  return FromMessage(std::move(meta));
}

StatusOr<MetaGraphView> MetaGraphView::FromMessage(MetaGraphDef meta) {
  RAMET_ASSIGN_OR_RETURN(GraphDefView graph, GraphDefView::FromMessage(meta.graph_def()));
  meta.clear_graph_def();
  return MetaGraphView{std::move(meta), std::move(graph)};
}

}  // namespace ramet
