// SPDX-License-Identifier: Apache-2.0

// What the tests look at in an answer, found wherever the shape of a tool puts
// it (docs/tools.md shows the shapes).

// Every object inside `value` that says where it is, with the file that it or
// an object around it names.
export function located(value) {
  const found = [];
  const visit = (node, path) => {
    if (Array.isArray(node)) {
      for (const item of node) visit(item, path);
    } else if (node !== null && typeof node === "object") {
      const here = node.relative_path ?? path;
      if (here !== undefined && (node.line ?? node.start_line) !== undefined) found.push({ ...node, relative_path: here });
      for (const [key, item] of Object.entries(node)) {
        if (key !== "containing_symbol") visit(item, here);
      }
    }
  };
  visit(value, undefined);
  return found;
}

export const symbols = (value) => located(value).filter((node) => node.name_path !== undefined && node.line === undefined);

export const references = (value) => located(value.references ?? value.files ?? value).filter((node) => node.line !== undefined);

export const referencePlaces = (value) => [...new Set(references(value).map((r) => `${r.relative_path}:${r.line}`))].sort();

export function reasons(value) {
  return (value.incomplete ?? []).map((entry) => entry.reason);
}

// Complete means nothing is missing and nothing is said to be.
export function isComplete(value) {
  if (value.complete !== (reasons(value).length === 0)) {
    throw new Error(`complete is ${value.complete}, incomplete is ${JSON.stringify(value.incomplete)}`);
  }
  return value.complete;
}

// Whether symbols cover exactly these places, each ["file", line text] given as
// "file:line" of the name: a range may begin earlier, at a comment.
export function coversExactly(found, places) {
  const left = new Set(places);
  for (const symbol of found) {
    const hit = [...left].find((place) => {
      const cut = place.lastIndexOf(":");
      const line = Number(place.slice(cut + 1));
      return place.slice(0, cut) === symbol.relative_path && symbol.start_line <= line && line <= symbol.end_line;
    });
    if (hit === undefined) return false;
    left.delete(hit);
  }
  return left.size === 0;
}

export function assertComplete(value) {
  if (!isComplete(value)) throw new Error(`not complete: ${JSON.stringify(value)}`);
}
