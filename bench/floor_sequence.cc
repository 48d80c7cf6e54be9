#include "floor_sequence.h"

#include <algorithm>
#include <cmath>

namespace floors {

using dnnl::prop_kind;

namespace {

using Tag = dnnl::memory::format_tag;
constexpr auto kF32 = memory::data_type::f32;

dnnl::primitive_attr Attributes(const dnnl::post_ops& post = {}) {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attr.set_post_ops(post);
  return attr;
}

float* Floats(const memory& m) { return static_cast<float*>(m.get_data_handle()); }

}  // namespace

memory::desc Any(const memory::dims& dims) { return {dims, kF32, Tag::any}; }

memory::desc Plain(const memory::dims& dims) {
  constexpr Tag kTags[] = {Tag::a, Tag::ab, Tag::abc, Tag::abcd};
  return {dims, kF32, kTags[dims.size() - 1]};
}

Sequence::Sequence(const memory::dims& input, bool training) : training_(training) {
  at_ = New(input.size() == 4 ? memory::desc(input, kF32, Tag::nhwc) : Plain(input));
}

memory Sequence::New(const memory::desc& desc) {
  memory m(desc, engine_);
  if (desc.data.data_type == dnnl_f32) {
    std::fill_n(Floats(m), desc.get_size() / sizeof(float), 0.01f);
  } else if (desc.get_size() > 0) {
    std::fill_n(static_cast<char*>(m.get_data_handle()), desc.get_size(), 0);
  }
  return m;
}

dnnl::post_ops Eltwise(dnnl::algorithm algorithm) {
  dnnl::post_ops post;
  post.append_eltwise(1.0f, algorithm, 0.0f, 0.0f);
  return post;
}

void Sequence::Convolve(int64_t channels, int64_t size, int64_t stride, bool bias_relu,
                        bool first) {
  const memory::dims in = at_.get_desc().dims();
  const int64_t height = (in[2] + stride - 1) / stride, width = (in[3] + stride - 1) / stride;
  const int64_t padding = std::max<int64_t>(0, (height - 1) * stride + size - in[2]);
  const memory::dims strides = {stride, stride}, before = {padding / 2, padding / 2};
  const memory::dims after = {padding - padding / 2, padding - padding / 2};
  const memory::dims weights = {channels, in[1], size, size},
                     out = {in[0], channels, height, width};
  const auto kind = training_ ? prop_kind::forward_training : prop_kind::forward_inference;
  const auto bias = bias_relu ? Plain({channels}) : memory::desc();
  const dnnl::convolution_forward::desc desc(kind, dnnl::algorithm::convolution_direct,
                                             first ? Any(in) : at_.get_desc(), Any(weights), bias,
                                             Any(out), strides, before, after);
  const auto post = bias_relu ? Eltwise(dnnl::algorithm::eltwise_relu) : dnnl::post_ops();
  const dnnl::convolution_forward::primitive_desc pd(desc, Attributes(post), engine_);
  const memory x = first ? New(pd.src_desc()) : at_;
  at_ = New(pd.dst_desc());
  Args args = {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, New(pd.weights_desc())}, {DNNL_ARG_DST, at_}};
  if (bias_relu) args[DNNL_ARG_BIAS] = New(pd.bias_desc());
  Step<dnnl::convolution_forward>(pd, args);
  parameters_ += channels * in[1] * size * size;
  if (training_) ConvolveBack(pd, x, strides, before, after, bias_relu, first);
}

void Sequence::ConvolveBack(const dnnl::convolution_forward::primitive_desc& forward,
                            const memory& x, const memory::dims& strides,
                            const memory::dims& before, const memory::dims& after, bool bias,
                            bool first) {
  const memory::desc input = first ? Any(x.get_desc().dims()) : x.get_desc();
  const memory::desc output = first ? Any(forward.dst_desc().dims()) : forward.dst_desc();
  const auto direct = dnnl::algorithm::convolution_direct;
  const auto db = bias ? forward.bias_desc() : memory::desc();
  const memory::desc weights = Any(forward.weights_desc().dims());
  const dnnl::convolution_backward_weights::desc desc(direct, input, weights, db, output, strides,
                                                      before, after);
  const dnnl::convolution_backward_weights::primitive_desc pd(desc, Attributes(), engine_, forward);
  const memory dy = New(pd.diff_dst_desc());
  Args args = {{DNNL_ARG_SRC, first ? New(pd.src_desc()) : x},
               {DNNL_ARG_DIFF_DST, dy},
               {DNNL_ARG_DIFF_WEIGHTS, New(pd.diff_weights_desc())}};
  if (bias) args[DNNL_ARG_DIFF_BIAS] = New(pd.diff_bias_desc());
  Step<dnnl::convolution_backward_weights>(pd, args);
  if (first) return;
  const dnnl::convolution_backward_data::desc data(direct, x.get_desc(), weights, dy.get_desc(),
                                                   strides, before, after);
  const dnnl::convolution_backward_data::primitive_desc data_pd(data, Attributes(), engine_,
                                                                forward);
  Step<dnnl::convolution_backward_data>(data_pd,
                                        {{DNNL_ARG_DIFF_DST, dy},
                                         {DNNL_ARG_WEIGHTS, New(data_pd.weights_desc())},
                                         {DNNL_ARG_DIFF_SRC, New(data_pd.diff_src_desc())}});
}

