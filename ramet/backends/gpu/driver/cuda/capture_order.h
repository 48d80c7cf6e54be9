#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ramet/backends/gpu/driver/cuda/cuda_context.h"

namespace ramet::gpu::cuda {

// A CaptureOrder says which elements of a graph follow which while a stream captures them. An
// element may be several nodes in a row, as of a library. With drivers before CUDA 12.3, each
// element follows the one before.
class CaptureOrder {
 public:
  // Both must outlive the object.
  CaptureOrder(const Context& context, api::Stream* stream) : context_(context), stream_(stream) {}

  // Makes the next element follow these, which are numbered from 0.
  // \error kInternal: an error of the driver, as for NoteElement.
  Status StartAfter(std::span<const uint32_t> elements);
  // Notes that the stream was given an element.
  Status NoteElement();

 private:
  // The nodes that come last in an element, and how work after it waits for them.
  struct Ends {
    std::vector<api::GraphNode*> nodes;
    std::vector<api::GraphEdge> edges;
  };

  bool has_order() const {
    return context_.cuda().StreamGetCaptureInfo != nullptr &&
           context_.cuda().StreamUpdateCaptureDependencies != nullptr;
  }

  const Context& context_;
  api::Stream* const stream_;
  std::vector<Ends> ends_;  // of each element
};

}  // namespace ramet::gpu::cuda
