#include "ramet/ops/io/args.h"

namespace ramet {

StatusOr<std::string> StringArg(const Tensor& t, std::string_view name) {
  if (t.num_elements() == 1) return t.scalar<std::string>();
  return InvalidArgument(name, " must be a scalar, but has shape ", t.shape());
}

StatusOr<std::span<const std::string>> StringsArg(const Tensor& t, std::string_view name) {
  if (t.rank() <= 1) return t.flat<std::string>();
  return InvalidArgument(name, " must be a scalar or a vector, but has shape ", t.shape());
}

}  // namespace ramet
