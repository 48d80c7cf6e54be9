#include "draft.h"

#include <algorithm>

#include "ramet/graph_def/op_deprecation.h"
#include "ramet/tensor/variant.h"
#include "ramet/wire/attr_proto.h"

namespace ramet::fuzz {
namespace {

// Returns the largest byte of a tensor of bools; 1 for other dtypes.
int64_t TrueByte(const Tensor& value) {
  int64_t byte = 1;
  if (value.dtype() != kBool) return byte;
  const auto* bytes = static_cast<const uint8_t*>(value.raw_data());
  for (int64_t i = 0; i < value.num_elements(); ++i) byte = std::max<int64_t>(byte, bytes[i]);
  return byte;
}

// Returns the value with bools that a message can hold: 0 and 1.
Tensor Plain(const Tensor& value) {
  if (TrueByte(value) == 1) return value;
  Tensor plain = value.DeepCopy().value();
  auto* bytes = static_cast<uint8_t*>(plain.raw_data());
  for (int64_t i = 0; i < plain.num_elements(); ++i) bytes[i] = bytes[i] != 0;
  return plain;
}

}  // namespace

bool GraphDraft::Taken(std::string_view name) const {
  return std::ranges::any_of(def_.node(), [&](const NodeDef& n) { return n.name() == name; });
}

std::string GraphDraft::Add(std::string_view op, std::string_view name,
                            const std::vector<std::string>& inputs, const AttrMap& attrs) {
  std::string unique = StrCat(scope_, name);
  for (int i = 1; Taken(unique); ++i) unique = StrCat(scope_, name, "_", i);
  // Deprecated ops are only valid in graphs of older producers.
  if (const DeprecatedOp* deprecated = FindDeprecation(op)) {
    producer_ = std::min(producer_, deprecated->version - 1);
  }
  def_.mutable_versions()->set_producer(producer_);
  NodeDef* node = def_.add_node();
  node->set_name(unique);
  node->set_op(std::string(op));
  for (const std::string& input : inputs) node->add_input(input);
  for (const auto& [attr, value] : attrs) {
    const Tensor* tensor = value.get<Tensor>();
    AttrToProto(tensor != nullptr ? Attr(Plain(*tensor)) : value, &(*node->mutable_attr())[attr])
        .IgnoreError();
  }
  return unique;
}

std::string GraphDraft::Const(const Tensor& value, std::string_view name) {
  const std::string unique = Add("Const", name, {}, {{"dtype", value.dtype()}});
  NodeDef* node = def_.mutable_node(def_.node_size() - 1);
  AttrToProto(Plain(value), &(*node->mutable_attr())["value"]).IgnoreError();
  if (value.dtype() == kBool) {  // as content, which may be any bytes
    TensorProto* tensor = (*node->mutable_attr())["value"].mutable_tensor();
    tensor->clear_bool_val();
    tensor->set_tensor_content(value.raw_data(), value.bytes());
  }
  return unique;
}

std::string GraphDraft::Fed(const Tensor& value, const Shape& shape, std::string_view name) {
  AttrMap attrs = {{"dtype", value.dtype()}, {"shape", shape}};
  if (!IsVariant(value.dtype())) attrs.Set(kFedValue, Plain(value));
  if (const int64_t byte = TrueByte(value); byte > 1) attrs.Set(kTrueByte, byte);
  return Add("Placeholder", name, {}, attrs);
}

}  // namespace ramet::fuzz
