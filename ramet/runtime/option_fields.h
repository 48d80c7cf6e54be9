#pragma once

#include "ramet/runtime/session.h"

namespace ramet {

// Calls fn(name, member) for each member of `options`. Bindings set options by name through this
// table. Fields of ConfigProto have the same names, where there are such fields.
template <class Fn>
void ForEachOption(SessionOptions& options, Fn&& fn) {
  fn("device_count", options.device_count);
  fn("intra_op_parallelism_threads", options.intra_op_parallelism_threads);
  fn("inter_op_parallelism_threads", options.inter_op_parallelism_threads);
  fn("allow_soft_placement", options.allow_soft_placement);
  fn("log_device_placement", options.log_device_placement);
  fn("deterministic", options.deterministic);
  fn("disabled_passes", options.disabled_passes);
  fn("per_process_gpu_memory_fraction", options.gpu_options.per_process_gpu_memory_fraction);
  fn("allow_growth", options.gpu_options.allow_growth);
  fn("visible_device_list", options.gpu_options.visible_device_list);
  fn("operation_timeout_in_ms", options.operation_timeout_in_ms);
}

}  // namespace ramet