void Sequence::Normalize(bool relu) {
  auto flags = dnnl::normalization_flags::use_scale_shift;
  if (relu) flags = flags | dnnl::normalization_flags::fuse_norm_relu;
  const dnnl::batch_normalization_forward::desc desc(prop_kind::forward_training, at_.get_desc(),
                                                     1e-3f, flags);
  const dnnl::batch_normalization_forward::primitive_desc pd(desc, Attributes(), engine_);
  const memory y = New(pd.dst_desc()), scale = New(pd.weights_desc());
  const memory mean = New(pd.mean_desc()), variance = New(pd.variance_desc());
  Args args = {{DNNL_ARG_SRC, at_},
               {DNNL_ARG_DST, y},
               {DNNL_ARG_MEAN, mean},
               {DNNL_ARG_VARIANCE, variance},
               {DNNL_ARG_SCALE_SHIFT, scale}};
  const memory mask = relu ? New(pd.workspace_desc()) : memory();
  if (relu) args[DNNL_ARG_WORKSPACE] = mask;
  Step<dnnl::batch_normalization_forward>(pd, args);
  if (training_) {
    const dnnl::batch_normalization_backward::desc back(prop_kind::backward, y.get_desc(),
                                                        at_.get_desc(), 1e-3f, flags);
    const dnnl::batch_normalization_backward::primitive_desc back_pd(back, Attributes(), engine_,
                                                                     pd);
    Args back_args = {{DNNL_ARG_SRC, at_},
                      {DNNL_ARG_MEAN, mean},
                      {DNNL_ARG_VARIANCE, variance},
                      {DNNL_ARG_SCALE_SHIFT, scale},
                      {DNNL_ARG_DIFF_DST, New(y.get_desc())},
                      {DNNL_ARG_DIFF_SRC, New(at_.get_desc())},
                      {DNNL_ARG_DIFF_SCALE_SHIFT, New(scale.get_desc())}};
    if (relu) back_args[DNNL_ARG_WORKSPACE] = mask;
    Step<dnnl::batch_normalization_backward>(back_pd, back_args);
  }
  at_ = y;
}

void Sequence::Pool() {
  memory::dims out = at_.get_desc().dims();
  out[2] /= 2;
  out[3] /= 2;
  const auto kind = training_ ? prop_kind::forward_training : prop_kind::forward_inference;
  const memory::dims two = {2, 2}, none = {0, 0};
  const dnnl::pooling_forward::desc desc(kind, dnnl::algorithm::pooling_max, at_.get_desc(),
                                         Any(out), two, two, none, none);
  const dnnl::pooling_forward::primitive_desc pd(desc, Attributes(), engine_);
  const memory x = at_;
  at_ = New(pd.dst_desc());
  Args args = {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, at_}};
  const memory places = training_ ? New(pd.workspace_desc()) : memory();
  if (training_) args[DNNL_ARG_WORKSPACE] = places;
  Step<dnnl::pooling_forward>(pd, args);
  if (!training_) return;
  const dnnl::pooling_backward::desc back(dnnl::algorithm::pooling_max, x.get_desc(),
                                          at_.get_desc(), two, two, none, none);
  const dnnl::pooling_backward::primitive_desc back_pd(back, Attributes(), engine_, pd);
  Step<dnnl::pooling_backward>(back_pd, {{DNNL_ARG_DIFF_DST, New(at_.get_desc())},
                                         {DNNL_ARG_WORKSPACE, places},
                                         {DNNL_ARG_DIFF_SRC, New(x.get_desc())}});
}

