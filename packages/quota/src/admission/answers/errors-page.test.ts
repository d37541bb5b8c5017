import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { causeReasons, Rejection } from "./rejection.ts";

const page = await readFile("docs/reference/errors.md", "utf8");

it("the page of errors lists exactly the causes that rejections have", () => {
  const named = new Set(page.match(/`Quota[A-Z][A-Za-z]+`/g));
  expect([...named].sort()).toEqual(
    Object.values(causeReasons)
      .map((reason) => `\`${reason}\``)
      .sort(),
  );
});

it("the page of errors shows each cause with its code and reason", () => {
  const kind = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", scope: "Namespaced" } as const;
  const object = { kind, name: "a" };
  const rejections: Record<string, Rejection> = {
    [causeReasons.exceeded]: Rejection.insufficient([{ resourceType: "a/b", message: "" }], object, ""),
    [causeReasons.timeout]: Rejection.timeout(""),
    [causeReasons.undecided]: Rejection.undecided(""),
    [causeReasons.misconfigured]: Rejection.misconfigured(""),
  };
  for (const [reason, { status }] of Object.entries(rejections)) {
    const row = page.split("\n").find((line) => line.startsWith("|") && line.includes(`\`${reason}\``));
    expect(row).toContain(`${status.code} \`${status.reason}\``);
    expect(status.details?.causes?.map((cause) => cause.reason)).toEqual([reason]);
  }
});
