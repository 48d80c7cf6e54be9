#include "ramet/backends/gpu/ops/update_programs.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "ramet/base/mutex.h"

namespace ramet::gpu {
namespace {

// Every OpenCL device takes 1024 bytes of arguments.
constexpr size_t kMaxArgumentBytes = 1000;
constexpr size_t kMaxMerged = 16;

// Returns copies of `text` with each `mark` replaced by 0, 1, ..., count - 1.
std::string Repeated(std::string_view text, size_t count, char mark = '%') {
  std::string repeated;
  for (size_t i = 0; i < count; ++i) {
    for (char c : text) repeated += c == mark ? std::to_string(i) : std::string(1, c);
  }
  return repeated;
}

constexpr std::string_view kMacros = R"(
typedef VALUE(T) V;
#if IS_DOUBLE
#define K(x) (x)
#else
#define K(x) ((V)x##f)
#endif
#define SIGN(x) ((V)(((x) > 0) - ((x) < 0)))
)";

// A work item updates one column of all rows in the order of the indices, so that an index that
// occurs more than once has the same effect as on the CPU. The new values begin as copies of the
// old ones.
constexpr std::string_view kEachRow = R"(
FOR_EACH(column, n) {
  for (index_t k = 0; k < count; ++k) {
    if (indices[k] < 0 || indices[k] >= rows) continue;
    const index_t i = (index_t)indices[k] * n + column;
    const V g = LOAD(T, gradient, k * n + column);
)";

// Returns the parameters of a kernel for the scalars, whose names end with a suffix.
std::string ScalarParameters(const ApplyInputs& inputs, std::string_view suffix) {
  std::string text;
  for (size_t i = 0; i < inputs.scalars.size(); ++i) {
    text += StrCat("GLOBAL const STORED(", inputs.scalar_tags[i], ")* scalar", i, suffix, ", ");
  }
  return text;
}

// Returns the statements that read the scalars.
std::string ScalarValues(const ApplyInputs& inputs) {
  std::string text;
  for (size_t i = 0; i < inputs.scalars.size(); ++i) {
    text += StrCat("const V p", i, " = (V)LOAD(", inputs.scalar_tags[i], ", scalar", i, ", 0);\n");
  }
  return text;
}

std::string RowsSource(const OptimizerRule& rule, const ApplyInputs& inputs) {
  const size_t states = inputs.variables.size();
  return StrCat(kMacros, "KERNEL(apply_rows)(",
                Repeated("GLOBAL const STORED(T)* old%, GLOBAL STORED(T)* new%, ", states),
                ScalarParameters(inputs, ""),
                "GLOBAL const STORED(T)* gradient, GLOBAL const INDEX* indices, index_t count, "
                "index_t rows, index_t n) {\n",
                ScalarValues(inputs), kEachRow, Repeated("V s% = LOAD(T, new%, i);\n", states),
                rule.body, "\n", Repeated("STORE(T, new%, i, s%);\n", states), "}\n}\n}\n");
}

// The second dimension of the launch chooses the variable.
std::string DenseSource(const OptimizerRule& rule, const ApplyInputs& inputs, size_t count) {
  const size_t states = inputs.variables.size();
  const auto parameters = [&](std::string_view suffix) {
    return StrCat(Repeated(StrCat("GLOBAL const STORED(T)* old%", suffix, ", "), states),
                  ScalarParameters(inputs, suffix), "GLOBAL const STORED(T)* gradient", suffix,
                  ", ", Repeated(StrCat("GLOBAL STORED(T)* new%", suffix, ", "), states),
                  "index_t n", suffix);
  };
  const std::string arguments =
      StrCat(Repeated("old%_#, ", states), Repeated("scalar%_#, ", inputs.scalars.size()),
             "gradient_#, ", Repeated("new%_#, ", states), "n_#");
  std::string all = Repeated(StrCat(parameters("_#"), ", "), count, '#');
  all.resize(all.size() - 2);
  return StrCat(kMacros, "FUNCTION void update(", parameters(""), ") {\n", ScalarValues(inputs),
                "FOR_EACH(i, n) {\nconst V g = LOAD(T, gradient, i);\n",
                Repeated("V s% = LOAD(T, old%, i);\n", states), rule.body, "\n",
                Repeated("STORE(T, new%, i, s%);\n", states), "}\n}\nKERNEL(apply)(", all, ") {\n",
                Repeated(StrCat("if (GROUP_ID(1) == #) update(", arguments, ");\n"), count, '#'),
                "}\n");
}

size_t MaxMerged(const ApplyInputs& inputs) {
  // One pointer for each tensor, and the number of elements.
  const size_t bytes = 8 * (2 * inputs.variables.size() + inputs.scalars.size() + 2);
  size_t count = 1;
  while (count < kMaxMerged && 2 * count * bytes <= kMaxArgumentBytes) count *= 2;
  return count;
}

}  // namespace

ApplyInputs::ApplyInputs(const OpSchema& schema) {
  for (int i = 0; i < static_cast<int>(schema.inputs.size()); ++i) {
    const ArgSchema& arg = schema.inputs[i];
    names.push_back(arg.name);
    if (arg.is_ref || arg.type == DType::kResource) {
      variables.push_back(i);
    } else if (arg.name == "grad" || arg.name == "delta") {
      gradient = i;
    } else if (arg.name == "indices") {
      indices = i;
    } else {
      scalars.push_back(i);
      scalar_tags.push_back(arg.type == DType::kInt64 ? "i64" : "T");
    }
  }
}

const Program& UpdateProgram(const OptimizerRule& rule, const ApplyInputs& inputs, int count) {
  struct Made {
    std::string source;
    Program program;
  };
  static auto* const mutex = new Mutex;
  static auto* const programs = new std::map<std::string, std::unique_ptr<Made>>;
  MutexLock lock(*mutex);
  const std::string name = StrCat(inputs.indices < 0 ? "" : "Sparse", rule.op, " ", count);
  auto [found, added] = programs->try_emplace(name);
  std::unique_ptr<Made>& made = found->second;
  if (added) {
    made = std::make_unique<Made>();
    made->source = inputs.indices < 0 ? DenseSource(rule, inputs, static_cast<size_t>(count))
                                      : RowsSource(rule, inputs);
    made->program = {found->first, made->source};
  }
  return made->program;
}

Definitions UpdateDefinitions(DType dtype, std::string index, bool flag) {
  return {{"T", std::string(DialectTag(dtype))},
          {"IS_DOUBLE", dtype == kDouble ? "1" : "0"},
          {"INDEX", std::move(index)},
          {"FLAG", flag ? "1" : "0"}};
}

DenseUpdate::DenseUpdate(const OptimizerRule& rule, const ApplyInputs& inputs, DType dtype,
                         bool flag)
    : rule_(rule),
      inputs_(inputs),
      definitions_(UpdateDefinitions(dtype, "i32", flag)),
      max_merged_(MaxMerged(inputs)) {}

const DenseUpdate& DenseUpdate::For(const OptimizerRule& rule, const ApplyInputs& inputs,
                                    DType dtype, bool flag) {
  static auto* const mutex = new Mutex;
  static auto* const updates = new std::map<std::string, std::unique_ptr<DenseUpdate>>;
  MutexLock lock(*mutex);
  std::unique_ptr<DenseUpdate>& update =
      (*updates)[StrCat(rule.op, " ", DTypeName(dtype), " ", flag ? 1 : 0)];
  if (update == nullptr) update.reset(new DenseUpdate(rule, inputs, dtype, flag));
  return *update;
}

StatusOr<ReadyLaunch> DenseUpdate::Merge(std::span<const HeldLaunch> launches) const {
  GpuDevice& device = GpuDevice::Of(*launches[0].read[0].memory());
  size_t count = 1;
  while (count < launches.size()) count *= 2;  // few programs do for all numbers of variables
  std::vector<LaunchArgument> arguments;
  int64_t most = 0;
  for (size_t i = 0; i < count; ++i) {
    const HeldLaunch& launch = launches[std::min(i, launches.size() - 1)];
    for (const Tensor& t : launch.read) arguments.emplace_back(t);
    for (const Tensor& t : launch.written) arguments.emplace_back(t);
    arguments.emplace_back(Index{launch.count});
    most = std::max(most, launch.count);
  }
  LaunchSize size = SizeForEach(device, most);
  size.groups[1] = static_cast<uint32_t>(launches.size());
  const KernelSpec kernel = {UpdateProgram(rule_, inputs_, static_cast<int>(count)), "apply",
                             definitions_};
  return PrepareLaunch(device, kernel, size, arguments);
}

}  // namespace ramet::gpu
