#include "ramet/backends/gpu/testing/fake_cuda.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "ramet/backends/gpu/driver/cuda/cuda_api.h"

using ramet::gpu::testing::FakeCuda;
namespace api = ramet::gpu::cuda::api;
using api::Device;
using api::DevicePointer;
using api::Result;

namespace ramet::gpu::cuda::api {

struct Context {};
struct GraphNode {
  size_t number;
  std::function<void()> work;
  std::vector<size_t> after;  // numbers of nodes
};
struct Graph {
  std::deque<GraphNode> nodes;
  std::vector<GraphNode*> last;  // that the next node follows
  void Add(std::function<void()> work) {
    GraphNode& node = nodes.emplace_back(GraphNode{nodes.size(), std::move(work), {}});
    for (const GraphNode* other : last) node.after.push_back(other->number);
    last = {&node};
  }
};
// The work of a graph in an order that the graph allows, which is as different from the order of
// the capture as possible.
struct GraphExec {
  explicit GraphExec(const Graph& graph) {
    std::vector<bool> is_done(graph.nodes.size());
    const auto is_ready = [&](const GraphNode& node) {
      return !is_done[node.number] &&
             std::ranges::all_of(node.after, [&](size_t other) { return is_done[other]; });
    };
    while (work.size() < graph.nodes.size()) {
      const auto next = std::ranges::find_if(graph.nodes.rbegin(), graph.nodes.rend(), is_ready);
      is_done[next->number] = true;
      work.push_back(next->work);
    }
  }
  std::vector<std::function<void()>> work;
};
struct Stream {
  std::deque<std::function<void()>> work;
  Graph* captured = nullptr;  // if the stream is being captured
  void Add(std::function<void()> next) {
    if (captured != nullptr) {
      captured->Add(std::move(next));
    } else {
      work.push_back(std::move(next));
    }
  }
  void RunOne() {
    const auto next = std::move(work.front());
    work.pop_front();
    next();
  }
  void RunAll() {
    while (!work.empty()) RunOne();
  }
};
struct Event {
  struct Point {
    bool reached = false;
    Stream* stream = nullptr;
  };
  std::shared_ptr<Point> point = std::make_shared<Point>();
};
struct Module {
  std::string image;
};
struct Function {
  std::string name;
};
struct Program {
  std::string source, image, log;
};

}  // namespace ramet::gpu::cuda::api

namespace {

constexpr Result kInvalidValue = 1, kInvalidContext = 201, kCaptureUnsupported = 900;

std::recursive_mutex mutex;  // of all that follows
FakeCuda fake;
api::Context context;
std::vector<api::Stream*> streams;
std::map<DevicePointer, size_t> memories;
std::map<const char*, size_t> registered;  // host memory
struct Allocation {
  int fd;
  size_t size;
  bool is_own;  // not imported
};
std::map<api::MemoryHandle, Allocation> allocations;  // that can be shared
std::map<DevicePointer, size_t> reserved;             // addresses
int last_handle = 0;
thread_local int contexts = 0;

Result Check() {
  if (fake.lost != 0) return fake.lost;
  if (contexts > 0) return api::k_CUDA_SUCCESS;
  fake.has_bad_access = true;
  return kInvalidContext;
}

#define LOCK() const std::lock_guard lock(mutex)
#define RETURN_IF_LOST() \
  LOCK();                \
  if (const Result failed = Check(); failed != api::k_CUDA_SUCCESS) return failed

// Returns the memory at an address, or null if `bytes` bytes there are not allocated.
void* MemoryAt(DevicePointer address, size_t bytes) {
  auto found = memories.upper_bound(address);
  if (found != memories.begin() && address - (--found)->first <= found->second &&
      bytes <= found->second - (address - found->first)) {
    return reinterpret_cast<void*>(address);
  }
  fake.has_bad_access = true;
  fake.lost = api::k_CUDA_ERROR_ILLEGAL_ADDRESS;
  return nullptr;
}

// Counts a copy to or from host memory.
void CountCopy(const void* host, size_t bytes) {
  const auto* const begin = static_cast<const char*>(host);
  auto found = registered.upper_bound(begin);
  const bool is_direct = found != registered.begin() &&
                         begin + bytes <= std::prev(found)->first + std::prev(found)->second;
  (is_direct ? fake.bytes_copied_directly : fake.bytes_copied_in_between) += bytes;
}

constexpr char kSharedName[] = "memory of the fake GPU ";
constexpr size_t kGranularity = size_t{2} << 20;

// Returns the number of the device whose memory a descriptor names, or -1.
int DeviceOfDescriptor(int fd) {
  char name[256] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  if (readlink(link.c_str(), name, sizeof name - 1) <= 0) return -1;
  const char* const found = std::strstr(name, kSharedName);
  return found != nullptr ? std::atoi(found + sizeof kSharedName - 1) : -1;
}

// Returns the numbers of the devices that CUDA_VISIBLE_DEVICES leaves, in its order.
std::vector<int> VisibleDevices() {
  std::vector<int> all;
  const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
  for (int i = 0; list == nullptr && i < fake.devices; ++i) all.push_back(i);
  while (list != nullptr && *list != '\0') {
    char* end = nullptr;
    const long device = std::strtol(list, &end, 10);
    if (end == list || device < 0 || device >= fake.devices) break;
    all.push_back(static_cast<int>(device));
    list = *end == ',' ? end + 1 : end;
  }
  return all;
}

// Returns the number of bytes of machine code, which is an ELF file.
size_t SizeOfElf(const char* image) {
  uint64_t sections_at = 0;
  uint16_t section_size = 0, sections = 0;
  std::memcpy(&sections_at, image + 0x28, sizeof sections_at);
  std::memcpy(&section_size, image + 0x3A, sizeof section_size);
  std::memcpy(&sections, image + 0x3C, sizeof sections);
  return sections_at + size_t{section_size} * sections;
}

}  // namespace

