#include <algorithm>
#include <map>

#include "ramet/ops/dataset/dataset_args.h"
#include "ramet/ops/dataset/list_dataset.h"

namespace ramet {
namespace {

// Calls a function whose only result is an int64.
StatusOr<int64_t> CallForInt64(const CapturedFunction& function, NextContext& c, Element args,
                               std::string_view name) {
  RAMET_ASSIGN_OR_RETURN(const Element result, function.Call(c, args));
  if (result.size() != 1 || result[0].dtype() != kInt64 || result[0].num_elements() != 1) {
    return InvalidArgument("`", name, "` must return a scalar int64.");
  }
  return result[0].scalar<int64_t>();
}

struct WindowFunctions {
  CapturedFunctionPtr key, reduce, window_size;
};

// Collects elements by key and passes on the elements of reduce(key, window) for each full window.
class GroupByWindowIterator final : public DatasetIterator {
 public:
  GroupByWindowIterator(DatasetPtr dataset, IteratorPtr input, WindowFunctions functions)
      : DatasetIterator(std::move(dataset)),
        input_(std::move(input)),
        functions_(std::move(functions)) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    while (true) {
      if (current_ != nullptr) {
        bool window_ended = false;
        RAMET_RETURN_IF_ERROR(current_->Next(c, element, &window_ended));
        if (!window_ended) return OkStatus();
        current_.reset();
      }
      if (input_ != nullptr) {
        RAMET_RETURN_IF_ERROR(Collect(c));
      } else if (!groups_.empty()) {
        RAMET_RETURN_IF_ERROR(Begin(c, groups_.begin()->first));
      } else {
        *end = true;
        return OkStatus();
      }
    }
  }

 private:
  struct Group {
    int64_t window_size = 0;
    std::vector<Element> elements;
  };

  // Takes elements until a window is full or the input ends.
  Status Collect(NextContext& c) {
    while (true) {
      Element next;
      bool ended = false;
      RAMET_RETURN_IF_ERROR(input_->Next(c, &next, &ended));
      if (ended) {
        input_.reset();
        return OkStatus();
      }
      RAMET_ASSIGN_OR_RETURN(const int64_t key, CallForInt64(*functions_.key, c, next, "key_func"));
      Group& group = groups_[key];
      if (group.elements.empty()) {
        RAMET_ASSIGN_OR_RETURN(group.window_size, CallForInt64(*functions_.window_size, c,
                                                               {Tensor(key)}, "window_size_func"));
        if (const int64_t size = group.window_size; size <= 0) {
          groups_.erase(key);
          return InvalidArgument("Window size must be greater than zero, but got ", size, ".");
        }
      }
      group.elements.push_back(std::move(next));
      if (std::ssize(group.elements) >= group.window_size) return Begin(c, key);
    }
  }

  // Begins with the dataset of a window.
  Status Begin(NextContext& c, int64_t key) {
    auto elements = std::make_shared<std::vector<Element>>(std::move(groups_[key].elements));
    groups_.erase(key);
    RAMET_ASSIGN_OR_RETURN(auto window,
                           MakeListOfElements(dataset().input()->spec(), std::move(elements)));
    RAMET_ASSIGN_OR_RETURN(
        const DatasetPtr reduced,
        functions_.reduce->CallForDataset(c, {Tensor(key), VariantScalar(std::move(window))}));
    RAMET_ASSIGN_OR_RETURN(current_, reduced->NewIterator(c));
    return OkStatus();
  }

