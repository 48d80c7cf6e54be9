#include "ramet/tensor/tensor_proto.h"
#include "ramet/tensor/tensor_bytes.h"

#include <climits>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include "ramet/base/coding.h"
#include "ramet/tensor/outside_values.h"

namespace ramet {

bool HasUnknownFields(const google::protobuf::Message& message) {
  return !message.GetReflection()->GetUnknownFields(message).empty();
}

int64_t TypedFieldSize(const TensorProto& p, DType dtype) {
  switch (dtype) {
    case DType::kFloat: return p.float_val_size();
    case DType::kDouble: return p.double_val_size();
    case DType::kInt64: return p.int64_val_size();
    case DType::kUInt32: return p.uint32_val_size();
    case DType::kUInt64: return p.uint64_val_size();
    case DType::kBool: return p.bool_val_size();
    case DType::kString: return p.string_val_size();
    case DType::kHalf:
    case DType::kBFloat16: return p.half_val_size();
    case DType::kComplex64: return p.scomplex_val_size() / 2;
    case DType::kComplex128: return p.dcomplex_val_size() / 2;
    default: return p.int_val_size();
  }
}

namespace {

static_assert(std::endian::native == std::endian::little,
              "tensor_content is little-endian: copying it needs a byte swap on this machine");

template <class T>
struct Narrow {
  T operator()(auto value) const { return static_cast<T>(value); }
};
template <class T>
struct FromBits {
  T operator()(int32_t bits) const { return T::FromBits(static_cast<uint16_t>(bits)); }
};

template <class T, class Field, class Convert>
void FillScalars(const Field& field, Convert convert, Tensor* tensor) {
  T* out = static_cast<T*>(tensor->raw_data());
  const size_t n = static_cast<size_t>(tensor->num_elements());
  const size_t given = std::min(n, static_cast<size_t>(field.size()));
  for (size_t i = 0; i < given; ++i) out[i] = convert(field[static_cast<int>(i)]);
  std::fill(out + given, out + n, given > 0 ? out[given - 1] : T());
}

template <class T, class Field>
void FillComplex(const Field& field, Tensor* tensor) {
  std::complex<T>* out = static_cast<std::complex<T>*>(tensor->raw_data());
  const size_t n = static_cast<size_t>(tensor->num_elements());
  const size_t given = std::min(n, static_cast<size_t>(field.size()) / 2);
  for (size_t i = 0; i < given; ++i) {
    const int at = static_cast<int>(2 * i);
    out[i] = {field[at], field[at + 1]};
  }
  std::fill(out + given, out + n, given > 0 ? out[given - 1] : std::complex<T>());
}

void FillStrings(const TensorProto& proto, Tensor* tensor) {
  std::span<std::string> out = tensor->mutable_flat<std::string>();
  const size_t given = std::min(out.size(), static_cast<size_t>(proto.string_val_size()));
  for (size_t i = 0; i < given; ++i) out[i] = proto.string_val(static_cast<int>(i));
  if (given > 0) std::fill(out.begin() + given, out.end(), out[given - 1]);
}

void FillFromTypedField(const TensorProto& p, Tensor* t) {
  switch (t->dtype()) {
    case DType::kFloat: return FillScalars<float>(p.float_val(), Narrow<float>(), t);
    case DType::kDouble: return FillScalars<double>(p.double_val(), Narrow<double>(), t);
    case DType::kInt32:
    case DType::kQInt32: return FillScalars<int32_t>(p.int_val(), Narrow<int32_t>(), t);
    case DType::kInt16:
    case DType::kUInt16:
    case DType::kQInt16:
    case DType::kQUInt16: return FillScalars<uint16_t>(p.int_val(), Narrow<uint16_t>(), t);
    case DType::kInt8:
    case DType::kUInt8:
    case DType::kQInt8:
    case DType::kQUInt8: return FillScalars<uint8_t>(p.int_val(), Narrow<uint8_t>(), t);
    case DType::kInt64: return FillScalars<int64_t>(p.int64_val(), Narrow<int64_t>(), t);
    case DType::kUInt32: return FillScalars<uint32_t>(p.uint32_val(), Narrow<uint32_t>(), t);
    case DType::kUInt64: return FillScalars<uint64_t>(p.uint64_val(), Narrow<uint64_t>(), t);
    case DType::kBool: return FillScalars<bool>(p.bool_val(), Narrow<bool>(), t);
    case DType::kHalf: return FillScalars<Half>(p.half_val(), FromBits<Half>(), t);
    case DType::kBFloat16: return FillScalars<BFloat16>(p.half_val(), FromBits<BFloat16>(), t);
    case DType::kComplex64: return FillComplex<float>(p.scomplex_val(), t);
    case DType::kComplex128: return FillComplex<double>(p.dcomplex_val(), t);
    case DType::kString: return FillStrings(p, t);
    default: return;
  }
}

// Returns the number of values in all typed fields together.
int64_t AllTypedFields(const TensorProto& p) {
  return int64_t{p.float_val_size()} + p.double_val_size() + p.int_val_size() +
         p.string_val_size() + p.scomplex_val_size() + p.int64_val_size() + p.bool_val_size() +
         p.dcomplex_val_size() + p.half_val_size() + p.resource_handle_val_size() +
         p.variant_val_size() + p.uint32_val_size() + p.uint64_val_size() +
         static_cast<int64_t>(p.float8_val().size());
}

Status BadStringContent(const TensorProto& proto, int64_t n) {
  return InvalidArgument("tensor_content of ", proto.tensor_content().size(),
                         " bytes does not hold ", n,
                         " strings: expected as many varint lengths, then exactly their bytes");
}

StatusOr<Tensor> StringsFromContent(const TensorProto& proto, const Shape& shape) {
  std::string_view rest = proto.tensor_content();
  const int64_t n = shape.num_elements();
  if (n > static_cast<int64_t>(rest.size())) return BadStringContent(proto, n);
  std::vector<size_t> lengths(static_cast<size_t>(n));
  uint64_t total = 0;
  for (size_t& length : lengths) {
    uint64_t value;
    if (!TakeVarint64(&rest, &value) || value > proto.tensor_content().size()) {
      return BadStringContent(proto, n);
    }
    length = static_cast<size_t>(value);
    total += value;
  }
  if (total != rest.size()) return BadStringContent(proto, n);
  RAMET_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(DType::kString, shape));
  std::string* out = tensor.mutable_data<std::string>();
  for (size_t length : lengths) {
    *out++ = rest.substr(0, length);
    rest.remove_prefix(length);
  }
  return tensor;
}

StatusOr<Tensor> FlatFromContent(const TensorProto& proto, DType dtype, const Shape& shape) {
  RAMET_ASSIGN_OR_RETURN(const size_t bytes, TensorBytes(dtype, shape));
  const std::string& content = proto.tensor_content();
  if (content.size() != bytes) {
    return InvalidArgument("tensor_content has ", content.size(), " bytes, but a ",
                           DTypeName(dtype), " tensor of shape ", shape, " has ", bytes);
  }
  RAMET_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape));
  if (bytes > 0) std::memcpy(tensor.raw_data(), content.data(), bytes);
  NormalizeBools(&tensor);
  return tensor;
}

