#include <cstdlib>

#include "ramet/replica/files/version_file.h"

// Any text that parses can be written and parsed again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ramet::files;
  const auto file = VersionFileFromText({reinterpret_cast<const char*>(data), size});
  if (!file.ok()) return 0;
  const auto again = VersionFileFromText(VersionFileToText(*file));
  if (!again.ok() || again->info.id.version != file->info.id.version ||
      again->signature.size() != file->signature.size()) {
    std::abort();
  }
  return 0;
}
