#pragma once

#include <ramet/ramet.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace server {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method = {};  // "GET"
  std::string target = {};  // "/v1/models/m?x=1", as the client sent it
  HttpHeaders headers = {};
  std::string body = {};
  std::chrono::steady_clock::time_point received = {};  // when the header was complete
  // Is cancelled when the client closes the connection before the answer. May be null.
  std::shared_ptr<ramet::CancellationToken> cancellation = {};

  // Returns the value of a header, or "" if it is absent. `name` is in any case.
  std::string_view Header(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  HttpHeaders headers = {};
  std::string body = {};
};

// A connection that waits for the answer to its request.
class AnsweredConnection {
 public:
  virtual ~AnsweredConnection() = default;
  virtual void Answer(HttpResponse response) = 0;
};

// An HttpResponder sends the answer to one request. Call it once, in any thread. If it is destroyed
// unused, the client gets the status 500.
class HttpResponder {
 public:
  explicit HttpResponder(std::shared_ptr<AnsweredConnection> connection)
      : connection_(std::move(connection)) {}
  HttpResponder(HttpResponder&&) = default;
  HttpResponder& operator=(HttpResponder&&) = delete;
  ~HttpResponder();
  void operator()(HttpResponse response);

 private:
  std::shared_ptr<AnsweredConnection> connection_;
};

// Answers a request, in the thread that has read it or, later, in a different one.
using HttpHandler = std::function<void(HttpRequest, HttpResponder)>;
// Returns an answer if the request, whose body has not been read yet, is to be refused.
using HttpAdmission = std::function<std::optional<HttpResponse>(const HttpRequest&)>;

}  // namespace server
