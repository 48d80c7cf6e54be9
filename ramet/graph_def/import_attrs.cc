#include "ramet/graph_def/import_attrs.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "ramet/op/colocation.h"
#include "ramet/tensor/tensor_proto.h"
#include "ramet/wire/message_file.h"

namespace ramet {
namespace {

constexpr char kClassAttr[] = "_class";
// Nodes with longer values or more attrs are not compared with others.
constexpr size_t kShortValue = 64;
constexpr size_t kFewAttrs = 16;
// GraphImport checks the dtypes of all inputs later. An attr that requires far more inputs than the
// node has is rejected immediately, so that memory stays proportional to the file.
constexpr size_t kFewInputs = 64;

uint64_t Mix(uint64_t a, uint64_t b) {
  const uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15ULL)) * 0xff51afd7ed558ccdULL;
  return x ^ (x >> 32);
}

uint64_t HashOf(std::string_view text) { return std::hash<std::string_view>()(text); }

// Calls `visit` for the strings of an AttrValue that is a list of strings, until it returns false.
// Returns false if the bytes are not an AttrValue.
template <class Visit>
bool ForEachString(std::string_view value, Visit visit) {
  for (WireField field; !value.empty();) {
    if (!TakeField(&value, &field)) return false;
    if (!field.Is(AttrValue::kListFieldNumber)) continue;
    for (std::string_view list = field.bytes; !list.empty();) {
      if (!TakeField(&list, &field)) return false;
      if (field.Is(AttrValue::ListValue::kSFieldNumber) && !visit(field.bytes)) return true;
    }
  }
  return true;
}

bool AreColocations(const AttrView& attr) {
  bool found = false;
  if (attr.name == kClassAttr) {
    ForEachString(attr.value, [&](std::string_view) { return found = true, false; });
  }
  return found;
}

std::optional<uint64_t> Fingerprint(const NodeAttrs& node) {
  if (!node.view->extras.empty() || node.view->attrs.size() > kFewAttrs) return std::nullopt;
  uint64_t sum = 0;
  for (const AttrView& attr : node.view->attrs) {
    if (node.IsAside(attr)) continue;
    if (attr.value.size() > kShortValue) return std::nullopt;
    sum += Mix(HashOf(attr.name), HashOf(attr.value));
  }
  return sum;
}

bool SameAttrs(const NodeAttrs& a, const NodeAttrs& b) {
  if (a.size() != b.size()) return false;
  const auto& theirs = b.view->attrs;
  return std::ranges::all_of(a.view->attrs, [&](const AttrView& attr) {
    if (a.IsAside(attr)) return true;
    auto other = std::ranges::find(theirs, attr.name, &AttrView::name);
    return other != theirs.end() && !b.IsAside(*other) && other->value == attr.value;
  });
}

// Reports whether `value` is the default in the producer's definition.
bool IsProducerDefault(const OpDef& producer, std::string_view name, const Attr& value) {
  for (const OpDef::AttrDef& attr : producer.attr()) {
    if (attr.name() != name || !attr.has_default_value()) continue;
    AttrBudget budget;
    auto standard = AttrFromProto(attr.default_value(), &budget);
    return standard.ok() && *standard == value;
  }
  return false;
}

// Reports whether the attr is unknown here and has the producer's default.
bool IsToBeDropped(const ImportOp& op, std::string_view name, const Attr& value) {
  return op.producer != nullptr && op.schema != nullptr && !name.starts_with('_') &&
         op.schema->FindAttr(name) == nullptr && IsProducerDefault(*op.producer, name, value);
}

Status InNode(const Status& status, const NodeView& node) {
  return status.WithSuffix(StrCat("; NodeDef: {{node ", node.name, "}}"));
}

}  // namespace

StatusOr<ImportedAttrs> ImportAttrs::Read(const NodeView& node, const ImportOp& op) {
  ImportedAttrs read;
  NodeAttrs attrs{&node};
  for (const AttrView& attr : node.attrs) {
    if (attr.name == kOutputShapesAttr) attrs.output_shapes = &attr;
    if (AreColocations(attr)) attrs.classes = &attr;
  }
  if (attrs.output_shapes != nullptr) {
    RAMET_ASSIGN_OR_RETURN(read.output_shapes, ReadShapes(node, attrs.output_shapes->value));
  }
  RAMET_ASSIGN_OR_RETURN(read.set, ReadSet(attrs, op));
  if (attrs.classes == nullptr) return read;
  read.first_colocated = colocated_.size();
  RAMET_ASSIGN_OR_RETURN(read.set, AddColocations(node, *read.set, attrs.classes->value));
  read.num_colocated = colocated_.size() - read.first_colocated;
  return read;
}

StatusOr<const StatedShapes*> ImportAttrs::ReadShapes(const NodeView& node,
                                                      std::string_view value) {
  auto [it, added] = shapes_.try_emplace(value);
  if (added) {
    RAMET_RETURN_IF_ERROR(ReadValue(node, {kOutputShapesAttr, value}));
    for (const auto& shape : value_.list().shape()) it->second.push_back(ShapeFromProto(shape));
  }
  return &it->second;
}

StatusOr<const AttrSet*> ImportAttrs::ReadSet(const NodeAttrs& node, const ImportOp& op) {
  const auto print = Fingerprint(node);
  if (!print) return Build(node, op);
  const uint64_t key = Mix(*print, std::bit_cast<uintptr_t>(&op));
  auto [first, last] = known_.equal_range(key);
  for (auto it = first; it != last; ++it) {
    if (it->second.op == &op && SameAttrs(node, it->second.node)) return it->second.set;
  }
  RAMET_ASSIGN_OR_RETURN(const AttrSet* set, Build(node, op));
  known_.emplace(key, Known{&op, node, set});
  return set;
}

