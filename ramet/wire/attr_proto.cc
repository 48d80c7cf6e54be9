#include "ramet/wire/attr_proto.h"

#include <algorithm>

#include "ramet/tensor/tensor_proto.h"
#include "ramet/wire/message_file.h"

namespace ramet {
namespace {

Attr Opaque(const AttrValue& proto) { return OpaqueAttr{CanonicalBytes(proto)}; }

bool HasTensorForm(const TensorProto& proto) {
  const DType dtype = static_cast<DType>(proto.dtype());
  return dtype == DType::kString || (!IsRef(dtype) && DTypeSize(dtype) > 0);
}

StatusOr<Tensor> ReadTensor(const TensorProto& proto, AttrBudget* budget) {
  constexpr size_t kFreeRatio = 16;
  const size_t splat = SplatBytes(proto);
  if (splat > kFreeRatio * proto.ByteSizeLong()) {
    if (splat > budget->splat_bytes) {
      const std::string used = budget->users.Text("bytes");
      return ResourceExhausted(
          "constants stored as repeated values exceed the memory limit of an import (", splat,
          " bytes needed, ", budget->splat_bytes, " left", used.empty() ? "" : "; used by ", used,
          "); import the graph in parts");
    }
    budget->splat_bytes -= splat;
    budget->users.Add(budget->node, splat);
  }
  return TensorFromProto(proto);
}

StatusOr<FunctionRef> ReadFunction(const NameAttrList& proto, AttrBudget* budget) {
  RAMET_ASSIGN_OR_RETURN(AttrMap attrs, AttrMapFromProto(proto.attr(), budget));
  return FunctionRef{proto.name(), std::make_shared<const AttrMap>(std::move(attrs))};
}

// Returns the kind of the list's items; 0 if it is empty, -1 if there are several kinds.
int ListKind(const AttrValue::ListValue& list) {
  const int sizes[] = {list.s_size(),    list.i_size(),     list.f_size(),      list.b_size(),
                       list.type_size(), list.shape_size(), list.tensor_size(), list.func_size()};
  int kind = 0;
  for (int i = 0; i < 8; ++i) {
    if (sizes[i] == 0) continue;
    if (kind != 0) return -1;
    kind = i + 2;
  }
  return kind;
}

template <class T, class Field, class Read>
StatusOr<Attr> ReadEach(const Field& field, Read read) {
  std::vector<T> items;
  items.reserve(static_cast<size_t>(field.size()));
  for (const auto& item : field) {
    RAMET_ASSIGN_OR_RETURN(T value, read(item));
    items.push_back(std::move(value));
  }
  return Attr(std::move(items));
}

template <class T, class Field>
Attr CopyEach(const Field& field) {
  return Attr(std::vector<T>(field.begin(), field.end()));
}

StatusOr<Attr> ReadList(const AttrValue& proto, AttrBudget* budget) {
  const AttrValue::ListValue& list = proto.list();
  if (HasUnknownFields(list)) return Opaque(proto);
  switch (ListKind(list)) {
    case 0: return Attr(std::vector<int64_t>());
    case AttrValue::ListValue::kSFieldNumber: return CopyEach<std::string>(list.s());
    case AttrValue::ListValue::kIFieldNumber: return CopyEach<int64_t>(list.i());
    case AttrValue::ListValue::kFFieldNumber: return CopyEach<float>(list.f());
    case AttrValue::ListValue::kBFieldNumber: return CopyEach<bool>(list.b());
    case AttrValue::ListValue::kTypeFieldNumber:
      return ReadEach<DType>(list.type(),
                             [](int t) { return StatusOr<DType>(static_cast<DType>(t)); });
    case AttrValue::ListValue::kShapeFieldNumber:
      return ReadEach<Shape>(list.shape(), ShapeFromProto);
    case AttrValue::ListValue::kTensorFieldNumber:
      for (const TensorProto& t : list.tensor()) {
        if (!HasTensorForm(t)) return Opaque(proto);
      }
      return ReadEach<Tensor>(list.tensor(),
                              [&](const TensorProto& t) { return ReadTensor(t, budget); });
    case AttrValue::ListValue::kFuncFieldNumber:
      return ReadEach<FunctionRef>(list.func(),
                                   [&](const NameAttrList& f) { return ReadFunction(f, budget); });
    default: return Opaque(proto);
  }
}

bool IsPlainFunction(const NameAttrList& proto) {
  auto plain = [](const auto& entry) { return IsPlainAttr(entry.second); };
  return !HasUnknownFields(proto) && std::ranges::all_of(proto.attr(), plain);
}

bool IsPlainList(const AttrValue::ListValue& list) {
  return !HasUnknownFields(list) && std::ranges::all_of(list.shape(), IsPlainShape) &&
         std::ranges::all_of(list.tensor(), IsPlainTensor) &&
         std::ranges::all_of(list.func(), IsPlainFunction);
}

Status WriteFunction(const FunctionRef& function, NameAttrList* proto) {
  proto->set_name(function.name);
  if (!function.attrs) return OkStatus();
  return AttrMapToProto(*function.attrs, proto->mutable_attr());
}

// Writes each alternative of Attr::Value.
class Writer {
 public:
  explicit Writer(AttrValue* proto) : proto_(*proto) {}

