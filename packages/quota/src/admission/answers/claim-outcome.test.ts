import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { describe, expect, it } from "vitest";
import { storedClaim } from "../../../test/claim-fixtures.ts";
import type { ResourceRegistration } from "../../core/resources/resource-registration.ts";
import type { RegistrationView } from "../../core/resources/rules/registration-rules.ts";
import type { AdmissionResult } from "../admission-observer.ts";
import type { ClaimPolicy } from "../policies/policy-evaluation.ts";
import { type ClaimOutcome, isIgnored, rejectionOf, resultIfRejected } from "./claim-outcome.ts";
import { Rejection } from "./rejection.ts";

const policy = (failurePolicy: "Fail" | "Ignore"): ClaimPolicy =>
  ({ policy: { metadata: { name: "maps" }, failurePolicy } }) as ClaimPolicy;

const short = "core/configmaps: requested 1 config map, limit 3, allocated 3, reserved 0, available 0";
const denied = storedClaim({
  state: "denied",
  allocations: [
    { resourceType: "core/configmaps", status: "Denied", reason: "QuotaExceeded", message: short },
    {
      resourceType: "core/other",
      status: "Denied",
      reason: "QuotaExceeded",
      message: "Would fit; not granted",
    },
  ],
});

const outcomes = {
  granted: { result: "granted" },
  denied: { result: "denied", claim: denied },
  invalid: { result: "invalid", claim: storedClaim({ state: "invalid" }) },
  lost: { result: "lost" },
  timeout: { result: "timeout" },
  exists: { result: "failed", error: Rejection.alreadyExists({ group: "", resource: "configmaps" }, "a") },
  busy: { result: "failed", error: Rejection.undecided("too many") },
  unwatched: { result: "failed", error: Rejection.timeout("claims cannot be watched") },
  conflicting: { result: "failed", error: Rejection.misconfigured("a different claim exists") },
  forbidden: { result: "failed", error: new StatusError(failure("Forbidden", "not you")) },
  unavailable: { result: "failed", error: new StatusError(failure("ServiceUnavailable", "not now")) },
  throttled: { result: "failed", error: new StatusError(failure("TooManyRequests", "slower")) },
  disconnected: { result: "failed", error: new Error("the connection was cut") },
} as const satisfies Record<string, ClaimOutcome["outcome"]>;

type OutcomeName = keyof typeof outcomes;
const all = (names: readonly OutcomeName[], failurePolicy: "Fail" | "Ignore" = "Fail"): readonly ClaimOutcome[] =>
  names.map((name) => ({ policy: policy(failurePolicy), isGrowth: false, outcome: outcomes[name] }));

const registrations = (displayName: string): RegistrationView => ({
  byResourceType: () => [{ displayName, status: {} } as ResourceRegistration],
});
const kind = {
  group: "apps.example.com",
  version: "v1",
  kind: "Thing",
  plural: "things",
  scope: "Namespaced",
} as const;
const context = { object: { kind, name: "one" }, registrations: registrations(""), advice: "Ask." };

describe("a request is", () => {
  const cases: Record<string, [outcomes: readonly OutcomeName[], code: number | undefined, cause?: string]> = {
    "admitted when all claims are granted": [["granted", "granted"], undefined],
    "rejected when one claim is denied": [["granted", "denied"], 403, "QuotaExceeded"],
    "rejected for quota even when another claim is not decided": [["timeout", "denied"], 403, "QuotaExceeded"],
    "rejected for quota even when another policy is broken": [["invalid", "denied"], 403, "QuotaExceeded"],
    "rejected because its object exists, before anything else": [["denied", "exists"], 409],
    "to be retried when a claim is not decided in time": [["granted", "timeout"], 503, "QuotaDecisionTimeout"],
    "to be retried when its claim is deleted": [["lost"], 503, "QuotaUndecided"],
    "to be retried when there are too many requests for one claim": [["busy"], 503, "QuotaUndecided"],
    "to be retried when the API server is unavailable": [["unavailable"], 503, "QuotaUndecided"],
    "to be retried when the API server throttles": [["throttled"], 503, "QuotaUndecided"],
    "to be retried when the connection fails": [["disconnected"], 503, "QuotaUndecided"],
    "rejected as misconfigured when its claim is invalid": [["invalid"], 500, "QuotaMisconfigured"],
    "rejected as misconfigured when its claim may not be created": [["forbidden"], 500, "QuotaMisconfigured"],
    "rejected as misconfigured when a different claim of the name exists": [["conflicting"], 500, "QuotaMisconfigured"],
    "to be retried when claims cannot be watched": [["unwatched"], 503, "QuotaDecisionTimeout"],
    "rejected as misconfigured rather than to be retried": [["timeout", "forbidden"], 500, "QuotaMisconfigured"],
  };
  for (const [name, [names, code, cause]] of Object.entries(cases)) {
    it(name, () => {
      const status = rejectionOf(all(names), context)?.status;
      expect([status?.code, status?.details?.causes?.[0]?.reason]).toEqual([code, cause]);
      expect(status?.details?.retryAfterSeconds).toBe(code === 503 ? 1 : undefined);
    });
  }
});

