// SPDX-License-Identifier: Apache-2.0

export async function scrape(origin) {
  const answer = await fetch(`${origin}/metrics`);
  if (answer.status !== 200) throw new Error(`/metrics answered ${answer.status}`);
  return answer.text();
}

// The sum of all series of a name whose labels include these.
export function metricValue(text, name, labels = {}) {
  let sum = 0;
  for (const line of text.split("\n")) {
    const match = /^([A-Za-z_:][\w:]*)(\{.*\})? (\S+)/.exec(line);
    if (match === null || match[1] !== name) continue;
    if (Object.entries(labels).every(([key, value]) => match[2]?.includes(`${key}="${value}"`))) sum += Number(match[3]);
  }
  return sum;
}

export function seriesCount(text) {
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).length;
}
