#pragma once

#include "ramet/ramet.h"

namespace ramet::python {

// Sets the interpreter's error for the exception that is being handled. May only be called in a
// catch block. An exception that is not a Python error becomes the tf.errors class of its status.
void SetErrorOfException();

// Returns the status without the source line of the library that created it ("add_op.cc:253: ").
Status WithoutSourceLine(const Status& status);

}  // namespace ramet::python
