#include "ramet/checkpoint/object_based.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ramet/base/scratch_dir.h"
#include "ramet/format/bundle_writer.h"
#include "ramet/proto/trackable_object_graph.pb.h"

namespace ramet {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

void WriteBundle(const std::string& prefix, const std::string& key, const Tensor& value) {
  BundleWriter writer = BundleWriter::Create(prefix).value();
  ASSERT_TRUE(writer.Add(key, value).ok());
  ASSERT_TRUE(writer.Finish().ok());
}

BundleRequest Whole(const std::string& name) { return {name, DType::kInvalid, ""}; }

TEST(ObjectBasedTest, KeysComeFromTheObjectGraph) {
  TrackableObjectGraph objects;
  auto* attribute = objects.add_nodes()->add_attributes();
  attribute->set_full_name("dense/kernel");
  attribute->set_checkpoint_key("net/w/.ATTRIBUTES/VARIABLE_VALUE");
  ScratchDir dir;
  WriteBundle(dir / "m", "_CHECKPOINTABLE_OBJECT_GRAPH", Tensor(objects.SerializeAsString()));
  EXPECT_THAT(ObjectGraphKeys(dir / "m").value(),
              UnorderedElementsAre(Pair("dense/kernel", "net/w/.ATTRIBUTES/VARIABLE_VALUE")));
}

TEST(ObjectBasedTest, OtherCheckpointsHaveNone) {
  ScratchDir dir;
  WriteBundle(dir / "m", "a", Tensor(1.0f));
  EXPECT_TRUE(IsNotFound(ObjectGraphKeys(dir / "m").status()));
  WriteBundle(dir / "bad", "_CHECKPOINTABLE_OBJECT_GRAPH", Tensor("\xff\xff"));
  EXPECT_TRUE(IsDataLoss(ObjectGraphKeys(dir / "bad").status()));
}

TEST(ObjectBasedTest, MissingNamesAreListed) {
  const std::map<std::string, std::string> keys = {{"a", "net/a"}, {"b", "net/b"}};
  std::vector<BundleRequest> requests = {Whole("b"), Whole("a"), Whole("b")};
  ASSERT_TRUE(MapToObjectKeys(keys, &requests).ok());
  EXPECT_EQ(requests[0].name, "net/b");
  EXPECT_EQ(requests[1].name, "net/a");
  requests = {Whole("zz"), Whole("a"), Whole("c")};
  Status status = MapToObjectKeys(keys, &requests);
  EXPECT_TRUE(IsNotFound(status));
  EXPECT_THAT(status.message(), HasSubstr("Existing variables not in the checkpoint: c, zz\n\n"
                                          "Variables names when this checkpoint was written which "
                                          "don't exist now: b\n\n(1 variable name(s) did match)"));
}

}  // namespace
}  // namespace ramet
