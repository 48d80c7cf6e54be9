#include "npy.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

namespace cli {
namespace {

namespace rm = ramet;

static_assert(std::endian::native == std::endian::little,
              "arrays are copied from and to files without swapping bytes");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kAlignment = 64;

struct NumpyType {
  std::string_view name;
  rm::DType dtype;
};
constexpr NumpyType kTypes[] = {
    {"<f2", rm::kHalf},      {"<f4", rm::kFloat},       {"<f8", rm::kDouble}, {"|i1", rm::kInt8},
    {"<i2", rm::kInt16},     {"<i4", rm::kInt32},       {"<i8", rm::kInt64},  {"|u1", rm::kUInt8},
    {"<u2", rm::kUInt16},    {"<u4", rm::kUInt32},      {"<u8", rm::kUInt64}, {"|b1", rm::kBool},
    {"<c8", rm::kComplex64}, {"<c16", rm::kComplex128},
};

struct Header {
  std::string descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<int64_t>> shape;
};

// Parses the text of a header, which is a Python dict literal with three items.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  // Returns false at the first invalid character; at() is its offset.
  bool Parse(Header* header) {
    if (!Take('{')) return false;
    while (!Take('}')) {
      std::string key;
      if (!String(&key) || !Take(':') || !Value(key, header)) return false;
      if (!Take(',') && Peek() != '}') return false;
    }
    return Peek() == '\0';
  }
  size_t at() const { return at_; }

