#pragma once

#include <cstdint>
#include <string>

#include "ramet/base/status.h"

namespace ramet {

// The functions that this thread is differentiating, and the work of its outermost call of
// Gradients(). The gradient of a loop or branch repeats the gradients of those inside it, so the
// work can grow much faster than the graph. It is limited in proportion to the functions' sizes.

// Marks a call of Gradients(). The outermost one starts a new account of the work.
class GradientsCall {
 public:
  GradientsCall();
  ~GradientsCall();
  GradientsCall(const GradientsCall&) = delete;
  GradientsCall& operator=(const GradientsCall&) = delete;
};

// Marks a function that is being differentiated.
class FunctionAtWork {
 public:
  explicit FunctionAtWork(const std::string& function);
  ~FunctionAtWork();
  FunctionAtWork(const FunctionAtWork&) = delete;
  FunctionAtWork& operator=(const FunctionAtWork&) = delete;

 private:
  const GradientsCall call_;
};

// Reports whether the function is being differentiated.
bool IsAtWork(const std::string& function);
// The number of functions that are being differentiated, each called by the previous one.
size_t NumFunctionsAtWork();

// Counts the nodes of a function's body, and raises the limit for a function that is new to the
// outermost one at work.
void CountBody(const std::string& function, int64_t nodes);
// Counts nodes that gradients added to a body.
void CountAdded(int64_t nodes);

// \error kResourceExhausted: too many nodes were counted. Names the outermost function.
Status CheckGradientWork();
// Checks that the function may be differentiated now.
// \error kResourceExhausted: it is at work already, calls are nested too deep, or there was too
//   much work.
Status CheckFunctionMayStart(const std::string& function);

}  // namespace ramet
