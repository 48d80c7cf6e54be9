#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <thread>
#include <vector>

#include "ramet/backends/gpu/library/cudnn_api.h"
#include "ramet/backends/gpu/testing/fake_convolution.h"
#include "ramet/backends/gpu/testing/fake_cuda.h"

// A double of cuDNN, which computes convolutions on host memory as the descriptors say. It checks
// the types and the numbers of elements of all attributes.

namespace api = ramet::gpu::cudnn::api;
using api::Status;
using ramet::gpu::testing::FakeConvolution;
using ramet::gpu::testing::FakeEngine;
using ramet::gpu::testing::FakeImage;

namespace {

constexpr Status kBadParam = 2000, kNotSupported = 3000;

struct Attribute {
  int type = 0;
  int64_t count = 0;
  std::vector<char> bytes;
};

// An object of the backend API. Objects that others refer to are copied.
struct Object {
  int type = 0;
  bool is_final = false;
  std::map<int, Attribute> attributes;
  std::map<int, std::vector<Object>> objects;
  int engine = -1;

  template <class T>
  std::vector<T> All(int attribute) const {
    const auto found = attributes.find(attribute);
    if (found == attributes.end()) return {};
    std::vector<T> values(static_cast<size_t>(found->second.count));
    std::memcpy(values.data(), found->second.bytes.data(), found->second.bytes.size());
    return values;
  }
  template <class T>
  T One(int attribute) const {
    const std::vector<T> values = All<T>(attribute);
    return values.empty() ? T() : values[0];
  }
  const Object& The(int attribute) const { return objects.at(attribute).front(); }
};

size_t SizeOf(int type) {
  switch (type) {
    case api::k_CUDNN_TYPE_HANDLE:
    case api::k_CUDNN_TYPE_INT64:
    case api::k_CUDNN_TYPE_DOUBLE:
    case api::k_CUDNN_TYPE_VOID_PTR:
    case api::k_CUDNN_TYPE_BACKEND_DESCRIPTOR: return 8;
    default: return 4;
  }
}

// Returns the type that cuDNN's reference says for an attribute.
int TypeOf(int attribute) {
  switch (attribute) {
    case api::k_CUDNN_ATTR_CONVOLUTION_COMP_TYPE:
    case api::k_CUDNN_ATTR_TENSOR_DATA_TYPE: return api::k_CUDNN_TYPE_DATA_TYPE;
    case api::k_CUDNN_ATTR_CONVOLUTION_CONV_MODE: return api::k_CUDNN_TYPE_CONVOLUTION_MODE;
    case api::k_CUDNN_ATTR_ENGINEHEUR_MODE: return api::k_CUDNN_TYPE_HEUR_MODE;
    case api::k_CUDNN_ATTR_OPERATIONGRAPH_HANDLE:
    case api::k_CUDNN_ATTR_EXECUTION_PLAN_HANDLE: return api::k_CUDNN_TYPE_HANDLE;
    case api::k_CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS:
    case api::k_CUDNN_ATTR_VARIANT_PACK_WORKSPACE: return api::k_CUDNN_TYPE_VOID_PTR;
    case api::k_CUDNN_ATTR_ENGINE_NUMERICAL_NOTE: return api::k_CUDNN_TYPE_NUMERICAL_NOTE;
    case api::k_CUDNN_ATTR_CONVOLUTION_DILATIONS:
    case api::k_CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES:
    case api::k_CUDNN_ATTR_CONVOLUTION_POST_PADDINGS:
    case api::k_CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS:
    case api::k_CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS:
    case api::k_CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT:
    case api::k_CUDNN_ATTR_TENSOR_DIMENSIONS:
    case api::k_CUDNN_ATTR_TENSOR_STRIDES:
    case api::k_CUDNN_ATTR_TENSOR_UNIQUE_ID:
    case api::k_CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS:
    case api::k_CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
    case api::k_CUDNN_ATTR_ENGINE_GLOBAL_INDEX: return api::k_CUDNN_TYPE_INT64;
    default: return api::k_CUDNN_TYPE_BACKEND_DESCRIPTOR;
  }
}

bool IsScale(int attribute) {
  switch (attribute) {
    case api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA:
    case api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA:
    case api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA:
    case api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA:
    case api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA:
    case api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA: return true;
    default: return false;
  }
}

// The attributes of an operation: the window, x, w, y, alpha and beta.
struct Operation {
  int window, x, w, y, alpha, beta;
};
Operation AttributesOf(int operation) {
  switch (operation) {
    case api::k_CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
      return {api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
    case api::k_CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
      return {api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
    default:
      return {api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
  }
}

FakeImage ImageOf(const Object& o) {
  return FakeImage(o.One<int>(api::k_CUDNN_ATTR_TENSOR_DATA_TYPE),
                   o.All<int64_t>(api::k_CUDNN_ATTR_TENSOR_DIMENSIONS),
                   o.All<int64_t>(api::k_CUDNN_ATTR_TENSOR_STRIDES));
}

FakeConvolution ConvolutionOf(const Object& operation) {
  const Operation a = AttributesOf(operation.type);
  const Object& window = operation.The(a.window);
  const auto sizes = [&](int attribute, int64_t unused) {
    std::vector<int64_t> values = window.All<int64_t>(attribute);
    values.insert(values.begin(), 3 - values.size(), unused);
    return values;
  };
  return {operation.type,
          ImageOf(operation.The(a.x)),
          ImageOf(operation.The(a.w)),
          ImageOf(operation.The(a.y)),
          sizes(api::k_CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, 0),
          sizes(api::k_CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, 0),
          sizes(api::k_CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, 1),
          sizes(api::k_CUDNN_ATTR_CONVOLUTION_DILATIONS, 1)};
}

FakeConvolution ConvolutionOfGraph(const Object& graph) {
  return ConvolutionOf(graph.The(api::k_CUDNN_ATTR_OPERATIONGRAPH_OPS));
}

const FakeEngine& EngineOf(int engine) {
  return ramet_fake_cuda()->cudnn_engines[static_cast<size_t>(engine)];
}

Status FinalizeOperation(const Object& o) {
  const Operation a = AttributesOf(o.type);
  for (int attribute : {a.window, a.x, a.w, a.y}) {
    if (!o.objects.contains(attribute)) return kBadParam;
  }
  const Object& window = o.The(a.window);
  const bool is_wide =
      window.One<int>(api::k_CUDNN_ATTR_CONVOLUTION_COMP_TYPE) == api::k_CUDNN_DATA_DOUBLE;
  const bool is_plain = is_wide ? o.One<double>(a.alpha) == 1 && o.All<double>(a.beta).size() == 1
                                : o.One<float>(a.alpha) == 1 && o.All<float>(a.beta).size() == 1;
  const bool has_mode =
      window.One<int>(api::k_CUDNN_ATTR_CONVOLUTION_CONV_MODE) == api::k_CUDNN_CROSS_CORRELATION;
  return is_plain && has_mode && ConvolutionOf(o).Fits() ? 0 : kBadParam;
}

Status FinalizeWindow(const Object& o) {
  const int64_t dims = o.One<int64_t>(api::k_CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS);
  for (int attribute :
       {api::k_CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, api::k_CUDNN_ATTR_CONVOLUTION_POST_PADDINGS,
        api::k_CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, api::k_CUDNN_ATTR_CONVOLUTION_DILATIONS}) {
    if (static_cast<int64_t>(o.All<int64_t>(attribute).size()) != dims) return kBadParam;
  }
  return dims == 2 || dims == 3 ? 0 : kNotSupported;
}

Status FinalizeTensor(const Object& o) {
  const auto dims = o.All<int64_t>(api::k_CUDNN_ATTR_TENSOR_DIMENSIONS);
  const auto strides = o.All<int64_t>(api::k_CUDNN_ATTR_TENSOR_STRIDES);
  for (int64_t size : dims) {
    if (size < 1) return kBadParam;
  }
  return dims.size() == strides.size() && dims.size() >= 4 &&
                 o.One<int64_t>(api::k_CUDNN_ATTR_TENSOR_UNIQUE_ID) > 0 &&
                 o.One<int64_t>(api::k_CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT) > 0
             ? 0
             : kBadParam;
}

Status FinalizePlan(Object& o) {
  const bool has_handle =
      o.One<void*>(api::k_CUDNN_ATTR_EXECUTION_PLAN_HANDLE) == ramet_fake_cuda();
  if (!has_handle || !o.objects.contains(api::k_CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)) {
    return kBadParam;
  }
  const Object& configuration = o.The(api::k_CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  o.engine = configuration.engine;
  const Object& graph = configuration.The(api::k_CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  const FakeConvolution c = ConvolutionOfGraph(graph);
  return c.pad == c.pad_after ? 0 : kNotSupported;
}

Status FinalizeGraph(const Object& o) {
  ++ramet_fake_cuda()->cudnn_graphs;
  const bool has_handle =
      o.One<void*>(api::k_CUDNN_ATTR_OPERATIONGRAPH_HANDLE) == ramet_fake_cuda();
  return has_handle && o.objects.contains(api::k_CUDNN_ATTR_OPERATIONGRAPH_OPS) ? 0 : kBadParam;
}

// Sets *count, and the elements that were asked for, of an attribute that cuDNN computes.
template <class T>
Status Give(const std::vector<T>& values, int64_t requested, int64_t* count, void* elements) {
  *count = static_cast<int64_t>(values.size());
  const size_t given = std::min(values.size(), static_cast<size_t>(requested));
  if (given > 0) std::memcpy(elements, values.data(), given * sizeof(T));
  return 0;
}

// Fills the configurations that the caller has made.
Status Advise(const Object& heuristic, int64_t requested, int64_t* count, void* elements) {
  const bool is_fallback =
      heuristic.One<int>(api::k_CUDNN_ATTR_ENGINEHEUR_MODE) == api::k_CUDNN_HEUR_MODE_FALLBACK;
  const auto& engines = ramet_fake_cuda()->cudnn_engines;
  *count = 0;
  for (size_t i = 0; i < engines.size(); ++i) {
    if (engines[i].is_fallback != is_fallback) continue;
    if (*count < requested) {
      Object& to = *static_cast<Object**>(elements)[*count];
      if (to.type != api::k_CUDNN_BACKEND_ENGINECFG_DESCRIPTOR) return kBadParam;
      to.engine = static_cast<int>(i);
      to.is_final = true;
      to.objects = heuristic.objects;
    }
    ++*count;
  }
  return 0;
}

Status CheckPack(const Object& plan, const Object& pack, std::vector<void*>* pointers) {
  const auto ids = pack.All<int64_t>(api::k_CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const auto data = pack.All<void*>(api::k_CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  if (plan.type != api::k_CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR || !plan.is_final ||
      pack.type != api::k_CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR || !pack.is_final ||
      ids.size() != 3 || data.size() != 3) {
    return kBadParam;
  }
  const Object& configuration = plan.The(api::k_CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  const Object& operation = configuration.The(api::k_CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH)
                                .The(api::k_CUDNN_ATTR_OPERATIONGRAPH_OPS);
  const Operation a = AttributesOf(operation.type);
  for (int attribute : {a.x, a.w, a.y}) {
    const auto id = operation.The(attribute).One<int64_t>(api::k_CUDNN_ATTR_TENSOR_UNIQUE_ID);
    for (size_t i = 0; i < 3; ++i) {
      if (ids[i] == id) pointers->push_back(data[i]);
    }
  }
  return pointers->size() == 3 ? 0 : kBadParam;
}

}  // namespace

extern "C" {

// Enqueues work on a stream of the double of the driver (fake_cuda.cc).
void ramet_fake_cuda_enqueue(ramet::gpu::cuda::api::Stream* stream, std::function<void()> work);

namespace {
ramet::gpu::cuda::api::Stream* the_stream = nullptr;
}  // namespace

size_t cudnnGetVersion() { return ramet_fake_cuda()->cudnn_version; }
const char* cudnnGetErrorString(Status status) {
  return status == kNotSupported ? "CUDNN_STATUS_NOT_SUPPORTED" : "CUDNN_STATUS_BAD_PARAM";
}
Status cudnnCreate(api::Handle** handle) {
  *handle = reinterpret_cast<api::Handle*>(ramet_fake_cuda());
  return ramet_fake_cuda()->cudnn_status;
}
Status cudnnDestroy(api::Handle*) { return 0; }
Status cudnnSetStream(api::Handle*, ramet::gpu::cuda::api::Stream* stream) {
  the_stream = stream;
  return 0;
}
Status cudnnBackendCreateDescriptor(int type, api::Descriptor* made) {
  auto* const object = new Object;
  object->type = type;
  *made = object;
  ++ramet_fake_cuda()->cudnn_objects;
  return 0;
}
Status cudnnBackendDestroyDescriptor(api::Descriptor object) {
  delete static_cast<Object*>(object);
  --ramet_fake_cuda()->cudnn_objects;
  return 0;
}
Status cudnnBackendSetAttribute(api::Descriptor to, int attribute, int type, int64_t count,
                                const void* values) {
  Object& object = *static_cast<Object*>(to);
  if (object.is_final || count < 1) return kBadParam;
  const bool is_scale =
      IsScale(attribute) && (type == api::k_CUDNN_TYPE_FLOAT || type == api::k_CUDNN_TYPE_DOUBLE);
  if (!is_scale && type != TypeOf(attribute)) return kBadParam;
  if (type == api::k_CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    const Object& value = **static_cast<Object* const*>(values);
    if (!value.is_final) return kBadParam;
    object.objects[attribute] = {value};
    return 0;
  }
  const char* const bytes = static_cast<const char*>(values);
  const size_t size = static_cast<size_t>(count) * SizeOf(type);
  object.attributes[attribute] = {type, count, std::vector<char>(bytes, bytes + size)};
  return 0;
}
Status cudnnBackendFinalize(api::Descriptor descriptor) {
  Object& object = *static_cast<Object*>(descriptor);
  if (object.is_final) return kBadParam;
  object.is_final = true;
  switch (object.type) {
    case api::k_CUDNN_BACKEND_TENSOR_DESCRIPTOR: return FinalizeTensor(object);
    case api::k_CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR: return FinalizeWindow(object);
    case api::k_CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR: return FinalizeGraph(object);
    case api::k_CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR: return FinalizePlan(object);
    case api::k_CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
    case api::k_CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR: return 0;
    default: return FinalizeOperation(object);
  }
}
Status cudnnBackendGetAttribute(api::Descriptor from, int attribute, int type, int64_t requested,
                                int64_t* count, void* elements) {
  const Object& object = *static_cast<Object*>(from);
  if (!object.is_final || type != TypeOf(attribute)) return kBadParam;
  switch (attribute) {
    case api::k_CUDNN_ATTR_ENGINEHEUR_RESULTS: return Advise(object, requested, count, elements);
    case api::k_CUDNN_ATTR_ENGINECFG_ENGINE: {
      if (requested != 1) return kBadParam;
      Object& engine = **static_cast<Object**>(elements);
      engine.engine = object.engine;
      engine.is_final = true;
      *count = 1;
      return 0;
    }
    case api::k_CUDNN_ATTR_ENGINE_GLOBAL_INDEX:
      return Give(std::vector<int64_t>{object.engine}, requested, count, elements);
    case api::k_CUDNN_ATTR_ENGINE_NUMERICAL_NOTE:
      return Give(EngineOf(object.engine).notes, requested, count, elements);
    case api::k_CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
      return Give(
          std::vector<int64_t>{static_cast<int64_t>(EngineOf(object.engine).workspace_bytes)},
          requested, count, elements);
    default: return kBadParam;
  }
}
Status cudnnBackendExecute(api::Handle*, api::Descriptor plan, api::Descriptor pack) {
  const Object& the_plan = *static_cast<Object*>(plan);
  const Object& the_pack = *static_cast<Object*>(pack);
  std::vector<void*> pointers;
  if (const Status status = CheckPack(the_plan, the_pack, &pointers); status != 0) return status;
  const FakeEngine& engine = EngineOf(the_plan.engine);
  ramet_fake_cuda()->cudnn_runs.push_back(the_plan.engine);
  if (engine.status != 0) return engine.status;
  FakeConvolution convolution =
      ConvolutionOfGraph(the_plan.The(api::k_CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)
                             .The(api::k_CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH));
  convolution.x.data = pointers[0];
  convolution.w.data = pointers[1];
  convolution.y.data = pointers[2];
  const bool channels_first = convolution.x.strides[1] != 1;
  ramet_fake_cuda()->cudnn_channels_first += channels_first ? 1 : 0;
  const int milliseconds =
      channels_first ? engine.channels_first_milliseconds : engine.milliseconds;
  void* const workspace = the_pack.One<void*>(api::k_CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  ramet_fake_cuda_enqueue(the_stream, [=] {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    std::memset(workspace, 0xAB, engine.workspace_bytes);
    convolution.Run();
  });
  return 0;
}

}  // extern "C"