extern "C" {

FakeCuda* ramet_fake_cuda() { return &fake; }

void ramet_fake_cuda_enqueue(api::Stream* stream, std::function<void()> work) {
  LOCK();
  if (stream->captured != nullptr) ++fake.captured;
  stream->Add(std::move(work));
}

Result cuInit(unsigned) {
  if (fake.init_result != 0) return fake.init_result;
  return VisibleDevices().empty() ? api::k_CUDA_ERROR_NO_DEVICE : api::k_CUDA_SUCCESS;
}
Result cuDriverGetVersion(int* version) {
  *version = fake.driver_version;
  return api::k_CUDA_SUCCESS;
}
Result cuGetErrorName(Result result, const char** name) {
  *name = result == api::k_CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : nullptr;
  return *name != nullptr ? api::k_CUDA_SUCCESS : kInvalidValue;
}
Result cuGetErrorString(Result result, const char** text) {
  *text = result == api::k_CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : nullptr;
  return *text != nullptr ? api::k_CUDA_SUCCESS : kInvalidValue;
}

Result cuDeviceGetCount(int* count) {
  *count = static_cast<int>(VisibleDevices().size());
  return api::k_CUDA_SUCCESS;
}
Result cuDeviceGet(Device* device, int i) {
  *device = VisibleDevices()[static_cast<size_t>(i)];
  return api::k_CUDA_SUCCESS;
}
Result cuDeviceGetName(char* name, int size, Device device) {
  std::strncpy(name, ("Fake GPU " + std::to_string(device)).c_str(), static_cast<size_t>(size));
  return api::k_CUDA_SUCCESS;
}
Result cuDeviceTotalMem_v2(size_t* bytes, Device) {
  *bytes = fake.memory_bytes;
  return api::k_CUDA_SUCCESS;
}
Result cuDeviceGetAttribute(int* value, int attribute, Device) {
  switch (attribute) {
    case api::k_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = fake.arch / 10; break;
    case api::k_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = fake.arch % 10; break;
    case api::k_CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
    case api::k_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = 48 << 10; break;
    case api::k_CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 2; break;
    case api::k_CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED:
      *value = fake.has_read_only_register;
      break;
    case api::k_CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case api::k_CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
      *value = fake.can_share;
      break;
    default: *value = 0;
  }
  return api::k_CUDA_SUCCESS;
}
Result cuDevicePrimaryCtxRetain(api::Context** made, Device) {
  *made = &context;
  return fake.lost;
}
Result cuCtxPushCurrent_v2(api::Context* pushed) {
  if (pushed == nullptr) return kInvalidContext;
  ++contexts;
  return api::k_CUDA_SUCCESS;
}
Result cuCtxPopCurrent_v2(api::Context** popped) {
  --contexts;
  *popped = &context;
  return api::k_CUDA_SUCCESS;
}
Result cuCtxSynchronize() {
  RETURN_IF_LOST();
  for (const api::Stream* stream : streams) {
    if (stream->captured != nullptr) return kCaptureUnsupported;
  }
  for (api::Stream* stream : streams) stream->RunAll();
  return fake.lost;
}

Result cuMemAlloc_v2(DevicePointer* address, size_t bytes) {
  RETURN_IF_LOST();
  if (bytes > fake.memory_bytes - fake.bytes_in_use) return api::k_CUDA_ERROR_OUT_OF_MEMORY;
  *address = reinterpret_cast<DevicePointer>(std::malloc(bytes));
  memories[*address] = bytes;
  fake.bytes_in_use += bytes;
  ++fake.memories;
  return api::k_CUDA_SUCCESS;
}
// A lost device takes its memory with it.
Result cuMemFree_v2(DevicePointer address) {
  LOCK();
  fake.bytes_in_use -= memories[address];
  memories.erase(address);
  std::free(reinterpret_cast<void*>(address));
  --fake.memories;
  return Check();
}
Result cuMemHostAlloc(void** memory, size_t bytes, unsigned) {
  RETURN_IF_LOST();
  *memory = std::malloc(bytes);
  ++fake.host_memories;
  return api::k_CUDA_SUCCESS;
}
Result cuMemFreeHost(void* memory) {
  LOCK();
  std::free(memory);
  --fake.host_memories;
  return Check();
}
Result cuDeviceGetUuid_v2(api::Uuid* uuid, Device device) {
  std::memset(uuid->bytes, fake.uuid, sizeof uuid->bytes);
  uuid->bytes[0] = static_cast<char>(device);
  return api::k_CUDA_SUCCESS;
}
Result cuMemHostRegister_v2(void* host, size_t bytes, unsigned flags) {
  RETURN_IF_LOST();
  if (fake.register_status != 0) return fake.register_status;
  if (flags & ~9u || bytes == 0) return kInvalidValue;
  auto* const begin = static_cast<char*>(host);
  const auto next = registered.lower_bound(begin);
  const bool overlaps =
      (next != registered.end() && next->first < begin + bytes) ||
      (next != registered.begin() && std::prev(next)->first + std::prev(next)->second > begin);
  if (overlaps) return api::k_CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  registered[begin] = bytes;
  ++fake.registered;
  return api::k_CUDA_SUCCESS;
}
// The memory must still be mapped.
Result cuMemHostUnregister(void* host) {
  LOCK();
  unsigned char present = 0;
  void* const page = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(host) & ~uintptr_t{4095});
  if (registered.erase(static_cast<char*>(host)) != 1 || mincore(page, 1, &present) != 0) {
    fake.has_bad_access = true;
    return kInvalidValue;
  }
  --fake.registered;
  return Check();
}

