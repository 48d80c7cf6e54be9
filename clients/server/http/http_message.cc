#include "http/http_message.h"

#include "config/ascii_case.h"
#include "json/json_text.h"

namespace server {

std::string_view HttpRequest::Header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (EqualsIgnoringCase(key, name)) return value;
  }
  return {};
}

HttpResponder::~HttpResponder() {
  if (connection_ == nullptr) return;
  (*this)({.status = 500, .body = ErrorBody("The request was dropped by an internal error.")});
}

void HttpResponder::operator()(HttpResponse response) {
  if (connection_ == nullptr) return;
  const std::shared_ptr<AnsweredConnection> connection = std::move(connection_);
  connection_ = nullptr;
  connection->Answer(std::move(response));
}

}  // namespace server
