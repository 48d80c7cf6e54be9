#include "rest/front_end.h"

#include "config/ascii_case.h"
#include "rest/tfs_api.h"
#include "rest/v2_api.h"

namespace server {
namespace {

constexpr std::string_view kNotFoundPage =
    "<!DOCTYPE html>\n<html lang=\"en\"><title>404 Not Found</title><h1>Not Found</h1>\n"
    "<p>The models are under <a href=\"/v1/models\">/v1/models</a> and /v2/models.</p></html>\n";

bool IsUnder(std::string_view path, std::string_view root) {
  return path.size() >= root.size() && EqualsIgnoringCase(path.substr(0, root.size()), root) &&
         (path.size() == root.size() || path[root.size()] == '/');
}

void SendHealth(bool healthy, RestCall* call) {
  call->Send({.status = healthy ? 200 : 503,
              .content_type = "text/plain",
              .body = healthy ? "ok\n" : "not ready\n"});
}

}  // namespace

void FrontEnd::ServePath(std::string path, PathHandler handler) {
  paths_[std::move(path)] = std::move(handler);
}

void FrontEnd::ServeMetrics(const std::string& path) {
  ServePath(path, [](const RestCallPtr& call) {
    call->Send({.content_type = "text/plain; version=0.0.4; charset=utf-8",
                .body = call->context().metrics->registry.Text()});
  });
}

const PathHandler* FrontEnd::FindPath(std::string_view path) const {
  const auto exact = paths_.find(path);
  if (exact != paths_.end()) return &exact->second;
  for (const auto& [prefix, handler] : paths_) {
    if (prefix.size() > 1 && prefix.ends_with('/') && path.starts_with(prefix)) return &handler;
  }
  return nullptr;
}

void FrontEnd::AnswerOther(std::string_view path, const RestCallPtr& call) const {
  const std::string& method = call->request().method;
  const bool get = method == "GET" || method == "HEAD";
  if (get && (path == "/healthz" || path == "/livez")) return SendHealth(true, call.get());
  if (get && path == "/readyz") return SendHealth(context_.manager->Ready(), call.get());
  const PathHandler* const handler = get ? FindPath(path) : nullptr;
  if (handler != nullptr) return (*handler)(call);
  call->Send({.status = 404, .content_type = "text/html", .body = std::string(kNotFoundPage)});
}

void FrontEnd::Handle(HttpRequest request, HttpResponder responder) const {
  const auto call = std::make_shared<RestCall>(context_, std::move(request), std::move(responder));
  const std::string_view target = call->request().target;
  const std::string_view path = target.substr(0, target.find('?'));
  if (IsUnder(path, "/v1")) return AnswerTfs(call);
  if (IsUnder(path, "/v2")) return AnswerV2(call);
  AnswerOther(path, call);
}

}  // namespace server
