#include "ramet/graph/asset_paths.h"

#include "ramet/graph/graph_impl.h"

namespace ramet {

void SetAssetPath(const Output& tensor, std::string path) {
  if (tensor.op().type() != "Const" || tensor.shape() != Shape{}) return;
  GraphImpl& impl = tensor.graph()->impl();
  WriterLock lock(impl.mutex);
  impl.asset_paths[tensor.op().id()] = std::move(path);
}

}  // namespace ramet
