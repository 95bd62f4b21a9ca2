// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/in_flight.h"

#include <gtest/gtest.h>

#include <optional>

namespace banyan::edge {
namespace {

TEST(InFlightTest, ACancellationReachesItsOwnRequestOnly) {
  InFlight table;
  const auto mine = table.Begin("a", 1);
  const auto same_id = table.Begin("b", 1);
  const auto as_text = table.Begin("a", "1");
  table.Cancel("a", 1);
  EXPECT_TRUE(mine.IsCancelled()());
  EXPECT_FALSE(same_id.IsCancelled()());
  EXPECT_FALSE(as_text.IsCancelled()());
}

TEST(InFlightTest, WhatHasEndedIsNotCancelledAndItsIdMayComeAgain) {
  InFlight table;
  std::optional<InFlight::Lease> first(table.Begin("a", 1));
  const auto is_cancelled = first->IsCancelled();
  first.reset();
  table.Cancel("a", 1);
  EXPECT_FALSE(is_cancelled());
  EXPECT_FALSE(table.Begin("a", 1).IsCancelled()());
}

TEST(InFlightTest, UnknownIdsOfAnyTypeAreIgnored) {
  InFlight table;
  for (const nlohmann::json& id :
       {nlohmann::json(nullptr), nlohmann::json(7), nlohmann::json::object()}) {
    table.Cancel("a", id);
  }
}

}  // namespace
}  // namespace banyan::edge
