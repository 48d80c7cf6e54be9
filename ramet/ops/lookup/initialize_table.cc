#include <charconv>
#include <cstdlib>

#include "ramet/base/file.h"
#include "ramet/op/op.h"
#include "ramet/ops/lookup/table.h"
#include "ramet/ops/string/lines.h"

namespace ramet {
namespace {

constexpr int64_t kLineNumber = -1, kWholeLine = -2;

Status CheckInitializable(const LookupTable& table) {
  if (table.kind() == LookupTable::Kind::kFilledOnce) return OkStatus();
  return InvalidArgument("Table ", table.name(), " is not initializable");
}

Status InitializeTable(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto table, InputTable(c));
  const Tensor &keys = c.input(1), &values = c.input(2);
  RAMET_RETURN_IF_ERROR(CheckInitializable(*table));
  RAMET_RETURN_IF_ERROR(CheckTableTypes(c, *table));
  if (keys.rank() != 1) {
    return InvalidArgument("Keys must be a vector, but received shape", keys.shape());
  }
  if (values.rank() != 1) {
    return InvalidArgument("Values must be a vector, but received shape", values.shape());
  }
  if (keys.num_elements() != values.num_elements()) {
    return InvalidArgument("Keys and values must have the same size ", keys.num_elements(), " vs ",
                           values.num_elements());
  }
  return table->Initialize(keys, values);
}

// Parses `field` and stores the number in element i of t.
template <class T>
Status SetNumber(std::string_view field, int64_t line, Tensor& t, int64_t i) {
  std::string_view rest = field;
  const auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!rest.empty() && blank(rest.front())) rest.remove_prefix(1);
  while (!rest.empty() && blank(rest.back())) rest.remove_suffix(1);
  if (rest.size() > 1 && rest[0] == '+' && rest[1] != '-') rest.remove_prefix(1);
  const auto [end, error] =
      std::from_chars(rest.data(), rest.data() + rest.size(), t.mutable_data<T>()[i]);
  if (error == std::errc() && end == rest.data() + rest.size()) return OkStatus();
  return InvalidArgument("Field ", field, " in line ", line, " is not a valid ",
                         DTypeName(t.dtype()), ".");
}

Status SetField(std::string_view field, int64_t line, Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case kInt32: return SetNumber<int32_t>(field, line, t, i);
    case kInt64: return SetNumber<int64_t>(field, line, t, i);
    case kFloat: return SetNumber<float>(field, line, t, i);
    case kDouble: return SetNumber<double>(field, line, t, i);
    case kString: t.mutable_data<std::string>()[i] = field; return OkStatus();
    default: return InvalidArgument("Data type ", DTypeName(t.dtype()), " not supported.");
  }
}

// How the lines of a file become entries of a table.
struct TextFormat {
  int64_t key_index = 0, value_index = 0, vocab_size = -1, offset = 0;
  char delimiter = '\t';
};

class TextFile {
 public:
  TextFile(std::string path, const TextFormat& format) : path_(std::move(path)), format_(format) {}

  Status Fill(LookupTable& table) const {
    RAMET_RETURN_IF_ERROR(CheckIndex("Key", "key", format_.key_index, table.key_dtype()));
    RAMET_RETURN_IF_ERROR(CheckIndex("Value", "value", format_.value_index, table.value_dtype()));
    RAMET_ASSIGN_OR_RETURN(std::string text, ReadFile(path_));
    std::vector<std::string_view> lines = LinesOf(text);
    RAMET_RETURN_IF_ERROR(CutTo(format_.vocab_size, lines));
    const Shape shape{std::ssize(lines)};
    RAMET_ASSIGN_OR_RETURN(Tensor keys, Tensor::Allocate(table.key_dtype(), shape));
    RAMET_ASSIGN_OR_RETURN(Tensor values, Tensor::Allocate(table.value_dtype(), shape));
    for (size_t i = 0; i < lines.size(); ++i) {
      RAMET_RETURN_IF_ERROR(SetEntry(lines[i], static_cast<int64_t>(i), keys, values));
    }
    return table.Initialize(keys, values);
  }

