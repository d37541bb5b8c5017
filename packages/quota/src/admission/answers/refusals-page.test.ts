import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { causeReasons, Refused } from "./refusals.ts";

const page = await readFile("docs/reference/errors.md", "utf8");

it("the page of refusals names every cause there is, and no other", () => {
  const named = new Set(page.match(/`Quota[A-Z][A-Za-z]+`/g));
  expect([...named].sort()).toEqual(
    Object.values(causeReasons)
      .map((reason) => `\`${reason}\``)
      .sort(),
  );
});

it("each cause stands with its code and reason", () => {
  const refusals: Record<string, Refused> = {
    [causeReasons.exceeded]: Refused.insufficient([{ resourceType: "a/b", message: "" }], ""),
    [causeReasons.timeout]: Refused.timeout(""),
    [causeReasons.undecided]: Refused.busy(""),
    [causeReasons.misconfigured]: Refused.misconfigured(""),
  };
  for (const [reason, { status }] of Object.entries(refusals)) {
    const row = page.split("\n").find((line) => line.startsWith("|") && line.includes(`\`${reason}\``));
    expect(row).toContain(`${status.code} \`${status.reason}\``);
    expect(status.details?.causes?.map((cause) => cause.reason)).toEqual([reason]);
  }
});
