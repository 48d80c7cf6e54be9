#include <algorithm>

#include "ramet/op/op.h"
#include "ramet/op/resource_handle.h"
#include "ramet/op/shared_name.h"
#include "ramet/ops/lookup/dense_table.h"
#include "ramet/ops/lookup/table.h"

namespace ramet {
namespace {

using Kind = LookupTable::Kind;

// Reports whether TensorFlow has tables for this pair of dtypes.
bool Supported(Kind kind, DType key, DType value) {
  if (value == kFloat || value == kDouble || value == kInt32) return true;
  if (value == kString)
    return kind == Kind::kFilledOnce || (key == kInt64 && kind == Kind::kMutable);
  if (value == kInt64) return key != kInt32;
  if (value == kBool) return key == kString || (key == kInt64 && kind == Kind::kDense);
  return value == DType::kVariant && key == kInt64 && kind != Kind::kFilledOnce;
}

// Creates the table in the session, or finds the one of that name.
template <Kind kind>
class TableKernel final : public Kernel {
 public:
  explicit TableKernel(const KernelNode& node)
      : name_(SharedNameOf(node, node.attrs->GetOr("use_node_name_sharing", false))),
        form_(node.output_types[0]),
        key_(node.attrs->GetOr("key_dtype", DType::kInvalid)),
        value_(node.attrs->GetOr("value_dtype", DType::kInvalid)),
        dense_{value_, node.attrs->GetOr("value_shape", Shape()),
               node.attrs->GetOr<int64_t>("initial_num_buckets", 0),
               node.attrs->GetOr("max_load_factor", 0.0f)},
        reference_(node.name) {}

  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    auto kernel = std::make_unique<TableKernel>(node);
    if (!Supported(kind, kernel->key_, kernel->value_)) {
      return InvalidArgument("No kernel of ", node.op, " for key_dtype=", DTypeName(kernel->key_),
                             ", value_dtype=", DTypeName(kernel->value_), " (node '", node.name,
                             "')");
    }
    return StatusOr<std::unique_ptr<Kernel>>(std::move(kernel));
  }

  Status Compute(KernelContext& c) override {
    MutexLock lock(mutex_);
    if (table_ == nullptr) RAMET_RETURN_IF_ERROR(LookUp(c));
    if (!IsRef(form_)) {
      c.SetOutput(0, MakeHandle(table_));
      return OkStatus();
    }
    c.SetRefOutput(0, &reference_);
    return OkStatus();
  }

 private:
  StatusOr<std::shared_ptr<LookupTable>> NewTable(KernelContext& c) const {
    if (kind == Kind::kDense) return MakeDenseTable(name_.name, c.input(0), c.input(1), dense_);
    return LookupTable::Make(kind, name_.name, key_, value_);
  }

  Status LookUp(KernelContext& c) RAMET_REQUIRES(mutex_) {
    RAMET_ASSIGN_OR_RETURN(auto fresh, NewTable(c));
    auto found = std::dynamic_pointer_cast<LookupTable>(c.env().resources->FindOrCreate(
        TableContainer(name_.container), name_.name, [&] { return fresh; }));
    if (found->key_dtype() != key_ || found->value_dtype() != value_) {
      return InvalidArgument("Conflicting key/value dtypes ", DTypeName(key_), "->",
                             DTypeName(value_), " with ", DTypeName(found->key_dtype()), "-",
                             DTypeName(found->value_dtype()), " for table ", name_.name);
    }
    reference_.Set(Tensor::Vector<std::string>({name_.container, name_.name}));
    table_ = std::move(found);
    return OkStatus();
  }

  const SharedName name_;
  const DType form_, key_, value_;
  const DenseTableOptions dense_;
  Mutex mutex_;
  std::shared_ptr<LookupTable> table_ RAMET_GUARDED_BY(mutex_);
  VariableState reference_;
};

// Returns the shape of the values for keys of this shape.
// \error kInvalidArgument: it does not end with the shape of a key of the table.
StatusOr<Shape> ValuesShape(const LookupTable& table, const Shape& keys) {
  const Shape& key = table.key_shape();
  const int outer = keys.rank() - key.rank();
  if (outer < 0 || keys.Slice(outer, keys.rank()) != key) {
    return InvalidArgument("Input key shape ", keys, " must end with the table's key shape ", key);
  }
  return keys.Slice(0, outer).Concatenate(table.value_shape());
}

Status Find(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto table, InputTable(c));
  const Tensor &keys = c.input(1), &defaults = c.input(2);
  RAMET_RETURN_IF_ERROR(CheckTableTypes(c, *table, defaults.dtype()));
  RAMET_ASSIGN_OR_RETURN(const Shape shape, ValuesShape(*table, keys.shape()));
  if (defaults.shape() != table->value_shape() && defaults.shape() != shape) {
    return InvalidArgument("Expected shape ", table->value_shape(), " or ", shape,
                           " for default value, got ", defaults.shape());
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * values, c.Allocate(0, table->value_dtype(), shape));
  return table->Find(keys, defaults, *values);
}