 private:
  static Status CheckIndex(std::string_view What, std::string_view what, int64_t index, DType t) {
    if (index == kLineNumber && t != kInt64) {
      return InvalidArgument(What, " index for line number requires table ", what,
                             " dtype of int64, got ", DTypeName(t));
    }
    const bool readable = IsInteger(t) || t == kString || t == kFloat || t == kDouble;
    if (index == kWholeLine && !readable) {
      return InvalidArgument(What, " index for whole line requires table ", what,
                             " dtype of integer or string, got ", DTypeName(t));
    }
    return OkStatus();
  }

  Status CutTo(int64_t size, std::vector<std::string_view>& lines) const {
    const int64_t found = std::ssize(lines);
    if (size < 0 && found == 0) return OutOfRange("Read less bytes than requested: ", path_);
    if (size < 0) return OkStatus();
    if (found < size) {
      return InvalidArgument("Invalid vocab_size in ", path_, ": expected ", size, " but got ",
                             found);
    }
    lines.resize(size);
    return OkStatus();
  }

  Status SetEntry(std::string_view line, int64_t number, Tensor& keys, Tensor& values) const {
    if (line.empty()) {
      return InvalidArgument("Invalid content in ", path_, ": empty line found at position ",
                             number, ".");
    }
    std::vector<std::string_view> fields;
    if (std::max(format_.key_index, format_.value_index) >= 0) {
      for (size_t from = 0, to = 0; to != line.npos; from = to + 1) {
        to = line.find(format_.delimiter, from);
        fields.push_back(line.substr(from, to == line.npos ? to : to - from));
      }
      const auto last = static_cast<uint64_t>(std::max(format_.key_index, format_.value_index));
      if (fields.size() <= last) {
        return InvalidArgument("Invalid number of columns in ", path_, " line ", number, " (", line,
                               ") : expected at least ", last + 1, " got ", fields.size());
      }
    }
    RAMET_RETURN_IF_ERROR(Set(format_.key_index, line, fields, number, keys));
    return Set(format_.value_index, line, fields, number, values);
  }

  Status Set(int64_t index, std::string_view line, const std::vector<std::string_view>& fields,
             int64_t number, Tensor& t) const {
    if (index == kLineNumber) {
      const uint64_t sum = static_cast<uint64_t>(number) + static_cast<uint64_t>(format_.offset);
      t.mutable_data<int64_t>()[number] = static_cast<int64_t>(sum);
      return OkStatus();
    }
    return SetField(index == kWholeLine ? line : fields[index], number, t, number);
  }

  const std::string path_;
  const TextFormat format_;
};

class FromTextFile final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    auto kernel = std::make_unique<FromTextFile>();
    TextFormat& format = kernel->format_;
    RAMET_ASSIGN_OR_RETURN(format.key_index, node.attrs->Get<int64_t>("key_index"));
    RAMET_ASSIGN_OR_RETURN(format.value_index, node.attrs->Get<int64_t>("value_index"));
    format.vocab_size = node.attrs->GetOr<int64_t>("vocab_size", -1);
    format.offset = node.attrs->GetOr<int64_t>("offset", 0);
    const auto delimiter = node.attrs->GetOr<std::string>("delimiter", "\t");
    if (delimiter.size() != 1) return InvalidArgument("delimiter should be only 1 char");
    format.delimiter = delimiter[0];
    return StatusOr<std::unique_ptr<Kernel>>(std::move(kernel));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(auto table, InputTable(c));
    RAMET_RETURN_IF_ERROR(CheckInitializable(*table));
    const Tensor& path = c.input(1);
    if (path.num_elements() != 1) {
      return InvalidArgument("filename should be a single string, but got ", path.shape());
    }
    if (path.scalar<std::string>().empty()) return InvalidArgument("filename cannot be empty.");
    if (table->initialized()) return OkStatus();
    return TextFile(path.scalar<std::string>(), format_).Fill(*table);
  }

 private:
  TextFormat format_;
};

