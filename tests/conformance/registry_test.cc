// Checks that every op of the registry is compared with TensorFlow.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "case.h"
#include "json.h"
#include "ramet/op/op.h"

namespace ramet::conformance {
namespace {

// Returns the ops with those of tf.data, which are compared as pipelines.
const std::map<std::string, std::string>* WithDataOps(std::map<std::string, std::string> ops) {
  for (const char* op : {"AssertCardinalityDataset",
                         "BatchDatasetV2",
                         "CacheDataset",
                         "CacheDatasetV2",
                         "ConcatenateDataset",
                         "DatasetCardinality",
                         "DatasetToSingleElement",
                         "DirectedInterleaveDataset",
                         "DummyMemoryCache",
                         "DummySeedGenerator",
                         "ExperimentalGroupByReducerDataset",
                         "FilterDataset",
                         "FinalizeDataset",
                         "FixedLengthRecordDatasetV2",
                         "FlatMapDataset",
                         "GeneratorDataset",
                         "GroupByReducerDataset",
                         "GroupByWindowDataset",
                         "IgnoreErrorsDataset",
                         "InterleaveDataset",
                         "Iterator",
                         "IteratorFromStringHandleV2",
                         "IteratorGetNext",
                         "IteratorGetNextAsOptional",
                         "IteratorGetNextSync",
                         "IteratorToStringHandle",
                         "IteratorV2",
                         "LegacyParallelInterleaveDatasetV2",
                         "MakeIterator",
                         "MapAndBatchDataset",
                         "MapDataset",
                         "MaxIntraOpParallelismDataset",
                         "ModelDataset",
                         "NonSerializableDataset",
                         "OneShotIterator",
                         "OptimizeDataset",
                         "OptimizeDatasetV2",
                         "OptionalFromValue",
                         "OptionalGetValue",
                         "OptionalHasValue",
                         "OptionalNone",
                         "OptionsDataset",
                         "PaddedBatchDatasetV2",
                         "ParallelBatchDataset",
                         "ParallelInterleaveDataset",
                         "ParallelInterleaveDatasetV2",
                         "ParallelInterleaveDatasetV3",
                         "ParallelInterleaveDatasetV4",
                         "ParallelMapDataset",
                         "ParallelMapDatasetV2",
                         "PrefetchDataset",
                         "PrivateThreadPoolDataset",
                         "RandomDataset",
                         "RangeDataset",
                         "ReduceDataset",
                         "RepeatDataset",
                         "SparseTensorSliceDataset",
                         "RewriteDataset",
                         "ScanDataset",
                         "ShardDataset",
                         "ShuffleAndRepeatDataset",
                         "ShuffleAndRepeatDatasetV2",
                         "ShuffleDataset",
                         "ShuffleDatasetV3",
                         "SkipDataset",
                         "TFRecordDataset",
                         "TakeDataset",
                         "TakeWhileDataset",
                         "TensorDataset",
                         "TensorSliceDataset",
                         "TextLineDataset",
                         "UnbatchDataset",
                         "UniqueDataset",
                         "WindowDataset",
                         "ZipDataset"}) {
    ops.emplace(op, "tests/oracle/python_data_test.py");
  }
  for (const char* op : {"CSVDatasetV2", "DenseToSparseBatchDataset", "ParseExampleDatasetV2"}) {
    ops.emplace(op, "tests/oracle/python_data_test.py");
  }
  ops.emplace("CSVDataset", "the kernel of CSVDatasetV2");
  ops.emplace("ExperimentalCSVDataset", "the kernel of CSVDatasetV2");
  ops.emplace("ExperimentalDenseToSparseBatchDataset", "the kernel of DenseToSparseBatchDataset");
  ops.emplace("ExperimentalParseExampleDataset", "the kernel of ParseExampleDatasetV2");
  ops.emplace("ParseExampleDataset", "the kernel of ParseExampleDatasetV2");
  ops.emplace("BatchDataset", "the kernel of BatchDatasetV2; TensorFlow rejects it when it runs");
  ops.emplace("FixedLengthRecordDataset",
              "the kernel of FixedLengthRecordDatasetV2; TensorFlow rejects it when it runs");
  ops.emplace("IteratorFromStringHandle", "the kernel of IteratorFromStringHandleV2");
  ops.emplace("IteratorGetDevice", "returns a constant");
  ops.emplace("PaddedBatchDataset",
              "the kernel of PaddedBatchDatasetV2; TensorFlow rejects it when it runs");
  ops.emplace("ShuffleDatasetV2",
              "the kernel of ShuffleDatasetV3, for seed generators that only eager mode makes");
  ops.emplace("TFRecordDatasetV2",
              "the kernel of TFRecordDataset; TensorFlow rejects it when it runs");
  return new std::map<std::string, std::string>(std::move(ops));
}

// Ops that cannot be tested alone on made-up values, with the test that covers them.
const std::map<std::string, std::string>& ComparedElsewhere() {
  static const std::string kFiles =
      "tests/oracle/saver_options_test.py, v1_checkpoint_test.py and tests/ops/checkpoint_ops_test";
  static const std::string kRefs = "the op without Ref in its name, for variables";
  static const std::string kPython = "tests/oracle/python_array_math_test.py";
  static const std::string kSummaries = "tests/oracle/python_summary_test.py";
  static const std::string kVariables = "tests/oracle/python_variables_test.py";
  static const std::string kWriters =
      "tests/oracle/python_contrib_summary_test.py and "
      "clients/python/tests/test_contrib_summary.py";
  static const std::string kPositions = "clients/python/tests/test_iterator_state.py";
  static const std::string kTemporary = "tests/ops/state_test.cc, with values by hand";
  static const std::string kOldReader =
      "the kernel of the op with V2; TensorFlow rejects it in new graphs";
  static const std::string kObjects = "tests/oracle/python_objects_test.py";
  static const auto* const ops = WithDataOps({
      {"AdjustContrast", "tests/oracle/python_image_test.py; TensorFlow rejects it in new graphs"},
      {"BatchNormWithGlobalNormalization", kObjects},
      {"BatchNormWithGlobalNormalizationGrad", kObjects},
      {"GenerateVocabRemapping", kObjects},
      {"LoadAndRemapMatrix", kObjects},
      {"AnonymousIteratorV3", "tests/oracle/python_eager_test.py: it is made for eager execution"},
      {"AudioSummary", kSummaries},
      {"CloseSummaryWriter", kWriters},
      {"CreateSummaryFileWriter", kWriters},
      {"DeserializeIterator", kPositions},
      {"DestroyResourceOp", "tests/runtime/resource_variable_test.cc, with values by hand"},
      {"DestroyTemporaryVariable", kTemporary},
      {"EagerPyFunc", kPython},
      {"FakeParam", "a placeholder for a missing result of a branch, which is never read"},
      {"FixedLengthRecordReader", kOldReader},
      {"FlushSummaryWriter", kWriters},
      {"GetSessionHandle", "clients/python/tests/test_queues.py: handles are used by later runs"},
      {"GetSessionHandleV2", "the kernel of GetSessionHandle"},
      {"IdentityReader", kOldReader},
      {"ImportEvent", kWriters},
      {"MatchingFiles", kFiles},
      {"MergeV2Checkpoints", kFiles},
      {"NonDeterministicInts", "clients/python/tests/test_op_functions.py, by their range"},
      {"PlaceholderV2", "the kernel of Placeholder"},
      {"PrintV2", kPython},
      {"PyFunc", kPython},
      {"PyFuncStateless", kPython},
      {"RandomCrop", "tests/oracle/python_image_test.py; TensorFlow rejects it in new graphs"},
      {"RandomPoisson", "the kernel of RandomPoissonV2; TensorFlow rejects it in new graphs"},
      {"ReadFile", kFiles},
      {"ReaderReset", kOldReader},
      {"ReaderRestoreState", kOldReader},
      {"ReaderSerializeState", kOldReader},
      {"RefEnter", kRefs},
      {"RefExit", kRefs},
      {"RefIdentity", kRefs},
      {"RefMerge", kRefs},
      {"RefNextIteration", kRefs},
      {"RefSwitch", kRefs},
      {"Restore", kFiles},
      {"RestoreSlice", kFiles},
      {"RestoreV2", kFiles},
      {"Save", kFiles},
      {"SaveSlices", kFiles},
      {"SaveV2", kFiles},
      {"ShardedFilename", kFiles},
      {"ShardedFilespec", kFiles},
      {"StatelessCase", "the kernel of Case"},
      {"SymbolicGradient", "the gradients of function calls"},
      {"TemporaryVariable", kTemporary},
      {"TensorSummary", kSummaries},
      {"Timestamp", "returns the current time"},
      {"SerializeIterator", kPositions},
      {"SummaryWriter", kWriters},
      {"TFRecordReader", kOldReader},
      {"TextLineReader", kOldReader},
      {"TopK", "the kernel of TopKV2; TensorFlow rejects it in new graphs"},
      {"Variable", kVariables},
      {"VariableV2", kVariables},
      {"WriteGraphSummary", kWriters},
      {"WriteHistogramSummary", kWriters},
      {"WriteRawProtoSummary", kWriters},
      {"WriteScalarSummary", kWriters},
      {"WriteSummary", kWriters},
  });
  return *ops;
}

// Adds the ops of the nodes in a MetaGraphDef in text form, including those in functions but
// without calls of functions.
void AddOpsOfText(std::string_view text, std::set<std::string>* ops) {
  constexpr std::string_view kBegin = " op: \"";
  for (size_t at = 0; (at = text.find(kBegin, at)) != std::string_view::npos;) {
    at += kBegin.size();
    const std::string name(text.substr(at, text.find('"', at) - at));
    if (OpRegistry::Global().Find(name) != nullptr) ops->insert(name);
  }
}

void AddOpsOfPrograms(std::set<std::string>* ops) {
  for (const auto& entry : std::filesystem::directory_iterator(RAMET_CONFORMANCE_PROGRAMS)) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      const Json program = Json::Parse(line).value();
      if (const Json* nodes = program.Find("nodes")) {
        for (const Json& node : nodes->items) ops->insert(node.items[1].text);
      } else {
        AddOpsOfText(program.Find("meta_graph")->text, ops);
      }
    }
  }
}

