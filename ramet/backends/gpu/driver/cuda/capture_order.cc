#include "ramet/backends/gpu/driver/cuda/capture_order.h"

namespace ramet::gpu::cuda {

Status CaptureOrder::StartAfter(std::span<const uint32_t> elements) {
  if (!has_order()) return OkStatus();
  Ends all;
  for (const uint32_t element : elements) {
    const auto& [nodes, edges] = ends_[element];
    all.nodes.insert(all.nodes.end(), nodes.begin(), nodes.end());
    all.edges.insert(all.edges.end(), edges.begin(), edges.end());
  }
  const Scope scope(context_);
  return StatusOfResult(context_.cuda(),
                        context_.cuda().StreamUpdateCaptureDependencies(
                            stream_, all.nodes.data(), all.edges.data(), all.nodes.size(),
                            unsigned{api::k_CU_STREAM_SET_CAPTURE_DEPENDENCIES}),
                        "cuStreamUpdateCaptureDependencies");
}

Status CaptureOrder::NoteElement() {
  if (!has_order()) return OkStatus();
  int status = 0;
  api::GraphNode* const* nodes = nullptr;
  const api::GraphEdge* edges = nullptr;
  size_t count = 0;
  const Scope scope(context_);
  RAMET_RETURN_IF_ERROR(
      StatusOfResult(context_.cuda(),
                     context_.cuda().StreamGetCaptureInfo(stream_, &status, nullptr, nullptr,
                                                          &nodes, &edges, &count),
                     "cuStreamGetCaptureInfo"));
  Ends& ends = ends_.emplace_back();
  ends.nodes.assign(nodes, nodes + count);
  ends.edges.assign(count, {});
  if (edges != nullptr) ends.edges.assign(edges, edges + count);
  return OkStatus();
}

}  // namespace ramet::gpu::cuda