Status Size(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto table, InputTable(c));
  c.SetOutput(0, Tensor(table->size()));
  return OkStatus();
}

class ExportKernel final : public Kernel {
 public:
  explicit ExportKernel(const KernelNode& node)
      : key_(node.output_types[0]), value_(node.output_types[1]) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<ExportKernel>(node);
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(auto table, InputTable(c));
    if (table->key_dtype() != key_ || table->value_dtype() != value_) {
      return InvalidArgument("Signature mismatch, have: ", DTypeName(key_), ", ", DTypeName(value_),
                             " expected: ", DTypeName(table->key_dtype()), ", ",
                             DTypeName(table->value_dtype()));
    }
    Tensor keys, values;
    RAMET_RETURN_IF_ERROR(table->Export(keys, values, c.allocator()));
    c.SetOutput(0, std::move(keys));
    c.SetOutput(1, std::move(values));
    return OkStatus();
  }

 private:
  const DType key_, value_;
};

Status CheckValues(const Shape& expected, const Tensor& values) {
  if (values.shape() == expected) return OkStatus();
  return InvalidArgument("Expected shape ", expected, " for value, got ", values.shape());
}

// Returns the shape of all values if `keys` is the shape of all keys, as a table exports them.
StatusOr<Shape> ExportedShape(const LookupTable& table, const Shape& keys) {
  if (table.kind() != Kind::kDense) return keys;
  const int64_t width = table.key_shape().num_elements();
  if (keys.rank() != 2 || keys.dim(1) != width) {
    return InvalidArgument("the keys of a dense table must have shape [buckets,", width,
                           "], but have shape ", keys);
  }
  return Shape{keys.dim(0), table.value_shape().num_elements()};
}

Status NotSupported(std::string_view what) {
  return Unimplemented(what, " not supported by InitializableLookupTable implementations");
}

Status Insert(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto table, InputTable(c));
  RAMET_RETURN_IF_ERROR(CheckTableTypes(c, *table));
  RAMET_ASSIGN_OR_RETURN(const Shape shape, ValuesShape(*table, c.input(1).shape()));
  RAMET_RETURN_IF_ERROR(CheckValues(shape, c.input(2)));
  if (table->kind() == Kind::kFilledOnce) return NotSupported("Insert");
  return table->Insert(c.input(1), c.input(2), false);
}

Status Import(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto table, InputTable(c));
  RAMET_RETURN_IF_ERROR(CheckTableTypes(c, *table));
  RAMET_ASSIGN_OR_RETURN(const Shape shape, ExportedShape(*table, c.input(1).shape()));
  RAMET_RETURN_IF_ERROR(CheckValues(shape, c.input(2)));
  if (table->kind() == Kind::kFilledOnce) return table->Initialize(c.input(1), c.input(2));
  return table->Insert(c.input(1), c.input(2), true);
}

Status Remove(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto table, InputTable(c));
  RAMET_RETURN_IF_ERROR(CheckTableTypes(c, *table));
  if (table->kind() == Kind::kFilledOnce) return NotSupported("Remove");
  RAMET_RETURN_IF_ERROR(ValuesShape(*table, c.input(1).shape()).status());
  return table->Remove(c.input(1));
}

Status HandleShape(ShapeContext& c) {
  c.set_output(0, Shape());
  return OkStatus();
}

Status NameShape(ShapeContext& c) {
  c.set_output(0, Shape{2});
  return OkStatus();
}

Status DenseHandleShape(ShapeContext& c) {
  if (c.input(0).rank() > 1) {
    return InvalidArgument("Shape must be at most rank 1 but is rank ", c.input(0).rank());
  }
  return HandleShape(c);
}

