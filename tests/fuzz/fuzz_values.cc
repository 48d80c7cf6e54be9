// Runs the shape functions, kernels and gradient functions of all cases recorded with TensorFlow,
// each with one thing changed: the numbers of an input become the limits of their dtype or other
// special values, an input gets another shape or all get another dtype, an attr gets another value.
// Shape functions also see inputs of which only a shape is known, or not even that.
// Nothing is drawn: case N is the same recorded case for every seed, with all its changes.
#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

#include "case.h"
#include "progress.h"
#include "ramet/base/run_interrupt.h"
#include "ramet/gradients/gradients.h"
#include "ramet/graph/add_op.h"
#include "ramet/op/op.h"
#include "ramet/op/testing/kernel_tester.h"
#include "supervisor.h"

namespace ramet::fuzz {
namespace {

using conformance::Case;

enum class Place { kFirst, kLast, kAll };
// How long a kernel may run before it is asked to stop.
constexpr int64_t kMaxMillis = 5000;
constexpr Place kPlaces[] = {Place::kFirst, Place::kLast, Place::kAll};

template <class T>
std::vector<T> SpecialValues() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_integral_v<T>) {
    std::vector<T> values = {Limits::min(), Limits::max(), static_cast<T>(-1), T{0}};
    if (sizeof(T) == 8) values.push_back(static_cast<T>(int64_t{1} << 40));
    return values;
  } else {
    return {Limits::quiet_NaN(), Limits::infinity(), Limits::lowest(), T{0}};
  }
}

// Calls f(T()) with the type of the elements, if they have special values.
template <class F>
void ForSpecial(DType dtype, F f) {
  switch (dtype) {
    case kFloat: return f(float());
    case kDouble: return f(double());
    case kInt8: return f(int8_t());
    case kInt16: return f(int16_t());
    case kInt32: return f(int32_t());
    case kInt64: return f(int64_t());
    case kUInt8: return f(uint8_t());
    case kUInt16: return f(uint16_t());
    case kUInt32: return f(uint32_t());
    case kUInt64: return f(uint64_t());
    default: return;
  }
}

template <class T>
void Replace(std::span<T> elements, Place place, T value) {
  if (elements.empty()) return;
  switch (place) {
    case Place::kFirst: elements.front() = value; break;
    case Place::kLast: elements.back() = value; break;
    case Place::kAll: std::ranges::fill(elements, value); break;
  }
}

// Returns a tensor of another shape with the same elements, repeated as often as it takes.
Tensor Reshaped(const Tensor& tensor, const Shape& shape) {
  const int64_t size = tensor.num_elements(), count = shape.num_elements();
  Tensor changed = Tensor::Allocate(tensor.dtype(), shape).value();
  if (tensor.dtype() == kString) {
    for (int64_t i = 0; i < count; ++i) {
      changed.mutable_data<std::string>()[i] = tensor.data<std::string>()[i % size];
    }
    return changed;
  }
  const auto width = static_cast<int64_t>(DTypeSize(tensor.dtype()));
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(static_cast<char*>(changed.raw_data()) + i * width,
                static_cast<const char*>(tensor.raw_data()) + i % size * width, width);
  }
  return changed;
}

std::vector<Shape> OtherShapes(const Shape& shape) {
  constexpr int64_t kHuge = int64_t{1} << 61;
  std::vector<Shape> others = {{}, {0}, {1}, {2}, {3, 2}, {0, 3}, {kHuge, 0}, {1, 1, 1, 1, 1}};
  for (int d = 0; d < shape.rank(); ++d) {
    Shape without_elements = shape;
    without_elements.set_dim(d, kHuge);
    for (int k = 0; k < shape.rank(); ++k) {
      if (k == d) continue;
      others.push_back(without_elements);
      others.back().set_dim(k, 0);
    }
    for (int64_t size : {int64_t{0}, int64_t{1}, shape.dim(d) - 1, shape.dim(d) + 1}) {
      if (size < 0 || size == shape.dim(d)) continue;
      others.push_back(shape);
      others.back().set_dim(d, size);
    }
    Shape fewer, more;
    for (int k = 0; k < shape.rank(); ++k) {
      if (k != d) fewer.Append(shape.dim(k));
      if (k == d) more.Append(1);
      more.Append(shape.dim(k));
    }
    others.insert(others.end(), {fewer, more});
  }
  std::erase_if(others, [](const Shape& other) { return !other.Validate().ok(); });
  return others;
}

// Runs a recorded case with each change.
class Changes {
 public:
  Changes(const Case& recorded, Progress& progress) : recorded_(recorded), progress_(progress) {}

