#include "ramet/format/bundle_variants.h"

#include "ramet/base/coding.h"
#include "ramet/base/crc32c.h"
#include "ramet/base/wire_format.h"
#include "ramet/tensor/encoded_variant.h"

namespace ramet {
namespace {

// The fields of TensorFlow's VariantTensorDataProto that an element has.
enum VariantField : uint32_t { kTypeName = 1, kMetadata = 2 };

constexpr size_t kChecksumBytes = 4;

// Extends *crc by an element and returns the bytes of its checksum.
std::string ChecksumOf(std::string_view element, uint32_t* crc) {
  std::string length;
  AppendFixed64(&length, element.size());
  *crc = crc32c::Extend(*crc, length.data(), length.size());
  *crc = crc32c::Extend(*crc, element.data(), element.size());
  std::string checksum;
  AppendFixed32(&checksum, crc32c::Mask(*crc));
  *crc = crc32c::Extend(*crc, checksum.data(), checksum.size());
  return checksum;
}

Status BadVariant(const TensorDataSource& source, std::string_view what) {
  return DataLoss("Invalid variant in bundle entry: key ", PrintableBundleKey(source.key), " of ",
                  source.file->path(), ": ", what);
}

// Returns the value that the bytes of a VariantTensorDataProto describe.
StatusOr<Variant> DecodeElement(const TensorDataSource& source, std::string_view element) {
  std::string type, bytes;
  WireField field;
  while (!element.empty()) {
    if (!TakeField(&element, &field)) return BadVariant(source, "it is not a message");
    if (field.Is(kTypeName)) type = field.bytes;
    if (field.Is(kMetadata)) bytes = field.bytes;
  }
  return Variant(std::make_shared<EncodedVariant>(std::move(type), std::move(bytes)));
}

}  // namespace

Status AppendVariants(const Tensor& tensor, WritableFile* file, uint32_t* crc) {
  for (const Variant& value : tensor.flat<Variant>()) {
    const auto* encoded = value.get<EncodedVariant>();
    if (encoded == nullptr) {
      return Unimplemented("a tensor of dtype variant with the element ", value.ToString(),
                           " cannot be saved");
    }
    std::string element;
    AppendBytesField(&element, kTypeName, encoded->type_name());
    AppendBytesField(&element, kMetadata, encoded->bytes());
    std::string head;
    AppendVarint64(&head, element.size());
    RAMET_RETURN_IF_ERROR(file->Append(head + element + ChecksumOf(element, crc)));
  }
  return OkStatus();
}

StatusOr<Tensor> ReadVariants(const TensorDataSource& source, const BundleEntry& entry) {
  if (source.big_endian) {
    return Unimplemented("key ", PrintableBundleKey(source.key),
                         ": variants of a big-endian checkpoint cannot be restored");
  }
  std::string data(static_cast<size_t>(entry.size), '\0');
  RAMET_RETURN_IF_ERROR(
      source.file->Read(static_cast<uint64_t>(entry.offset), {data.data(), data.size()}));
  RAMET_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(DType::kVariant, entry.shape));
  Variant* out = tensor.mutable_data<Variant>();
  std::string_view rest = data;
  uint32_t crc = 0;
  for (int64_t i = 0; i < entry.shape.num_elements(); ++i) {
    uint64_t length;
    if (!TakeVarint64(&rest, &length) || rest.size() < kChecksumBytes ||
        length > rest.size() - kChecksumBytes) {
      return BadVariant(source, "its length exceeds the size of the entry");
    }
    const std::string_view element = rest.substr(0, length);
    if (ChecksumOf(element, &crc) != rest.substr(length, kChecksumBytes)) {
      return BadVariant(source, "its checksum does not match");
    }
    RAMET_ASSIGN_OR_RETURN(out[i], DecodeElement(source, element));
    rest.remove_prefix(length + kChecksumBytes);
  }
  if (!rest.empty()) return BadVariant(source, "bytes follow the last element");
  if (crc == crc32c::Unmask(entry.masked_crc)) return tensor;
  return ChecksumMismatch(source.prefix, source.key, entry, crc);
}

}  // namespace ramet
