import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { describe, expect, it } from "vitest";
import { definition } from "../../../../test/definition-samples.ts";
import type { ApiObject } from "../../kinds/api-object.ts";
import { definitionStatus, type TakenNames } from "./crd-conditions.ts";
import { prepareNewDefinition } from "./prepare-definition.ts";

const now = "2026-01-01T00:00:00Z";
const later = "2026-02-02T00:00:00Z";
const nothing: TakenNames = { resources: new Set(), kinds: new Set() };

const named = (names: JsonObject, group = "example.com"): ApiObject =>
  prepareNewDefinition(definition({ names, spec: { group }, metadata: { name: `${names["plural"]}.${group}` } }));

const withStatus = (crd: ApiObject, status: JsonObject): ApiObject =>
  ({ ...(crd as JsonObject), status }) as unknown as ApiObject;

/** An accepted definition. */
const settled = (names: JsonObject, group?: string): ApiObject => {
  const crd = named(names, group);
  return withStatus(crd, definitionStatus(crd, [crd], nothing, now));
};

const conditions = (status: JsonObject): string[] =>
  (status["conditions"] as unknown as Record<string, string>[]).map(
    ({ type, status: state, reason, message }) => `${type}=${state} ${reason}: ${message}`,
  );

describe("the names of a definition", () => {
  const free = [
    "NamesAccepted=True NoConflicts: no conflicts found",
    "Established=True InitialNamesAccepted: the initial names have been accepted",
  ];
  const rejected = "Established=False NotAccepted: not all names are accepted";
  const foo = { plural: "foos", kind: "Foo", shortNames: ["f"] };
  const cases: Record<string, [names: JsonObject, others: ApiObject[], conditions: string[], accepted: JsonObject]> = {
    "are accepted when they are not in use": [
      foo,
      [],
      free,
      { plural: "foos", singular: "foo", shortNames: ["f"], kind: "Foo", listKind: "FooList" },
    ],
    "may be those of another group": [
      foo,
      [settled(foo, "other.com")],
      free,
      { plural: "foos", singular: "foo", shortNames: ["f"], kind: "Foo", listKind: "FooList" },
    ],
    "may not be the plural of another": [
      { plural: "fs", singular: "foos", kind: "Bar" },
      [settled(foo)],
      [`NamesAccepted=False SingularConflict: "foos" is already in use`, rejected],
      { plural: "fs", kind: "Bar", listKind: "BarList" },
    ],
    "may not be the kind of another, and the last conflict is reported": [
      { plural: "bars", singular: "bar", kind: "Foo" },
      [settled(foo)],
      [`NamesAccepted=False ListKindConflict: "FooList" is already in use`, rejected],
      { plural: "bars", singular: "bar", kind: "" },
    ],
    "may not be short names of another, and all conflicts are reported": [
      { plural: "bars", kind: "Bar", shortNames: ["f", "foo", "b"] },
      [settled(foo)],
      [`NamesAccepted=False ShortNamesConflict: ["f" is already in use, "foo" is already in use]`, rejected],
      { plural: "bars", singular: "bar", kind: "Bar", listKind: "BarList" },
    ],
  };
  for (const [name, [names, others, expected, accepted]] of Object.entries(cases)) {
    it(name, () => {
      const crd = named(names);
      const status = definitionStatus(crd, [...others, crd], nothing, now);
      expect(conditions(status)).toEqual(expected);
      expect(status["acceptedNames"]).toEqual(accepted);
      expect(status["storedVersions"]).toEqual(["v1"]);
    });
  }

  it("may not be those of built-in kinds", () => {
    const crd = named(foo);
    const builtin = { resources: new Set(["foos"]), kinds: new Set<string>() };
    expect(conditions(definitionStatus(crd, [crd], builtin, now))[0]).toBe(
      `NamesAccepted=False PluralConflict: "foos" is already in use`,
    );
  });

  it("are accepted once their previous owner is deleted", () => {
    const crd = named({ plural: "bars", kind: "Foo" });
    const waiting = withStatus(crd, definitionStatus(crd, [settled(foo), crd], nothing, now));
    const status = definitionStatus(waiting, [waiting], nothing, later);
    expect(conditions(status)).toEqual(free);
    expect(status["conditions"]).toMatchObject([{ lastTransitionTime: later }, { lastTransitionTime: later }]);
  });

  it("keep a definition established when a later change conflicts", () => {
    const crd = settled(foo);
    const renamed = withStatus(named({ ...foo, shortNames: ["b"] }), crd["status"] as JsonObject);
    const others = [settled({ plural: "bars", kind: "Bar", shortNames: ["b"] }), renamed];
    const status = definitionStatus(renamed, others, nothing, later);
    expect(conditions(status)).toEqual([
      `NamesAccepted=False ShortNamesConflict: "b" is already in use`,
      "Established=True InitialNamesAccepted: the initial names have been accepted",
    ]);
    expect(status["acceptedNames"]).toMatchObject({ shortNames: ["f"] });
  });

  it("do not change on a second pass", () => {
    const crd = settled(foo);
    expect(definitionStatus(crd, [crd], nothing, later)).toBe(crd["status"]);
  });
});
