#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>

#include "rest/rest_testing.h"

namespace {

server::Signatures MakeSignatures() {
  server::Signatures signatures;
  signatures["serving_default"] = server::EchoSignature({{"x", ramet::kFloat}});
  signatures["pair"] = server::EchoSignature({{"a", ramet::kInt32}, {"b", ramet::kString}});
  signatures["bytes"] = server::EchoSignature({{"s", ramet::kString}}, "_bytes");
  ramet::Signature regress;
  regress.method_name = ramet::saved_model_keys::kRegressMethod;
  regress.inputs["inputs"] = {.name = "in:0", .dtype = ramet::kString};
  regress.outputs["outputs"] = {.name = "in:0", .dtype = ramet::kString};
  signatures["regress"] = regress;
  return signatures;
}

server::TestFrontEnd& FrontEnd() {
  static auto* const front_end = [] {
    auto* made = new server::TestFrontEnd({.max_tensor_elements = 10'000});
    server::AddEcho(&made->manager, "m", 1, MakeSignatures());
    return made;
  }();
  return *front_end;
}

}  // namespace

// The first byte chooses the address, or that the first line is the target; the rest is the body.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  constexpr const char* kTargets[] = {"/v1/models/m:predict", "/v1/models/m:classify",
                                      "/v1/models/m:regress", "/v2/models/m/infer"};
  const size_t choice = data[0] % 8;
  std::string body(reinterpret_cast<const char*>(data) + 1, size - 1);
  server::HttpRequest request = {.method = "POST"};
  if (choice < std::size(kTargets)) {
    request.target = kTargets[choice];
  } else {
    const size_t line = body.find('\n');
    request.method = choice == 4 ? "GET" : choice == 5 ? "OPTIONS" : "POST";
    request.target = "/" + body.substr(0, line);
    body = line == std::string::npos ? "" : body.substr(line + 1);
    if (choice == 6) request.headers.emplace_back("Content-Encoding", "gzip");
  }
  if (choice == 3 && size > 2) {
    request.headers.emplace_back("Inference-Header-Content-Length",
                                 std::to_string(data[1] * data[2] % size));
  }
  request.body = std::move(body);
  if (FrontEnd().Ask(std::move(request)).status == 0) std::abort();
  return 0;
}
