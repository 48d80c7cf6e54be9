#include "ramet/op/op.h"
#include "ramet/ops/queue/reader.h"
#include "ramet/ops/queue/reader_sources.h"
#include "ramet/ops/queue/session_resource.h"

namespace ramet {
namespace {

using ReaderOr = StatusOr<std::shared_ptr<Reader>>;

ReaderOr MakeReader(const KernelNode& node, Reader::Open open) {
  const std::string type =
      node.op.ends_with("V2") ? node.op.substr(0, node.op.size() - 2) : node.op;
  return std::make_shared<Reader>(StrCat(type, " '", node.name, "'"), type == "IdentityReader",
                                  std::move(open));
}

ReaderOr MakeIdentityReader(const KernelNode& node, const std::string&) {
  return MakeReader(node, OpensIdentity());
}

ReaderOr MakeWholeFileReader(const KernelNode& node, const std::string&) {
  return MakeReader(node, OpensWholeFiles());
}

ReaderOr MakeLineReader(const KernelNode& node, const std::string&) {
  const auto skipped = node.attrs->GetOr<int64_t>("skip_header_lines", 0);
  if (skipped < 0) {
    return InvalidArgument("skip_header_lines must be >= 0 not ", skipped);
  }
  return MakeReader(node, OpensLines(skipped));
}

ReaderOr MakeTfRecordReader(const KernelNode& node, const std::string&) {
  RAMET_ASSIGN_OR_RETURN(
      const FileCompression compression,
      ParseFileCompression(node.attrs->GetOr<std::string>("compression_type", "")));
  return MakeReader(node, OpensTfRecords(compression));
}

Status CheckFormat(const FixedLengthFormat& format, std::string_view encoding) {
  if (format.header_bytes < 0) {
    return InvalidArgument("header_bytes must be >= 0 not ", format.header_bytes);
  }
  if (format.record_bytes < 1) {
    return InvalidArgument("record_bytes must be >= 0 not ", format.record_bytes);
  }
  if (format.footer_bytes < 0) {
    return InvalidArgument("footer_bytes must be >= 0 not ", format.footer_bytes);
  }
  if (format.hop_bytes < 0) {
    return InvalidArgument("hop_bytes must be >= 0 not ", format.hop_bytes);
  }
  if (encoding.empty() || encoding == "ZLIB" || encoding == "GZIP") return OkStatus();
  return InvalidArgument("Unrecognized encoding: ", encoding);
}

ReaderOr MakeFixedLengthReader(const KernelNode& node, const std::string&) {
  FixedLengthFormat format;
  format.header_bytes = node.attrs->GetOr<int64_t>("header_bytes", 0);
  format.record_bytes = node.attrs->GetOr<int64_t>("record_bytes", 0);
  format.footer_bytes = node.attrs->GetOr<int64_t>("footer_bytes", 0);
  format.hop_bytes = node.attrs->GetOr<int64_t>("hop_bytes", 0);
  const auto encoding = node.attrs->GetOr<std::string>("encoding", "");
  RAMET_RETURN_IF_ERROR(CheckFormat(format, encoding));
  if (format.hop_bytes == 0) format.hop_bytes = format.record_bytes;
  RAMET_ASSIGN_OR_RETURN(format.compression, ParseFileCompression(encoding));
  return MakeReader(node, OpensFixedLength(format));
}

Status ReadRecordKernel(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto reader, SessionResourceAs<Reader>(c));
  RAMET_ASSIGN_OR_RETURN(auto queue, SessionResourceAs<Queue>(c, 1));
  std::vector<Record> records;
  RAMET_RETURN_IF_ERROR(reader->Read(c.cancellation(), *queue, 1, records));
  c.SetOutput(0, Tensor(records[0].key));
  c.SetOutput(1, Tensor(records[0].value));
  return OkStatus();
}

Status ReadUpTo(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto reader, SessionResourceAs<Reader>(c));
  RAMET_ASSIGN_OR_RETURN(auto queue, SessionResourceAs<Queue>(c, 1));
  const int64_t n = c.input(2).scalar<int64_t>();
  if (n < 1) return InvalidArgument("num_records must be at least 1, got ", n);
  std::vector<Record> records;
  RAMET_RETURN_IF_ERROR(reader->Read(c.cancellation(), *queue, n, records));
  const Shape shape{std::ssize(records)};
  RAMET_ASSIGN_OR_RETURN(Tensor * keys, c.Allocate(0, kString, shape));
  RAMET_ASSIGN_OR_RETURN(Tensor * values, c.Allocate(1, kString, shape));
  for (size_t i = 0; i < records.size(); ++i) {
    keys->mutable_data<std::string>()[i] = std::move(records[i].key);
    values->mutable_data<std::string>()[i] = std::move(records[i].value);
  }
  return OkStatus();
}