  void RunAll() {
    Run(recorded_, "unchanged");
    InferOpenShapes();
    for (size_t i = 0; i < recorded_.inputs.size(); ++i) {
      if (recorded_.inputs[i].value.num_elements() == 0) continue;
      ReplaceNumbers(i);
      ReplaceShape(i);
    }
    ReplaceDTypes();
    const Op* op = OpRegistry::Global().Find(recorded_.op);
    for (const AttrSchema& attr : op->schema().attrs) {
      const Attr* given = recorded_.attrs.Find(attr.name);
      ReplaceAttr(attr, given != nullptr ? *given : attr.default_value);
    }
    if (built_) progress_.Built();
    if (ran_) progress_.Ran();
    if (differentiated_) progress_.Differentiated();
  }

 private:
  void ReplaceNumbers(size_t i) {
    const Tensor& tensor = recorded_.inputs[i].value;
    ForSpecial(tensor.dtype(), [&]<class T>(T) {
      for (T value : SpecialValues<T>()) {
        for (Place place : kPlaces) {
          if (place != Place::kFirst && tensor.num_elements() == 1) continue;
          Tensor changed = tensor.DeepCopy().value();
          Replace(std::span<T>(changed.mutable_data<T>(), changed.num_elements()), place, value);
          RunWithInput(i, std::move(changed));
        }
      }
    });
  }

  void ReplaceShape(size_t i) {
    const Tensor& tensor = recorded_.inputs[i].value;
    for (const Shape& shape : OtherShapes(tensor.shape())) {
      RunWithInput(i, Reshaped(tensor, shape));
    }
  }

  // Gives all inputs of the first one's dtype another dtype.
  void ReplaceDTypes() {
    if (recorded_.inputs.empty() || recorded_.inputs[0].value.empty()) return;
    const DType from = recorded_.inputs[0].value.dtype();
    for (DType to : {kHalf, kBFloat16, kFloat, kDouble, kInt8, kInt16, kInt32, kInt64, kUInt8,
                     kUInt16, kUInt32, kUInt64, kComplex64, kComplex128, kBool}) {
      Case changed = recorded_;
      for (Case::Input& in : changed.inputs) {
        if (in.value.dtype() != from) continue;
        auto cast = KernelTester("Cast").Attr("DstT", to).Input(in.value).RunOne();
        if (!cast.ok()) return;  // strings
        in.value = *std::move(cast);
      }
      for (const auto& [name, value] : recorded_.attrs) {
        const DType* dtype = value.get<DType>();
        if (dtype != nullptr && *dtype == from) changed.attrs.Set(name, to);
      }
      Run(changed, StrCat("dtype ", DTypeName(to)));
    }
  }

  void ReplaceAttr(const AttrSchema& attr, const Attr& value) {
    if (attr.type == "int") {
      for (int64_t v : SpecialValues<int32_t>()) RunWithAttr(attr.name, v);
      for (int64_t v : SpecialValues<int64_t>()) RunWithAttr(attr.name, v);
    } else if (attr.type == "float") {
      for (float v : SpecialValues<float>()) RunWithAttr(attr.name, v);
    } else if (attr.type == "bool") {
      for (bool v : {false, true}) RunWithAttr(attr.name, v);
    } else if (attr.type == "string") {
      for (const std::string& v : attr.allowed_strings) RunWithAttr(attr.name, v);
      RunWithAttr(attr.name, "");
    } else if (const auto* ints = value.get<std::vector<int64_t>>()) {
      ReplaceElements<int64_t, int32_t>(attr.name, *ints);
      ReplaceElements<int64_t, int64_t>(attr.name, *ints);
    } else if (const auto* floats = value.get<std::vector<float>>()) {
      ReplaceElements<float, float>(attr.name, *floats);
    }
  }

  template <class T, class Special>
  void ReplaceElements(const std::string& name, const std::vector<T>& values) {
    for (Special special : SpecialValues<Special>()) {
      for (Place place : kPlaces) {
        std::vector<T> changed = values;
        Replace(std::span<T>(changed), place, static_cast<T>(special));
        RunWithAttr(name, std::move(changed));
      }
    }
    for (size_t size : {size_t{0}, size_t{1}, values.size() + 1}) {
      std::vector<T> changed = values;
      changed.resize(size);
      RunWithAttr(name, std::move(changed));
    }
  }

  void RunWithInput(size_t i, Tensor value) {
    Case changed = recorded_;
    changed.inputs[i].value = std::move(value);
    Run(changed, StrCat("input ", i, " = ", changed.inputs[i].value));
  }
  void RunWithAttr(const std::string& name, Attr value) {
    Case changed = recorded_;
    changed.attrs.Set(name, std::move(value));
    Run(changed, StrCat("attr ", name, " = ", *changed.attrs.Find(name)));
  }

