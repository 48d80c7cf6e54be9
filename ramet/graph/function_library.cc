#include "ramet/graph/function_library.h"

#include "ramet/graph/graph_impl.h"
#include "ramet/tensor/tensor_proto.h"
#include "ramet/wire/message_file.h"

namespace ramet {
namespace {

Status CheckSame(const FunctionDef& known, const FunctionDef& added) {
  if (&known == &added || CanonicalBytes(known) == CanonicalBytes(added)) return OkStatus();
  return InvalidArgument("Cannot add function '", added.signature().name(),
                         "' because a different function with the same name already exists.");
}

Status CheckSame(const std::string& known, const GradientDef& added) {
  if (known == added.gradient_func()) return OkStatus();
  return InvalidArgument("Cannot assign gradient function '", added.gradient_func(), "' to '",
                         added.function_name(), "' because it already has gradient function '",
                         known, "'");
}

}  // namespace

Status FunctionLibrary::Check(const GraphDef& def) const {
  ReaderLock lock(mutex_);
  std::unordered_map<std::string_view, const FunctionDef*> functions;
  for (const FunctionDef& f : def.library().function()) {
    const std::string& name = f.signature().name();
    auto known = functions_.find(name);
    if (known != functions_.end()) RAMET_RETURN_IF_ERROR(CheckSame(*known->second, f));
    auto [same, added] = functions.emplace(name, &f);
    if (!added) RAMET_RETURN_IF_ERROR(CheckSame(*same->second, f));
  }
  std::unordered_map<std::string, std::string> gradients;
  for (const GradientDef& g : def.library().gradient()) {
    auto known = gradients_.find(g.function_name());
    if (known != gradients_.end()) RAMET_RETURN_IF_ERROR(CheckSame(known->second, g));
    auto [same, added] = gradients.emplace(g.function_name(), g.gradient_func());
    if (!added) RAMET_RETURN_IF_ERROR(CheckSame(same->second, g));
  }
  return OkStatus();
}

FunctionLibrary::Mark FunctionLibrary::AddFunctions(const GraphDef& def, BodyFinder find_body) {
  WriterLock lock(mutex_);
  const Mark mark{rest_.library().function_size(), rest_.library().gradient_size()};
  if (!def.has_library()) return mark;
  find_body_ = find_body;
  FunctionDefLibrary* library = rest_.mutable_library();
  for (const FunctionDef& f : def.library().function()) {
    if (!functions_.contains(f.signature().name())) IndexFunction(*library->add_function() = f);
  }
  for (const GradientDef& g : def.library().gradient()) {
    const bool added = gradients_.emplace(g.function_name(), g.gradient_func()).second;
    if (added) *library->add_gradient() = g;
  }
  return mark;
}

void FunctionLibrary::Remove(const Mark& mark) {
  std::unordered_map<std::string, Body> bodies;  // destroyed without the lock
  WriterLock lock(mutex_);
  if (rest_.library().function_size() == mark.functions &&
      rest_.library().gradient_size() == mark.gradients) {
    return;
  }
  bodies.swap(bodies_);
  auto* functions = rest_.mutable_library()->mutable_function();
  for (int i = mark.functions; i < functions->size(); ++i) {
    functions_.erase((*functions)[i].signature().name());
  }
  functions->DeleteSubrange(mark.functions, functions->size() - mark.functions);
  auto* gradients = rest_.mutable_library()->mutable_gradient();
  for (int i = mark.gradients; i < gradients->size(); ++i) {
    gradients_.erase((*gradients)[i].function_name());
  }
  gradients->DeleteSubrange(mark.gradients, gradients->size() - mark.gradients);
}

void FunctionLibrary::AddRest(const GraphDef& def) {
  WriterLock lock(mutex_);
  if (def.has_library()) {
    FunctionDefLibrary* library = rest_.mutable_library();
    for (const RegisteredGradient& g : def.library().registered_gradients()) {
      *library->add_registered_gradients() = g;
    }
    AddUnknownFields(def.library(), library);
  }
  if (def.has_debug_info()) rest_.mutable_debug_info()->MergeFrom(def.debug_info());
  if (HasUnknownFields(def.versions())) {
    AddUnknownFields(def.versions(), rest_.mutable_versions());
  }
  AddUnknownFields(def, &rest_);
}

void FunctionLibrary::IndexFunction(const FunctionDef& def) {
  functions_.emplace(def.signature().name(), &def);
}

Status FunctionLibrary::AddFunction(const FunctionDef& def, BodyFinder find_body) {
  WriterLock lock(mutex_);
  find_body_ = find_body;
  auto known = functions_.find(def.signature().name());
  if (known != functions_.end()) return CheckSame(*known->second, def);
  IndexFunction(*rest_.mutable_library()->add_function() = def);
  return OkStatus();
}

Status FunctionLibrary::AddGradient(const GradientDef& def) {
  WriterLock lock(mutex_);
  auto [known, added] = gradients_.emplace(def.function_name(), def.gradient_func());
  if (!added) return CheckSame(known->second, def);
  *rest_.mutable_library()->add_gradient() = def;
  return OkStatus();
}

void FunctionLibrary::CopyTo(GraphDef* def) const {
  ReaderLock lock(mutex_);
  *def = rest_;
}

const FunctionDef* FunctionLibrary::Find(std::string_view name) const {
  ReaderLock lock(mutex_);
  auto it = functions_.find(name);
  return it == functions_.end() ? nullptr : it->second;
}

std::string FunctionLibrary::GradientOf(std::string_view name) const {
  ReaderLock lock(mutex_);
  auto it = gradients_.find(std::string(name));
  return it == gradients_.end() ? std::string() : it->second;
}

std::vector<std::string> FunctionLibrary::names() const {
  ReaderLock lock(mutex_);
  std::vector<std::string> names;
  for (const FunctionDef& f : rest_.library().function()) names.push_back(f.signature().name());
  return names;
}

std::string FunctionLibrary::UniqueName(std::string_view name) {
  WriterLock lock(mutex_);
  int& used = used_names_[std::string(name)];
  std::string unique(name);
  while (used > 0 ? functions_.contains(unique = StrCat(name, "_", used))
                  : functions_.contains(unique)) {
    ++used;
  }
  ++used;
  return unique;
}

StatusOr<FunctionLibrary::Body> FunctionLibrary::BodyFor(
    const std::string& key, const std::function<StatusOr<Body>()>& make) {
  {
    ReaderLock lock(mutex_);
    auto known = bodies_.find(key);
    if (known != bodies_.end()) return known->second;
  }
  RAMET_ASSIGN_OR_RETURN(Body body, make());
  WriterLock lock(mutex_);
  if (closed_) return body;
  return bodies_.emplace(key, std::move(body)).first->second;
}

FunctionLibrary::BodyFinder FunctionLibrary::body_finder() const {
  ReaderLock lock(mutex_);
  return find_body_;
}

void FunctionLibrary::Close() {
  std::unordered_map<std::string, Body> bodies;  // destroyed without the lock
  WriterLock lock(mutex_);
  closed_ = true;
  bodies.swap(bodies_);
}

const FunctionLibrary& LibraryOf(const Graph& graph) { return *graph.impl().library; }
FunctionLibrary& LibraryOf(Graph& graph) { return *graph.impl().library; }

}  // namespace ramet
