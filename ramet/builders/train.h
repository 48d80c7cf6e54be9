#pragma once

// Training: optimizers and the global step.

#include "ramet/builders/train/global_step.h"
#include "ramet/builders/train/optimizers.h"
