#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

// A double of NVIDIA's driver, of NVRTC, of cuBLASLt and of cuDNN for tests on machines without a
// GPU. It is a shared library with the functions of cuda_api.h, cublas_lt_api.h and cudnn_api.h on
// host memory. Work of a stream runs late: when something waits for it. So a test fails if the
// driver above it forgets to wait.
namespace ramet::gpu::testing {

// An engine of the double of cuDNN.
struct FakeEngine {
  std::vector<int> notes = {};          // on its arithmetic
  size_t workspace_bytes = 0;           // which it overwrites
  bool is_fallback = false;             // advised by the heuristic of fallbacks only
  int status = 0;                       // of starting it
  int milliseconds = 0;                 // that it takes
  int channels_first_milliseconds = 0;  // that it takes if the channels of images come first
};

// The state of the double. A test sets it before the calls that it is about.
struct FakeCuda {
  int driver_version = 13000;
  int init_result = 0;
  int devices = 1;
  int arch = 90;
  size_t memory_bytes = size_t{256} << 20;
  int lost = 0;  // if not 0: the error that all calls return from now on
  int compiler_version = 12;
  int compiler_min_arch = 75;
  int compiler_max_arch = 90;
  int cublas_status = 0;              // of cublasLtCreate
  size_t cublas_workspace_bytes = 0;  // of the algorithms, which overwrite it
  int capture_result = 0;             // of cuStreamEndCapture
  int graph_launch_result = 0;        // of cuGraphLaunch
  int register_status = 0;            // of cuMemHostRegister
  bool has_read_only_register = true;
  bool has_read_only_access = true;  // of cuMemSetAccess
  bool can_share = true;             // memory between processes
  char uuid = 1;                     // tells the cards of a test apart
  int cudnn_status = 0;              // of cudnnCreate
  size_t cudnn_version = 91900;
  std::vector<FakeEngine> cudnn_engines = {{}};
  // Returns the work of a launch, from the addresses of its arguments.
  std::function<std::function<void()>(const std::string& kernel, void** arguments)> launch;

  // Objects that are not destroyed, and calls.
  int memories = 0, events = 0, streams = 0, modules = 0, host_memories = 0, graphs = 0;
  int launches = 0;  // of kernels that are not in graphs
  int captured = 0;  // kernels, products and convolutions
  int graph_launches = 0;
  int cublas_choices = 0;        // of algorithms
  int cublas_compute = 0;        // the compute type of the last product
  int registered = 0;            // ranges of host memory
  int shared = 0;                // handles of memory that can be shared
  int cudnn_graphs = 0;          // that were made
  int cudnn_objects = 0;         // that are not destroyed
  std::vector<int> cudnn_runs;   // the engines that were started
  int cudnn_channels_first = 0;  // how many of these had images with the channels first
  size_t bytes_in_use = 0;
  size_t bytes_copied_directly = 0;    // between the device and registered host memory
  size_t bytes_copied_in_between = 0;  // through a buffer, between the device and other host memory
  bool has_bad_access = false;         // work used memory that was freed, or no context was current
};

}  // namespace ramet::gpu::testing

// Returns the state, which the double exports.
extern "C" ramet::gpu::testing::FakeCuda* ramet_fake_cuda();