Status CheckSplat(const TensorProto& proto, DType dtype, const Shape& shape) {
  if (SplatBytes(proto) <= kMaxSplatBytes) return OkStatus();
  return ResourceExhausted(
      "a ", DTypeName(dtype), " tensor of shape ", shape, " with ", TypedFieldSize(proto, dtype),
      " values in the message would expand to more than the limit of ", kMaxSplatBytes, " bytes");
}

Status CheckDType(DType dtype) {
  if (dtype == DType::kResource || dtype == DType::kVariant) {
    return Unimplemented("a TensorProto of dtype ", DTypeName(dtype),
                         " holds handles that are only valid in the program that made them");
  }
  if (!IsKnownDType(dtype) || IsRef(dtype) || dtype == DType::kInvalid) {
    return InvalidArgument("a TensorProto of dtype ", static_cast<int>(dtype), " (",
                           DTypeName(dtype), ") is not a tensor value");
  }
  return OkStatus();
}

void AppendTypedValue(const Tensor& t, TensorProto* p) {
  switch (t.dtype()) {
    case DType::kFloat: return p->add_float_val(t.scalar<float>());
    case DType::kDouble: return p->add_double_val(t.scalar<double>());
    case DType::kInt64: return p->add_int64_val(t.scalar<int64_t>());
    case DType::kUInt32: return p->add_uint32_val(t.scalar<uint32_t>());
    case DType::kUInt64: return p->add_uint64_val(t.scalar<uint64_t>());
    case DType::kHalf: return p->add_half_val(t.scalar<Half>().bits);
    case DType::kBFloat16: return p->add_half_val(t.scalar<BFloat16>().bits);
    case DType::kComplex64:
      p->add_scomplex_val(t.scalar<std::complex<float>>().real());
      return p->add_scomplex_val(t.scalar<std::complex<float>>().imag());
    case DType::kComplex128:
      p->add_dcomplex_val(t.scalar<std::complex<double>>().real());
      return p->add_dcomplex_val(t.scalar<std::complex<double>>().imag());
    case DType::kInt32:
    case DType::kQInt32: return p->add_int_val(*static_cast<const int32_t*>(t.raw_data()));
    case DType::kInt16:
    case DType::kQInt16: return p->add_int_val(*static_cast<const int16_t*>(t.raw_data()));
    case DType::kUInt16:
    case DType::kQUInt16: return p->add_int_val(*static_cast<const uint16_t*>(t.raw_data()));
    case DType::kInt8:
    case DType::kQInt8: return p->add_int_val(*static_cast<const int8_t*>(t.raw_data()));
    case DType::kUInt8:
    case DType::kQUInt8: return p->add_int_val(*static_cast<const uint8_t*>(t.raw_data()));
    default: return;
  }
}

}  // namespace

