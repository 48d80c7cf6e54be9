#pragma once

#include <cstddef>
#include <cstdint>

#include "ramet/backends/gpu/driver/cuda/cuda_api.h"

// The part of cuDNN's backend API that Ramet uses. cudnn_api_test.cc compares it with cuDNN's
// headers where they are installed. Source: the cuDNN reference, versions 8.3 to 9.
namespace ramet::gpu::cudnn::api {

using Status = int;  // 0 is success
struct Handle;
using Descriptor = void*;

// Calls define(name, value) for each constant.
// clang-format off
#define RAMET_CUDNN_CONSTANTS(define) \
  define(CUDNN_STATUS_SUCCESS, 0) \
  define(CUDNN_DATA_FLOAT, 0) \
  define(CUDNN_DATA_DOUBLE, 1) \
  define(CUDNN_DATA_HALF, 2) \
  define(CUDNN_DATA_BFLOAT16, 9) \
  define(CUDNN_CROSS_CORRELATION, 1) \
  define(CUDNN_HEUR_MODE_FALLBACK, 2) \
  define(CUDNN_HEUR_MODE_A, 3) \
  define(CUDNN_NUMERICAL_NOTE_TENSOR_CORE, 0) \
  define(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS, 1) \
  define(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION, 2) \
  define(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC, 4) \
  define(CUDNN_TYPE_HANDLE, 0) \
  define(CUDNN_TYPE_DATA_TYPE, 1) \
  define(CUDNN_TYPE_INT64, 3) \
  define(CUDNN_TYPE_FLOAT, 4) \
  define(CUDNN_TYPE_DOUBLE, 5) \
  define(CUDNN_TYPE_VOID_PTR, 6) \
  define(CUDNN_TYPE_CONVOLUTION_MODE, 7) \
  define(CUDNN_TYPE_HEUR_MODE, 8) \
  define(CUDNN_TYPE_NUMERICAL_NOTE, 11) \
  define(CUDNN_TYPE_BACKEND_DESCRIPTOR, 15) \
  define(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, 1) \
  define(CUDNN_BACKEND_ENGINE_DESCRIPTOR, 2) \
  define(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, 3) \
  define(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, 4) \
  define(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, 5) \
  define(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, 10) \
  define(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR, 11) \
  define(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR, 12) \
  define(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, 15) \
  define(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, 16) \
  define(CUDNN_BACKEND_TENSOR_DESCRIPTOR, 17) \
  define(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, 100) \
  define(CUDNN_ATTR_CONVOLUTION_CONV_MODE, 101) \
  define(CUDNN_ATTR_CONVOLUTION_DILATIONS, 102) \
  define(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, 103) \
  define(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, 104) \
  define(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, 105) \
  define(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, 106) \
  define(CUDNN_ATTR_ENGINEHEUR_MODE, 200) \
  define(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, 201) \
  define(CUDNN_ATTR_ENGINEHEUR_RESULTS, 202) \
  define(CUDNN_ATTR_ENGINECFG_ENGINE, 300) \
  define(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, 400) \
  define(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, 401) \
  define(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, 402) \
  define(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 700) \
  define(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 701) \
  define(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, 702) \
  define(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, 703) \
  define(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, 704) \
  define(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, 705) \
  define(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, 706) \
  define(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, 707) \
  define(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, 708) \
  define(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, 709) \
  define(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, 710) \
  define(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, 711) \
  define(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, 712) \
  define(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA, 713) \
  define(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, 714) \
  define(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, 715) \
  define(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, 716) \
  define(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, 717) \
  define(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, 800) \
  define(CUDNN_ATTR_OPERATIONGRAPH_OPS, 801) \
  define(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, 900) \
  define(CUDNN_ATTR_TENSOR_DATA_TYPE, 901) \
  define(CUDNN_ATTR_TENSOR_DIMENSIONS, 902) \
  define(CUDNN_ATTR_TENSOR_STRIDES, 903) \
  define(CUDNN_ATTR_TENSOR_UNIQUE_ID, 906) \
  define(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, 1000) \
  define(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, 1001) \
  define(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, 1003) \
  define(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, 1301) \
  define(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, 1303)
// clang-format on

#define RAMET_CUDNN_CONSTANT(name, value) inline constexpr int k_##name = value;
RAMET_CUDNN_CONSTANTS(RAMET_CUDNN_CONSTANT)
#undef RAMET_CUDNN_CONSTANT

// Calls declare(result, name, parameters) for each function; the library's names begin with cudnn.
// clang-format off
#define RAMET_CUDNN_FUNCTIONS(declare) \
  declare(size_t, GetVersion, ()) \
  declare(const char*, GetErrorString, (Status)) \
  declare(Status, Create, (Handle**)) \
  declare(Status, Destroy, (Handle*)) \
  declare(Status, SetStream, (Handle*, cuda::api::Stream*)) \
  declare(Status, BackendCreateDescriptor, (int, Descriptor*)) \
  declare(Status, BackendDestroyDescriptor, (Descriptor)) \
  declare(Status, BackendFinalize, (Descriptor)) \
  declare(Status, BackendSetAttribute, (Descriptor, int, int, int64_t, const void*)) \
  declare(Status, BackendGetAttribute, (Descriptor, int, int, int64_t, int64_t*, void*)) \
  declare(Status, BackendExecute, (Handle*, Descriptor, Descriptor))
// clang-format on

// Pointers to the functions.
struct Functions {
#define RAMET_CUDNN_POINTER(result, name, parameters) result(*name) parameters = nullptr;
  RAMET_CUDNN_FUNCTIONS(RAMET_CUDNN_POINTER)
#undef RAMET_CUDNN_POINTER
};

}  // namespace ramet::gpu::cudnn::api
