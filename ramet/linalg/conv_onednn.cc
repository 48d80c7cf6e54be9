#include "ramet/linalg/conv_onednn.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "ramet/base/run_interrupt.h"
#include "ramet/base/thread_storage.h"
#include "ramet/linalg/half_spans.h"
#include "ramet/linalg/onednn.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/scratch.h"
#include "ramet/linalg/signals.h"

// Convolutions as primitives of oneDNN. A primitive and its memory objects belong to one thread,
// which caches those that it used last.

namespace ramet::linalg {
namespace {

// Below this one thread is as fast (ramet_linalg_bench conv/*).
constexpr int64_t kMinTeamMultiplications = 1 << 19;
constexpr size_t kMaxPrimitives = 256;

// Owners of oneDNN's objects.
struct Destroy {
  void operator()(dnnl_memory* p) const { LoadOneDnn()->memory_destroy(p); }
  void operator()(dnnl_primitive* p) const { LoadOneDnn()->primitive_destroy(p); }
  void operator()(dnnl_primitive_desc* p) const { LoadOneDnn()->primitive_desc_destroy(p); }
  void operator()(dnnl_primitive_attr* p) const { LoadOneDnn()->primitive_attr_destroy(p); }
  void operator()(dnnl_stream* p) const { LoadOneDnn()->stream_destroy(p); }
};
template <class T>
using Owned = std::unique_ptr<T, Destroy>;
using Memory = Owned<dnnl_memory>;
using Primitive = Owned<dnnl_primitive>;
using PrimitiveDesc = Owned<dnnl_primitive_desc>;

// Calls create(&object, args...). Returns null if it fails.
template <class T, class Create, class... Args>
Owned<T> Created(Create create, Args... args) {
  T* object = nullptr;
  return Owned<T>(create(&object, args...) == dnnl_success ? object : nullptr);
}

dnnl_engine_t Engine() {
  static const dnnl_engine_t engine = [] {
    dnnl_engine_t made = nullptr;
    return LoadOneDnn()->engine_create(&made, dnnl_cpu, 0) == dnnl_success ? made : nullptr;
  }();
  return engine;
}

Memory MakeMemory(const dnnl_memory_desc_t& desc) {
  return Created<dnnl_memory>(LoadOneDnn()->memory_create, &desc, Engine(),
                              static_cast<void*>(nullptr));
}

Primitive MakePrimitive(const PrimitiveDesc& desc) {
  return Created<dnnl_primitive>(LoadOneDnn()->primitive_create, desc.get());
}

// The caller's layouts. `dims` are [batch, channels, spatial...] and [groups?, out, in,
// spatial...].
class Layout {
 public:
  explicit Layout(const ConvGeometry& g) : g_(g) {
    if (g.in[0] == 1 && g.filter[0] == 1 && g.out[0] == 1 && g.pad[0] == 0) first_ = 1;
  }

  int spatial() const { return 3 - first_; }
  // Returns one number per spatial dimension.
  std::array<dnnl_dim_t, 3> Spatial(const int64_t* sizes) const {
    std::array<dnnl_dim_t, 3> result = {};
    std::copy(sizes + first_, sizes + 3, result.begin());
    return result;
  }
  dnnl_memory_desc_t Pixels(int64_t channels, const int64_t* sizes) const {
    dnnl_dims_t dims = {g_.batch, channels}, strides = {};
    std::copy(sizes + first_, sizes + 3, dims + 2);
    int64_t step = g_.channels_first ? 1 : channels;
    for (int d = spatial() + 1; d >= 2; step *= dims[d--]) strides[d] = step;
    strides[1] = g_.channels_first ? step : 1;
    strides[0] = g_.channels_first ? step * channels : step;
    return Strided(spatial() + 2, dims, strides);
  }
  dnnl_memory_desc_t Filter() const {
    const int64_t in = g_.in_channels / g_.groups, out = g_.out_channels / g_.groups;
    dnnl_dims_t dims = {g_.groups}, strides = {out};
    int n = g_.groups > 1 ? 1 : 0;
    const int spatial_at = n + 2;
    dims[n] = out, strides[n++] = 1;
    dims[n] = in, strides[n++] = g_.out_channels;
    std::copy(g_.filter + first_, g_.filter + 3, dims + n);
    n += spatial();
    int64_t step = g_.out_channels * in;
    for (int d = n - 1; d >= spatial_at; step *= dims[d--]) strides[d] = step;
    return Strided(n, dims, strides);
  }

 private:
  static dnnl_memory_desc_t Strided(int n, const dnnl_dims_t dims, const dnnl_dims_t strides) {
    dnnl_memory_desc_t desc = {};
    LoadOneDnn()->memory_desc_init_by_strides(&desc, n, dims, dnnl_f32, strides);
    return desc;
  }