it("every rejection but for quota, and for an object that exists, names the policy", () => {
  const { granted: _granted, denied: _denied, exists: _taken, ...others } = outcomes;
  for (const each of Object.values(others)) {
    const status = rejectionOf([{ policy: policy("Fail"), isGrowth: false, outcome: each }], context)?.status;
    expect(status?.message).toContain('the claim of ClaimCreationPolicy "maps" ');
    expect(status?.details?.causes?.[0]?.message).toContain('ClaimCreationPolicy "maps"');
  }
});

describe("the result of a policy for a rejected request is", () => {
  const cases: Record<OutcomeName, AdmissionResult> = {
    granted: "withdrawn",
    denied: "denied",
    exists: "exists",
    invalid: "misconfigured",
    lost: "undecided",
    timeout: "undecided",
    busy: "undecided",
    unwatched: "undecided",
    conflicting: "misconfigured",
    forbidden: "misconfigured",
    unavailable: "undecided",
    throttled: "undecided",
    disconnected: "undecided",
  };
  for (const [name, result] of Object.entries(cases) as [OutcomeName, AdmissionResult][]) {
    it(`${result} because of: ${name}`, () => {
      for (const failurePolicy of ["Fail", "Ignore"] as const) {
        expect(all([name], failurePolicy).map(resultIfRejected)).toEqual([result]);
      }
    });
  }
});

describe("a rejection for quota", () => {
  it("names the object as Kubernetes does, and has the resource type, the numbers and the advice", () => {
    const { status } = rejectionOf(all(["denied"]), context) as Rejection;
    const text = short.replace(": ", ' for Namespace "default": ');
    expect(status.message).toBe(
      `things.apps.example.com "one" is forbidden: Insufficient quota resources available: ${text}. Ask.`,
    );
    const causes = [{ reason: "QuotaExceeded", field: "core/configmaps", message: text }];
    expect(status.details).toEqual({ name: "one", group: "apps.example.com", kind: "things", causes });
  });

  it("names kinds of the core group without a group", () => {
    const object = { kind: { ...kind, group: "", plural: "configmaps" }, name: "x" };
    const { status } = rejectionOf(all(["denied"]), { ...context, object }) as Rejection;
    expect(status.message).toMatch(/^configmaps "x" is forbidden: Insufficient quota /);
    expect(status.details).toMatchObject({ name: "x", kind: "configmaps" });
    expect(status.details).not.toHaveProperty("group");
  });

  const causeOf = (change: Partial<ClaimOutcome>, displayName: string): string | undefined => {
    const [one] = all(["denied"]) as [ClaimOutcome];
    const outcome = { ...one, ...change };
    const rejection = rejectionOf([outcome], { ...context, registrations: registrations(displayName) });
    return rejection?.status.details?.causes?.[0]?.message;
  };

  it("has the display name of the registration on one line", () => {
    expect(causeOf({}, "Config\nmaps")).toMatch(
      /^core\/configmaps "Config maps" for Namespace "default": requested 1 /,
    );
  });

  it("says how much more a change needs", () => {
    expect(causeOf({ isGrowth: true }, "")).toContain(": requested 1 more config map, limit 3, ");
  });

  it("has the display name before the dimensions", () => {
    const shown = short.replace("core/configmaps:", "core/configmaps (size=l):");
    const claim = storedClaim({
      state: "denied",
      allocations: [{ resourceType: "core/configmaps", status: "Denied", reason: "QuotaExceeded", message: shown }],
    });
    const cause = causeOf({ outcome: { result: "denied", claim } }, "Maps");
    expect(cause).toMatch(/^core\/configmaps "Maps" \(size=l\) for Namespace "default": requested 1 config map, /);
  });
});

describe("a policy that ignores failures", () => {
  const cases: Record<OutcomeName, boolean> = {
    granted: false,
    denied: false,
    exists: false,
    invalid: true,
    lost: true,
    timeout: true,
    busy: true,
    unwatched: true,
    conflicting: true,
    forbidden: true,
    unavailable: true,
    throttled: true,
    disconnected: true,
  };
  for (const [name, ignored] of Object.entries(cases) as [OutcomeName, boolean][]) {
    it(`${ignored ? "ignores" : "does not ignore"}: ${name}`, () => {
      const [one] = all([name], "Ignore") as [ClaimOutcome];
      expect(isIgnored(one)).toBe(ignored);
      expect(rejectionOf([one], context) === undefined).toBe(ignored || name === "granted");
    });
  }
});
