#include <algorithm>
#include <cmath>
#include <complex>
#include <iostream>
#include <limits>
#include <map>

#include "command.h"
#include "tensors.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

struct DiffOptions {
  std::string a, b;
  double rtol = 0, atol = 0;
  bool as_json = false;
};

// How far apart two tensors of the same dtype and shape are.
struct Distance {
  int64_t differing = 0;
  int64_t first = -1;
  double largest = 0, largest_relative = 0;
};

bool Same(double a, double b, const DiffOptions& o) {
  if (std::isnan(a) && std::isnan(b)) return true;
  return a == b || std::fabs(a - b) <= o.atol + o.rtol * std::fabs(b);
}

template <class T>
double Wide(const T& x) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<double>(x);
  } else {
    return static_cast<float>(x);
  }
}

template <class T>
void AddDistance(const T& a, const T& b, int64_t i, const DiffOptions& o, Distance* d) {
  bool same = a == b;
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    const double apart = std::abs(std::complex<double>(a) - std::complex<double>(b));
    same = same || apart <= o.atol + o.rtol * std::abs(std::complex<double>(b));
    if (!same) d->largest = std::max(d->largest, apart);
  } else if constexpr (!std::is_same_v<T, std::string>) {
    const auto x = Wide(a), y = Wide(b);
    if constexpr (!std::is_integral_v<T>) same = Same(x, y, o);
    if (std::is_integral_v<T> && !same && (o.atol > 0 || o.rtol > 0)) same = Same(x, y, o);
    const double apart = std::fabs(x - y);
    const bool number = !std::isnan(apart);
    if (!same) d->largest = std::max(d->largest, number ? apart : HUGE_VAL);
    if (!same && y != 0 && number) {
      d->largest_relative = std::max(d->largest_relative, apart / std::fabs(y));
    }
  }
  if (same) return;
  if (d->differing++ == 0) d->first = i;
}

template <class T>
Distance Compare(const rm::Tensor& a, const rm::Tensor& b, const DiffOptions& o) {
  Distance d;
  for (int64_t i = 0; i < a.num_elements(); ++i)
    AddDistance(a.data<T>()[i], b.data<T>()[i], i, o, &d);
  return d;
}

// Compares the bits of dtypes without arithmetic, such as the quantized ones.
Distance CompareBits(const rm::Tensor& a, const rm::Tensor& b) {
  Distance d;
  if (!a.BitwiseEquals(b)) d = {a.num_elements(), 0, 0, 0};
  return d;
}

Distance CompareTensors(const rm::Tensor& a, const rm::Tensor& b, const DiffOptions& o) {
  switch (a.dtype()) {
    case rm::kFloat: return Compare<float>(a, b, o);
    case rm::kDouble: return Compare<double>(a, b, o);
    case rm::kHalf: return Compare<rm::Half>(a, b, o);
    case rm::kBFloat16: return Compare<rm::BFloat16>(a, b, o);
    case rm::kInt8: return Compare<int8_t>(a, b, o);
    case rm::kInt16: return Compare<int16_t>(a, b, o);
    case rm::kInt32: return Compare<int32_t>(a, b, o);
    case rm::kInt64: return Compare<int64_t>(a, b, o);
    case rm::kUInt8: return Compare<uint8_t>(a, b, o);
    case rm::kUInt16: return Compare<uint16_t>(a, b, o);
    case rm::kUInt32: return Compare<uint32_t>(a, b, o);
    case rm::kUInt64: return Compare<uint64_t>(a, b, o);
    case rm::kBool: return Compare<bool>(a, b, o);
    case rm::kString: return Compare<std::string>(a, b, o);
    case rm::kComplex64: return Compare<std::complex<float>>(a, b, o);
    case rm::kComplex128: return Compare<std::complex<double>>(a, b, o);
    default: return CompareBits(a, b);
  }
}

// Returns "inf" for a number that is not finite, which JSON cannot represent.
nlohmann::json Number(double x) { return std::isfinite(x) ? nlohmann::json(x) : "inf"; }

// Collects and prints the differences.
class TensorReport {
 public:
  explicit TensorReport(const DiffOptions& options) : options_(options) {}