  const ConvGeometry& g_;
  int first_ = 0;
};

// Returns the descriptor of the same tensor in the layout that oneDNN prefers.
dnnl_memory_desc_t AnyLayout(const dnnl_memory_desc_t& desc) {
  dnnl_memory_desc_t any = {};
  LoadOneDnn()->memory_desc_init_by_tag(&any, desc.ndims, desc.dims, dnnl_f32, dnnl_format_tag_any);
  return any;
}

enum Side { kX, kFilter, kY };

// The operands' descriptors, as the caller has them and as requested from oneDNN.
struct Descs {
  dnnl_memory_desc_t own[3];
  dnnl_memory_desc_t wanted[3];
};

Descs DescsOf(const ConvGeometry& g, const Layout& layout) {
  Descs d;
  d.own[kX] = layout.Pixels(g.in_channels, g.in);
  d.own[kFilter] = layout.Filter();
  d.own[kY] = layout.Pixels(g.out_channels, g.out);
  for (int i = 0; i < 3; ++i) {
    d.wanted[i] = i == kFilter || g.channels_first ? AnyLayout(d.own[i]) : d.own[i];
  }
  return d;
}

// Returns how many zeros after the last element are accessed.
std::array<int64_t, 3> PadAfter(const ConvGeometry& g) {
  std::array<int64_t, 3> after;
  for (int d = 0; d < 3; ++d) {
    const int64_t reach = (g.filter[d] - 1) * g.dilation[d] + 1;
    after[d] = std::max<int64_t>(0, (g.out[d] - 1) * g.stride[d] + reach - g.in[d] - g.pad[d]);
  }
  return after;
}

class ConvDesc {
 public:
  ConvDesc(const ConvGeometry& g, const Layout& layout, const Descs& descs) : descs_(descs) {
    strides_ = layout.Spatial(g.stride);
    before_ = layout.Spatial(g.pad);
    after_ = layout.Spatial(PadAfter(g).data());
    dilates_ = layout.Spatial(g.dilation);
    for (dnnl_dim_t& d : dilates_) --d;
    attr_ = Created<dnnl_primitive_attr>(LoadOneDnn()->primitive_attr_create);
    LoadOneDnn()->primitive_attr_set_scratchpad_mode(attr_.get(), dnnl_scratchpad_mode_user);
  }

  // Returns null if oneDNN has no code for it.
  PrimitiveDesc Make(ConvKind kind) const {
    PrimitiveDesc forward =
        Forward(kind == ConvKind::kForward ? dnnl_forward_inference : dnnl_forward_training);
    if (kind == ConvKind::kForward || !forward) return forward;
    dnnl_convolution_desc_t desc;
    const dnnl_memory_desc_t* w = descs_.wanted;
    const dnnl_status_t status =
        kind == ConvKind::kBackpropInput
            ? LoadOneDnn()->dilated_convolution_backward_data_desc_init(
                  &desc, dnnl_convolution_direct, &w[kX], &w[kFilter], &w[kY], strides_.data(),
                  dilates_.data(), before_.data(), after_.data())
            : LoadOneDnn()->dilated_convolution_backward_weights_desc_init(
                  &desc, dnnl_convolution_direct, &w[kX], &w[kFilter], nullptr, &w[kY],
                  strides_.data(), dilates_.data(), before_.data(), after_.data());
    return status == dnnl_success ? Wrapped(desc, forward.get()) : nullptr;
  }

 private:
  PrimitiveDesc Forward(dnnl_prop_kind_t kind) const {
    dnnl_convolution_desc_t desc;
    const dnnl_memory_desc_t* w = descs_.wanted;
    const dnnl_status_t status = LoadOneDnn()->dilated_convolution_forward_desc_init(
        &desc, kind, dnnl_convolution_direct, &w[kX], &w[kFilter], nullptr, &w[kY], strides_.data(),
        dilates_.data(), before_.data(), after_.data());
    return status == dnnl_success ? Wrapped(desc, nullptr) : nullptr;
  }
  PrimitiveDesc Wrapped(const dnnl_convolution_desc_t& desc, dnnl_primitive_desc* hint) const {
    return Created<dnnl_primitive_desc>(LoadOneDnn()->primitive_desc_create, &desc, attr_.get(),
                                        Engine(), hint);
  }

  const Descs& descs_;
  std::array<dnnl_dim_t, 3> strides_, before_, after_, dilates_;
  Owned<dnnl_primitive_attr> attr_;
};

// Reports whether oneDNN would run its reference code, which is slow.
bool IsReference(const PrimitiveDesc& desc) {
  const char* name = nullptr;
  LoadOneDnn()->primitive_desc_query(desc.get(), dnnl_query_impl_info_str, 0, &name);
  return name == nullptr || std::string_view(name).starts_with("ref");
}

// An operand: the caller's memory and, if the primitive requires another layout, a copy in scratch
// memory.
struct Operand {
  Memory own;
  Memory inner;
  Primitive reorder;
  int64_t inner_bytes = 0;
  int argument = 0;

