import { readFileSync } from "node:fs";
import type { FieldIssue } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { quotaKinds } from "../../src/core/resources/kinds.ts";
import { acceptKind } from "../../src/core/resources/parsing/parse-kind.ts";
import { CrdServer } from "./crd-rules.ts";
import { randomObject, randomUpdate } from "./random-objects.ts";

const runs = 1500;

describe.each(quotaKinds.map((kind) => [kind.kind, kind] as const))("%s", (_name, kind) => {
  const server = new CrdServer(parse(readFileSync(`deploy/crds/${kind.group}_${kind.plural}.yaml`, "utf8")));
  const accept = acceptKind(kind);
  const parserAccepts = (object: JsonValue, old?: JsonValue): readonly FieldIssue[] => {
    const parsed = accept(object, old);
    return parsed.ok ? [] : parsed.issues;
  };

  it("parser and CRD accept the same objects", () => {
    let accepted = 0;
    fc.assert(
      fc.property(randomObject(kind), (object) => {
        const issues = parserAccepts(object);
        if (issues.length === 0) accepted += 1;
        expect([server.accepts(object, undefined), issues]).toEqual([issues.length === 0, issues]);
      }),
      { numRuns: runs },
    );
    expect(accepted).toBeGreaterThan(runs / 100);
  });

  it("parser and CRD accept the same updates", () => {
    const update = randomObject(kind).chain((old) => fc.tuple(fc.constant(old), randomUpdate(kind, old)));
    fc.assert(
      fc.property(update, ([old, object]) => {
        const issues = parserAccepts(object, old);
        expect([server.accepts(object, old), issues]).toEqual([issues.length === 0, issues]);
      }),
      { numRuns: runs },
    );
  });
});