StatusOr<Shape> ShapeFromProto(const TensorShapeProto& proto) {
  if (proto.unknown_rank()) {
    if (proto.dim_size() == 0) return Shape::Unknown();
    return InvalidArgument("a shape of unknown rank must not have dims, but has ",
                           proto.dim_size());
  }
  if (proto.dim_size() > Shape::kMaxRank) {
    return InvalidArgument("a shape of rank ", proto.dim_size(), " exceeds the limit of ",
                           Shape::kMaxRank);
  }
  std::vector<int64_t> dims;
  dims.reserve(static_cast<size_t>(proto.dim_size()));
  for (const auto& dim : proto.dim()) dims.push_back(dim.size());
  return Shape::Make(dims);
}

bool IsPlainShape(const TensorShapeProto& proto) {
  if (HasUnknownFields(proto)) return false;
  return std::ranges::none_of(
      proto.dim(), [](const auto& dim) { return !dim.name().empty() || HasUnknownFields(dim); });
}

void ShapeToProto(const Shape& shape, TensorShapeProto* proto) {
  proto->Clear();
  proto->set_unknown_rank(shape.unknown_rank());
  for (int64_t dim : shape.dims()) proto->add_dim()->set_size(dim);
}

size_t SplatBytes(const TensorProto& proto) {
  const DType dtype = static_cast<DType>(proto.dtype());
  auto shape = ShapeFromProto(proto.tensor_shape());
  if (!shape.ok() || !proto.tensor_content().empty()) return 0;
  const int64_t n = shape->unknown_rank() ? 1 : shape->num_elements();
  const int64_t given = TypedFieldSize(proto, dtype);
  size_t element = DTypeSize(dtype);
  if (dtype == DType::kString) {
    element = sizeof(std::string);
    if (given > 0) element += proto.string_val(static_cast<int>(given - 1)).size();
  }
  int64_t bytes = 0;
  if (given >= n) return 0;
  const bool fits = MultiplyNonNegative(n - given, static_cast<int64_t>(element), &bytes);
  return fits ? static_cast<size_t>(bytes) : std::numeric_limits<size_t>::max();
}

