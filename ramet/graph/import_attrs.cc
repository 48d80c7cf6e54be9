#include "ramet/graph/import_attrs.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "ramet/graph/message_file.h"
#include "ramet/tensor/tensor_proto.h"

namespace ramet {
namespace {

constexpr std::string_view kGroupPrefix = "loc:@";
constexpr char kClassAttr[] = "_class";
constexpr size_t kShortString = 64;

uint64_t Mix(uint64_t a, uint64_t b) {
  const uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15ULL)) * 0xff51afd7ed558ccdULL;
  return x ^ (x >> 32);
}

uint64_t HashOf(std::string_view text) { return std::hash<std::string_view>()(text); }

// A number for an attr value of a small kind; none for others.
std::optional<uint64_t> Fingerprint(const AttrValue& value) {
  uint64_t hash = value.value_case();
  switch (value.value_case()) {
    case AttrValue::kType: return Mix(hash, static_cast<uint64_t>(value.type()));
    case AttrValue::kB: return Mix(hash, value.b());
    case AttrValue::kI: return Mix(hash, static_cast<uint64_t>(value.i()));
    case AttrValue::kF: return Mix(hash, std::bit_cast<uint32_t>(value.f()));
    case AttrValue::kS:
      if (value.s().size() > kShortString) return std::nullopt;
      return Mix(hash, HashOf(value.s()));
    case AttrValue::kShape:
      if (!IsPlainShape(value.shape())) return std::nullopt;
      for (const auto& dim : value.shape().dim())
        hash = Mix(hash, static_cast<uint64_t>(dim.size()));
      return Mix(hash, value.shape().unknown_rank());
    default: return std::nullopt;
  }
}

bool SameShape(const TensorShapeProto& a, const TensorShapeProto& b) {
  if (a.unknown_rank() != b.unknown_rank() || a.dim_size() != b.dim_size()) return false;
  for (int i = 0; i < a.dim_size(); ++i) {
    if (a.dim(i).size() != b.dim(i).size()) return false;
  }
  return true;
}

// Whether two values that have fingerprints are the same.
bool SameSmall(const AttrValue& a, const AttrValue& b) {
  if (a.value_case() != b.value_case()) return false;
  switch (a.value_case()) {
    case AttrValue::kType: return a.type() == b.type();
    case AttrValue::kB: return a.b() == b.b();
    case AttrValue::kI: return a.i() == b.i();
    case AttrValue::kF: return std::bit_cast<uint32_t>(a.f()) == std::bit_cast<uint32_t>(b.f());
    case AttrValue::kS: return a.s() == b.s();
    case AttrValue::kShape: return SameShape(a.shape(), b.shape());
    default: return false;
  }
}

bool AreColocations(const std::string& name, const AttrValue& value) {
  return name == kClassAttr && value.list().s_size() > 0;
}

// Attrs that do not belong to the set that nodes share.
bool IsAside(const std::string& name, const AttrValue& value) {
  return name == kOutputShapesAttr || AreColocations(name, value);
}

bool HasUnknownFields(const google::protobuf::Message& message) {
  return !message.GetReflection()->GetUnknownFields(message).empty();
}

bool HasExtras(const NodeDef& node) {
  return node.has_experimental_debug_info() || node.has_experimental_type() ||
         HasUnknownFields(node);
}

std::optional<uint64_t> Fingerprint(const NodeDef& node) {
  if (HasExtras(node)) return std::nullopt;
  uint64_t sum = 0;
  for (const auto& [name, value] : node.attr()) {
    if (IsAside(name, value)) continue;
    const auto print = Fingerprint(value);
    if (!print || HasUnknownFields(value)) return std::nullopt;
    sum += Mix(HashOf(name), *print);
  }
  return sum;
}

bool SameAttrs(const NodeDef& a, const NodeDef& b) {
  size_t ours = 0, theirs = 0;
  for (const auto& [name, value] : b.attr()) theirs += !IsAside(name, value);
  for (const auto& [name, value] : a.attr()) {
    if (IsAside(name, value)) continue;
    ++ours;
    auto other = b.attr().find(name);
    if (other == b.attr().end() || !SameSmall(value, other->second)) return false;
  }
  return ours == theirs;
}

// Whether `value` is what the writer of the file takes when the attr is not there.
bool IsProducerDefault(const OpDef& producer, const std::string& name, const Attr& value) {
  for (const OpDef::AttrDef& attr : producer.attr()) {
    if (attr.name() != name || !attr.has_default_value()) continue;
    AttrBudget budget;
    auto standard = AttrFromProto(attr.default_value(), &budget);
    return standard.ok() && *standard == value;
  }
  return false;
}

// Whether the attr is unknown here and says nothing to those who know it.
bool IsToBeDropped(const ImportOp& op, const std::string& name, const Attr& value) {
  return op.producer != nullptr && op.schema != nullptr && !name.starts_with('_') &&
         op.schema->FindAttr(name) == nullptr && IsProducerDefault(*op.producer, name, value);
}