void Sequence::Dense(int64_t columns, dnnl::post_ops post, bool first) {
  const memory::dims in = at_.get_desc().dims();
  const int64_t m = in[0], k = in[1];
  // For one row, packed weights are faster. For many, oneDNN packs them at no extra cost.
  const memory::desc weights = m == 1 && !training_ ? Any({k, columns}) : Plain({k, columns});
  const dnnl::matmul::primitive_desc pd(
      {at_.get_desc(), weights, Plain({1, columns}), Plain({m, columns})}, Attributes(post),
      engine_);
  const memory x = at_, w = New(pd.weights_desc());
  at_ = New(pd.dst_desc());
  Step<dnnl::matmul>(pd, {{DNNL_ARG_SRC, x},
                          {DNNL_ARG_WEIGHTS, w},
                          {DNNL_ARG_BIAS, New(Plain({1, columns}))},
                          {DNNL_ARG_DST, at_}});
  parameters_ += k * columns;
  if (!training_) return;
  const memory dy = New(at_.get_desc()), dw = New(w.get_desc()), dx = New(x.get_desc());
  steps_.push_back([=] {
    dnnl_sgemm('T', 'N', k, columns, m, 1.0f, Floats(x), k, Floats(dy), columns, 0.0f, Floats(dw),
               columns);
    if (first) return;
    dnnl_sgemm('N', 'T', m, k, columns, 1.0f, Floats(dy), columns, Floats(w), columns, 0.0f,
               Floats(dx), k);
  });
}

void Sequence::Add(const memory& other) {
  const dnnl::binary::desc desc(dnnl::algorithm::binary_add, at_.get_desc(), other.get_desc(),
                                at_.get_desc());
  const dnnl::binary::primitive_desc pd(desc, Attributes(Eltwise(dnnl::algorithm::eltwise_relu)),
                                        engine_);
  Step<dnnl::binary>(pd, {{DNNL_ARG_SRC_0, at_}, {DNNL_ARG_SRC_1, other}, {DNNL_ARG_DST, at_}});
}

void Sequence::Softmax() {
  const int last = static_cast<int>(at_.get_desc().dims().size()) - 1;
  const dnnl::softmax_forward::desc desc(prop_kind::forward_inference, at_.get_desc(), last);
  const dnnl::softmax_forward::primitive_desc pd(desc, Attributes(), engine_);
  Step<dnnl::softmax_forward>(pd, {{DNNL_ARG_SRC, at_}, {DNNL_ARG_DST, at_}});
}

void Sequence::LayerNorm() {
  const dnnl::layer_normalization_forward::desc desc(prop_kind::forward_inference, at_.get_desc(),
                                                     1e-6f,
                                                     dnnl::normalization_flags::use_scale_shift);
  const dnnl::layer_normalization_forward::primitive_desc pd(desc, Attributes(), engine_);
  const memory scale = New(pd.weights_desc());
  Step<dnnl::layer_normalization_forward>(
      pd, {{DNNL_ARG_SRC, at_}, {DNNL_ARG_DST, at_}, {DNNL_ARG_SCALE_SHIFT, scale}});
}

void Sequence::BatchedProduct(const memory& b, const memory::dims& dims) {
  const dnnl::matmul::primitive_desc pd({at_.get_desc(), b.get_desc(), Plain(dims)}, Attributes(),
                                        engine_);
  const memory a = at_;
  at_ = New(pd.dst_desc());
  Step<dnnl::matmul>(pd, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, at_}});
}

void Sequence::Update(int slots) {
  if (!training_) return;
  const int64_t n = parameters_;
  std::vector<std::vector<float>> arrays(2 + slots, std::vector<float>(n, 0.5f));
  steps_.push_back([n, slots, arrays]() mutable {
    float *w = arrays[0].data(), *g = arrays[1].data();
    float *m = arrays[2].data(), *v = arrays[slots + 1].data();
#pragma omp parallel for simd if (n >= 32768)
    for (int64_t i = 0; i < n; ++i) {
      m[i] += (g[i] - m[i]) * 0.1f;
      if (slots == 2) v[i] += (g[i] * g[i] - v[i]) * 0.001f;
      w[i] -= slots == 2 ? 1e-4f * m[i] / (std::sqrt(v[i]) + 1e-8f) : 0.1f * m[i];
    }
  });
}

}  // namespace floors