// Memory that processes share is a memfd, whose descriptor is the shareable handle.
Result cuMemGetAllocationGranularity(size_t* bytes, const api::MemoryProperties*, int) {
  *bytes = kGranularity;
  return api::k_CUDA_SUCCESS;
}
Result cuMemCreate(api::MemoryHandle* handle, size_t bytes, const api::MemoryProperties* properties,
                   unsigned long long) {
  RETURN_IF_LOST();
  if (bytes % kGranularity != 0 || properties->handle_types != 1) return kInvalidValue;
  if (bytes > fake.memory_bytes - fake.bytes_in_use) return api::k_CUDA_ERROR_OUT_OF_MEMORY;
  const std::string name = kSharedName + std::to_string(properties->location.id);
  const int fd = memfd_create(name.c_str(), MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(bytes)) != 0) return kInvalidValue;
  fake.bytes_in_use += bytes;
  allocations[*handle = static_cast<api::MemoryHandle>(++last_handle)] = {fd, bytes, true};
  ++fake.shared;
  return api::k_CUDA_SUCCESS;
}
Result cuMemRelease(api::MemoryHandle handle) {
  LOCK();
  const auto found = allocations.find(handle);
  if (found == allocations.end()) return kInvalidValue;
  if (found->second.is_own) fake.bytes_in_use -= found->second.size;
  close(found->second.fd);
  allocations.erase(found);
  --fake.shared;
  return Check();
}
Result cuMemExportToShareableHandle(void* shared, api::MemoryHandle handle, int,
                                    unsigned long long) {
  RETURN_IF_LOST();
  const int fd = dup(allocations.at(handle).fd);
  std::memcpy(shared, &fd, sizeof fd);
  return api::k_CUDA_SUCCESS;
}
Result cuMemImportFromShareableHandle(api::MemoryHandle* handle, void* shared, int) {
  RETURN_IF_LOST();
  const int fd = static_cast<int>(reinterpret_cast<intptr_t>(shared));
  struct stat status;
  if (DeviceOfDescriptor(fd) < 0 || fstat(fd, &status) != 0) return kInvalidValue;
  allocations[*handle = static_cast<api::MemoryHandle>(++last_handle)] = {
      dup(fd), static_cast<size_t>(status.st_size), false};
  ++fake.shared;
  return api::k_CUDA_SUCCESS;
}
Result cuMemGetAllocationPropertiesFromHandle(api::MemoryProperties* properties,
                                              api::MemoryHandle handle) {
  RETURN_IF_LOST();
  *properties = {};
  properties->location = {api::k_CU_MEM_LOCATION_TYPE_DEVICE,
                          DeviceOfDescriptor(allocations.at(handle).fd)};
  return api::k_CUDA_SUCCESS;
}
Result cuMemAddressReserve(DevicePointer* address, size_t bytes, size_t, DevicePointer,
                           unsigned long long) {
  RETURN_IF_LOST();
  void* const at = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return api::k_CUDA_ERROR_OUT_OF_MEMORY;
  reserved[*address = reinterpret_cast<DevicePointer>(at)] = bytes;
  return api::k_CUDA_SUCCESS;
}
Result cuMemAddressFree(DevicePointer address, size_t bytes) {
  LOCK();
  if (memories.contains(address) || reserved.erase(address) != 1) fake.has_bad_access = true;
  munmap(reinterpret_cast<void*>(address), bytes);
  return Check();
}
Result cuMemMap(DevicePointer address, size_t bytes, size_t offset, api::MemoryHandle handle,
                unsigned long long) {
  RETURN_IF_LOST();
  const Allocation& allocation = allocations.at(handle);
  if (reserved[address] != bytes || offset != 0 || bytes > allocation.size) return kInvalidValue;
  void* const at = reinterpret_cast<void*>(address);
  return mmap(at, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, allocation.fd, 0) == at
             ? api::k_CUDA_SUCCESS
             : kInvalidValue;
}
Result cuMemUnmap(DevicePointer address, size_t bytes) {
  LOCK();
  if (reserved[address] != bytes) fake.has_bad_access = true;
  memories.erase(address);
  (void)mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return Check();
}
Result cuMemSetAccess(DevicePointer address, size_t bytes, const api::MemoryAccess* rights,
                      size_t) {
  RETURN_IF_LOST();
  const bool is_read_only = rights->flags == api::k_CU_MEM_ACCESS_FLAGS_PROT_READ;
  if (is_read_only && !fake.has_read_only_access) return api::k_CUDA_ERROR_NOT_SUPPORTED;
  memories[address] = bytes;
  return mprotect(reinterpret_cast<void*>(address), bytes,
                  is_read_only ? PROT_READ : PROT_READ | PROT_WRITE) == 0
             ? api::k_CUDA_SUCCESS
             : kInvalidValue;
}

