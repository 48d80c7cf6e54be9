#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ramet/base/status.h"
#include "ramet/replica/redis/redis_url.h"

struct ssl_st;
struct ssl_ctx_st;

namespace ramet::redis {

// The TLS layer between a connection and the network, using OpenSSL with memory buffers. The owner
// of the socket feeds in the bytes it receives and sends the output. The server's certificate must
// be valid and belong to the host.
class Tls {
 public:
  // \error kInvalidArgument: a file cannot be used. The message names it.
  static StatusOr<std::unique_ptr<Tls>> Create(const RedisUrl& url);
  ~Tls();
  Tls(const Tls&) = delete;
  Tls& operator=(const Tls&) = delete;

  // Continues the handshake with the bytes fed so far. Sets `*done` when it is complete.
  // \error kPermissionDenied: the certificate is not trusted.
  // \error kUnavailable: the handshake failed for any other reason.
  Status Handshake(bool* done);
  // Feeds bytes received from the network.
  Status Feed(std::string_view bytes);
  // Reads at most `size` decrypted bytes. Returns 0 if more input is needed or if the peer has
  // closed the connection, which sets `*closed`.
  StatusOr<size_t> Read(char* out, size_t size, bool* closed);
  Status Write(std::string_view bytes);
  // Returns the bytes to send to the network.
  std::string TakeOutput();

 private:
  Tls() = default;
  Status Use(const TlsSettings& settings);
  Status CheckFor(const std::string& host);

  ssl_ctx_st* context_ = nullptr;
  ssl_st* ssl_ = nullptr;
};

}  // namespace ramet::redis
