#include "ramet/format/v1_format.h"

#include <algorithm>

#include "ramet/base/wire_format.h"
#include "ramet/format/checkpoint_protos.h"
#include "ramet/format/checkpoint_version.h"
#include "ramet/tensor/tensor_proto.h"

namespace ramet {
namespace {

// TensorFlow refuses a record if this estimate of its size exceeds the limit of a message.
constexpr int64_t kMaxRecordBytes = int64_t{1} << 31;
constexpr int64_t kHeaderBytes = 1 << 10;
constexpr int64_t kMaxLengthBytes = 11;

template <class T, class Field>
void AppendNumbers(const Tensor& t, Field* field) {
  const T* values = static_cast<const T*>(t.raw_data());
  const int n = static_cast<int>(t.num_elements());
  field->Reserve(n);
  for (int i = 0; i < n; ++i) field->AddAlreadyReserved(values[i]);
}

// Appends complex numbers as pairs.
template <class T, class Field>
void AppendPairs(const Tensor& t, Field* field) {
  const T* values = static_cast<const T*>(t.raw_data());
  field->Add(values, values + 2 * t.num_elements());
}

void AppendValues(const Tensor& t, TensorProto* p) {
  switch (t.dtype()) {
    case DType::kFloat: return AppendNumbers<float>(t, p->mutable_float_val());
    case DType::kDouble: return AppendNumbers<double>(t, p->mutable_double_val());
    case DType::kInt32:
    case DType::kQInt32: return AppendNumbers<int32_t>(t, p->mutable_int_val());
    case DType::kInt16: return AppendNumbers<int16_t>(t, p->mutable_int_val());
    case DType::kUInt16: return AppendNumbers<uint16_t>(t, p->mutable_int_val());
    case DType::kInt8:
    case DType::kQInt8: return AppendNumbers<int8_t>(t, p->mutable_int_val());
    case DType::kUInt8:
    case DType::kQUInt8: return AppendNumbers<uint8_t>(t, p->mutable_int_val());
    case DType::kInt64: return AppendNumbers<int64_t>(t, p->mutable_int64_val());
    // By its bytes: a bool in memory that the program did not make may be any byte.
    case DType::kBool: return AppendNumbers<uint8_t>(t, p->mutable_bool_val());
    case DType::kHalf: return AppendNumbers<uint16_t>(t, p->mutable_half_val());
    case DType::kComplex64: return AppendPairs<float>(t, p->mutable_scomplex_val());
    case DType::kComplex128: return AppendPairs<double>(t, p->mutable_dcomplex_val());
    case DType::kString:
      for (const std::string& s : t.flat<std::string>()) p->add_string_val(s);
      return;
    default: return;
  }
}

int64_t MaxBytesPerElement(DType dtype) {
  switch (dtype) {
    case DType::kFloat: return 4;
    case DType::kDouble:
    case DType::kComplex64: return 8;
    case DType::kComplex128: return 16;
    case DType::kUInt8:
    case DType::kQUInt8: return 2;
    case DType::kUInt16:
    case DType::kHalf: return 3;
    case DType::kBool: return 1;
    case DType::kString: return kMaxLengthBytes;
    default: return 10;
  }
}

Status CheckRecordSize(const Tensor& tensor) {
  int64_t bytes = 0;
  if (!MultiplyNonNegative(tensor.num_elements(), MaxBytesPerElement(tensor.dtype()), &bytes)) {
    bytes = kMaxRecordBytes;
  } else if (tensor.dtype() == DType::kString) {
    for (const std::string& s : tensor.flat<std::string>()) bytes += std::ssize(s);
  }
  if (bytes <= kMaxRecordBytes - kHeaderBytes) return OkStatus();
  return InvalidArgument(
      "Tensor slice is too large to serialize (conservative estimate: ", bytes + kHeaderBytes,
      " bytes): save it in several slices, or as a V2 checkpoint");
}

Status NoMeta() { return Internal("Failed to find the saved tensor slices"); }

StatusOr<CheckpointTensor> TensorFromMeta(const SavedSliceMeta& meta) {
  CheckpointTensor tensor;
  tensor.name = meta.name();
  tensor.dtype = static_cast<DType>(meta.type());
  RAMET_ASSIGN_OR_RETURN(tensor.shape, ShapeFromProto(meta.shape()));
  if (!tensor.shape.IsFullyDefined()) return DataLoss("its shape is ", tensor.shape);
  for (const TensorSliceProto& proto : meta.slice()) {
    RAMET_ASSIGN_OR_RETURN(TensorSlice slice, SliceFromProto(proto));
    RAMET_RETURN_IF_ERROR(slice.ShapeIn(tensor.shape).status());
    tensor.slices.push_back(std::move(slice));
  }
  return tensor;
}

// Parses tensors one by one, so that a list of a million is never in memory as one message.
Status DecodeMetaFields(std::string_view rest, std::vector<CheckpointTensor>* tensors,
                        VersionDef* versions) {
  for (WireField field; !rest.empty();) {
    if (!TakeField(&rest, &field)) return NoMeta();
    if (field.number == SavedTensorSliceMeta::kVersionsFieldNumber) {
      VersionDef more;
      if (!ParseMessage(field.bytes, &more)) return NoMeta();
      versions->MergeFrom(more);
    }
    if (field.number != SavedTensorSliceMeta::kTensorFieldNumber) continue;
    SavedSliceMeta meta;
    if (!ParseMessage(field.bytes, &meta)) return NoMeta();
    StatusOr<CheckpointTensor> tensor = TensorFromMeta(meta);
    if (!tensor.ok()) return DataLoss("tensor ", meta.name(), ": ", tensor.status().message());
    tensors->push_back(*std::move(tensor));
  }
  return OkStatus();
}

Status CheckHoldable(DType dtype) {
  if (dtype == DType::kInvalid || IsRef(dtype)) {
    return DataLoss("its dtype is ", static_cast<int>(dtype), ", which is not valid");
  }
  if (dtype == DType::kString || DTypeSize(dtype) > 0) return OkStatus();
  return Unimplemented("a tensor of dtype ", DTypeName(dtype), " cannot be restored");
}

}  // namespace

bool IsV1DType(DType dtype) {
  switch (dtype) {
    case DType::kBFloat16:
    case DType::kQInt16:
    case DType::kQUInt16:
    case DType::kUInt32:
    case DType::kUInt64: return false;
    default: return dtype == DType::kString || DTypeSize(dtype) > 0;
  }
}

std::string EncodeV1Meta(const std::vector<CheckpointTensor>& tensors) {
  SavedTensorSlices record;
  SavedTensorSliceMeta* meta = record.mutable_meta();
  for (const CheckpointTensor& tensor : tensors) {
    SavedSliceMeta* saved = meta->add_tensor();
    saved->set_name(tensor.name);
    ShapeToProto(tensor.shape, saved->mutable_shape());
    saved->set_type(static_cast<DataType>(tensor.dtype));
    for (const TensorSlice& slice : tensor.slices) SliceToProto(slice, saved->add_slice());
  }
  meta->mutable_versions()->set_producer(kCheckpointVersion);
  return record.SerializeAsString();
}

StatusOr<std::vector<CheckpointTensor>> DecodeV1Meta(std::string_view bytes) {
  std::vector<CheckpointTensor> tensors;
  VersionDef versions;
  bool found = false;
  for (WireField field; !bytes.empty();) {
    if (!TakeField(&bytes, &field)) return NoMeta();
    if (field.number != SavedTensorSlices::kMetaFieldNumber) continue;
    RAMET_RETURN_IF_ERROR(DecodeMetaFields(field.bytes, &tensors, &versions));
    found = true;
  }
  if (!found) return NoMeta();
  RAMET_RETURN_IF_ERROR(CheckCheckpointVersions(versions));
  return tensors;
}

StatusOr<std::string> EncodeV1Slice(std::string_view name, const TensorSlice& slice,
                                    const Tensor& tensor) {
  if (!IsV1DType(tensor.dtype())) {
    return Unimplemented("Saving data type ", DTypeName(tensor.dtype()),
                         " not yet supported: V1 checkpoints cannot hold it, V2 can");
  }
  RAMET_RETURN_IF_ERROR(CheckRecordSize(tensor));
  SavedTensorSlices record;
  SavedSlice* data = record.mutable_data();
  data->set_name(std::string(name));
  SliceToProto(slice, data->mutable_slice());
  AppendValues(tensor, data->mutable_data());
  return record.SerializeAsString();
}

StatusOr<Tensor> DecodeV1Slice(std::string_view bytes, DType dtype, const Shape& shape) {
  RAMET_RETURN_IF_ERROR(CheckHoldable(dtype));
  SavedTensorSlices record;
  if (!ParseMessage(bytes, &record) || !record.has_data()) {
    return DataLoss("its record is not parseable");
  }
  TensorProto& data = *record.mutable_data()->mutable_data();
  const int64_t count = TypedFieldSize(data, dtype);
  if (count != shape.num_elements() || !data.tensor_content().empty()) {
    return DataLoss("its record holds ", count, " values of dtype ", DTypeName(dtype),
                    ", but shape ", shape, " has ", shape.num_elements(), " elements");
  }
  data.set_dtype(static_cast<DataType>(dtype));
  ShapeToProto(shape, data.mutable_tensor_shape());
  return TensorFromProto(data);
}

}  // namespace ramet
