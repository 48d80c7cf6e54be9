#pragma once

namespace ramet::python {

// Sets the interpreter's error for the exception that is being handled. May only be called in a
// catch block. An exception that is not a Python error becomes the tf.errors class of its status.
void SetErrorOfException();

}  // namespace ramet::python
