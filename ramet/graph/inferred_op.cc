#include "ramet/graph/inferred_op.h"

namespace ramet {

std::vector<DType> GuessOutputTypes(const AttrMap& attrs, int num_outputs) {
  const size_t n = static_cast<size_t>(num_outputs);
  const DType* only = nullptr;
  int type_attrs = 0;
  for (const auto& [name, attr] : attrs) {
    if (name.starts_with('_')) continue;
    if (const auto* list = attr.get<std::vector<DType>>(); list && !list->empty()) {
      if (list->size() == n) return *list;
    }
    if (const DType* t = attr.get<DType>()) {
      only = t;
      ++type_attrs;
    }
  }
  for (const char* name : {"Tout", "out_type", "DstT", "dtype", "T"}) {
    const Attr* attr = attrs.Find(name);
    if (const DType* t = attr ? attr->get<DType>() : nullptr) return std::vector<DType>(n, *t);
  }
  return std::vector<DType>(n, type_attrs == 1 ? *only : DType::kInvalid);
}

}  // namespace ramet
