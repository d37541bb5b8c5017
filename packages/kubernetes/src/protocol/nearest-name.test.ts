import { expect, it } from "vitest";
import { nearestName } from "./nearest-name.ts";

const names = ["name", "namespace", "replicas", "size", "uid"];

it.each([
  ["namespce", "namespace"],
  ["replica", "replicas"],
  ["NAMESPACE", "namespace"],
  ["sice", "size"],
  ["uidd", "uid"],
  ["repilcas", "replicas"],
  ["customer", undefined],
  ["x", undefined],
  ["", undefined],
  ["n".repeat(1_000_000), undefined],
])("finds the name that was meant: %.20s", (given, meant) => {
  expect(nearestName(given, names)).toBe(meant);
});
