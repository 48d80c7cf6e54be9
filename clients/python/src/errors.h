#pragma once

namespace ramet::python {

// Sets the interpreter's error for the exception that is being handled. May only be called in a
// catch block. Other than Python errors become the tf.errors class of StatusOfException().
void SetErrorOfException();

}  // namespace ramet::python