Status NumRecords(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto reader, SessionResourceAs<Reader>(c));
  RAMET_ASSIGN_OR_RETURN(const int64_t n, reader->NumRecordsProduced(c.cancellation()));
  c.SetOutput(0, Tensor(n));
  return OkStatus();
}

Status NumWorkUnits(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto reader, SessionResourceAs<Reader>(c));
  RAMET_ASSIGN_OR_RETURN(const int64_t n, reader->NumWorkUnitsCompleted(c.cancellation()));
  c.SetOutput(0, Tensor(n));
  return OkStatus();
}

Status SerializeState(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto reader, SessionResourceAs<Reader>(c));
  RAMET_ASSIGN_OR_RETURN(const std::string state, reader->SerializeState(c.cancellation()));
  c.SetOutput(0, Tensor(state));
  return OkStatus();
}

Status RestoreState(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto reader, SessionResourceAs<Reader>(c));
  if (c.input(1).rank() != 0) {
    return InvalidArgument("Reader state must be scalar, but had shape: ", c.input(1).shape());
  }
  return reader->RestoreState(c.cancellation(), c.input(1).scalar<std::string>());
}

Status ResetReader(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto reader, SessionResourceAs<Reader>(c));
  return reader->Reset(c.cancellation());
}

Status ReaderHandleShape(ShapeContext& c) {
  c.set_output(0, Shape{2});
  return OkStatus();
}

Status RestoreStateShape(ShapeContext& c) { return c.WithRank(1, 0).status(); }

Status ReadUpToShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  c.set_output(0, Shape::OfRank(1));
  c.set_output(1, Shape::OfRank(1));
  return OkStatus();
}

constexpr char kIdentityReaderDoc[] =
    "Creates a reader whose records are the work items themselves, as keys and as values.";
constexpr char kWholeFileDoc[] =
    "Creates a reader whose records are whole files; the key is the name of the file.";
constexpr char kLineDoc[] =
    "Creates a reader of the lines of text files, without the first skip_header_lines. Keys are "
    "'FILE:LINE'.";
constexpr char kTfRecordDoc[] =
    "Creates a reader of TFRecord files; compression_type is '', 'ZLIB' or 'GZIP'. Keys are "
    "'FILE:OFFSET'.";
constexpr char kFixedLengthDoc[] =
    "Creates a reader of files with records of record_bytes bytes, each hop_bytes (or record_bytes "
    "if it is 0) after the one before, between a header and a footer. Keys are 'FILE:RECORD'.";
constexpr char kReaderReadDoc[] =
    "Returns the key and the value of the reader's next record, a scalar each. Takes a work item "
    "from the queue when it needs one, and waits for it. Error: the queue is closed and empty "
    "(kOutOfRange); errors of reading the file.";
constexpr char kReadUpToDoc[] =
    "Returns up to num_records records of one work item, at least one. Errors as for ReaderReadV2.";
constexpr char kNumRecordsDoc[] = "Returns the number of records that a reader has produced.";
constexpr char kNumWorkDoc[] = "Returns the number of work items that a reader has finished.";
constexpr char kSerializeDoc[] =
    "Returns the state of an IdentityReader. Error: it is a different reader (kUnimplemented).";
constexpr char kRestoreDoc[] =
    "Sets the state of an IdentityReader. Error: it is a different reader (kUnimplemented); the "
    "state is damaged.";
constexpr char kResetDoc[] = "Sets a reader back to its state before the first record.";

#define RAMET_READER(name, form, shape, attrs, more, make, doc)            \
  RAMET_OP(name)                                                           \
      .Output("reader_handle: " form) attrs.Attr("container: string = ''") \
      .Attr("shared_name: string = ''") more.Stateful()                    \
      .Doc(doc)                                                            \
      .Shape(shape)                                                        \
      .CpuKernelClass<ResourceKernel<Reader, make>>()