  Status operator()(std::monostate) { return OkStatus(); }
  Status operator()(const std::string& s) { return proto_.set_s(s), OkStatus(); }
  Status operator()(int64_t i) { return proto_.set_i(i), OkStatus(); }
  Status operator()(float f) { return proto_.set_f(f), OkStatus(); }
  Status operator()(bool b) { return proto_.set_b(b), OkStatus(); }
  Status operator()(DType t) { return proto_.set_type(static_cast<DataType>(t)), OkStatus(); }
  Status operator()(const Shape& s) { return ShapeToProto(s, proto_.mutable_shape()), OkStatus(); }
  Status operator()(const std::shared_ptr<const Tensor>& t) {
    return TensorToProto(*t, proto_.mutable_tensor());
  }
  Status operator()(const std::shared_ptr<const FunctionRef>& f) {
    return WriteFunction(*f, proto_.mutable_func());
  }
  Status operator()(const std::vector<std::string>& v) { return AddEach(v, list().mutable_s()); }
  Status operator()(const std::vector<int64_t>& v) { return AddEach(v, list().mutable_i()); }
  Status operator()(const std::vector<float>& v) { return AddEach(v, list().mutable_f()); }
  Status operator()(const std::vector<bool>& v) { return AddEach(v, list().mutable_b()); }
  Status operator()(const std::vector<DType>& v) {
    for (DType t : v) list().add_type(static_cast<DataType>(t));
    return list(), OkStatus();
  }
  Status operator()(const std::vector<Shape>& v) {
    for (const Shape& s : v) ShapeToProto(s, list().add_shape());
    return list(), OkStatus();
  }
  Status operator()(const std::vector<Tensor>& v) {
    for (const Tensor& t : v) RAMET_RETURN_IF_ERROR(TensorToProto(t, list().add_tensor()));
    return list(), OkStatus();
  }
  Status operator()(const std::vector<FunctionRef>& v) {
    for (const FunctionRef& f : v) RAMET_RETURN_IF_ERROR(WriteFunction(f, list().add_func()));
    return list(), OkStatus();
  }
  Status operator()(const OpaqueAttr& o) {
    if (proto_.ParseFromString(o.bytes)) return OkStatus();
    return DataLoss("the stored bytes of an attr are not an AttrValue");
  }

 private:
  AttrValue::ListValue& list() { return *proto_.mutable_list(); }
  template <class List, class Field>
  Status AddEach(const List& items, Field* field) {
    for (const auto& item : items) *field->Add() = item;
    return OkStatus();
  }

  AttrValue& proto_;
};

}  // namespace

StatusOr<Attr> AttrFromProto(const AttrValue& proto, AttrBudget* budget) {
  if (HasUnknownFields(proto)) return Opaque(proto);
  switch (proto.value_case()) {
    case AttrValue::kS: return Attr(proto.s());
    case AttrValue::kI: return Attr(static_cast<int64_t>(proto.i()));
    case AttrValue::kF: return Attr(proto.f());
    case AttrValue::kB: return Attr(proto.b());
    case AttrValue::kType: return Attr(static_cast<DType>(proto.type()));
    case AttrValue::kShape: {
      RAMET_ASSIGN_OR_RETURN(Shape shape, ShapeFromProto(proto.shape()));
      return Attr(std::move(shape));
    }
    case AttrValue::kTensor: {
      if (!HasTensorForm(proto.tensor())) return Opaque(proto);
      RAMET_ASSIGN_OR_RETURN(Tensor tensor, ReadTensor(proto.tensor(), budget));
      return Attr(std::move(tensor));
    }
    case AttrValue::kFunc: {
      RAMET_ASSIGN_OR_RETURN(FunctionRef function, ReadFunction(proto.func(), budget));
      return Attr(std::move(function));
    }
    case AttrValue::kList: return ReadList(proto, budget);
    case AttrValue::kPlaceholder: return Opaque(proto);
    case AttrValue::VALUE_NOT_SET: return Attr();
  }
  return Opaque(proto);
}

StatusOr<Attr> KnownAttrFromProto(const AttrValue& proto, AttrBudget* budget) {
  const bool bare = HasUnknownFields(proto) || (proto.has_list() && HasUnknownFields(proto.list()));
  if (!bare) return AttrFromProto(proto, budget);
  AttrValue known = proto;
  known.DiscardUnknownFields();
  return AttrFromProto(known, budget);
}

bool IsPlainAttr(const AttrValue& proto) {
  if (HasUnknownFields(proto)) return false;
  switch (proto.value_case()) {
    case AttrValue::kShape: return IsPlainShape(proto.shape());
    case AttrValue::kTensor: return IsPlainTensor(proto.tensor());
    case AttrValue::kFunc: return IsPlainFunction(proto.func());
    case AttrValue::kList: return IsPlainList(proto.list());
    default: return true;
  }
}

Status AttrToProto(const Attr& attr, AttrValue* proto) {
  proto->Clear();
  return std::visit(Writer(proto), attr.value());
}

StatusOr<AttrMap> AttrMapFromProto(const AttrProtoMap& proto, AttrBudget* budget) {
  AttrMap attrs;
  for (const auto& [name, value] : proto) {
    auto attr = AttrFromProto(value, budget);
    if (!attr.ok()) return attr.status().WithContext(StrCat("attr '", name, "'"));
    attrs.Set(name, *std::move(attr));
  }
  return attrs;
}

Status AttrMapToProto(const AttrMap& attrs, AttrProtoMap* proto) {
  for (const auto& [name, attr] : attrs) {
    Status written = AttrToProto(attr, &(*proto)[name]);
    if (!written.ok()) return written.WithContext(StrCat("attr '", name, "'"));
  }
  return OkStatus();
}

}  // namespace ramet
