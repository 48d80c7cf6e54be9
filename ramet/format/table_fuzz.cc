#include "ramet/format/fuzz_testing.h"
#include "ramet/format/table_reader.h"

// The first byte selects what the rest is: a whole file, or a plain or compressed block of a file
// with correct checksums.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ramet;
  if (size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const int kind = data[0] % 3;
  const std::string file =
      kind == 0 ? rest : table_testing::TableOf(rest, static_cast<char>(kind - 1));
  const std::string path = fuzz_testing::WriteInput("table", file);
  StatusOr<TableReader> reader = TableReader::Open(path);
  if (!reader.ok()) return 0;
  std::string last;
  while (reader->valid()) {
    if (!last.empty() && reader->key() <= last) std::abort();
    last = reader->key();
    if (!reader->Next().ok()) return 0;
  }
  if (last.empty()) return 0;
  if (!reader->Seek(last).ok() || !reader->valid() || reader->key() != last) std::abort();
  return 0;
}