#define RAMET_NONE
#define RAMET_LINE_ATTRS .Attr("skip_header_lines: int = 0")
#define RAMET_FIXED_ATTRS            \
  .Attr("header_bytes: int = 0")     \
      .Attr("record_bytes: int")     \
      .Attr("footer_bytes: int = 0") \
      .Attr("hop_bytes: int = 0")
#define RAMET_RECORD_ATTR .Attr("compression_type: string = ''")
#define RAMET_ENCODING_ATTR .Attr("encoding: string = ''")
#define RAMET_READERS(suffix, form, shape, gradient, encoding)                                   \
  RAMET_READER("IdentityReader" suffix, form, shape, gradient, RAMET_NONE, MakeIdentityReader,   \
               kIdentityReaderDoc);                                                              \
  RAMET_READER("WholeFileReader" suffix, form, shape, gradient, RAMET_NONE, MakeWholeFileReader, \
               kWholeFileDoc);                                                                   \
  RAMET_READER("TextLineReader" suffix, form, shape, RAMET_LINE_ATTRS, gradient, MakeLineReader, \
               kLineDoc);                                                                        \
  RAMET_READER("TFRecordReader" suffix, form, shape, gradient, RAMET_RECORD_ATTR,                \
               MakeTfRecordReader, kTfRecordDoc);                                                \
  RAMET_READER("FixedLengthRecordReader" suffix, form, shape, RAMET_FIXED_ATTRS, encoding,       \
               MakeFixedLengthReader, kFixedLengthDoc)

RAMET_READERS("", "Ref(string)", ReaderHandleShape, .NotDifferentiable(), .NotDifferentiable());
RAMET_READERS("V2", "resource", ScalarShape, RAMET_NONE, RAMET_ENCODING_ATTR);

#define RAMET_READER_USES(suffix, form, state)   \
  RAMET_OP("ReaderRead" suffix)                  \
      .Input("reader_handle: " form)             \
      .Input("queue_handle: " form)              \
      .Output("key: string")                     \
      .Output("value: string")                   \
      .state.Doc(kReaderReadDoc)                 \
      .Shape(ScalarShape)                        \
      .CpuKernel(ReadRecordKernel);              \
  RAMET_OP("ReaderReadUpTo" suffix)              \
      .Input("reader_handle: " form)             \
      .Input("queue_handle: " form)              \
      .Input("num_records: int64")               \
      .Output("keys: string")                    \
      .Output("values: string")                  \
      .state.Doc(kReadUpToDoc)                   \
      .Shape(ReadUpToShape)                      \
      .CpuKernel(ReadUpTo);                      \
  RAMET_OP("ReaderNumRecordsProduced" suffix)    \
      .Input("reader_handle: " form)             \
      .Output("records_produced: int64")         \
      .state.Doc(kNumRecordsDoc)                 \
      .Shape(ScalarShape)                        \
      .CpuKernel(NumRecords);                    \
  RAMET_OP("ReaderNumWorkUnitsCompleted" suffix) \
      .Input("reader_handle: " form)             \
      .Output("units_completed: int64")          \
      .state.Doc(kNumWorkDoc)                    \
      .Shape(ScalarShape)                        \
      .CpuKernel(NumWorkUnits);                  \
  RAMET_OP("ReaderSerializeState" suffix)        \
      .Input("reader_handle: " form)             \
      .Output("state: string")                   \
      .state.Doc(kSerializeDoc)                  \
      .Shape(ScalarShape)                        \
      .CpuKernel(SerializeState);                \
  RAMET_OP("ReaderRestoreState" suffix)          \
      .Input("reader_handle: " form)             \
      .Input("state: string")                    \
      .state.Doc(kRestoreDoc)                    \
      .Shape(RestoreStateShape)                  \
      .CpuKernel(RestoreState);                  \
  RAMET_OP("ReaderReset" suffix)                 \
      .Input("reader_handle: " form)             \
      .state.Doc(kResetDoc)                      \
      .Shape(NoOutputs)                          \
      .CpuKernel(ResetReader)

RAMET_READER_USES("", "Ref(string)", NotDifferentiable());
RAMET_READER_USES("V2", "resource", Stateful());

}  // namespace
}  // namespace ramet
