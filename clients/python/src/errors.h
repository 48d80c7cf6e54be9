#pragma once

namespace ramet::python {

// Sets the interpreter's error to that of the exception being handled; to be called within a catch
// block only. What is not a Python error becomes the tf.errors class of StatusOfException().
void SetErrorOfException();

}  // namespace ramet::python
