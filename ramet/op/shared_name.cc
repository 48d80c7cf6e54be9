#include "ramet/op/shared_name.h"

#include <atomic>

#include "ramet/base/strings.h"

namespace ramet {
namespace {

std::string PrivateName(std::string_view node) {
  static std::atomic<int64_t> made = 0;
  return StrCat("_", made++, "_", node);
}

}  // namespace

SharedName SharedNameOf(const KernelNode& node, bool by_node_name) {
  SharedName shared = {node.attrs->GetOr<std::string>("container", ""),
                       node.attrs->GetOr<std::string>("shared_name", "")};
  if (shared.container.empty()) shared.container = "localhost";
  if (shared.name.empty()) shared.name = by_node_name ? node.name : PrivateName(node.name);
  return shared;
}

}  // namespace ramet
