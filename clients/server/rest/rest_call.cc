#include "rest/rest_call.h"

#include "json/json_text.h"
#include "rest/gzip.h"

namespace server {
namespace {

constexpr size_t kMinDeflatedBytes = 1024;

}  // namespace

int HttpStatusOf(ramet::Code code) {
  using ramet::Code;
  switch (code) {
    case Code::kOk: return 200;
    case Code::kInvalidArgument:
    case Code::kFailedPrecondition:
    case Code::kOutOfRange: return 400;
    case Code::kUnauthenticated: return 401;
    case Code::kPermissionDenied: return 403;
    case Code::kNotFound: return 404;
    case Code::kAlreadyExists:
    case Code::kAborted: return 409;
    case Code::kResourceExhausted: return 429;
    case Code::kCancelled: return 499;
    case Code::kUnimplemented: return 501;
    case Code::kUnavailable: return 503;
    case Code::kDeadlineExceeded: return 504;
    default: return 500;
  }
}

ramet::StatusOr<std::string_view> RestCall::Body() {
  if (request_.Header("Content-Encoding").find("gzip") == std::string_view::npos) {
    return std::string_view(request_.body);
  }
  RAMET_ASSIGN_OR_RETURN(inflated_, Inflate(request_.body));
  request_.body = std::string();
  return std::string_view(*inflated_);
}

void RestCall::Succeed(std::string json) { Send({.body = std::move(json)}); }

void RestCall::Fail(const ramet::Status& status) {
  record_.code = status.code();
  Send({.status = HttpStatusOf(status.code()), .body = ErrorBody(status.message())});
}

void RestCall::AddHeaders(HttpResponse* response) const {
  HttpHeaders& headers = response->headers;
  if (const auto& by = record_.answered_by) {
    headers.emplace_back("X-Ramet-Version", std::to_string(by->version));
    if (by->step) headers.emplace_back("X-Ramet-Step", std::to_string(*by->step));
    headers.emplace_back("X-Ramet-Proof", std::string(ramet::ProofName(by->proof)));
  }
  if (response->status == 503) headers.emplace_back("Retry-After", "1");
  if (context_.options.enable_cors) {
    headers.emplace_back("Access-Control-Allow-Origin", "*");
    headers.emplace_back("Access-Control-Allow-Methods", "POST, GET");
    headers.emplace_back("Access-Control-Allow-Headers", "Content-Type");
  }
}

void RestCall::Send(HttpResponse response) {
  record_.latency = std::chrono::steady_clock::now() - request_.received;
  if (counted_) context_.metrics->Record(record_);
  AddHeaders(&response);
  const bool deflate = response.body.size() >= kMinDeflatedBytes &&
                       request_.Header("Accept-Encoding").find("gzip") != std::string_view::npos;
  if (deflate) {
    response.body = Deflate(response.body);
    response.headers.emplace_back("Content-Encoding", "gzip");
    response.headers.emplace_back("Vary", "Accept-Encoding");
  }
  responder_(std::move(response));
}

}  // namespace server