  IteratorPtr input_;
  const WindowFunctions functions_;
  std::map<int64_t, Group> groups_;
  IteratorPtr current_;
};

StatusOr<std::shared_ptr<Dataset>> MakeGroupByWindow(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.InputDataset());
  const auto count = [&](std::string_view attr) {
    return static_cast<int>(args.attrs().GetOr<std::vector<DType>>(attr, {}).size());
  };
  const int reduce_at = 1 + count("Tkey_func_other_arguments");
  const int size_at = reduce_at + count("Treduce_func_other_arguments");
  WindowFunctions f;
  RAMET_ASSIGN_OR_RETURN(f.key, args.FunctionOf("key_func", "Tkey_func_other_arguments",
                                                input->spec().types, {{kInt64}}, 1));
  RAMET_ASSIGN_OR_RETURN(
      f.reduce, args.FunctionOf("reduce_func", "Treduce_func_other_arguments",
                                {kInt64, DType::kVariant}, {{DType::kVariant}}, reduce_at));
  RAMET_ASSIGN_OR_RETURN(f.window_size,
                         args.FunctionOf("window_size_func", "Twindow_size_func_other_arguments",
                                         {kInt64}, {{kInt64}}, size_at));
  return Dataset::Make(args.spec(), {std::move(input)}, OverInput<GroupByWindowIterator>(f));
}

struct ReducerFunctions {
  CapturedFunctionPtr key, init;
  // For a state with the dtypes that init returns.
  CapturedFunctionPtr reduce, finalize;
};

// Reduces all elements of each key, then passes on one result per key.
class GroupByReducerIterator final : public DatasetIterator {
 public:
  GroupByReducerIterator(DatasetPtr dataset, IteratorPtr input, ReducerFunctions functions)
      : DatasetIterator(std::move(dataset)),
        input_(std::move(input)),
        functions_(std::move(functions)) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    while (input_ != nullptr) RAMET_RETURN_IF_ERROR(TakeElement(c));
    *end = states_.empty();
    if (*end) return OkStatus();
    Element state = std::move(states_.begin()->second);
    states_.erase(states_.begin());
    RAMET_ASSIGN_OR_RETURN(*element, functions_.finalize->WithArgs(TypesOf(state))->Call(c, state));
    return OkStatus();
  }

 private:
  static std::vector<DType> TypesOf(const Element& element) {
    std::vector<DType> types(element.size());
    std::ranges::transform(element, types.begin(), &Tensor::dtype);
    return types;
  }

  Status TakeElement(NextContext& c) {
    Element next;
    bool ended = false;
    RAMET_RETURN_IF_ERROR(input_->Next(c, &next, &ended));
    if (ended) {
      input_.reset();
      return OkStatus();
    }
    RAMET_ASSIGN_OR_RETURN(const int64_t key, CallForInt64(*functions_.key, c, next, "key_func"));
    auto at = states_.find(key);
    if (at == states_.end()) {
      Element args = {Tensor(key)};
      RAMET_ASSIGN_OR_RETURN(Element first, functions_.init->Call(c, args));
      at = states_.emplace(key, std::move(first)).first;
    }
    Element args = at->second;
    args.insert(args.end(), next.begin(), next.end());
    RAMET_ASSIGN_OR_RETURN(at->second, functions_.reduce->WithArgs(TypesOf(args))->Call(c, args));
    return OkStatus();
  }

  IteratorPtr input_;
  const ReducerFunctions functions_;
  std::map<int64_t, Element> states_;
};

StatusOr<std::shared_ptr<Dataset>> MakeGroupByReducer(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.InputDataset());
  const auto count = [&](std::string_view attr) {
    return static_cast<int>(args.attrs().GetOr<std::vector<DType>>(attr, {}).size());
  };
  const int init_at = 1 + count("Tkey_func_other_arguments");
  const int reduce_at = init_at + count("Tinit_func_other_arguments");
  const int finalize_at = reduce_at + count("Treduce_func_other_arguments");
  ReducerFunctions f;
  RAMET_ASSIGN_OR_RETURN(f.key, args.FunctionOf("key_func", "Tkey_func_other_arguments",
                                                input->spec().types, {{kInt64}}, 1));
  RAMET_ASSIGN_OR_RETURN(
      f.init, args.FunctionOf("init_func", "Tinit_func_other_arguments", {kInt64}, {}, init_at));
  RAMET_ASSIGN_OR_RETURN(
      f.reduce, args.FunctionOf("reduce_func", "Treduce_func_other_arguments", {}, {}, reduce_at));
  RAMET_ASSIGN_OR_RETURN(f.finalize,
                         args.FunctionOf("finalize_func", "Tfinalize_func_other_arguments", {},
                                         args.spec().types, finalize_at));
  return Dataset::Make(args.spec(), {std::move(input)}, OverInput<GroupByReducerIterator>(f));
}

