#pragma once

#include "ramet/op/kernel.h"

namespace ramet::tensor_array {

// The kernels of the TensorArray ops. Input 0 is the handle in any of its three forms (V3: a
// resource; V2: its name; V1: a reference to its name). The kernels ignore the flow.
StatusOr<std::unique_ptr<Kernel>> MakeArray(const KernelNode& node);
// Inputs: the array and its flow; for GradWithShape also the dimensions to prepend to those of the
// elements.
StatusOr<std::unique_ptr<Kernel>> MakeGradient(const KernelNode& node);
Status Write(KernelContext& c);                                      // handle, index, value, flow
Status Scatter(KernelContext& c);                                    // handle, indices, value, flow
Status Unpack(KernelContext& c);                                     // handle, value, flow
Status Split(KernelContext& c);                                      // handle, value, lengths, flow
StatusOr<std::unique_ptr<Kernel>> MakeRead(const KernelNode& node);  // handle, index, flow
StatusOr<std::unique_ptr<Kernel>> MakeGather(const KernelNode& node);  // handle, indices, flow
StatusOr<std::unique_ptr<Kernel>> MakePack(const KernelNode& node);    // handle, flow
StatusOr<std::unique_ptr<Kernel>> MakeConcat(const KernelNode& node);  // handle, flow
Status Size(KernelContext& c);
Status Close(KernelContext& c);

}  // namespace ramet::tensor_array
