#pragma once

#include <oneapi/dnnl/dnnl.h>

namespace ramet::linalg {

// The functions of oneDNN that linalg calls, without the prefix "dnnl_".
#define RAMET_ONEDNN_FUNCTIONS(X)                \
  X(sgemm)                                       \
  X(engine_create)                               \
  X(stream_create)                               \
  X(stream_destroy)                              \
  X(memory_create)                               \
  X(memory_destroy)                              \
  X(memory_set_data_handle)                      \
  X(memory_desc_init_by_strides)                 \
  X(memory_desc_init_by_tag)                     \
  X(memory_desc_equal)                           \
  X(memory_desc_get_size)                        \
  X(primitive_attr_create)                       \
  X(primitive_attr_destroy)                      \
  X(primitive_attr_set_scratchpad_mode)          \
  X(primitive_desc_create)                       \
  X(primitive_desc_destroy)                      \
  X(primitive_desc_query)                        \
  X(primitive_desc_query_md)                     \
  X(reorder_primitive_desc_create)               \
  X(primitive_create)                            \
  X(primitive_destroy)                           \
  X(primitive_execute)                           \
  X(dilated_convolution_forward_desc_init)       \
  X(dilated_convolution_backward_data_desc_init) \
  X(dilated_convolution_backward_weights_desc_init)

// oneDNN's functions as dnnl.h declares them. The library is opened on first use with local
// symbols, so that it does not interfere with another copy of oneDNN in the process.
struct OneDnn {
#define RAMET_ONEDNN_POINTER(name) decltype(&dnnl_##name) name = nullptr;
  RAMET_ONEDNN_FUNCTIONS(RAMET_ONEDNN_POINTER)
#undef RAMET_ONEDNN_POINTER
};

// Returns the functions. If there is no libdnnl.so.2, logs one warning and returns nullptr for the
// lifetime of the process. With RAMET_ONEDNN=0 in the environment, returns nullptr without a
// warning.
const OneDnn* LoadOneDnn();

}  // namespace ramet::linalg
