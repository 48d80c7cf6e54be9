#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "npz.h"

namespace {

// Returns the path of the input file, in a memory file system if there is one.
std::string InputPath() {
  static const std::string folder = [] {
    std::string name = "/dev/shm/npz_fuzz_XXXXXX";
    if (mkdtemp(name.data()) != nullptr) return name;
    name = "/tmp/npz_fuzz_XXXXXX";
    if (mkdtemp(name.data()) == nullptr) std::abort();
    return name;
  }();
  return folder + "/input.npz";
}

}  // namespace

// The input is a whole file. If it can be opened, all its members are read.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string path = InputPath();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  auto reader = cli::NpzReader::Open(path);
  if (!reader.ok()) return 0;
  std::set<std::string> names;
  for (const cli::NpzMember& member : reader->members()) {
    if (!names.insert(member.name).second) std::abort();
    auto tensor = reader->Read(member.name);
    if (tensor.ok() && (tensor->dtype() != member.dtype || tensor->shape() != member.shape)) {
      std::abort();
    }
  }
  return 0;
}
