#pragma once

#include <cstdint>

#include "ramet/op/kernel.h"

// The mathematics of one step of an LSTM layer, for T = Half or float. Matrices are dense and
// row-major.

namespace ramet {

// The positions of the gates in the columns of the weights.
struct LstmGates {
  int input, candidate, forget, output;
};
inline constexpr LstmGates kLstmGates = {0, 1, 2, 3}, kLstmGatesV2 = {0, 2, 1, 3};

struct LstmSettings {
  LstmGates gates = kLstmGates;
  float forget_bias = 0;
  float cell_clip = 0;  // values of the cell are limited to [-cell_clip, cell_clip] if positive
  bool peephole = false;
};

struct LstmSizes {
  int64_t steps = 1, batch = 0, input = 0, cell = 0;

  int64_t inputs() const { return input + cell; }
  int64_t columns() const { return 4 * cell; }
  int64_t state() const { return batch * cell; }
};

// w is [input + cell, 4 * cell], b [4 * cell] and each peephole vector [cell].
template <class T>
struct LstmWeights {
  const T *w, *wci, *wcf, *wco, *b;
};

// The activations of one step, [batch, cell] each: gates, values of the cell, and the output h.
// P is T* or const T*.
template <class P>
struct LstmActivations {
  P i, cs, f, o, ci, co, h;

  LstmActivations At(int64_t offset) const {
    return {i + offset, cs + offset, f + offset, o + offset, ci + offset, co + offset, h + offset};
  }
};

// Computes the step of x [batch, input] after the state (cs_prev, h_prev). xh [batch, input + cell]
// and columns [batch, 4 * cell] are scratch memory.
template <class T>
void LstmForward(const LstmSettings& settings, const LstmSizes& sizes,
                 const LstmWeights<T>& weights, const T* x, const T* cs_prev, const T* h_prev,
                 T* xh, T* columns, const LstmActivations<T*>& out);

// The gradients of one step.
template <class T>
struct LstmBackward {
  const T *cs_grad, *h_grad;              // of the outputs; [batch, cell]
  T *columns, *cs_prev_grad;              // of the gates before their activation; of cs_prev
  float *wci_grad, *wcf_grad, *wco_grad;  // added to, with peepholes; [cell]
};

template <class T>
void LstmBackprop(const LstmSettings& settings, const LstmSizes& sizes,
                  const LstmWeights<T>& weights, const T* cs_prev,
                  const LstmActivations<const T*>& step, const LstmBackward<T>& gradients);

// Concatenates the rows of x [rows, m] and y [rows, n].
template <class T>
void JoinRows(int64_t rows, const T* x, int64_t m, const T* y, int64_t n, T* out);

// Checks that `t` has rank `rank`.
// \error kInvalidArgument: "x must be 3D".
Status CheckRank(const Tensor& t, const char* name, int rank);
// Checks a dimension.
// \error kInvalidArgument: "w.dim_size(0) != input_size + cell_size: 6 vs. 7".
Status CheckSize(const Tensor& t, const char* dim, int i, const char* what, int64_t expected);

}  // namespace ramet
