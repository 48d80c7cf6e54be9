#pragma once

#include <ramet/ramet.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "http/http_message.h"
#include "rest/rest_call.h"

namespace server {

// Answers a request to a path of its own.
using PathHandler = std::function<void(const RestCallPtr&)>;

// A FrontEnd answers all HTTP requests of the server: TensorFlow Serving's REST API, the Open
// Inference Protocol, health, metrics and further paths. Thread-safe after it is set up.
class FrontEnd {
 public:
  // The pointers in `context` must outlive this object and its requests.
  explicit FrontEnd(const RestContext& context) : context_(context) {}

  // Answers Prometheus' requests at `path`. TensorFlow Serving's path is
  // /monitoring/prometheus/metrics.
  void ServeMetrics(const std::string& path);
  // Answers GET requests whose path is `path`, or begins with it if it ends with '/'.
  void ServePath(std::string path, PathHandler handler);
  // Answers one request.
  void Handle(HttpRequest request, HttpResponder responder) const;

 private:
  const PathHandler* FindPath(std::string_view path) const;
  void AnswerOther(std::string_view path, const RestCallPtr& call) const;

  const RestContext context_;
  std::map<std::string, PathHandler, std::less<>> paths_ = {};
};

}  // namespace server