Status FindShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  // The shape of a value is known if the table is, and has scalar keys.
  const auto [dtype, value] = c.handle(0);
  if (dtype != DType::kInvalid && !value.unknown_rank() && !c.input(1).unknown_rank()) {
    c.set_output(0, c.input(1).Concatenate(value));
  }
  return OkStatus();
}

Status ReferenceShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape handle, c.WithRank(0, 1));
  RAMET_RETURN_IF_ERROR(handle.MergeWith(Shape{2}).status());
  if (c.num_outputs() == 1 && c.num_inputs() == 1) c.set_output(0, Shape());
  return OkStatus();
}

template <ShapeFn handle_shape>
Status EntriesShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(handle_shape(c));
  // The buckets of a dense table are matrices of different widths.
  if (c.input(1).rank() == 2 || c.input(2).rank() == 2) return OkStatus();
  return c.input(1).MergeWith(c.input(2)).status();
}

Status ResourceShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  if (c.num_outputs() == 1 && c.num_inputs() == 1) c.set_output(0, Shape());
  return OkStatus();
}

template <Kind kind>
struct Of {
  template <class K>
  struct Kernels {
    static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
      return TableKernel<kind>::Make(node);
    }
  };
};
using Once = Of<Kind::kFilledOnce>;
using Mutable = Of<Kind::kMutable>;
using Dense = Of<Kind::kDense>;

constexpr char kHashTableDoc[] =
    "Returns the handle of a table of the session that is filled once. Keys are int32, int64 or "
    "strings; values are numbers, strings or bools. Nodes with the same shared_name and container "
    "(or, with use_node_name_sharing, the same node name) share a table. Error: a table of that "
    "name has different dtypes.";
constexpr char kMutableDoc[] =
    "Returns the handle of a table of the session that starts empty and accepts insertions. Nodes "
    "with the same shared_name and container (or, with use_node_name_sharing, the same node name) "
    "share a table. Error: a table of that name has different dtypes.";

#define RAMET_TABLE(name, output, kernels, doc, shape) \
  RAMET_OP(name)                                       \
      .Output("table_handle: " output)                 \
      .Attr("container: string = ''")                  \
      .Attr("shared_name: string = ''")                \
      .Attr("use_node_name_sharing: bool = false")     \
      .Attr("key_dtype: type")                         \
      .Attr("value_dtype: type")                       \
      .Doc(doc)                                        \
      .Stateful()                                      \
      .HostMemory({"table_handle"})                    \
      .Shape(shape)                                    \
      .NotDifferentiable()                             \
      .CpuKernelClasses<kernels::Kernels, int32_t, int64_t, std::string>("key_dtype")

RAMET_TABLE("HashTable", "Ref(string)", Once, kHashTableDoc, NameShape);
RAMET_TABLE("HashTableV2", "resource", Once, kHashTableDoc, HandleShape);
RAMET_TABLE("MutableHashTable", "Ref(string)", Mutable, kMutableDoc, NameShape);
RAMET_TABLE("MutableHashTableV2", "resource", Mutable, kMutableDoc, HandleShape);

