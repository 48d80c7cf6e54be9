#pragma once

#include <cstdint>
#include <functional>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <vector>

namespace floors {

using dnnl::memory;

// Returns the description of float32 data in a layout that oneDNN chooses, or in rows.
memory::desc Any(const memory::dims& dims);
memory::desc Plain(const memory::dims& dims);
// Returns an element-wise op that a primitive applies to its result.
dnnl::post_ops Eltwise(dnnl::algorithm algorithm);

// A Sequence is a list of primitives that run one after the other. Each method adds a layer that
// reads `at()`, the output of the layer before. With `training`, it also adds the primitives of the
// gradient; they read the values of the forward pass and gradients of their own.
class Sequence {
 public:
  // `input` is the shape of the input: NCHW for images, which are in memory as NHWC.
  Sequence(const memory::dims& input, bool training);

  // `first` layers need no gradient of their input, and choose its layout.
  void Convolve(int64_t channels, int64_t size, int64_t stride, bool bias_relu, bool first = false);
  void Normalize(bool relu);
  void Pool();
  void Dense(int64_t columns, dnnl::post_ops post = {}, bool first = false);
  void Add(const memory& other);
  void Softmax();
  void LayerNorm();
  void BatchedProduct(const memory& b, const memory::dims& dims);
  // Updates as many parameters as the layers have, with momentum (1 slot) or Adam (2 slots).
  void Update(int slots);

  const memory& at() const { return at_; }
  void set_at(const memory& at) { at_ = at; }
  // Views the output as another shape of the same size, in plain layout.
  void Reshape(const memory::dims& dims) { at_ = New(Plain(dims)); }
  // Returns new memory filled with a small number.
  memory New(const memory::desc& desc);
  void Run() {
    for (const auto& step : steps_) step();
  }

 private:
  using Args = std::unordered_map<int, memory>;

  template <typename Primitive>
  void Step(const typename Primitive::primitive_desc& pd, Args args) {
    args[DNNL_ARG_SCRATCHPAD] = New(pd.scratchpad_desc());
    steps_.push_back([this, primitive = Primitive(pd), args] { primitive.execute(stream_, args); });
  }
  void ConvolveBack(const dnnl::convolution_forward::primitive_desc& forward, const memory& x,
                    const memory::dims& strides, const memory::dims& before,
                    const memory::dims& after, bool bias, bool first);

  bool training_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::vector<std::function<void()>> steps_;
  memory at_;
  int64_t parameters_ = 0;
};

}  // namespace floors
