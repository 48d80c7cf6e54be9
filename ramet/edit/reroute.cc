#include "ramet/edit/reroute.h"

#include "ramet/edit/select.h"

namespace ramet {
namespace {

Status CheckSizes(const std::vector<Output>& a, const std::vector<Output>& b) {
  for (const std::vector<Output>* tensors : {&a, &b}) {
    for (const Output& t : *tensors) {
      if (!t.valid()) return InvalidArgument("a tensor to reroute is an invalid handle");
    }
  }
  if (a.size() == b.size()) return OkStatus();
  return InvalidArgument(a.size(), " tensors cannot replace ", b.size());
}

int Move(GraphPatch& patch, const std::vector<TensorReader>& readers, const Output& to,
         const RerouteOptions& options) {
  int changed = 0;
  for (const TensorReader& reader : readers) {
    if (options.can_modify && !options.can_modify(reader.op)) continue;
    patch.SetInput(reader.op, reader.index, to);
    ++changed;
  }
  return changed;
}

}  // namespace

StatusOr<int> Reroute(GraphPatch& patch, const std::vector<Output>& instead,
                      const std::vector<Output>& to_be_left, const RerouteOptions& options) {
  RAMET_RETURN_IF_ERROR(CheckSizes(instead, to_be_left));
  int changed = 0;
  for (size_t i = 0; i < instead.size(); ++i) {
    if (instead[i] == to_be_left[i]) continue;
    changed += Move(patch, ReadersOf(to_be_left[i]), instead[i], options);
  }
  return changed;
}

StatusOr<int> SwapReaders(GraphPatch& patch, const std::vector<Output>& a,
                          const std::vector<Output>& b, const RerouteOptions& options) {
  RAMET_RETURN_IF_ERROR(CheckSizes(a, b));
  int changed = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    changed += Move(patch, ReadersOf(a[i]), b[i], options);
    changed += Move(patch, ReadersOf(b[i]), a[i], options);
  }
  return changed;
}

}  // namespace ramet