Result cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, size_t bytes, api::Stream* stream) {
  RETURN_IF_LOST();
  CountCopy(from, bytes);
  stream->Add([=] {
    if (void* memory = MemoryAt(to, bytes)) std::memcpy(memory, from, bytes);
  });
  return api::k_CUDA_SUCCESS;
}
Result cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, size_t bytes, api::Stream* stream) {
  RETURN_IF_LOST();
  CountCopy(to, bytes);
  stream->Add([=] {
    if (void* memory = MemoryAt(from, bytes)) std::memcpy(to, memory, bytes);
  });
  return api::k_CUDA_SUCCESS;
}
Result cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, size_t bytes,
                            api::Stream* stream) {
  RETURN_IF_LOST();
  stream->Add([=] {
    void* const target = MemoryAt(to, bytes);
    void* const source = MemoryAt(from, bytes);
    if (target != nullptr && source != nullptr) std::memcpy(target, source, bytes);
  });
  return api::k_CUDA_SUCCESS;
}
Result cuMemsetD8Async(DevicePointer to, unsigned char value, size_t bytes, api::Stream* stream) {
  RETURN_IF_LOST();
  stream->Add([=] {
    if (void* memory = MemoryAt(to, bytes)) std::memset(memory, value, bytes);
  });
  return api::k_CUDA_SUCCESS;
}