  void Run(const Case& c, const std::string& change) {
    progress_.Text(StrCat(c.family, ".json, line ", c.line, ", with ", change));
    progress_.Note(change);
    KernelTester tester(c.op);
    for (const auto& [name, value] : c.attrs) tester.Attr(name, value);
    for (const Case::Input& in : c.inputs) {
      in.is_ref ? tester.Ref(in.value.DeepCopy().value()) : tester.Input(in.value);
    }
    progress_.Note(tester.InferShapes().status().ToString());
    const Cancellation limit(nullptr, nullptr, kMaxMillis);
    const CancellationScope scope(&limit);  // long kernels look at it
    const auto outputs = tester.Run();
    progress_.Note(outputs.status().ToString());
    ran_ |= outputs.ok();
    Differentiate(c);
  }

  // Adds the gradients to a graph; their kernels have recorded cases of their own.
  void Differentiate(const Case& c) {
    Graph graph;
    std::vector<Input> inputs;
    std::vector<GradientTarget> xs;
    for (const Case::Input& in : c.inputs) {
      if (in.is_ref || in.value.empty()) return;
      const Output x = Constant(graph, in.value);
      inputs.push_back(x);
      if (IsSmooth(x)) xs.push_back(x);
    }
    if (xs.empty()) return;
    const Operation op = AddOp(graph, c.op, inputs, c.attrs, "subject");
    if (!graph.TakeError().ok()) return;
    built_ = true;
    std::vector<Output> ys = op.outputs();
    std::erase_if(ys, [](const Output& y) { return !IsSmooth(y); });
    if (ys.empty()) return;
    const Status status = Gradients(ys, xs).status();
    progress_.Note(status.ToString());
    differentiated_ |= status.ok();
  }

  // Infers the shapes of the op for inputs that are fed: one has a shape of a few that no tensor in
  // memory could have, the others have their own shapes or unknown ones.
  void InferOpenShapes() {
    for (const Case::Input& in : recorded_.inputs) {
      if (in.is_ref || in.value.empty()) return;
    }
    constexpr int64_t kOpen = Shape::kUnknownDim, kLarge = int64_t{1} << 40;
    for (size_t i = 0; i < recorded_.inputs.size(); ++i) {
      for (const Shape& shape : {Shape::Unknown(), Shape{kOpen}, Shape{255}, Shape{1 << 30},
                                 Shape{kLarge}, Shape{kOpen, kLarge}, Shape{kLarge, kOpen}}) {
        for (bool others_known : {true, false}) InferOpenShape(i, shape, others_known);
      }
    }
  }

  void InferOpenShape(size_t changed, const Shape& shape, bool others_known) {
    progress_.Text(StrCat(recorded_.family, ".json, line ", recorded_.line, ", with input ",
                          changed, " of shape ", shape,
                          others_known ? "" : " and others of unknown rank"));
    Graph graph;
    std::vector<Input> inputs;
    for (size_t i = 0; i < recorded_.inputs.size(); ++i) {
      const Tensor& value = recorded_.inputs[i].value;
      const Shape& own = others_known ? value.shape() : Shape::Unknown();
      AttrMap attrs;
      attrs.Set("dtype", value.dtype());
      attrs.Set("shape", i == changed ? shape : own);
      inputs.push_back(AddOp(graph, "Placeholder", {}, attrs, "input").output(0));
    }
    AddOp(graph, recorded_.op, inputs, recorded_.attrs, "subject");
    progress_.Note(graph.TakeError().ToString());
  }

  static bool IsSmooth(const Output& x) { return IsFloating(x.dtype()) || IsComplex(x.dtype()); }

  const Case& recorded_;
  Progress& progress_;
  bool built_ = false, ran_ = false, differentiated_ = false;  // with any change
};

int Main(int argc, char** argv) {
  FuzzOptions options = ParseFuzzOptions(argc, argv);
  std::vector<Case> cases = conformance::LoadCases(RAMET_CONFORMANCE_DATA);
  std::erase_if(cases, [&](const Case& c) {
    return OpRegistry::Global().Find(c.op) == nullptr || options.LeavesOut(c.op);
  });
  if (cases.empty()) return 0;
  // The prime mixes the cases, so that the first ones are a sample of all.
  constexpr uint64_t kPrime = 1'000'003;
  const uint64_t count = cases.size();
  options.cases = std::min(options.cases, count);
  return Supervise(options, {}, {}, [&](uint64_t index, Progress& progress) {
    const Case& recorded = cases[index % count * kPrime % count];
    progress.Subject(recorded.op);
    Changes(recorded, progress).RunAll();
  });
}

}  // namespace
}  // namespace ramet::fuzz

int main(int argc, char** argv) { return ramet::fuzz::Main(argc, argv); }
