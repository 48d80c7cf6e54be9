#pragma once

#include <ramet/ramet.h>

#include <string>

namespace example {

// Reports whether a device is a GPU: "/gpu:0", "/device:GPU:1".
bool IsGpu(const std::string& device);
// Checks that a session has a GPU if `device` is one.
// \error kNotFound: it has none. The message says how to try a GPU without having one.
ramet::Status CheckGpu(const ramet::Session& session, const std::string& device);

}  // namespace example