Result cuStreamCreate(api::Stream** stream, unsigned) {
  RETURN_IF_LOST();
  streams.push_back(*stream = new api::Stream);
  ++fake.streams;
  return api::k_CUDA_SUCCESS;
}
Result cuStreamDestroy_v2(api::Stream* stream) {
  LOCK();
  if (fake.lost == 0) stream->RunAll();  // a lost device runs nothing
  std::erase(streams, stream);
  delete stream;
  --fake.streams;
  return Check();
}
Result cuStreamSynchronize(api::Stream* stream) {
  RETURN_IF_LOST();
  if (stream->captured != nullptr) return kCaptureUnsupported;
  stream->RunAll();
  return fake.lost;
}
Result cuStreamWaitEvent(api::Stream* stream, api::Event* event, unsigned) {
  RETURN_IF_LOST();
  stream->Add([point = event->point] {
    while (!point->reached) point->stream->RunOne();
  });
  return api::k_CUDA_SUCCESS;
}

Result cuEventCreate(api::Event** event, unsigned) {
  RETURN_IF_LOST();
  *event = new api::Event;
  ++fake.events;
  return api::k_CUDA_SUCCESS;
}
Result cuEventDestroy_v2(api::Event* event) {
  LOCK();
  delete event;
  --fake.events;
  return Check();
}
Result cuEventRecord(api::Event* event, api::Stream* stream) {
  RETURN_IF_LOST();
  event->point = std::make_shared<api::Event::Point>(api::Event::Point{false, stream});
  stream->Add([point = event->point] { point->reached = true; });
  return api::k_CUDA_SUCCESS;
}
Result cuEventQuery(api::Event* event) {
  RETURN_IF_LOST();
  if (!event->point->reached) event->point->stream->RunOne();
  if (fake.lost != 0) return fake.lost;
  return event->point->reached ? api::k_CUDA_SUCCESS : api::k_CUDA_ERROR_NOT_READY;
}
Result cuEventSynchronize(api::Event* event) {
  RETURN_IF_LOST();
  while (!event->point->reached) event->point->stream->RunOne();
  return fake.lost;
}

Result cuModuleLoadData(api::Module** module, const void* data) {
  RETURN_IF_LOST();
  const char* const image = static_cast<const char*>(data);
  const bool is_elf = std::strncmp(image, "\177ELF", 4) == 0;
  if (!is_elf && std::string_view(image).find(".version") == std::string_view::npos) {
    return api::k_CUDA_ERROR_INVALID_IMAGE;
  }
  *module = new api::Module{is_elf ? std::string(image, SizeOfElf(image)) : image};
  ++fake.modules;
  return api::k_CUDA_SUCCESS;
}
Result cuModuleUnload(api::Module* module) {
  LOCK();
  delete module;
  --fake.modules;
  return Check();
}
// Machine code has a section for each kernel. An image of this NVRTC has the source.
Result cuModuleGetFunction(api::Function** function, api::Module* module, const char* name) {
  RETURN_IF_LOST();
  const std::string section = std::string(".text.") + name + '\0';
  const std::string text = std::string("KERNEL(") + name;
  const auto has = [&](const std::string& part) {
    return module->image.find(part) != module->image.npos;
  };
  if (!has(section) && !has(text + ")") && !has(text + ",")) return api::k_CUDA_ERROR_NOT_FOUND;
  static auto* const functions = new std::map<std::string, api::Function>;
  *function = &functions->try_emplace(name, api::Function{name}).first->second;
  return api::k_CUDA_SUCCESS;
}
Result cuLaunchKernel(api::Function* function, unsigned x, unsigned y, unsigned z, unsigned items_x,
                      unsigned items_y, unsigned items_z, unsigned, api::Stream* stream,
                      void** arguments, void**) {
  RETURN_IF_LOST();
  constexpr unsigned kMaxGroups = 65535, kMaxItems = 1024;
  if (x == 0 || x > INT32_MAX || y == 0 || y > kMaxGroups || z == 0 || z > kMaxGroups ||
      items_x * items_y * items_z == 0 || items_x * items_y * items_z > kMaxItems) {
    return kInvalidValue;
  }
  ++(stream->captured != nullptr ? fake.captured : fake.launches);
  if (fake.launch) stream->Add(fake.launch(function->name, arguments));
  return api::k_CUDA_SUCCESS;
}