  void OnlyIn(char which, const std::string& file, const TensorInfo& info) {
    Add({{"name", info.name},
         {"difference", rm::StrCat("only in ", which)},
         {which == 'a' ? "a" : "b", TypeAndShape(info.dtype, info.shape)}},
        rm::StrCat("only in ", file, "  ", TypeAndShape(info.dtype, info.shape)));
  }
  void Kind(const TensorInfo& a, const TensorInfo& b) {
    const std::string x = TypeAndShape(a.dtype, a.shape), y = TypeAndShape(b.dtype, b.shape);
    Add({{"name", a.name}, {"difference", "dtype or shape"}, {"a", x}, {"b", y}},
        rm::StrCat(x, " and ", y));
  }
  void Values(const TensorInfo& info, const Distance& d) {
    Add({{"name", info.name},
         {"difference", "values"},
         {"elements", info.shape.num_elements()},
         {"differing", d.differing},
         {"first", d.first},
         {"max_absolute", Number(d.largest)},
         {"max_relative", Number(d.largest_relative)}},
        rm::StrCat(TypeAndShape(info.dtype, info.shape), "  ", d.differing, " of ",
                   info.shape.num_elements(), " elements differ, by at most ", d.largest,
                   " (relative ", d.largest_relative, "), starting at element ", d.first));
  }
  void Finish(size_t compared) {
    if (options_.as_json) {
      PrintJson({{"equal", items_.empty()}, {"differences", items_}});
    } else if (items_.empty()) {
      std::cout << Paint("equal", Color::kGreen) << ": " << Count(compared, "tensor") << "\n";
    } else {
      std::cout << items_.size() << " of " << Count(compared, "tensor")
                << (items_.size() == 1 ? " differs\n" : " differ\n");
    }
  }
  bool empty() const { return items_.empty(); }

 private:
  void Add(nlohmann::json item, const std::string& line) {
    if (!options_.as_json) {
      std::cout << Paint(Clean(item["name"].get<std::string>()), Color::kRed) << "  " << line
                << "\n";
    }
    items_.push_back(std::move(item));
  }

  const DiffOptions& options_;
  nlohmann::json items_ = nlohmann::json::array();
};

using Pair = std::pair<const TensorInfo*, const TensorInfo*>;

std::map<std::string, Pair> PairUp(const std::vector<TensorInfo>& a,
                                   const std::vector<TensorInfo>& b) {
  std::map<std::string, Pair> pairs;
  for (const TensorInfo& info : a) pairs[info.name].first = &info;
  for (const TensorInfo& info : b) pairs[info.name].second = &info;
  return pairs;
}

rm::Status Diff(const DiffOptions& o, bool* differ) {
  RAMET_ASSIGN_OR_RETURN(auto a, OpenTensors(o.a));
  RAMET_ASSIGN_OR_RETURN(auto b, OpenTensors(o.b));
  RAMET_ASSIGN_OR_RETURN(const auto listed_a, a->List());
  RAMET_ASSIGN_OR_RETURN(const auto listed_b, b->List());
  const auto pairs = PairUp(listed_a, listed_b);
  TensorReport report(o);
  LongWork work("comparing", static_cast<int64_t>(pairs.size()));
  int64_t done = 0;
  for (const auto& [name, pair] : pairs) {
    work.Update(done++, name);
    const auto [x, y] = pair;
    if (x == nullptr || y == nullptr) {
      x ? report.OnlyIn('a', o.a, *x) : report.OnlyIn('b', o.b, *y);
    } else if (x->dtype != y->dtype || !(x->shape == y->shape)) {
      report.Kind(*x, *y);
    } else {
      RAMET_ASSIGN_OR_RETURN(const rm::Tensor left, a->Read(name));
      RAMET_ASSIGN_OR_RETURN(const rm::Tensor right, b->Read(name));
      const Distance distance = CompareTensors(left, right, o);
      if (distance.differing > 0) report.Values(*x, distance);
    }
  }
  report.Finish(pairs.size());
  *differ = !report.empty();
  return rm::OkStatus();
}

}  // namespace

void AddDiff(CLI::App& app, rm::Status* status, bool* differ) {
  auto* command =
      app.add_subcommand("diff", "Print which tensors of two files differ, and by how much");
  auto options = std::make_shared<DiffOptions>();
  command->add_option("A", options->a, kTensorsHelp)->required();
  command->add_option("B", options->b, "The file to compare with A; its format may be different")
      ->required();
  command
      ->add_option("--rtol", options->rtol,
                   "Relative tolerance: treat a and b as equal if |a - b| <= atol + rtol * |b| "
                   "(default: 0)")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--atol", options->atol, "Absolute tolerance, see --rtol (default: 0)")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--json", options->as_json, "Print a JSON object");
  command->footer(
      "NaN equals NaN. Exit codes: 0 equal, 1 different, 2 failure or usage error.\n"
      "Examples:\n  ramet diff model-1000 model-2000\n"
      "  ramet diff model-1000 model.safetensors --rtol 1e-3");
  command->callback([=] { *status = Diff(*options, differ); });
}

}  // namespace cli