RAMET_OP("MutableDenseHashTableV2")
    .Input("empty_key: key_dtype")
    .Input("deleted_key: key_dtype")
    .Output("table_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Attr("value_shape: shape = {}")
    .Attr("initial_num_buckets: int = 131072")
    .Attr("max_load_factor: float = 0.8")
    .Doc(
        "Returns the handle of a table of the session like MutableHashTableV2, with open "
        "addressing: keys are scalars or vectors like empty_key, which marks free buckets, and "
        "values have value_shape, [] or [n]. deleted_key marks buckets whose entry was removed. "
        "Exporting the table returns its buckets. Error: the keys are equal or their shapes "
        "differ; initial_num_buckets is not a power of 2 or less than 4; max_load_factor is not "
        "between 0 and 1; a table of that name has different dtypes.")
    .Stateful()
    .HostMemory({"empty_key", "deleted_key", "table_handle"})
    .Shape(DenseHandleShape)
    .NotDifferentiable()
    .CpuKernelClasses<Dense::Kernels, int32_t, int64_t, std::string>("key_dtype");

constexpr char kFindDoc[] =
    "Returns the values of `keys`, or default_value for keys that the table does not have: a "
    "scalar, or one value for each key (of which a table that is filled once uses the first). The "
    "output has the shape of `keys`. Error: the dtypes are not those of the table; default_value "
    "has a different shape; the table is not initialized (kFailedPrecondition).";
constexpr char kSizeDoc[] = "Returns the number of entries of a table, a scalar.";
constexpr char kExportDoc[] =
    "Returns all keys and values of a table as two vectors in the same order. Error: the dtypes "
    "are not those of the table; the table is not initialized (kAborted).";
constexpr char kImportDoc[] =
    "Replaces all entries of a table by `keys` and `values`. A table that is filled once and "
    "already filled does not change. Error: the dtypes are not those of the table; the shapes "
    "differ.";
constexpr char kInsertDoc[] =
    "Inserts `values` under `keys` into a mutable table, replacing existing entries. Error: the "
    "dtypes are not those of the table; the shapes differ; the table is filled once "
    "(kUnimplemented).";

#define RAMET_TABLE_OPS(suffix, handle, find_shape, shape) \
  RAMET_OP("LookupTableFind" suffix)                       \
      .Input("table_handle: " handle)                      \
      .Input("keys: Tin")                                  \
      .Input("default_value: Tout")                        \
      .Output("values: Tout")                              \
      .Attr("Tin: type")                                   \
      .Attr("Tout: type")                                  \
      .Doc(kFindDoc)                                       \
      .RAMET_STATEFUL_TABLE_OP(suffix)                     \
      .Shape(find_shape)                                   \
      .NotDifferentiable()                                 \
      .CpuKernel(Find);                                    \
  RAMET_OP("LookupTableSize" suffix)                       \
      .Input("table_handle: " handle)                      \
      .Output("size: int64")                               \
      .Doc(kSizeDoc)                                       \
      .RAMET_STATEFUL_TABLE_OP(suffix)                     \
      .Shape(shape)                                        \
      .NotDifferentiable()                                 \
      .CpuKernel(Size);                                    \
  RAMET_OP("LookupTableExport" suffix)                     \
      .Input("table_handle: " handle)                      \
      .Output("keys: Tkeys")                               \
      .Output("values: Tvalues")                           \
      .Attr("Tkeys: type")                                 \
      .Attr("Tvalues: type")                               \
      .Doc(kExportDoc)                                     \
      .RAMET_STATEFUL_TABLE_OP(suffix)                     \
      .Shape(shape)                                        \
      .NotDifferentiable()                                 \
      .CpuKernelClass<ExportKernel>();                     \
  RAMET_OP("LookupTableImport" suffix)                     \
      .Input("table_handle: " handle)                      \
      .Input("keys: Tin")                                  \
      .Input("values: Tout")                               \
      .Attr("Tin: type")                                   \
      .Attr("Tout: type")                                  \
      .Doc(kImportDoc)                                     \
      .RAMET_STATEFUL_TABLE_OP(suffix)                     \
      .Shape(EntriesShape<shape>)                          \
      .NotDifferentiable()                                 \
      .CpuKernel(Import);                                  \
  RAMET_OP("LookupTableInsert" suffix)                     \
      .Input("table_handle: " handle)                      \
      .Input("keys: Tin")                                  \
      .Input("values: Tout")                               \
      .Attr("Tin: type")                                   \
      .Attr("Tout: type")                                  \
      .Doc(kInsertDoc)                                     \
      .RAMET_STATEFUL_TABLE_OP(suffix)                     \
      .Shape(shape)                                        \
      .NotDifferentiable()                                 \
      .CpuKernel(Insert)

#define RAMET_STATEFUL_TABLE_OP(suffix) HostMemory({"table_handle"})
RAMET_TABLE_OPS("", "Ref(string)", ReferenceShape, ReferenceShape);
#undef RAMET_STATEFUL_TABLE_OP
#define RAMET_STATEFUL_TABLE_OP(suffix) Stateful().HostMemory({"table_handle"})
RAMET_TABLE_OPS("V2", "resource", FindShape, ResourceShape);

RAMET_OP("LookupTableRemoveV2")
    .Input("table_handle: resource")
    .Input("keys: Tin")
    .Attr("Tin: type")
    .Doc(
        "Removes keys from a mutable table; keys that it does not have are ignored. Error: the "
        "dtype is not that of the keys of the table; the table is filled once (kUnimplemented).")
    .Stateful()
    .HostMemory({"table_handle"})
    .Shape(ResourceShape)
    .NotDifferentiable()
    .CpuKernel(Remove);

}  // namespace
}  // namespace ramet
