import { describe, expect, it } from "vitest";
import {
  type ApiStatus,
  alreadyExists,
  conflict,
  failure,
  invalidObject,
  parseStatus,
  resourceExpired,
  resourceForbidden,
  resourceNotFound,
  StatusError,
  serviceUnavailable,
  tooManyRequests,
} from "./api-status.ts";
import { type Condition, findCondition, setCondition } from "./condition.ts";
import {
  childPath,
  duplicate,
  type FieldIssue,
  forbidden,
  invalid,
  issueText,
  itemPath,
  notFound,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from "./field-issue.ts";
import { quote } from "./go-quote.ts";
import { type JsonValue, jsonEquals } from "./json-value.ts";
import { mergePatch } from "./merge-patch.ts";
import { formatApiVersion, parseApiVersion } from "./object-meta.ts";
import { type Bookmark, endsInitialEvents, type WatchEvent } from "./watch-event.ts";

describe("a field issue is formatted as in Kubernetes", () => {
  const cases: Record<string, FieldIssue> = {
    "spec.name: Required value": required("spec.name"),
    "spec.name: Required value: give it a name": required("spec.name", "give it a name"),
    'spec.a: Invalid value: "x\\ty": too odd': invalid("spec.a", "x\ty", "too odd"),
    'spec.a: Invalid value: {"a":[1,true,null],"b":9223372036854775807}: no': invalid(
      "spec.a",
      { b: 9223372036854775807n, a: [1, true, null] },
      "no",
    ),
    'spec.a: Invalid value: "string": must be of type integer': typeInvalid(
      "spec.a",
      "string",
      "must be of type integer",
    ),
    'spec.type: Unsupported value: "x": supported values: "A", "B"': notSupported("spec.type", "x", ["A", "B"]),
    'spec.list[1]: Duplicate value: {"k":"v"}': duplicate("spec.list[1]", { k: "v" }),
    "spec.a: Forbidden: not here": forbidden("spec.a", "not here"),
    'spec.a: Not found: "x"': notFound("spec.a", "x"),
    "spec.a: Too long: may not be more than 50 bytes": tooLong("spec.a", 50),
    "spec.a: Too long: may not be more than 1 byte": tooLong("spec.a", 1),
    "spec.a: Too many: 21: must have at most 20 items": tooMany("spec.a", 21, 20),
    "spec.a: Too many: 2: must have at most 1 item": tooMany("spec.a", 2, 1),
  };
  for (const [text, issue] of Object.entries(cases)) {
    it(text, () => expect(issueText(issue)).toBe(text));
  }

  it("builds paths", () => {
    expect(itemPath(childPath(childPath("", "spec"), "requests"), 0)).toBe("spec.requests[0]");
    expect(itemPath("metadata.labels", "env")).toBe("metadata.labels[env]");
  });
});

describe("a string in quotes", () => {
  const cases: Record<string, string> = {
    plain: '"plain"',
    'a"b\\c': '"a\\"b\\\\c"',
    "tab\tnew\nbell\u0007": '"tab\\tnew\\nbell\\a"',
    "nul\u0000": '"nul\\x00"',
    "é 世界 😀": '"é 世界 😀"',
    "nbsp\u00a0": '"nbsp\\u00a0"',
    "tag\u{e0001}": '"tag\\U000e0001"',
    "lone\ud800": '"lone\ufffd"',
  };
  for (const [text, quoted] of Object.entries(cases)) {
    it(quoted, () => expect(quote(text)).toBe(quoted));
  }
});

describe("a Status", () => {
  const projects = { group: "resourcemanager.miloapis.com", resource: "projects" };
  const cases: Record<string, [ApiStatus, number, string]> = {
    "not found": [resourceNotFound(projects, "web"), 404, 'projects.resourcemanager.miloapis.com "web" not found'],
    "already exists": [alreadyExists({ group: "", resource: "pods" }, "web"), 409, 'pods "web" already exists'],
    conflict: [
      conflict(projects, "web", "the object has been modified"),
      409,
      'Operation cannot be fulfilled on projects.resourcemanager.miloapis.com "web": the object has been modified',
    ],
    forbidden: [
      resourceForbidden(projects, "web", "no"),
      403,
      'projects.resourcemanager.miloapis.com "web" is forbidden: no',
    ],
    "forbidden without a name": [
      resourceForbidden(projects, "", "no"),
      403,
      "projects.resourcemanager.miloapis.com is forbidden: no",
    ],
    "try again": [tooManyRequests("busy", 2), 429, "busy"],
    unavailable: [serviceUnavailable("not ready", 1), 503, "not ready"],
    expired: [resourceExpired("too old resource version: 1 (5)"), 410, "too old resource version: 1 (5)"],
  };
  for (const [name, [status, code, message]] of Object.entries(cases)) {
    it(name, () => expect(status).toMatchObject({ kind: "Status", status: "Failure", code, message }));
  }

  it("carries retryAfterSeconds", () => {
    expect(tooManyRequests("busy", 2).details).toEqual({ retryAfterSeconds: 2 });
  });

  it("carries every issue of an object as a cause", () => {
    const issues = [required("spec.a"), invalid("spec.b", "x", "no"), required("spec.a")];
    const status = invalidObject({ group: "quota.miloapis.com", kind: "ResourceClaim" }, "c", issues);
    expect(status.message).toBe(
      'ResourceClaim.quota.miloapis.com "c" is invalid: [spec.a: Required value, spec.b: Invalid value: "x": no]',
    );
    expect(status.details).toMatchObject({ name: "c", group: "quota.miloapis.com", kind: "ResourceClaim" });
    expect(status.details?.causes).toHaveLength(3);
    expect(status.details?.causes?.[1]).toEqual({
      reason: "FieldValueInvalid",
      message: 'Invalid value: "x": no',
      field: "spec.b",
    });
  });

  it("is the status of the thrown error", () => {
    const status = failure("InternalError", "Internal error occurred: x");
    expect(new StatusError(status)).toMatchObject({ message: "Internal error occurred: x", status });
  });

  it("is distinguished from other objects", () => {
    expect(parseStatus({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code: 404 })?.code).toBe(
      404,
    );
    expect(parseStatus({ kind: "Pod", apiVersion: "v1" })).toBeUndefined();
    expect(parseStatus("x")).toBeUndefined();
  });
});

describe("conditions", () => {
  const ready: Condition = { type: "Ready", status: "False", reason: "Pending", message: "", lastTransitionTime: "t0" };

  it("change lastTransitionTime only with their status", () => {
    const reworded = setCondition([ready], { ...ready, message: "still waiting" }, "t1");
    expect(findCondition(reworded, "Ready")).toMatchObject({ message: "still waiting", lastTransitionTime: "t0" });
    const turned = setCondition(reworded, { ...ready, status: "True" }, "t2");
    expect(findCondition(turned, "Ready")).toMatchObject({ status: "True", lastTransitionTime: "t2" });
  });

  it("stay the same list when nothing changes", () => {
    const before = [ready];
    expect(setCondition(before, { ...ready }, "t1")).toBe(before);
  });

  it("are appended to the others", () => {
    const both = setCondition([ready], { type: "Other", status: "True", reason: "R", message: "" }, "t1");
    expect(both.map((condition) => condition.type)).toEqual(["Ready", "Other"]);
  });

  it("are undefined in an undefined list", () => expect(findCondition(undefined, "Ready")).toBeUndefined());
});

describe("a merge patch", () => {
  // The examples of RFC 7396, appendix A.
  const cases: readonly [target: JsonValue, patch: JsonValue, result: JsonValue][] = [
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"],
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ a: "foo" }, null, null],
    [{ a: "foo" }, "bar", "bar"],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ];
  for (const [target, patch, result] of cases) {
    it(`${JSON.stringify(target)} with ${JSON.stringify(patch)}`, () => {
      const before = structuredClone(target);
      expect(mergePatch(target, patch)).toEqual(result);
      expect(target).toEqual(before);
    });
  }

  it("cannot reach a prototype", () => {
    const merged = mergePatch(
      {},
      JSON.parse('{"__proto__":{"polluted":true},"constructor":{"x":1}}') as JsonValue,
    ) as object;
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect("polluted" in {}).toBe(false);
    expect(Object.keys(merged)).toEqual(["__proto__", "constructor"]);
  });
});