void AddRandomOps(std::set<std::string>* ops) {
  std::ifstream file(RAMET_RANDOM_NUMBERS);
  for (std::string line; std::getline(file, line);) ops->insert(line.substr(0, line.find(' ')));
}

std::set<std::string> OpsWithCases() {
  std::set<std::string> ops;
  for (const Case& c : LoadCases(RAMET_CONFORMANCE_DATA)) ops.insert(c.op);
  AddOpsOfPrograms(&ops);
  AddRandomOps(&ops);
  return ops;
}

TEST(Registry, EveryOpIsComparedWithTensorFlow) {
  const std::set<std::string> compared = OpsWithCases();
  for (const Op* op : OpRegistry::Global().All()) {
    const bool elsewhere = ComparedElsewhere().contains(op->name());
    EXPECT_TRUE(elsewhere || compared.contains(op->name()))
        << op->name() << " has no case: add some to tests/conformance/cases_*.py and run "
        << "gen_cases.py (docs/adding-an-op.md)";
    EXPECT_FALSE(elsewhere && compared.contains(op->name()))
        << op->name() << " has cases; remove it from ComparedElsewhere";
  }
}

TEST(Registry, EveryCaseIsOfARegisteredOp) {
  for (const std::string& name : OpsWithCases()) {
    EXPECT_NE(OpRegistry::Global().Find(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace ramet::conformance
