#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace server {

// Appends a varint of protocol buffers.
void AppendVarint(uint64_t value, std::string* out);
// Appends the tag and length that precede the content of a field of bytes.
void AppendBytesHead(uint32_t number, size_t size, std::string* out);
void AppendBytesField(uint32_t number, std::string_view bytes, std::string* out);
// Returns the size of a field of bytes with its tag and length.
size_t BytesFieldSize(uint32_t number, size_t size);

// A Pieces is a serialized message in pieces: bytes, each followed by the memory of a tensor. A
// large tensor thus reaches the network without a copy.
class Pieces {
 public:
  struct Piece {
    std::string bytes = {};
    ramet::Tensor tensor = {};  // may be empty
  };

  Pieces() = default;
  explicit Pieces(std::string bytes) { pieces_.push_back({std::move(bytes), {}}); }

  // Returns the bytes at the end, to append to them.
  std::string* bytes();
  // Appends the memory of a tensor of a flat dtype. Small ones are copied.
  void AppendMemory(const ramet::Tensor& tensor);
  const std::vector<Piece>& pieces() const { return pieces_; }
  size_t size() const;
  // Returns the whole message.
  std::string Joined() const;

 private:
  std::vector<Piece> pieces_;
};

}  // namespace server
