// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/quirks.h"

#include <gtest/gtest.h>

namespace banyan::lspd {
namespace {

ServerEntry With(const char* quirk) {
  ServerEntry entry;
  entry.add_quirks(quirk);
  return entry;
}

void ExpectName(const ServerEntry& entry, const char* given, const char* owner,
                const char* name) {
  const PlainName plain = PlainSymbolName(entry, given);
  EXPECT_EQ(plain.owner, owner) << given;
  EXPECT_EQ(plain.name, name) << given;
}

TEST(QuirksTest, CutsTheReceiverOffGoMethods) {
  const ServerEntry entry = With(kQuirkReceiverInName);
  ExpectName(entry, "(*Server).Run", "Server", "Run");
  ExpectName(entry, "(Server).Run", "Server", "Run");
  ExpectName(entry, "(*List[T]).Push", "List", "Push");
  ExpectName(entry, "Server.Run", "Server", "Run");
  ExpectName(entry, "Run", "", "Run");
  ExpectName(entry, "odd.", "", "odd.");
}

TEST(QuirksTest, CutsParametersWhereTheServerAddsThem) {
  const ServerEntry entry = With(kQuirkParametersInName);
  ExpectName(entry, "run(int, String)", "", "run");
  ExpectName(entry, "(anonymous)", "", "(anonymous)");
}

TEST(QuirksTest, LeavesOtherNamesAlone) {
  ExpectName(ServerEntry(), "(*Server).Run", "", "(*Server).Run");
  ExpectName(ServerEntry(), "operator()", "", "operator()");
}

TEST(QuirksTest, KnowsOnlyItsOwnNames) {
  EXPECT_TRUE(IsKnownQuirk(kQuirkTsserverIsVital));
  EXPECT_FALSE(IsKnownQuirk("tsserver"));
  EXPECT_TRUE(HasQuirk(With(kQuirkReceiverInName), kQuirkReceiverInName));
  EXPECT_FALSE(HasQuirk(ServerEntry(), kQuirkReceiverInName));
}

}  // namespace
}  // namespace banyan::lspd