 private:
  char Peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool Take(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  bool String(std::string* value) {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') return false;
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return false;
    *value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }
  bool Word(std::string_view word) {
    Peek();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  bool Value(const std::string& key, Header* header) {
    if (key == "descr") return String(&header->descr);
    if (key == "shape") return Tuple(&header->shape.emplace());
    if (key != "fortran_order") return false;
    header->fortran_order = Word("True");
    return *header->fortran_order || Word("False");
  }
  bool Tuple(std::vector<int64_t>* dims) {
    if (!Take('(')) return false;
    while (!Take(')')) {
      Peek();
      const size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
      if (!rm::ParseInt64(text_.substr(at_, end - at_), &dims->emplace_back())) return false;
      at_ = end;
      if (!Take(',') && Peek() != ')') return false;
    }
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

rm::StatusOr<std::string> ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  if (file) bytes.assign(std::istreambuf_iterator<char>(file), {});
  if (file) return bytes;
  const std::string message = rm::StrCat("'", path, "' cannot be read: ", std::strerror(errno));
  return errno == EACCES ? rm::PermissionDenied(message) : rm::NotFound(message);
}

// Returns the dtype of an array that Ramet can read.
rm::StatusOr<rm::DType> TypeOf(const std::string& path, const Header& header) {
  if (*header.fortran_order) {
    return rm::Unimplemented("'", path, "' is in Fortran order; save numpy.ascontiguousarray(x)");
  }
  for (const NumpyType& type : kTypes) {
    if (type.name == header.descr) return type.dtype;
  }
  const char* help = header.descr.starts_with('>')
                         ? " is big endian; save x.astype(x.dtype.newbyteorder('<'))"
                         : " is not bool, integer, float or complex; convert it with x.astype";
  return rm::Unimplemented("'", path, "': dtype '", header.descr, "'", help);
}

rm::StatusOr<Header> ParseHeader(const std::string& path, std::string_view bytes, size_t* data_at) {
  if (bytes.size() < 10 || !bytes.starts_with(kMagic)) {
    return rm::DataLoss("'", path, "' is not a .npy file: it does not start with \\x93NUMPY");
  }
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3) {
    return rm::Unimplemented("'", path, "' has .npy version ", version, "; expected 1 to 3");
  }
  const size_t length_bytes = version == 1 ? 2 : 4;
  const size_t start = 8 + length_bytes;
  uint32_t length = 0;
  if (bytes.size() >= start) std::memcpy(&length, bytes.data() + 8, length_bytes);
  if (bytes.size() < start || bytes.size() - start < length) {
    return rm::DataLoss("'", path, "' ends at offset ", bytes.size(), " inside its header");
  }
  Header header;
  HeaderParser parser(bytes.substr(start, length));
  if (!parser.Parse(&header) || header.descr.empty() || !header.fortran_order || !header.shape) {
    return rm::DataLoss("'", path, "': invalid header at offset ", start + parser.at(),
                        "; expected a dict such as {'descr': '<f4', 'fortran_order': False, "
                        "'shape': (2, 3), }");
  }
  *data_at = start + length;
  return header;
}

}  // namespace

rm::StatusOr<NpyHeader> ParseNpyHeader(const std::string& path, std::string_view bytes) {
  NpyHeader parsed;
  RAMET_ASSIGN_OR_RETURN(const Header header, ParseHeader(path, bytes, &parsed.data_at));
  RAMET_ASSIGN_OR_RETURN(parsed.dtype, TypeOf(path, header));
  auto shape = rm::Shape::Make(*header.shape);
  auto size =
      shape.ok() ? rm::TensorBytes(parsed.dtype, *shape) : rm::StatusOr<size_t>(shape.status());
  if (!size.ok()) return rm::DataLoss("'", path, "': ", size.status().message());
  parsed.shape = *shape;
  parsed.data_bytes = *size;
  return parsed;
}

uint64_t NpyHeaderEnd(std::string_view start) {
  if (start.size() < kNpyStart || !start.starts_with(kMagic)) return kNpyStart;
  const size_t length_bytes = start[6] == 1 ? 2 : 4;
  uint32_t length = 0;
  std::memcpy(&length, start.data() + 8, length_bytes);
  return 8 + length_bytes + length;
}

rm::Status CheckNpyBools(const std::string& path, const NpyHeader& header,
                         const rm::Tensor& tensor) {
  if (header.dtype != rm::kBool) return rm::OkStatus();
  const std::string_view data(static_cast<const char*>(tensor.raw_data()), tensor.bytes());
  const size_t bad = data.find_first_not_of(std::string_view("\0\1", 2));
  if (bad == data.npos) return rm::OkStatus();
  return rm::DataLoss("'", path, "': the byte at offset ", header.data_at + bad,
                      " is not a bool (0 or 1)");
}

rm::StatusOr<std::string> NpyHeaderText(const std::string& path, rm::DType dtype,
                                        const rm::Shape& shape) {
  const auto* type = std::ranges::find(kTypes, dtype, &NumpyType::dtype);
  if (type == std::end(kTypes)) {
    return rm::Unimplemented("'", path, "': NumPy has no dtype for ", rm::DTypeName(dtype));
  }
  std::string header =
      rm::StrCat("{'descr': '", type->name, "', 'fortran_order': False, 'shape': (",
                 rm::StrJoin(shape.dims(), ", "), shape.rank() == 1 ? ",), }" : "), }");
  const size_t unpadded = kMagic.size() + 4 + header.size() + 1;
  header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  header += '\n';
  const auto length = static_cast<uint16_t>(header.size());
  std::string text(kMagic);
  text += std::string_view("\1\0", 2);
  text.append(reinterpret_cast<const char*>(&length), sizeof(length));
  return text + header;
}

rm::StatusOr<rm::Tensor> ReadNpy(const std::string& path) {
  RAMET_ASSIGN_OR_RETURN(const std::string bytes, ReadAll(path));
  RAMET_ASSIGN_OR_RETURN(const NpyHeader header, ParseNpyHeader(path, bytes));
  if (header.data_bytes != bytes.size() - header.data_at) {
    return rm::DataLoss("'", path, "': ", rm::DTypeName(header.dtype), header.shape, " takes ",
                        header.data_bytes, " bytes, but the file has ",
                        bytes.size() - header.data_at, " from offset ", header.data_at);
  }
  RAMET_ASSIGN_OR_RETURN(rm::Tensor tensor, rm::Tensor::Allocate(header.dtype, header.shape));
  if (header.data_bytes > 0) {
    std::memcpy(tensor.raw_data(), bytes.data() + header.data_at, header.data_bytes);
  }
  RAMET_RETURN_IF_ERROR(CheckNpyBools(path, header, tensor));
  return tensor;
}

rm::Status WriteNpy(const std::string& path, const rm::Tensor& tensor) {
  RAMET_ASSIGN_OR_RETURN(const std::string header,
                         NpyHeaderText(path, tensor.dtype(), tensor.shape()));
  std::ofstream file(path, std::ios::binary);
  file << header;
  file.write(static_cast<const char*>(tensor.raw_data()),
             static_cast<std::streamsize>(tensor.bytes()));
  file.close();
  if (!file) return rm::Unknown("'", path, "' cannot be written: ", std::strerror(errno));
  return rm::OkStatus();
}

}  // namespace cli