  dnnl_memory* used() const { return inner ? inner.get() : own.get(); }
};

void Execute(const Primitive& primitive, dnnl_stream* stream,
             std::initializer_list<dnnl_exec_arg_t> args, dnnl_status_t* status) {
  if (*status != dnnl_success) return;
  const SignalsBlocked blocked;
  *status = LoadOneDnn()->primitive_execute(primitive.get(), stream, static_cast<int>(args.size()),
                                            args.begin());
}

class ConvPrimitive {
 public:
  // Makes a primitive for `threads` threads. good() is false if oneDNN has no fast code.
  ConvPrimitive(ConvKind kind, const ConvGeometry& g, int threads)
      : kind_(kind), geometry_(g), threads_(threads) {
    const Layout layout(g);
    const Descs descs = DescsOf(g, layout);
    const PrimitiveDesc desc = ConvDesc(g, layout, descs).Make(kind);
    if (!desc || IsReference(desc)) return;
    const auto md = [&](dnnl_query_t what) {
      return LoadOneDnn()->primitive_desc_query_md(desc.get(), what, 0);
    };
    constexpr dnnl_query_t kQuery[kNumConvKinds][3] = {
        {dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md},
        {dnnl_query_diff_src_md, dnnl_query_weights_md, dnnl_query_diff_dst_md},
        {dnnl_query_src_md, dnnl_query_diff_weights_md, dnnl_query_diff_dst_md}};
    constexpr int kArgument[kNumConvKinds][3] = {
        {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST},
        {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST},
        {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST}};
    const int k = static_cast<int>(kind);
    for (int i = 0; i < 3; ++i) {
      operands_[i].argument = kArgument[k][i];
      if (!Prepare(operands_[i], descs.own[i], *md(kQuery[k][i]), i == Result())) return;
    }
    const dnnl_memory_desc_t* scratchpad = md(dnnl_query_scratchpad_md);
    scratchpad_bytes_ = static_cast<int64_t>(LoadOneDnn()->memory_desc_get_size(scratchpad));
    scratchpad_ = MakeMemory(*scratchpad);
    stream_ = Created<dnnl_stream>(LoadOneDnn()->stream_create, Engine(),
                                   unsigned{dnnl_stream_default_flags});
    primitive_ = MakePrimitive(desc);
  }

  bool Is(ConvKind kind, const ConvGeometry& g, int threads) const {
    return kind == kind_ && threads == threads_ && g == geometry_;
  }

  bool good() const { return primitive_ && stream_; }

  // With same_filter, this thread's last run was of this primitive with the same filter.
  bool Run(const ConvOperands& o, bool same_filter = false) const {
    if (!good()) return false;
    constexpr ScratchUse kUse[3] = {ScratchUse::kConvX, ScratchUse::kConvFilter,
                                    ScratchUse::kConvY};
    void* const data[3] = {o.x, o.filter, o.y};
    dnnl_status_t status = dnnl_success;
    for (int i = 0; i < 3; ++i) {
      const Operand& operand = operands_[i];
      LoadOneDnn()->memory_set_data_handle(operand.own.get(), data[i]);
      if (!operand.inner) continue;
      LoadOneDnn()->memory_set_data_handle(operand.inner.get(),
                                           Scratch(kUse[i], operand.inner_bytes));
      if (i == Result() || (i == kFilter && same_filter)) continue;
      Copy(operand, operand.own, operand.inner, &status);
    }
    LoadOneDnn()->memory_set_data_handle(scratchpad_.get(),
                                         Scratch(ScratchUse::kConvPrimitive, scratchpad_bytes_));
    Execute(primitive_, stream_.get(),
            {{operands_[0].argument, operands_[0].used()},
             {operands_[1].argument, operands_[1].used()},
             {operands_[2].argument, operands_[2].used()},
             {DNNL_ARG_SCRATCHPAD, scratchpad_.get()}},
            &status);
    const Operand& result = operands_[Result()];
    if (result.inner) Copy(result, result.inner, result.own, &status);
    return status == dnnl_success;
  }

 private:
  int Result() const {
    return kind_ == ConvKind::kForward ? kY : kind_ == ConvKind::kBackpropInput ? kX : kFilter;
  }

