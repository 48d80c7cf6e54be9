#include "page/page.h"

#include <draw.h>
#include <openssl/sha.h>

#include <string_view>
#include <utility>

#include "json/base64.h"
#include "page/page_text.h"
#include "page/status_json.h"
#include "rest/rest_address.h"

namespace server {
namespace {

constexpr std::string_view kGraphPath = "/ramet/v1/graph/";

// Returns the text of the first element `tag`, which the policy allows by its hash.
std::string_view ElementText(std::string_view page, std::string_view tag) {
  const std::string open = ramet::StrCat("<", tag, ">"), close = ramet::StrCat("</", tag, ">");
  const size_t begin = page.find(open) + open.size();
  return page.substr(begin, page.find(close, begin) - begin);
}

std::string HashSource(std::string_view text) {
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash);
  std::string source = "'sha256-";
  AppendBase64({reinterpret_cast<const char*>(hash), sizeof hash}, &source);
  return source + "'";
}

std::string PagePolicy() {
  return ramet::StrCat("default-src 'none'; script-src ",
                       HashSource(ElementText(kPageText, "script")), "; style-src ",
                       HashSource(ElementText(kPageText, "style")),
                       "; img-src blob: data:; connect-src 'self'; base-uri 'none'; "
                       "form-action 'none'; frame-ancestors 'none'");
}

// Pictures keep their own styles, but may load and run nothing.
constexpr char kPicturePolicy[] = "default-src 'none'; style-src 'unsafe-inline'";

HttpHeaders Headers(const std::string& policy) {
  return {{"Content-Security-Policy", policy},
          {"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"},
          {"Cache-Control", "no-store"}};
}

}  // namespace

Page::Page(const ModelManager* manager, const ServingMetrics* metrics)
    : manager_(manager), policy_(PagePolicy()), history_(manager, metrics) {}

void Page::AddTo(FrontEnd* front_end) {
  front_end->ServePath("/", [this](const RestCallPtr& call) { AnswerPage(call); });
  front_end->ServePath("/ramet/v1/status", [this](const RestCallPtr& call) { AnswerStatus(call); });
  front_end->ServePath(std::string(kGraphPath),
                       [this](const RestCallPtr& call) { AnswerGraph(call); });
}

void Page::AnswerPage(const RestCallPtr& call) const {
  call->Send({.content_type = "text/html; charset=utf-8",
              .headers = Headers(policy_),
              .body = std::string(kPageText)});
}

void Page::AnswerStatus(const RestCallPtr& call) const {
  call->Send(
      {.headers = Headers(kPicturePolicy),
       .body = StatusJson(*manager_, history_, std::chrono::steady_clock::now() - started_)});
}

void Page::AnswerGraph(const RestCallPtr& call) const {
  std::string_view target = call->request().target;
  target = target.substr(0, target.find('?'));
  const auto version = manager_->Find({.name = DecodePercent(target.substr(kGraphPath.size()))});
  if (!version.ok()) return call->Fail(version.status());
  auto picture = DrawGraph(**version);
  if (!picture.ok()) return call->Fail(picture.status());
  call->Send({.content_type = "image/svg+xml",
              .headers = Headers(kPicturePolicy),
              .body = *std::move(picture)});
}

ramet::StatusOr<std::string> DrawGraph(const ModelVersion& version) {
  ramet::StatusOr<std::string> svg = ramet::NotFound("the model has no graph");
  version.UseGraph([&](const ramet::Graph& graph) {
    auto picture = draw::MakePicture(graph, {});
    if (!picture.ok()) {
      svg = picture.status();
      return;
    }
    draw::LayOut(&*picture);
    draw::PositionLabels(&*picture);
    svg = draw::ToSvg(*picture, version.model());
  });
  return svg;
}

}  // namespace server
