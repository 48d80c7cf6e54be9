#pragma once

#include <ramet/ramet.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "http/http_message.h"

namespace server {

// PEM files. With a CA, clients must show a certificate that it has signed.
struct TlsFiles {
  std::string certificate_chain = {};
  std::string private_key = {};
  std::string client_ca = {};  // empty: clients need no certificate
};

// The resources that clients may use. A client that exceeds a limit gets an error, and its
// connection is closed.
struct HttpLimits {
  size_t max_connections = 20'000;
  size_t max_header_bytes = 32 << 10;
  uint64_t max_body_bytes = 1ull << 30;
  // Limits all bodies together, received and to be sent. Further requests get the status 503.
  uint64_t max_buffered_bytes = 4ull << 30;
  std::chrono::milliseconds header_time = std::chrono::seconds(10);  // also of a TLS handshake
  std::chrono::milliseconds idle_time = std::chrono::minutes(10);
  // A body, or an answer, may take this time and one second per `min_bytes_per_second`.
  std::chrono::milliseconds body_time = std::chrono::seconds(30);
  uint64_t min_bytes_per_second = 64 << 10;
};

struct HttpServerOptions {
  // "127.0.0.1:8501", "[::1]:8501" or "unix:/run/ramet.sock". "*:8501" is every interface. Port 0
  // chooses a free port.
  std::vector<std::string> addresses = {"127.0.0.1:0"};
  // The largest number of threads; 0: 4 per processor. One thread per processor, and at least 2,
  // serve all requests. The others help while those run requests that take long.
  int threads = 0;
  std::optional<TlsFiles> tls = {};
  HttpLimits limits = {};
  HttpAdmission admission = nullptr;  // null: every request is admitted
};

class HttpServerState;

// An HttpServer answers HTTP/1.1 requests with a handler. The handler runs in the thread that has
// read the request and may block. Thread-safe.
class HttpServer {
 public:
  // Listens and starts the threads.
  // \error kInvalidArgument: an address or a TLS file is malformed.
  // \error kNotFound: a TLS file cannot be read.
  // \error kUnavailable: an address cannot be bound.
  static ramet::StatusOr<std::unique_ptr<HttpServer>> Start(const HttpServerOptions& options,
                                                            HttpHandler handler);
  // Ends all connections.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Returns the port of each address of the options; 0 for a Unix socket.
  const std::vector<int>& ports() const { return ports_; }
  size_t connections() const;
  // Stops listening, answers the requests that clients have sent, closes connections, and returns
  // when there are none or `time` has passed. Then ends the threads. Later calls do nothing.
  void Drain(std::chrono::milliseconds time);

 private:
  HttpServer(std::shared_ptr<HttpServerState> state, std::vector<int> ports)
      : state_(std::move(state)), ports_(std::move(ports)) {}

  std::shared_ptr<HttpServerState> state_;
  std::vector<int> ports_;
};

}  // namespace server