  static bool Prepare(Operand& operand, const dnnl_memory_desc_t& own,
                      const dnnl_memory_desc_t& inner, bool is_result) {
    operand.own = MakeMemory(own);
    if (!operand.own) return false;
    if (LoadOneDnn()->memory_desc_equal(&own, &inner)) return true;
    operand.inner = MakeMemory(inner);
    operand.inner_bytes = static_cast<int64_t>(LoadOneDnn()->memory_desc_get_size(&inner));
    const PrimitiveDesc reorder = Created<dnnl_primitive_desc>(
        LoadOneDnn()->reorder_primitive_desc_create, is_result ? &inner : &own, Engine(),
        is_result ? &own : &inner, Engine(), nullptr);
    if (reorder) operand.reorder = MakePrimitive(reorder);
    return operand.inner && operand.reorder;
  }

  void Copy(const Operand& operand, const Memory& from, const Memory& to,
            dnnl_status_t* status) const {
    Execute(operand.reorder, stream_.get(), {{DNNL_ARG_FROM, from.get()}, {DNNL_ARG_TO, to.get()}},
            status);
  }

  const ConvKind kind_;
  const ConvGeometry geometry_;
  const int threads_;
  Operand operands_[3];
  Memory scratchpad_;
  int64_t scratchpad_bytes_ = 0;
  Owned<dnnl_stream> stream_;
  Primitive primitive_;
};

// The calling thread's primitives, most recently used first.
RAMET_THREAD_LOCAL(std::vector<std::unique_ptr<ConvPrimitive>> primitives);

const ConvPrimitive& PrimitiveFor(ConvKind kind, const ConvGeometry& g, int threads) {
  const auto found = std::ranges::find_if(
      primitives, [&](const auto& primitive) { return primitive->Is(kind, g, threads); });
  if (found != primitives.end()) {
    std::rotate(primitives.begin(), found, found + 1);
  } else {
    if (primitives.size() == kMaxPrimitives) primitives.pop_back();
    primitives.insert(primitives.begin(), std::make_unique<ConvPrimitive>(kind, g, threads));
  }
  return *primitives.front();
}

bool RunOn(ConvKind kind, const ConvGeometry& g, const ConvOperands& o, bool one_thread) {
  if (!one_thread) {
    parallel_internal::NoteTeam();
    return PrimitiveFor(kind, g, IntraOpThreads()).Run(o);
  }
  const parallel_internal::OneThread one;
  return PrimitiveFor(kind, g, 1).Run(o);
}

ConvOperands OperandsFrom(const ConvGeometry& g, const ConvOperands& o, int64_t image) {
  return {Advance(Type::kFloat, o.x, image * g.in_pixels() * g.in_channels), o.filter,
          Advance(Type::kFloat, o.y, image * g.out_pixels() * g.out_channels)};
}

// Runs the images in pieces determined by their number alone, each on one thread.
bool RunPieces(ConvKind kind, const ConvGeometry& g, const ConvOperands& o) {
  const int64_t step = (g.batch + 15) / 16;
  std::atomic<bool> ok = true;
  const StopCheck stop;
  ParallelFor((g.batch + step - 1) / step, 1, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end && !stop.due(); ++piece) {
      ConvGeometry part = g;
      part.batch = std::min(step, g.batch - piece * step);
      if (!RunOn(kind, part, OperandsFrom(g, o, piece * step), true)) {
        ok.store(false, std::memory_order_relaxed);
      }
    }
  });
  return ok;
}

}  // namespace

bool OneDnnConvInPieces(const ConvGeometry& g, const ConvOperands& o, int64_t step,
                        const std::function<void(int64_t, int64_t)>& done) {
  if (LoadOneDnn() == nullptr || Engine() == nullptr) return false;
  const parallel_internal::OneThread one;
  ConvGeometry part = g;
  const ConvPrimitive* last = nullptr;
  for (int64_t at = 0; at < g.batch; at += part.batch) {
    if (StopDue()) return true;
    part.batch = std::min(step, g.batch - at);
    const ConvPrimitive* primitive = &PrimitiveFor(ConvKind::kForward, part, 1);
    if (!primitive->Run(OperandsFrom(g, o, at), primitive == last)) return false;
    last = primitive;
    done(at, at + part.batch);
  }
  return true;
}

bool OneDnnConv(ConvKind kind, const ConvGeometry& g, const ConvOperands& o) {
  if (LoadOneDnn() == nullptr || Engine() == nullptr) return false;
  const bool sums_images = kind == ConvKind::kBackpropFilter;
  const bool small =
      g.out_elements() * g.taps() * (g.in_channels / g.groups) < kMinTeamMultiplications;
  if (small || IntraOpThreads() == 1) {
    if (Deterministic() && !sums_images && !small) return RunPieces(kind, g, o);
    return RunOn(kind, g, o, true);
  }
  if (!Deterministic()) return RunOn(kind, g, o, false);
  return sums_images ? RunOn(kind, g, o, true) : RunPieces(kind, g, o);
}

}  // namespace ramet::linalg
