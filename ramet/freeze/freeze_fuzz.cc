// Parses arbitrary bytes as a GraphDef and prepares it for inference. Nothing may crash, hang or
// use unbounded memory.

#include "ramet/base/log.h"
#include "ramet/freeze/freeze.h"

using namespace ramet;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  SetLogLevel(LogLevel::kOff);
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  if (auto plain = RemoveTrainingNodes(bytes); plain.ok()) (void)ReplaceVariables(*plain, {});
  (void)ExtractSubGraph(bytes, {"a"});
  return 0;
}