// Adds to `extras` everything of the node that a NodeRecord has no place for.
void AddExtras(const NodeDef& node, NodeDef* out) {
  NodeDef& extras = *out;
  if (node.has_experimental_debug_info()) {
    *extras.mutable_experimental_debug_info() = node.experimental_debug_info();
  }
  if (node.has_experimental_type()) *extras.mutable_experimental_type() = node.experimental_type();
  extras.GetReflection()->MutableUnknownFields(&extras)->MergeFrom(
      node.GetReflection()->GetUnknownFields(node));
}

Status InNode(const Status& status, const NodeDef& node) {
  return status.WithSuffix(StrCat("; NodeDef: {{node ", node.name(), "}}"));
}

}  // namespace

StatusOr<ImportedAttrs> ImportAttrs::Read(const NodeDef& node, const ImportOp& op) {
  ImportedAttrs read;
  const AttrValue* classes = nullptr;
  for (const auto& [name, value] : node.attr()) {
    if (name == kOutputShapesAttr) read.output_shapes = &value;
    if (AreColocations(name, value)) classes = &value;
  }
  RAMET_ASSIGN_OR_RETURN(read.set, ReadSet(node, op));
  if (classes == nullptr) return read;
  read.first_colocated = colocated_.size();
  RAMET_ASSIGN_OR_RETURN(read.set, AddColocations(node, *read.set, *classes));
  read.num_colocated = colocated_.size() - read.first_colocated;
  return read;
}

StatusOr<const AttrSet*> ImportAttrs::ReadSet(const NodeDef& node, const ImportOp& op) {
  const auto print = Fingerprint(node);
  if (!print) return Build(node, op);
  const uint64_t key = Mix(*print, std::bit_cast<uintptr_t>(&op));
  auto [first, last] = known_.equal_range(key);
  for (auto it = first; it != last; ++it) {
    if (it->second.op == &op && SameAttrs(node, *it->second.node)) return it->second.set;
  }
  RAMET_ASSIGN_OR_RETURN(const AttrSet* set, Build(node, op));
  known_.emplace(key, Known{&op, &node, set});
  return set;
}

// Attrs that the op's definition does not have need no sense: they are kept as they are.
StatusOr<Attr> ImportAttrs::ReadAttr(const std::string& name, const AttrValue& value,
                                     const ImportOp& op) {
  const bool defined = op.schema != nullptr && op.schema->FindAttr(name) != nullptr;
  if (defined) return KnownAttrFromProto(value, &budget_);
  auto attr = AttrFromProto(value, &budget_);
  return attr.ok() ? *std::move(attr) : Attr(OpaqueAttr{CanonicalBytes(value)});
}

StatusOr<const AttrSet*> ImportAttrs::Build(const NodeDef& node, const ImportOp& op) {
  sorted_.clear();
  for (const auto& entry : node.attr()) {
    if (!IsAside(entry.first, entry.second)) sorted_.push_back(&entry);
  }
  std::ranges::sort(sorted_, {},
                    [](const auto* entry) -> const std::string& { return entry->first; });
  AttrMap attrs;
  NodeDef extras;
  for (const auto* entry : sorted_) {
    const auto& [name, value] = *entry;
    auto attr = ReadAttr(name, value, op);
    if (!attr.ok()) return InNode(attr.status().WithContext(StrCat("attr '", name, "'")), node);
    if (IsToBeDropped(op, name, *attr)) continue;
    if (!attr->get<OpaqueAttr>() && !IsPlainAttr(value)) {
      (*extras.mutable_attr())[name] = value;
    }
    attrs.Set(name, *std::move(attr));
  }
  if (HasExtras(node)) AddExtras(node, &extras);
  if (extras.ByteSizeLong() > 0) attrs.Set(kNodeExtrasAttr, CanonicalBytes(extras));
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
    expanded = op.schema->Expand(op.schema->outputs, attrs);
    if (!expanded.ok()) return InNode(expanded.status(), node);
    outputs = *std::move(expanded);
  }
  auto shared = std::make_shared<const AttrMap>(std::move(attrs));
  return &sets_.emplace_back(AttrSet{std::move(shared), &inputs, &outputs});
}

StatusOr<const AttrSet*> ImportAttrs::AddColocations(const NodeDef& node, const AttrSet& set,
                                                     const AttrValue& classes) {
  std::vector<std::string> groups;
  for (const std::string& group : classes.list().s()) {
    if (!group.starts_with(kGroupPrefix)) {
      groups.push_back(group);
      continue;
    }
    const std::string_view name = std::string_view(group).substr(kGroupPrefix.size());
    const int32_t target = names_.Find(name);
    if (target < 0) {
      return InvalidArgument("Node '", node.name(), "' expects to be colocated with unknown node '",
                             name, "'");
    }
    if (name != node.name()) colocated_.push_back(target);
    groups.push_back(StrCat(kGroupPrefix, names_.final_name(target)));
  }
  AttrMap attrs = *set.attrs;
  attrs.Set(kClassAttr, std::move(groups));
  return &sets_.emplace_back(
      AttrSet{std::make_shared<const AttrMap>(std::move(attrs)), set.inputs, set.outputs});
}

}  // namespace ramet
