#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ramet/backends/gpu/driver/cuda/cuda_api.h"
#include "ramet/base/status.h"

namespace ramet::gpu::cuda {
namespace api {

// Pointers to the functions of the driver.
struct Functions {
#define RAMET_CUDA_POINTER(name, symbol, parameters) Result(*name) parameters = nullptr;
  RAMET_CUDA_FUNCTIONS(RAMET_CUDA_POINTER)
  RAMET_CUDA_GRAPH_FUNCTIONS(RAMET_CUDA_POINTER)
  RAMET_CUDA_NEWER_FUNCTIONS(RAMET_CUDA_POINTER)
  RAMET_CUDA_ORDER_FUNCTIONS(RAMET_CUDA_POINTER)
#undef RAMET_CUDA_POINTER
  int version = 0;          // of CUDA that the driver supports: 12040 is 12.4
  bool has_graphs = false;  // the driver has the functions of graphs
};

}  // namespace api

// The oldest driver that Ramet runs on: CUDA 11.2.
inline constexpr int kMinDriverVersion = 11020;

// Opens the library of NVIDIA's driver, which stays open. Thread-safe.
// \error kNotFound: the library cannot be opened or lacks a function.
// \error kFailedPrecondition: the driver is too old.
StatusOr<std::unique_ptr<const api::Functions>> OpenLibrary(const std::string& file);

// Starts the driver, which may have been started before.
// \error kNotFound: no GPU was found.
// \error kFailedPrecondition: the driver cannot start.
Status Start(const api::Functions& cuda);

// Returns "12.4" for 12040.
std::string VersionText(int version);

// Returns an error for a result of a function of the driver; OK for CUDA_SUCCESS. `what` is the
// function.
// \error kResourceExhausted: the memory is full.
// \error kInvalidArgument: the driver cannot load a module.
// \error kNotFound: a module has no such kernel.
// \error kInternal: any other error. After some of them the process can no longer use the GPU; the
//   message says so.
Status StatusOfResult(const api::Functions& cuda, api::Result result, std::string_view what);

}  // namespace ramet::gpu::cuda
