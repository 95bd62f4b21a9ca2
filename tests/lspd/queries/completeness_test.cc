// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/completeness.h"

#include <gmock/gmock.h>

namespace banyan::lspd {
namespace {

using lsp::v1::INCOMPLETE_REASON_INDEXING;
using lsp::v1::INCOMPLETE_REASON_OUTSIDE_ROOT;
using lsp::v1::INCOMPLETE_REASON_RESULT_CAP;

TEST(CompletenessTest, NothingCollectedIsComplete) {
  EXPECT_TRUE(Completeness().is_complete());
}

TEST(CompletenessTest, EachReasonOncePerLanguageWithItsSum) {
  Completeness completeness;
  completeness.Add("python", INCOMPLETE_REASON_OUTSIDE_ROOT, 2);
  completeness.Add("python", INCOMPLETE_REASON_OUTSIDE_ROOT, 3);
  completeness.Add("cpp", INCOMPLETE_REASON_INDEXING);
  Completeness other;
  other.Add("python", INCOMPLETE_REASON_OUTSIDE_ROOT, 1);
  completeness.Merge(other);

  google::protobuf::RepeatedPtrField<lsp::v1::Incompleteness> proto;
  completeness.ToProto(&proto);
  ASSERT_EQ(proto.size(), 2);
  EXPECT_EQ(proto[0].language(), "cpp");
  EXPECT_EQ(proto[0].reason(), INCOMPLETE_REASON_INDEXING);
  EXPECT_EQ(proto[0].count(), 0);
  EXPECT_EQ(proto[1].language(), "python");
  EXPECT_EQ(proto[1].count(), 6);
  EXPECT_TRUE(completeness.Has(INCOMPLETE_REASON_INDEXING));
  EXPECT_FALSE(completeness.Has(INCOMPLETE_REASON_RESULT_CAP));
}

}  // namespace
}  // namespace banyan::lspd
