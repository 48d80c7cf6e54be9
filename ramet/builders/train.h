#pragma once

// Training: optimizers and the global step.
//
// Hyperparameters of optimizers, such as learning rates, are numbers, or tensors (Output, Variable)
// of a floating dtype, which are cast to each variable's dtype. See tf.train's documentation for
// the formulas.

#include "ramet/builders/train/adagrad.h"
#include "ramet/builders/train/adam.h"
#include "ramet/builders/train/global_step.h"
#include "ramet/builders/train/gradient_descent.h"
#include "ramet/builders/train/momentum.h"
#include "ramet/builders/train/rms_prop.h"
