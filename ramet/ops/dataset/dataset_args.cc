#include "ramet/ops/dataset/dataset_args.h"

#include "ramet/ops/io/args.h"

namespace ramet {
namespace {

Status CheckCounts(const AttrMap& attrs, ElementSpec* spec) {
  const bool is_source = attrs.Find("Toutput_types") != nullptr;
  spec->types = attrs.GetOr<std::vector<DType>>(is_source ? "Toutput_types" : "output_types", {});
  spec->shapes = attrs.GetOr<std::vector<Shape>>("output_shapes", {});
  if (attrs.Find("output_shapes") == nullptr || spec->types.size() == spec->shapes.size()) {
    return OkStatus();
  }
  return InvalidArgument("`output_types` and `output_shapes` must be the same length, but have ",
                         spec->types.size(), " and ", spec->shapes.size(), " elements");
}

}  // namespace

StatusOr<DatasetNode> DatasetNode::Read(const KernelNode& node) {
  DatasetNode read;
  read.name = node.name;
  read.attrs = *node.attrs;
  RAMET_RETURN_IF_ERROR(CheckCounts(read.attrs, &read.spec));
  read.num_captured =
      static_cast<int>(std::ssize(read.attrs.GetOr<std::vector<DType>>("Targuments", {})));
  return read;
}

StatusOr<DatasetPtr> DatasetArgs::InputDataset(int i) const { return DatasetOf(input(i)); }

StatusOr<DatasetPtr> DatasetArgs::SameTypes(int i) const {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr dataset, InputDataset(i));
  const std::vector<DType>&found = dataset->spec().types, &wanted = spec().types;
  if (found.size() != wanted.size()) {
    return InvalidArgument("Number of components does not match: expected ", wanted.size(),
                           " types but got ", found.size(), ".");
  }
  for (size_t k = 0; k < found.size(); ++k) {
    if (found[k] == wanted[k]) continue;
    return InvalidArgument("Data type mismatch at component ", k, ": expected ",
                           DTypeName(wanted[k]), " but got ", DTypeName(found[k]), ".");
  }
  return dataset;
}

StatusOr<int64_t> DatasetArgs::Int(int i, std::string_view name) const {
  const Tensor& t = input(i);
  if (t.rank() != 0) return InvalidArgument(name, " must be a scalar");
  if (t.dtype() == kInt32) return int64_t{t.scalar<int32_t>()};
  return t.scalar<int64_t>();
}

StatusOr<bool> DatasetArgs::Bool(int i, std::string_view name) const {
  if (input(i).rank() != 0) return InvalidArgument(name, " must be a scalar");
  return input(i).scalar<bool>();
}

StatusOr<std::string> DatasetArgs::String(int i, std::string_view name) const {
  if (input(i).rank() != 0) return InvalidArgument(name, " must be a scalar");
  return input(i).scalar<std::string>();
}

StatusOr<CapturedFunctionPtr> DatasetArgs::Function(std::string_view attr, std::vector<DType> args,
                                                    ResultTypes results, int first) const {
  return FunctionOf(attr, "Targuments", std::move(args), std::move(results), first);
}

StatusOr<CapturedFunctionPtr> DatasetArgs::FunctionOf(std::string_view attr, std::string_view types,
                                                      std::vector<DType> args, ResultTypes results,
                                                      int first) const {
  RAMET_ASSIGN_OR_RETURN(FunctionRef function, attrs().Get<FunctionRef>(attr));
  RAMET_ASSIGN_OR_RETURN(auto captured_types, attrs().Get<std::vector<DType>>(types));
  std::vector<Value> captured;
  for (size_t i = 0; i < captured_types.size(); ++i) {
    const int at = first + static_cast<int>(i);
    VariableState* const variable = context_.variable(at);
    if (variable != nullptr && captured_types[i] == DType::kResource) {
      captured.push_back({Tensor(), variable});
      continue;
    }
    RAMET_ASSIGN_OR_RETURN(Tensor owned, input(at).Owned());
    captured.push_back({std::move(owned), nullptr});
  }
  return CapturedFunctionPtr(
      std::make_shared<CapturedFunction>(std::move(function), std::move(args), std::move(results),
                                         std::move(captured), captured_types));
}

Status DatasetShape(ShapeContext& c) {
  ElementSpec spec;
  RAMET_RETURN_IF_ERROR(CheckCounts(c.attrs(), &spec));
  return ScalarShape(c);
}

Status ElementShapes(ShapeContext& c) {
  ElementSpec spec;
  RAMET_RETURN_IF_ERROR(CheckCounts(c.attrs(), &spec));
  for (int i = 0; i < c.num_outputs() && i < std::ssize(spec.shapes); ++i) {
    c.set_output(i, spec.shapes[i]);
  }
  return OkStatus();
}

}  // namespace ramet
