#include "ramet/replica/redis/transfer.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "ramet/base/crc32c.h"
#include "ramet/base/strings.h"

namespace ramet::redis {
namespace {

constexpr size_t kMaxPendingBytes = size_t{16} << 20;

// Returns the bytes to store for `raw`: compressed in `buffer` if that is smaller.
std::string_view Packed(std::string_view raw, int level, std::string* buffer, bool* zstd) {
  *zstd = false;
  if (level == 0) return raw;
  buffer->resize(raw.size());
  const size_t size = ZSTD_compress(buffer->data(), buffer->size(), raw.data(), raw.size(), level);
  if (ZSTD_isError(size) != 0 || size >= raw.size()) return raw;
  *zstd = true;
  return std::string_view(*buffer).substr(0, size);
}

Status Unpack(std::string_view stored, const WantedChunk& wanted) {
  if (stored.size() != wanted.chunk.bytes || crc32c::Value(stored) != wanted.chunk.crc) {
    return DataLoss("key ", wanted.key, " on the server is damaged: its bytes do not have the ",
                    "expected checksum");
  }
  if (!wanted.chunk.zstd) {
    std::memcpy(wanted.out, stored.data(), stored.size());
    return OkStatus();
  }
  const size_t size = ZSTD_decompress(wanted.out, wanted.bytes, stored.data(), stored.size());
  if (ZSTD_isError(size) == 0 && size == wanted.bytes) return OkStatus();
  return DataLoss("key ", wanted.key, " on the server is damaged: it does not decompress to ",
                  wanted.bytes, " bytes");
}

}  // namespace

Status Upload::Set(const std::string& key, std::string_view value) {
  if (due_ >= kMaxPendingReplies || due_bytes_ + value.size() > kMaxPendingBytes) {
    RAMET_RETURN_IF_ERROR(Finish());
    RAMET_RETURN_IF_ERROR(between_());
  }
  const std::string ttl = StrCat(url_.times.ttl.count());
  ++due_;
  due_bytes_ += value.size();
  return connection_.Send({"SET", key, value, "PX", ttl});
}

Status Upload::SetBlob(const Keys& keys, uint64_t epoch, std::string_view bytes, Blob* blob) {
  blob->bytes = bytes.size();
  blob->chunks.clear();
  for (size_t i = 0; i * url_.chunk_bytes < bytes.size(); ++i) {
    Chunk chunk;
    const std::string_view stored = Packed(bytes.substr(i * url_.chunk_bytes, url_.chunk_bytes),
                                           url_.zstd, &compressed_, &chunk.zstd);
    chunk.bytes = static_cast<uint32_t>(stored.size());
    chunk.crc = crc32c::Value(stored);
    blob->chunks.push_back(chunk);
    RAMET_RETURN_IF_ERROR(Set(keys.chunk(epoch, blob->id, i), stored));
  }
  return OkStatus();
}

Status Upload::Finish() {
  Status status;
  for (; due_ > 0; --due_) {
    RAMET_ASSIGN_OR_RETURN(const Reply reply, connection_.Receive());
    status.Update(ErrorOf(reply));
  }
  due_bytes_ = 0;
  return status;
}

Status FetchChunks(Connection& connection, const std::vector<WantedChunk>& chunks) {
  Status status;
  size_t sent = 0, due_bytes = 0;
  for (size_t i = 0; i < chunks.size(); ++i) {
    while (status.ok() && sent < chunks.size() && sent - i < kMaxPendingReplies &&
           (sent == i || due_bytes + chunks[sent].chunk.bytes <= kMaxPendingBytes)) {
      RAMET_RETURN_IF_ERROR(connection.Send({"GET", chunks[sent].key}));
      due_bytes += chunks[sent++].chunk.bytes;
    }
    if (i == sent) break;
    RAMET_ASSIGN_OR_RETURN(const Reply reply,
                           connection.Receive(chunks[i].chunk.bytes + Connection::kSmallReply));
    due_bytes -= chunks[i].chunk.bytes;
    if (!status.ok()) continue;
    status = ErrorOf(reply);
    if (status.ok() && reply.nil()) {
      status = NotFound("key ", chunks[i].key, " does not exist on the server");
    }
    if (status.ok()) status = Unpack(reply.view(), chunks[i]);
  }
  return status;
}

StatusOr<std::string> FetchText(Connection& connection, const Keys& keys, const ServerState& state,
                                const Blob& blob) {
  std::string text;
  for (size_t i = 0; i < blob.chunks.size(); ++i) {
    const size_t at = text.size(), bytes = RawBytes(blob, state.chunk_bytes, i);
    text.resize(at + bytes);
    RAMET_RETURN_IF_ERROR(FetchChunks(connection, {{keys.chunk(state.epoch, blob.id, i),
                                                    blob.chunks[i], text.data() + at, bytes}}));
  }
  return text;
}

}  // namespace ramet::redis
