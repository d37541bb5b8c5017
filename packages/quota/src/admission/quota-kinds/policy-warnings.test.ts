import { expect, it } from "vitest";
import { endOfEnforcement } from "./policy-warnings.ts";

const enforced = { spec: {}, status: { enforced: { generation: 1 } } };
const write = { plane: "root", name: "p", old: enforced };

const cases: Record<string, [write: Parameters<typeof endOfEnforcement>[0], warning: string | undefined]> = {
  "a deletion": [
    { ...write, now: undefined },
    "deleting this policy ends its enforcement; the 2 claims of its objects stay",
  ],
  "spec.disabled": [
    { ...write, now: { spec: { disabled: true } } },
    "disabling this policy ends its enforcement; the 2 claims of its objects stay",
  ],
  "spec.enabled": [{ ...write, now: { spec: { enabled: false } } }, expect.stringContaining("disabling")],
  "another edit": [{ ...write, now: { spec: { mode: "Shadow" } } }, undefined],
  "the deletion of a policy that was never enforced": [{ ...write, old: { spec: {} }, now: undefined }, undefined],
  "the deletion of a disabled policy": [
    { ...write, old: { ...enforced, spec: { disabled: true } }, now: undefined },
    undefined,
  ],
};

it.each(Object.entries(cases))("warns when enforcement ends: %s", (_, [given, warning]) => {
  expect(endOfEnforcement(given, () => 2)).toEqual(warning);
});

it("omits the number of claims if it is unknown, and the warning if there are none", () => {
  expect(endOfEnforcement({ ...write, now: undefined }, () => undefined)).toMatch(/; the claims of its objects stay$/);
  expect(endOfEnforcement({ ...write, now: undefined }, () => 0)).toBeUndefined();
});