template <int kRank>
Status CheckHandle(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape handle, c.WithRank(0, kRank));
  return kRank == 0 ? OkStatus() : handle.MergeWith(Shape{2}).status();
}

template <int kRank>
Status EntriesShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(CheckHandle<kRank>(c));
  RAMET_ASSIGN_OR_RETURN(Shape keys, c.WithRank(1, 1));
  return keys.MergeWith(c.input(2)).status();
}

template <int kRank>
Status TextFileShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(CheckHandle<kRank>(c));
  return c.WithRank(1, 0).status();
}

constexpr char kInitializeDoc[] =
    "Fills a table with keys and their values, two vectors. A table that is already filled does "
    "not change. Error: the dtypes are not those of the table; the lengths differ; a key occurs "
    "twice with different values (kFailedPrecondition); the table is mutable.";
constexpr char kTextFileDoc[] =
    "Fills a table with one entry per line of a text file. A table that is already filled does not "
    "change. key_index and value_index say where keys and values come from: a column (lines are "
    "split at `delimiter`), -1 for the line number plus `offset`, -2 for the whole line. With "
    "vocab_size, only that many lines are used. Error: a line is empty or has too few columns; a "
    "field is not a number; there are fewer than vocab_size lines; the file is empty (kOutOfRange) "
    "or cannot be read (the error of the file system); the table is mutable.";

}  // namespace

RAMET_OP("InitializeTable")
    .Input("table_handle: Ref(string)")
    .Input("keys: Tkey")
    .Input("values: Tval")
    .Attr("Tkey: type")
    .Attr("Tval: type")
    .Doc(kInitializeDoc)
    .HostMemory({"table_handle"})
    .Shape(EntriesShape<1>)
    .NotDifferentiable()
    .CpuKernel(InitializeTable);

RAMET_OP("InitializeTableV2")
    .Input("table_handle: resource")
    .Input("keys: Tkey")
    .Input("values: Tval")
    .Attr("Tkey: type")
    .Attr("Tval: type")
    .Doc(kInitializeDoc)
    .Stateful()
    .HostMemory({"table_handle"})
    .Shape(EntriesShape<0>)
    .NotDifferentiable()
    .CpuKernel(InitializeTable);

RAMET_OP("InitializeTableFromTextFile")
    .Input("table_handle: Ref(string)")
    .Input("filename: string")
    .Attr("key_index: int >= -2")
    .AttrRange("key_index", INT64_MIN, INT64_MAX)
    .Attr("value_index: int >= -2")
    .AttrRange("value_index", INT64_MIN, INT64_MAX)
    .Attr("vocab_size: int >= -1 = -1")
    .AttrRange("vocab_size", INT64_MIN, INT64_MAX)
    .Attr("delimiter: string = '\t'")
    .Attr("offset: int = 0")
    .AttrRange("offset", INT64_MIN, INT64_MAX)
    .Doc(kTextFileDoc)
    .HostMemory({"table_handle", "filename"})
    .Shape(TextFileShape<1>)
    .NotDifferentiable()
    .CpuKernelClass<FromTextFile>();

RAMET_OP("InitializeTableFromTextFileV2")
    .Input("table_handle: resource")
    .Input("filename: string")
    .Attr("key_index: int >= -2")
    .AttrRange("key_index", INT64_MIN, INT64_MAX)
    .Attr("value_index: int >= -2")
    .AttrRange("value_index", INT64_MIN, INT64_MAX)
    .Attr("vocab_size: int >= -1 = -1")
    .AttrRange("vocab_size", INT64_MIN, INT64_MAX)
    .Attr("delimiter: string = '\t'")
    .Attr("offset: int = 0")
    .AttrRange("offset", INT64_MIN, INT64_MAX)
    .Doc(kTextFileDoc)
    .Stateful()
    .HostMemory({"table_handle", "filename"})
    .Shape(TextFileShape<0>)
    .NotDifferentiable()
    .CpuKernelClass<FromTextFile>();

}  // namespace ramet