Result cuStreamBeginCapture_v2(api::Stream* stream, int) {
  RETURN_IF_LOST();
  if (stream->captured != nullptr || !stream->work.empty()) return kInvalidValue;
  stream->captured = new api::Graph;
  ++fake.graphs;
  return api::k_CUDA_SUCCESS;
}
Result cuStreamGetCaptureInfo_v3(api::Stream* stream, int* status, uint64_t*, api::Graph**,
                                 api::GraphNode* const** nodes, const api::GraphEdge** edges,
                                 size_t* count) {
  RETURN_IF_LOST();
  *status = stream->captured != nullptr;
  if (stream->captured == nullptr) return api::k_CUDA_SUCCESS;
  *nodes = stream->captured->last.data();
  *edges = nullptr;
  *count = stream->captured->last.size();
  return api::k_CUDA_SUCCESS;
}
Result cuStreamUpdateCaptureDependencies_v2(api::Stream* stream, api::GraphNode* const* nodes,
                                            const api::GraphEdge*, size_t count, unsigned flags) {
  RETURN_IF_LOST();
  if (stream->captured == nullptr || flags != api::k_CU_STREAM_SET_CAPTURE_DEPENDENCIES) {
    return kInvalidValue;
  }
  stream->captured->last.assign(nodes, nodes + count);
  return api::k_CUDA_SUCCESS;
}
Result cuStreamEndCapture(api::Stream* stream, api::Graph** graph) {
  LOCK();
  *graph = std::exchange(stream->captured, nullptr);
  if (fake.capture_result == 0) return Check();
  delete std::exchange(*graph, nullptr);
  --fake.graphs;
  return fake.capture_result;
}
Result cuGraphInstantiateWithFlags(api::GraphExec** made, api::Graph* graph, uint64_t) {
  RETURN_IF_LOST();
  *made = new api::GraphExec{*graph};
  ++fake.graphs;
  return api::k_CUDA_SUCCESS;
}
// The graph may be destroyed before it runs.
Result cuGraphLaunch(api::GraphExec* graph, api::Stream* stream) {
  RETURN_IF_LOST();
  if (fake.graph_launch_result == api::k_CUDA_ERROR_LAUNCH_FAILED) {
    return fake.lost = fake.graph_launch_result;
  }
  if (fake.graph_launch_result != 0) return fake.graph_launch_result;
  ++fake.graph_launches;
  for (const auto& next : graph->work) stream->Add(next);
  return api::k_CUDA_SUCCESS;
}
Result cuGraphExecDestroy(api::GraphExec* graph) {
  LOCK();
  delete graph;
  --fake.graphs;
  return Check();
}
Result cuGraphDestroy(api::Graph* graph) {
  LOCK();
  delete graph;
  --fake.graphs;
  return Check();
}

Result nvrtcVersion(int* major, int* minor) {
  *major = fake.compiler_version;
  *minor = 0;
  return 0;
}
Result nvrtcGetNumSupportedArchs(int* count) {
  *count = 2;
  return 0;
}
Result nvrtcGetSupportedArchs(int* archs) {
  archs[0] = fake.compiler_min_arch;
  archs[1] = fake.compiler_max_arch;
  return 0;
}
Result nvrtcCreateProgram(api::Program** program, const char* source, const char*, int,
                          const char* const*, const char* const*) {
  *program = new api::Program{source, "", ""};
  return 0;
}
Result nvrtcDestroyProgram(api::Program** program) {
  delete *program;
  return 0;
}
Result nvrtcCompileProgram(api::Program* program, int count, const char* const* options) {
  if (program->source.find("#error") != std::string::npos) {
    program->log = "ramet.cu(1): error: #error directive";
    return 6;
  }
  program->image = "// of the double of NVRTC\n.version 8.0\n";
  for (int i = 0; i < count; ++i) program->image += std::string("// ") + options[i] + "\n";
  program->image += program->source;
  return 0;
}
Result nvrtcGetProgramLogSize(api::Program* program, size_t* size) {
  *size = program->log.size() + 1;
  return 0;
}
Result nvrtcGetProgramLog(api::Program* program, char* log) {
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return 0;
}
Result nvrtcGetCUBINSize(api::Program* program, size_t* size) {
  *size = program->image.size() + 1;
  return 0;
}
Result nvrtcGetCUBIN(api::Program* program, char* image) {
  std::memcpy(image, program->image.c_str(), program->image.size() + 1);
  return 0;
}
Result nvrtcGetPTXSize(api::Program* program, size_t* size) {
  return nvrtcGetCUBINSize(program, size);
}
Result nvrtcGetPTX(api::Program* program, char* image) { return nvrtcGetCUBIN(program, image); }

}  // extern "C"