describe("small functions", () => {
  it("split and join apiVersion", () => {
    expect(parseApiVersion("apps/v1")).toEqual({ group: "apps", version: "v1" });
    expect(parseApiVersion("v1")).toEqual({ group: "", version: "v1" });
    expect(formatApiVersion("", "v1")).toBe("v1");
    expect(formatApiVersion("apps", "v1")).toBe("apps/v1");
  });

  it("recognize the bookmark that ends the initial events", () => {
    const bookmark: Bookmark = { apiVersion: "v1", kind: "Pod", metadata: { resourceVersion: "5" } };
    expect(endsInitialEvents(bookmark)).toBe(false);
    const last = {
      ...bookmark,
      metadata: { resourceVersion: "5", annotations: { "k8s.io/initial-events-end": "true" } },
    };
    expect(endsInitialEvents(last)).toBe(true);
    const event: WatchEvent = { type: "BOOKMARK", object: last };
    expect(event.type === "BOOKMARK" && endsInitialEvents(event.object)).toBe(true);
  });

  it("compare JSON by value", () => {
    expect(jsonEquals({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toBe(true);
    expect(jsonEquals({ a: 1 }, { a: 1, b: 2 })).toBe(false);
    expect(jsonEquals({ a: 1 }, { b: 1 })).toBe(false);
    expect(jsonEquals([1], { 0: 1 })).toBe(false);
    expect(jsonEquals([1, 2], [1])).toBe(false);
    expect(jsonEquals(null, {})).toBe(false);
    expect(jsonEquals(9007199254740993n, 9007199254740993n)).toBe(true);
  });
});
