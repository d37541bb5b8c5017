import { dnsSubdomain } from "@milo-quota/kubernetes/protocol/names.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amountMax, amountOf, amountToJson } from "./fields/amount.ts";
import { consumerKey, consumerText } from "./fields/consumer-ref.ts";
import { dimensionKey, parseDimensionKey } from "./fields/dimensions.ts";
import { displayAmount, displayFloor, type Unit } from "./fields/units.ts";
import { bucketName, bucketNamespace, effectiveGrantName } from "./object-names.ts";
import { stableHash } from "./stable-hash.ts";

describe("an amount in display units", () => {
  const project: Unit = { baseUnit: "project", displayUnit: "project", factor: 1n };
  const core: Unit = { baseUnit: "millicore", displayUnit: "core", factor: 1000n };
  const gib: Unit = { baseUnit: "byte", displayUnit: "GiB", factor: 1073741824n };
  const named = (displayUnit: string): Unit => ({ baseUnit: displayUnit, displayUnit, factor: 1n });

  const cases: readonly [amount: bigint, unit: Unit, text: string][] = [
    [0n, project, "0 projects"],
    [1n, project, "1 project"],
    [3n, project, "3 projects"],
    [8589934592n, gib, "8 GiB"],
    [1073741824n, gib, "1 GiB"],
    [1610612736n, gib, "1.5 GiB"],
    [1n, gib, "<0.001 GiB"],
    [2500n, core, "2.5 cores"],
    [1000n, core, "1 core"],
    [1234n, core, "1.234 cores"],
    [1n, core, "0.001 cores"],
    [1073741825n, gib, "1 GiB"],
    [9223372036854775807n, gib, "8589934592 GiB"],
    [9223372036854775807n, project, "9223372036854775807 projects"],
    [-1500n, core, "-1.5 cores"],
    [-1n, gib, "-<0.001 GiB"],
    [1n, named("projects"), "1 project"],
    [2n, named("projects"), "2 projects"],
    [2n, named("proxy"), "2 proxies"],
    [1n, named("proxies"), "1 proxy"],
    [2n, named("key"), "2 keys"],
    [2n, named("address"), "2 addresses"],
    [1n, named("addresses"), "1 address"],
    [2n, named("box"), "2 boxes"],
    [1n, named("boxes"), "1 box"],
    [2n, named("TB"), "2 TB"],
    [2n, named("vCPU"), "2 vCPU"],
    [2n, named("bus"), "2 buses"],
    [1n, named("series"), "1 series"],
    [2n, named("analysis"), "2 analyses"],
    [1n, named("lens"), "1 lens"],
    [2n, named("api key"), "2 api keys"],
  ];
  for (const [amount, unit, text] of cases) {
    it(text, () => expect(displayAmount(amountOf(amount), unit)).toBe(text));
  }
});

describe("an available amount", () => {
  it("is rounded down", () => {
    const core: Unit = { baseUnit: "microcore", displayUnit: "core", factor: 1_000_000n };
    expect(displayFloor(amountOf(999_999), core)).toBe("0.999");
    expect(displayFloor(amountOf(1_000_000), core)).toBe("1");
    expect(displayFloor(amountOf(3), { ...core, factor: 7n })).toBe("0.428");
  });
});

describe("an amount in JSON", () => {
  it("is a plain number if that is exact", () => {
    expect(amountToJson(amountOf(9007199254740991))).toBe(9007199254740991);
    expect(amountToJson(amountOf(9007199254740993n))).toBe(9007199254740993n);
    expect(amountToJson(amountMax)).toBe(9223372036854775807n);
  });

  it("must fit into an int64", () => {
    expect(() => amountOf(2n ** 63n)).toThrow(RangeError);
    expect(() => amountOf(-(2n ** 63n) - 1n)).toThrow(RangeError);
    expect(() => amountOf(1.5)).toThrow(RangeError);
  });
});

describe("a hash", () => {
  it("is stable, because names of stored objects depend on it", () => {
    expect(stableHash(["a", "b"], 16)).toBe("arz66loa2mskwzm5");
    expect(stableHash(["ascii first", "ü"], 16)).toBe("m5uf4sm7r6d2z74p");
    expect(stableHash(["x".repeat(5_000)], 16)).toBe("i3l7gbqyfzn525td");
    expect(stableHash([], 52)).toHaveLength(51);
  });

  it("distinguishes lists that concatenate to the same text", () => {
    expect(stableHash(["ab", "c"], 16)).not.toBe(stableHash(["a", "bc"], 16));
    expect(stableHash(["1:a"], 16)).not.toBe(stableHash(["", "a"], 16));
    expect(stableHash(["a", ""], 16)).not.toBe(stableHash(["a"], 16));
    expect(stableHash(["\ud800"], 16)).not.toBe(stableHash(["\ufffd"], 16));
  });
});