RAMET_OP("GroupByWindowDataset")
    .Input("input_dataset: variant")
    .Input("key_func_other_arguments: Tkey_func_other_arguments")
    .Input("reduce_func_other_arguments: Treduce_func_other_arguments")
    .Input("window_size_func_other_arguments: Twindow_size_func_other_arguments")
    .Output("handle: variant")
    .Attr("key_func: func")
    .Attr("reduce_func: func")
    .Attr("window_size_func: func")
    .Attr("Tkey_func_other_arguments: list(type) >= 0")
    .Attr("Treduce_func_other_arguments: list(type) >= 0")
    .Attr("Twindow_size_func_other_arguments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc(
        "Makes a dataset of the elements of reduce_func(key, window), where window is a dataset of "
        "window_size_func(key) elements for which key_func returns the key. Error: a function "
        "returns something else.")
    .HostMemory({"key_func_other_arguments", "reduce_func_other_arguments",
                 "window_size_func_other_arguments"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeGroupByWindow>>();

RAMET_OP("GroupByReducerDataset")
    .Input("input_dataset: variant")
    .Input("key_func_other_arguments: Tkey_func_other_arguments")
    .Input("init_func_other_arguments: Tinit_func_other_arguments")
    .Input("reduce_func_other_arguments: Treduce_func_other_arguments")
    .Input("finalize_func_other_arguments: Tfinalize_func_other_arguments")
    .Output("handle: variant")
    .Attr("key_func: func")
    .Attr("init_func: func")
    .Attr("reduce_func: func")
    .Attr("finalize_func: func")
    .Attr("Tkey_func_other_arguments: list(type) >= 0")
    .Attr("Tinit_func_other_arguments: list(type) >= 0")
    .Attr("Treduce_func_other_arguments: list(type) >= 0")
    .Attr("Tfinalize_func_other_arguments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Doc(
        "Makes a dataset with an element for each key that key_func returns, in the order of keys: "
        "finalize_func of the last state of reduce_func(state, element), which begins with "
        "init_func(key).")
    .HostMemory({"key_func_other_arguments", "init_func_other_arguments",
                 "reduce_func_other_arguments", "finalize_func_other_arguments"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeGroupByReducer>>();

RAMET_OP("ExperimentalGroupByReducerDataset")
    .Input("input_dataset: variant")
    .Input("key_func_other_arguments: Tkey_func_other_arguments")
    .Input("init_func_other_arguments: Tinit_func_other_arguments")
    .Input("reduce_func_other_arguments: Treduce_func_other_arguments")
    .Input("finalize_func_other_arguments: Tfinalize_func_other_arguments")
    .Output("handle: variant")
    .Attr("key_func: func")
    .Attr("init_func: func")
    .Attr("reduce_func: func")
    .Attr("finalize_func: func")
    .Attr("Tkey_func_other_arguments: list(type) >= 0")
    .Attr("Tinit_func_other_arguments: list(type) >= 0")
    .Attr("Treduce_func_other_arguments: list(type) >= 0")
    .Attr("Tfinalize_func_other_arguments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Doc("Like GroupByReducerDataset.")
    .HostMemory({"key_func_other_arguments", "init_func_other_arguments",
                 "reduce_func_other_arguments", "finalize_func_other_arguments"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeGroupByReducer>>();

}  // namespace
}  // namespace ramet
