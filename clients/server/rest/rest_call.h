#pragma once

#include <ramet/ramet.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/http_message.h"
#include "log/request_log.h"
#include "metrics/serving_metrics.h"
#include "model/model_manager.h"

namespace server {

struct RestOptions {
  // A request may take this long from the time when its header has arrived.
  std::chrono::milliseconds timeout = std::chrono::seconds(30);
  bool enable_cors = false;
  int64_t max_tensor_elements = int64_t{1} << 28;
};

// The objects that the requests of a server share. Manager and metrics are never
// null.
struct RestContext {
  ModelManager* manager = nullptr;
  ServingMetrics* metrics = nullptr;
  RestOptions options = {};
  RequestLog* log = nullptr;  // null: requests are not logged
};

// Returns the status of HTTP for a code, as TensorFlow Serving chooses it.
int HttpStatusOf(ramet::Code code);

// A RestCall is a request that is being answered. The functions that continue it share it.
class RestCall {
 public:
  RestCall(const RestContext& context, HttpRequest request, HttpResponder responder)
      : context_(context), request_(std::move(request)), responder_(std::move(responder)) {}

  const RestContext& context() const { return context_; }
  const HttpRequest& request() const { return request_; }
  // Counts the request in the metrics with this record, once an API is set.
  RequestRecord& record() { return record_; }
  // `api` outlives the request.
  void Count(std::string_view api) {
    record_.api = api;
    counted_ = true;
  }
  // The time limit of requests, and a token that is cancelled when the client has gone.
  RunLimits Limits() const {
    return {.deadline = request_.received + context_.options.timeout,
            .cancellation = request_.cancellation};
  }
  // Returns the body, inflated if it is compressed. Valid as long as this object.
  // \error kInvalidArgument: the body cannot be inflated.
  ramet::StatusOr<std::string_view> Body();

  // Send the answer. Call one of them, once.
  void Succeed(std::string json);
  void Fail(const ramet::Status& status);
  void Send(HttpResponse response);

 private:
  void AddHeaders(HttpResponse* response) const;

  const RestContext& context_;
  HttpRequest request_;
  HttpResponder responder_;
  RequestRecord record_ = {.entrypoint = "REST"};
  bool counted_ = false;
  std::optional<std::string> inflated_ = {};
};

using RestCallPtr = std::shared_ptr<RestCall>;

}  // namespace server
