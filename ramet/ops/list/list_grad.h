#pragma once

#include "ramet/gradients/gradient_context.h"

namespace ramet::tensor_list {

// The gradient of a list is a list of the gradients of its elements.
Status PushBackGradient(GradientContext& c);
Status PopBackGradient(GradientContext& c);
Status GetItemGradient(GradientContext& c);
Status SetItemGradient(GradientContext& c);
Status ResizeGradient(GradientContext& c);
Status StackGradient(GradientContext& c);
Status FromTensorGradient(GradientContext& c);
Status GatherGradient(GradientContext& c);
Status ScatterGradient(GradientContext& c);
Status ScatterIntoExistingGradient(GradientContext& c);
Status ConcatGradient(GradientContext& c);
Status SplitGradient(GradientContext& c);

}  // namespace ramet::tensor_list
