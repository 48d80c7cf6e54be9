#include "ramet/graph/call_shapes.h"

#include <algorithm>

#include "ramet/base/thread_storage.h"
#include "ramet/graph/function_library.h"
#include "ramet/op/function_call.h"

namespace ramet {
namespace {

// Limits the recursion: instantiating a body infers the shapes of the calls in it.
constexpr size_t kMaxCallDepth = 32;
RAMET_THREAD_LOCAL(std::vector<std::string> functions_at_work);

std::optional<FunctionRef> CalledFunction(const GraphImpl& impl, const Op& op,
                                          const AttrMap& attrs) {
  if (FunctionCallOf(op) == FunctionCallKind::kCall) {
    const Attr* f = attrs.Find("f");
    const FunctionRef* ref = f ? f->get<FunctionRef>() : nullptr;
    return ref ? std::optional(*ref) : std::nullopt;
  }
  if (op.registered() || impl.library->Find(op.name()) == nullptr) return std::nullopt;
  return FunctionRef{op.name(), std::make_shared<const AttrMap>(attrs)};
}

}  // namespace

std::optional<std::vector<Shape>> CallShapes(const GraphImpl& impl, const Op& op,
                                             const AttrMap& attrs,
                                             const std::vector<Shape>& inputs) {
  const std::optional<FunctionRef> ref = CalledFunction(impl, op, attrs);
  if (!ref || functions_at_work.size() >= kMaxCallDepth) return std::nullopt;
  if (std::ranges::find(functions_at_work, ref->name) != functions_at_work.end()) {
    return std::nullopt;
  }
  const FunctionLibrary::BodyFinder find_body = impl.library->body_finder();
  if (find_body == nullptr) return std::nullopt;
  functions_at_work.push_back(ref->name);
  auto body = find_body(impl, *ref, inputs);
  functions_at_work.pop_back();
  if (!body.ok()) return std::nullopt;
  std::vector<Shape> shapes;
  for (const Output& result : (*body)->returns) shapes.push_back(result.shape());
  return shapes;
}

}  // namespace ramet
