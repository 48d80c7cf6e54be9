#include "proto/pieces.h"

#include <google/protobuf/io/coded_stream.h>

namespace server {
namespace {

using google::protobuf::io::CodedOutputStream;

constexpr int kMaxVarintBytes = 10;
constexpr uint32_t kBytesWireType = 2;
// A copy of fewer bytes costs less than a separate slice in gRPC.
constexpr size_t kMinSeparateBytes = 8192;

std::string_view MemoryOf(const ramet::Tensor& tensor) {
  return {static_cast<const char*>(tensor.raw_data()), tensor.bytes()};
}

}  // namespace

void AppendVarint(uint64_t value, std::string* out) {
  uint8_t buffer[kMaxVarintBytes];
  const uint8_t* end = CodedOutputStream::WriteVarint64ToArray(value, buffer);
  out->append(reinterpret_cast<const char*>(buffer), static_cast<size_t>(end - buffer));
}

void AppendBytesHead(uint32_t number, size_t size, std::string* out) {
  AppendVarint(number << 3 | kBytesWireType, out);
  AppendVarint(size, out);
}

void AppendBytesField(uint32_t number, std::string_view bytes, std::string* out) {
  AppendBytesHead(number, bytes.size(), out);
  out->append(bytes);
}

size_t BytesFieldSize(uint32_t number, size_t size) {
  return CodedOutputStream::VarintSize32(number << 3) + CodedOutputStream::VarintSize64(size) +
         size;
}

std::string* Pieces::bytes() {
  if (pieces_.empty() || !pieces_.back().tensor.empty()) pieces_.emplace_back();
  return &pieces_.back().bytes;
}

void Pieces::AppendMemory(const ramet::Tensor& tensor) {
  std::string* const last = bytes();
  if (tensor.bytes() < kMinSeparateBytes) {
    last->append(MemoryOf(tensor));
  } else {
    pieces_.back().tensor = tensor;
  }
}

size_t Pieces::size() const {
  size_t size = 0;
  for (const Piece& piece : pieces_) size += piece.bytes.size() + piece.tensor.bytes();
  return size;
}

std::string Pieces::Joined() const {
  std::string out;
  out.reserve(size());
  for (const Piece& piece : pieces_) out.append(piece.bytes).append(MemoryOf(piece.tensor));
  return out;
}

}  // namespace server
