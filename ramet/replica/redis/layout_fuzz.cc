// Parses texts that a hostile server could have stored. It may know how to compute the checksum.
#include <cstdio>
#include <cstdlib>

#include "ramet/base/crc32c.h"
#include "ramet/base/strings.h"
#include "ramet/replica/redis/asking.h"
#include "ramet/replica/redis/layout.h"
#include "ramet/replica/redis/redis_url.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ramet;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  char crc[16];
  snprintf(crc, sizeof(crc), "%08x\n", crc32c::Value(text));
  const std::string sealed = StrCat(crc, text);
  const ReplicaSignature signature = {{"a", kFloat, Shape{2}}, {"b", kInt8, Shape{5000}}};
  redis::ServerState known;
  known.epoch = 7;
  known.chunk_bytes = 1024;
  if (const auto state = redis::ParseState(sealed); state.ok()) {
    if (redis::ParseState(redis::StateText(*state)).value() != *state) std::abort();
    known.chunk_bytes = state->chunk_bytes;
  }
  const auto manifest = redis::ParseManifest(sealed, known, 4, signature);
  for (size_t i = 0; manifest.ok() && i < manifest->values.size(); ++i) {
    const redis::Blob& blob = manifest->values[i];
    uint64_t bytes = 0;
    for (size_t c = 0; c < blob.chunks.size(); ++c) {
      bytes += redis::RawBytes(blob, known.chunk_bytes, c);
    }
    if (bytes != *TensorBytes(signature[i].dtype, signature[i].shape)) std::abort();
  }
  (void)redis::BlobsOf(sealed);
  redis::ParseRequest(text).status().IgnoreError();
  redis::ParseAnswer(text).status().IgnoreError();
  redis::ParseRedisUrl("redis", text).status().IgnoreError();
  return 0;
}
