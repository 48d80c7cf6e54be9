#include "ramet/format/table_format.h"

#include "ramet/base/coding.h"

namespace ramet {

bool BlockHandle::TakeFrom(std::string_view* bytes) {
  return TakeVarint64(bytes, &offset) && TakeVarint64(bytes, &size);
}

StatusOr<Footer> Footer::Decode(std::string_view bytes, uint64_t offset) {
  std::string_view handles = bytes.substr(0, kBytes - sizeof(kTableMagic));
  if (DecodeFixed64(bytes.data() + handles.size()) != kTableMagic) {
    return DataLoss("not an sstable (bad magic number)");
  }
  Footer footer;
  if (!footer.metaindex.TakeFrom(&handles) || !footer.index.TakeFrom(&handles)) {
    return DataLoss("bad block handle in the footer at offset ", offset);
  }
  return footer;
}

}  // namespace ramet