Status ImportAttrs::ReadValue(const NodeView& node, const AttrView& attr) {
  if (value_.ParseFromArray(attr.value.data(), static_cast<int>(attr.value.size()))) {
    return OkStatus();
  }
  return InNode(DataLoss("attr '", attr.name, "': the bytes are not an AttrValue"), node);
}

// Attrs that are not in the op's definition are kept without interpretation.
StatusOr<Attr> ImportAttrs::ReadAttr(std::string_view name, const ImportOp& op) {
  const bool defined = op.schema != nullptr && op.schema->FindAttr(name) != nullptr;
  if (defined) return KnownAttrFromProto(value_, &budget_);
  auto attr = AttrFromProto(value_, &budget_);
  return attr.ok() ? *std::move(attr) : Attr(OpaqueAttr{CanonicalBytes(value_)});
}

StatusOr<AttrMap> ImportAttrs::ReadAttrs(const NodeAttrs& node, const ImportOp& op) {
  sorted_.clear();
  for (const AttrView& attr : node.view->attrs) {
    if (!node.IsAside(attr)) sorted_.push_back(&attr);
  }
  std::ranges::sort(sorted_, {}, [](const AttrView* attr) { return attr->name; });
  budget_.node = node.view->name;
  AttrMap attrs;
  NodeDef originals;
  for (const AttrView* view : sorted_) {
    RAMET_RETURN_IF_ERROR(ReadValue(*node.view, *view));
    auto attr = ReadAttr(view->name, op);
    if (!attr.ok()) {
      return InNode(attr.status().WithContext(StrCat("attr '", view->name, "'")), *node.view);
    }
    if (IsToBeDropped(op, view->name, *attr)) continue;
    if (!attr->get<OpaqueAttr>() && !IsPlainAttr(value_)) {
      (*originals.mutable_attr())[std::string(view->name)] = value_;
    }
    attrs.Set(view->name, *std::move(attr));
  }
  if (!originals.attr().empty()) attrs.Set(kOriginalAttrsAttr, CanonicalBytes(originals));
  if (!node.view->extras.empty()) {
    NodeDef extras;
    if (!extras.ParseFromString(std::string(node.view->extras))) {
      return InNode(DataLoss("the debug info or full type is malformed"), *node.view);
    }
    attrs.Set(kNodeExtrasAttr, CanonicalBytes(extras));
  }
  return attrs;
}

StatusOr<const AttrSet*> ImportAttrs::Build(const NodeAttrs& attr_views, const ImportOp& op) {
  const NodeView& node = *attr_views.view;
  RAMET_ASSIGN_OR_RETURN(AttrMap attrs, ReadAttrs(attr_views, op));
  std::vector<DType>& inputs = types_.emplace_back();
  std::vector<DType>& outputs = types_.emplace_back();
  if (op.schema != nullptr) {
    for (const AttrSchema& attr : op.schema->attrs) {
      if (attr.has_default && !attrs.Find(attr.name)) attrs.Set(attr.name, attr.default_value);
    }
    if (Status checked = op.schema->CheckAttrs(attrs); !checked.ok()) return InNode(checked, node);
    auto expanded = op.schema->Expand(op.schema->inputs, attrs);
    if (!expanded.ok()) return InNode(expanded.status(), node);
    inputs = *std::move(expanded);
    if (inputs.size() > node.inputs.size() + kFewInputs) {
      return InNode(InvalidArgument("NodeDef expected ", inputs.size(), " inputs but has ",
                                    node.inputs.size(), "; Op<", *op.schema, ">"),
                    node);
    }
    expanded = op.schema->Expand(op.schema->outputs, attrs);
    if (!expanded.ok()) return InNode(expanded.status(), node);
    outputs = *std::move(expanded);
  }
  auto shared = std::make_shared<const AttrMap>(std::move(attrs));
  return &sets_.emplace_back(AttrSet{std::move(shared), &inputs, &outputs});
}

StatusOr<const AttrSet*> ImportAttrs::AddColocations(const NodeView& node, const AttrSet& set,
                                                     std::string_view classes) {
  std::vector<std::string> groups;
  std::string_view unknown;
  const bool legal = ForEachString(classes, [&](std::string_view group) {
    if (!group.starts_with(kColocationPrefix)) return groups.emplace_back(group), true;
    const std::string_view name = group.substr(kColocationPrefix.size());
    const int32_t target = names_.Find(name);
    if (target < 0) return unknown = group, false;
    if (name != node.name) colocated_.push_back(target);
    groups.push_back(StrCat(kColocationPrefix, names_.final_name(target)));
    return true;
  });
  if (!legal) return InNode(DataLoss("attr '", kClassAttr, "': not an AttrValue"), node);
  if (unknown.data() != nullptr) {
    return InvalidArgument("Node '", node.name, "' expects to be colocated with unknown node '",
                           unknown.substr(kColocationPrefix.size()), "'");
  }
  AttrMap attrs = *set.attrs;
  attrs.Set(kClassAttr, std::move(groups));
  return &sets_.emplace_back(
      AttrSet{std::make_shared<const AttrMap>(std::move(attrs)), set.inputs, set.outputs});
}

}  // namespace ramet
