// Checks that every int attr of every op has a range that fits the code that reads it. The range is
// checked when a node is added; gradients and kernels rely on it.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "ramet/op/op.h"

namespace ramet {
namespace {

// Attrs that may have any int32 value, and the code that copes with all of them. A new attr needs
// .AttrRange in its op's definition, or a line here after a look at each place that reads it: does
// that code loop, index, allocate, divide or add with the value?
const std::map<std::string, std::string>& AnyInt32() {
  static const auto* const attrs = new std::map<std::string, std::string>{
      {"Ncontext_dense", "not used by ParseSequenceExample; the number of inputs of the V2 op"},
      {"axis", "AxisArg, DepthAxis and QuantizeAttrs compare it with the rank"},
      {"batch_dim", "ReverseSequence compares it with the rank"},
      {"batch_dims", "BatchDims compares it with the rank, the gradient with the largest rank"},
      {"beam_width", "1 or more; the beam only grows with the sequences found"},
      {"begin_mask", "Bit tests single bits"},
      {"blank_index", "CTCGreedyDecoder compares it with the number of classes, as int64"},
      {"block_size", "at least 2; MultiplyNonNegative checks products"},
      {"buffer_size_min", "not used"},
      {"capacity", "only compared with the number of elements; a negative value means no limit"},
      {"channels", "DecodeMode::Of: 0, 1, 3 or 4"},
      {"component_index", "BarrierInsertMany compares it with the number of components"},
      {"concat_dim", "SparseConcat compares it with the rank"},
      {"dct_coefficient_count", "Mfcc: from 1 to the number of filters"},
      {"compression", "EncodePngKernel: -1 to 9"},
      {"depth_radius", "the LRN kernels reject negative values and stop at the depth"},
      {"desired_channels", "DecodeWav: -1 or more, a dimension"},
      {"desired_samples", "DecodeWav: -1 or more, a dimension"},
      {"dilations", "ParseWindow: 1 or more, int32"},
      {"ellipsis_mask", "Bit tests single bits"},
      {"end_mask", "Bit tests single bits"},
      {"explicit_paddings", "ParseWindow: 0 or more, int32"},
      {"first_n", "only compared with the number of printed lines"},
      {"footer_bytes", "FixedLengthRecordReader: 0 or more; added as int64"},
      {"header_bytes", "FixedLengthRecordReader: 0 or more; a file is skipped to its end at most"},
      {"hop_bytes", "FixedLengthRecordReader: 0 or more; a file is skipped to its end at most"},
      {"initial_num_buckets", "CheckNumBuckets: 4 or more; Tensor::Allocate checks the size"},
      {"k", "InTopK compares with it, TopK checks it against the row"},
      {"ksize", "ParseWindow: 1 or more, int32"},
      {"ksizes", "ExtractImagePatches: 1 or more"},
      {"max_attempts", "ReadCropDemands: 1 or more; counts attempts"},
      {"max_images", "the minimum of it and the batch size is used"},
      {"max_outputs", "the minimum of it and the batch size is used"},
      {"maxsplit", "only compared with the number of pieces"},
      {"max_rows_in_memory", "Load: 0 or less means all rows; added as int64"},
      {"min_after_dequeue", "0 or more and less than the capacity; only compared"},
      {"new_axis_mask", "Bit tests single bits"},
      {"new_vocab_offset", "0 or more; added as int64 and compared with the number of lines"},
      {"ngram_widths", "StringNGrams checks for 1 or more and limits the padding"},
      {"num_bits", "the quantization kernels check for 2 to 16, or 1 to 62"},
      {"num_cols", "CheckSizes and CheckStored compare it with sizes of inputs and of the file"},
      {"num_elements", "compared with a list's length; a negative value allows any length"},
      {"num_new_vocab", "0 or more; added as int64 and compared with the number of lines"},
      {"num_reserved_ids", "InShard counts negative ids as none"},
      {"num_rows", "CheckSizes compares it with the size of an input"},
      {"old_vocab_size", "-1 or more; compared with the number of lines"},
      {"pad_width", "StringNGrams uses at most the width of an n-gram, or checks for 0 or more"},
      {"parallel_iterations", "not used"},
      {"precision", "AsString limits it"},
      {"preferred_shard", "not used"},
      {"quality", "CheckQuality: 0 to 100"},
      {"rates", "1 or more, int32"},
      {"ratio", "ReadJpegAttrs: 1, 2, 4 or 8"},
      {"record_bytes",
       "FixedLengthRecordReader: 1 or more; no more is allocated than the file has"},
      {"replacement_char", "UnicodeErrors checks for a code point"},
      {"seq_dim", "ReverseSequence compares it with the rank"},
      {"select_cols", "DecodeCSV checks that they increase from 0; only compared"},
      {"shrink_axis_mask", "Bit tests single bits"},
      {"slack_period", "not used"},
      {"skip_header_lines", "0 or more; a file is skipped to its end at most"},
      {"squeeze_dims", "Squeezed compares each with the rank"},
      {"stride", "AudioSpectrogram: 1 or more, a divisor"},
      {"strides", "ParseWindow and similar functions: 1 or more, int32"},
      {"summarize", "the minimum of it and the number of elements is used"},
      {"width", "AsString limits it"},
      {"window_size", "AudioSpectrogram: 2 or more; no more is allocated than the samples have"},
      {"x_density", "its lower 16 bits are written to a file"},
      {"y_density", "its lower 16 bits are written to a file"},
  };
  return *attrs;
}

bool IsInt(const AttrSchema& attr) { return attr.type == "int" || attr.type == "list(int)"; }

bool IsAnyInt32(const AttrSchema& attr) {
  return attr.least_value == std::numeric_limits<int32_t>::min() &&
         attr.greatest_value == std::numeric_limits<int32_t>::max();
}

// The number of inputs or outputs is limited by OpSchema::Expand.
bool IsCount(const OpSchema& schema, const AttrSchema& attr) {
  const auto counts = [&](const ArgSchema& arg) { return arg.number_attr == attr.name; };
  return std::ranges::any_of(schema.inputs, counts) || std::ranges::any_of(schema.outputs, counts);
}

TEST(AttrRangeTest, EveryIntAttrHasARange) {
  for (const Op* op : OpRegistry::Global().All()) {
    for (const AttrSchema& attr : op->schema().attrs) {
      if (!IsInt(attr) || !IsAnyInt32(attr) || IsCount(op->schema(), attr)) continue;
      EXPECT_TRUE(AnyInt32().contains(attr.name))
          << op->name() << ": attr '" << attr.name << "' has no range: add .AttrRange(\""
          << attr.name << "\", least, greatest)";
    }
  }
}

TEST(AttrRangeTest, DefaultsAreInTheirRange) {
  for (const Op* op : OpRegistry::Global().All()) {
    for (const AttrSchema& attr : op->schema().attrs) {
      EXPECT_LE(attr.least_value, attr.greatest_value) << op->name() << " " << attr.name;
      const int64_t* value = attr.has_default ? attr.default_value.get<int64_t>() : nullptr;
      if (value == nullptr) continue;
      EXPECT_GE(*value, attr.least_value) << op->name() << " " << attr.name;
      EXPECT_LE(*value, attr.greatest_value) << op->name() << " " << attr.name;
    }
  }
}

// TensorFlow reads these attrs as 64-bit integers.
TEST(AttrRangeTest, WideAttrsTakeAnyInt64) {
  const std::pair<const char*, const char*> wide[] = {{"RandomUniform", "seed"},
                                                      {"RandomUniform", "seed2"},
                                                      {"RandomShuffle", "seed"},
                                                      {"Multinomial", "seed2"},
                                                      {"StringToHashBucketStrong", "key"},
                                                      {"StringToHashBucketFast", "num_buckets"},
                                                      {"CountUpTo", "limit"},
                                                      {"InitializeTableFromTextFileV2", "offset"}};
  for (const auto& [op, name] : wide) {
    const AttrSchema* attr = OpRegistry::Global().Find(op)->schema().FindAttr(name);
    ASSERT_NE(attr, nullptr) << op;
    EXPECT_EQ(attr->greatest_value, std::numeric_limits<int64_t>::max()) << op << " " << name;
  }
}

}  // namespace
}  // namespace ramet
