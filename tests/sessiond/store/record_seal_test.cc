// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/record_seal.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace banyan::sessiond {
namespace {

const Record kRecord = {.kind = RecordKind::kSession,
                        .key = "key",
                        .version = 3,
                        .principal = "owner",
                        .body = "body"};

TEST(RecordSealTest, ItFitsTheRecordItWasMadeFor) {
  const RecordSeal seal({"a"});
  EXPECT_TRUE(seal.Fits(kRecord, seal.Make(kRecord)));
}

TEST(RecordSealTest, NoFieldCanBeChanged) {
  const RecordSeal seal({"a"});
  const std::string made = seal.Make(kRecord);
  std::vector<Record> forged(7, kRecord);
  forged[0].kind = RecordKind::kWorkspace;
  forged[1].key = "kez";
  forged[2].version = 4;
  forged[3].principal = "intruder";
  forged[4].is_over = true;
  forged[5].body = "bodz";
  // The same bytes, cut elsewhere.
  forged[6].principal = "ownerb";
  forged[6].body = "ody";
  for (const Record& record : forged) EXPECT_FALSE(seal.Fits(record, made));
}

TEST(RecordSealTest, AnotherKeyDoesNotOpenIt) {
  EXPECT_FALSE(
      RecordSeal({"b"}).Fits(kRecord, RecordSeal({"a"}).Make(kRecord)));
  EXPECT_FALSE(RecordSeal({"a"}).Fits(kRecord, ""));
}

TEST(RecordSealTest, AfterARotationOldSealsStillFit) {
  const std::string old = RecordSeal({"a"}).Make(kRecord);
  EXPECT_TRUE(RecordSeal({"b", "a"}).Fits(kRecord, old));
}

}  // namespace
}  // namespace banyan::sessiond