StatusOr<Tensor> TensorFromProto(const TensorProto& proto) {
  const DType dtype = static_cast<DType>(proto.dtype());
  RAMET_RETURN_IF_ERROR(CheckDType(dtype));
  RAMET_ASSIGN_OR_RETURN(Shape shape, ShapeFromProto(proto.tensor_shape()));
  if (shape.unknown_rank()) shape = Shape();
  if (!shape.IsFullyDefined()) {
    return InvalidArgument("a TensorProto's shape must be fully defined, but it is ", shape);
  }
  if (!proto.tensor_content().empty()) {
    return dtype == DType::kString ? StringsFromContent(proto, shape)
                                   : FlatFromContent(proto, dtype, shape);
  }
  RAMET_RETURN_IF_ERROR(CheckSplat(proto, dtype, shape));
  RAMET_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape));
  FillFromTypedField(proto, &tensor);
  return tensor;
}

bool IsPlainTensor(const TensorProto& proto) {
  const TensorShapeProto& dims = proto.tensor_shape();
  if (proto.version_number() != 0 || !proto.has_tensor_shape() || dims.unknown_rank() ||
      !IsPlainShape(dims) || HasUnknownFields(proto)) {
    return false;
  }
  auto shape = ShapeFromProto(dims);
  if (!shape.ok()) return false;
  const DType dtype = static_cast<DType>(proto.dtype());
  const int64_t n = shape->num_elements(), fields = AllTypedFields(proto);
  const bool typed = n <= 1 || dtype == DType::kString || dtype == DType::kBool;
  if (!typed) return fields == 0 && !proto.tensor_content().empty();
  return proto.tensor_content().empty() && TypedFieldSize(proto, dtype) == n &&
         fields == (IsComplex(dtype) ? 2 * n : n);
}

Status TensorToProto(const Tensor& tensor, TensorProto* proto) {
  if (tensor.empty()) return InvalidArgument("an empty Tensor has no TensorProto");
  if (!tensor.host_accessible()) {
    return InvalidArgument(
        "a tensor in device memory must be copied to the host before it is encoded");
  }
  proto->Clear();
  proto->set_dtype(static_cast<DataType>(tensor.dtype()));
  ShapeToProto(tensor.shape(), proto->mutable_tensor_shape());
  if (tensor.dtype() == DType::kString) {
    for (const std::string& s : tensor.flat<std::string>()) proto->add_string_val(s);
  } else if (tensor.dtype() == DType::kBool) {
    // By its bytes: a bool in memory that the program did not make may be any byte.
    const auto* bytes = static_cast<const uint8_t*>(tensor.raw_data());
    for (size_t i = 0; i < tensor.bytes(); ++i) proto->add_bool_val(bytes[i] != 0);
  } else if (tensor.num_elements() == 1) {
    AppendTypedValue(tensor, proto);
  } else if (tensor.num_elements() > 1) {
    proto->set_tensor_content(tensor.raw_data(), tensor.bytes());
  }
  return OkStatus();
}

StatusOr<Tensor> TensorFromProtoBytes(std::string_view tensor_proto) {
  TensorProto proto;
  if (tensor_proto.size() > INT_MAX ||
      !proto.ParseFromArray(tensor_proto.data(), static_cast<int>(tensor_proto.size()))) {
    return DataLoss("these ", tensor_proto.size(), " bytes are not a TensorProto");
  }
  return TensorFromProto(proto);
}

StatusOr<std::string> TensorToProtoBytes(const Tensor& tensor) {
  TensorProto proto;
  RAMET_RETURN_IF_ERROR(TensorToProto(tensor, &proto));
  return proto.SerializeAsString();
}

}  // namespace ramet