describe("the name of a bucket", () => {
  const acme = { apiGroup: "resourcemanager.miloapis.com", kind: "Organization", namespace: "", name: "acme-corp" };

  it("is readable", () => {
    expect(bucketName(acme, "resourcemanager.miloapis.com/projects")).toMatch(
      /^organization-acme-corp-projects-[a-z2-7]{16}$/,
    );
    expect(bucketName({ ...acme, kind: "User", name: "John.Doe" }, "compute_cpu")).toMatch(
      /^user-john-doe-compute-cpu-[a-z2-7]{16}$/,
    );
    expect(effectiveGrantName(acme, "x/projects")).toMatch(/^organization-acme-corp-projects-effective-[a-z2-7]{16}$/);
  });

  it("is unique for each bucket", () => {
    const names = [
      bucketName(acme, "x/projects"),
      bucketName({ ...acme, apiGroup: "" }, "x/projects"),
      bucketName({ ...acme, namespace: "a" }, "x/projects"),
      bucketName(acme, "y/projects"),
      bucketName(acme, "x/projects", { l: "a" }),
      bucketName(acme, "x/projects", { l: "b" }),
      effectiveGrantName(acme, "x/projects"),
    ];
    expect(new Set(names).size).toBe(names.length);
  });

  it("is valid for every consumer", () => {
    const text = fc.string({ minLength: 1, maxLength: 260, unit: "grapheme" });
    fc.assert(
      fc.property(text, text, text, (kind, name, type) => {
        expect(dnsSubdomain(bucketName({ apiGroup: "", kind, namespace: "", name }, type))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

describe("the namespace of a bucket", () => {
  const organization = { apiGroup: "resourcemanager.miloapis.com", kind: "Organization", namespace: "", name: "acme" };
  const has = (name: string): boolean => name === "organization-acme";
  const cases: Record<string, [consumer: typeof organization, namespace: string]> = {
    "is the namespace of the consumer": [{ ...organization, namespace: "n" }, "n"],
    "is the consumer itself, if that is a namespace": [
      { apiGroup: "", kind: "Namespace", namespace: "", name: "team-a" },
      "team-a",
    ],
    "is the namespace of the organization": [organization, "organization-acme"],
    "is the system namespace if the organization has none": [{ ...organization, name: "other" }, "milo-system"],
    "is the system namespace for all other consumers": [{ ...organization, kind: "Project" }, "milo-system"],
    "is the system namespace for an Organization of another API group": [
      { ...organization, apiGroup: "example.com" },
      "milo-system",
    ],
  };
  for (const [name, [consumer, namespace]] of Object.entries(cases)) {
    it(name, () => expect(bucketNamespace(consumer, has)).toBe(namespace));
  }
});

describe("dimensions", () => {
  it("have a key that is independent of their order", () => {
    expect(dimensionKey({ b: "2", a: "1" })).toBe("a=1,b=2");
    expect(dimensionKey({})).toBe("");
  });

  it("are read back from their key", () => {
    const name = fc.stringMatching(/^[a-z]{1,3}(\/[a-z]{1,2})?$/);
    const value = fc.stringMatching(/^([A-Za-z0-9]([-A-Za-z0-9_.]{0,4}[A-Za-z0-9])?)?$/);
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 5 }), (dimensions) => {
        expect(parseDimensionKey(dimensionKey(dimensions))).toEqual({ ...dimensions });
      }),
    );
  });

  it("are undefined for an invalid key", () => {
    for (const key of ["a", "=1", "b=2,a=1", "a=1,a=1", "a=1,", "a=b c"])
      expect([key, parseDimensionKey(key)]).toEqual([key, undefined]);
  });
});

describe("a consumer", () => {
  const user = { apiGroup: "iam.miloapis.com", kind: "User", namespace: "", name: "john" };

  it("has a unique key", () => {
    expect(consumerKey(user)).toBe("iam.miloapis.com/User//john");
    expect(consumerKey({ ...user, namespace: "n" })).not.toBe(consumerKey(user));
  });

  it("has a text for messages", () => {
    expect(consumerText(user)).toBe('User "john"');
    expect(consumerText({ ...user, namespace: "n" })).toBe('User "john" in namespace "n"');
  });
});
