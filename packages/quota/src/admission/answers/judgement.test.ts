import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { describe, expect, it } from "vitest";
import { stored } from "../../../test/made-claims.ts";
import type { AdmissionResult } from "../admission-listener.ts";
import type { ClaimPolicy } from "../policies/wanted-claims.ts";
import { type Heard, isIgnored, judge, resultIfRefused } from "./judgement.ts";
import { Refused } from "./refusals.ts";

const policy = (failurePolicy: "Fail" | "Ignore"): ClaimPolicy =>
  ({ policy: { metadata: { name: "maps" }, failurePolicy } }) as ClaimPolicy;

const short = "core/configmaps: requested 1 config map, limit 3, allocated 3, reserved 0, available 0";
const denied = stored({
  state: "denied",
  allocations: [
    { resourceType: "core/configmaps", status: "Denied", reason: "QuotaExceeded", message: short },
    {
      resourceType: "core/other",
      status: "Denied",
      reason: "QuotaExceeded",
      message: "Would have fitted; not granted",
    },
  ],
});

const heard = {
  granted: { result: "granted" },
  denied: { result: "denied", claim: denied },
  invalid: { result: "invalid", claim: stored({ state: "invalid" }) },
  lost: { result: "lost" },
  timeout: { result: "timeout" },
  taken: { result: "failed", error: Refused.taken({ group: "", resource: "configmaps" }, "a") },
  busy: { result: "failed", error: Refused.busy("too many") },
  unwatched: { result: "failed", error: Refused.timeout("claims cannot be watched") },
  foreign: { result: "failed", error: Refused.misconfigured("there is another claim") },
  forbidden: { result: "failed", error: new StatusError(failure("Forbidden", "not you")) },
  unavailable: { result: "failed", error: new StatusError(failure("ServiceUnavailable", "not now")) },
  hurried: { result: "failed", error: new StatusError(failure("TooManyRequests", "slower")) },
  cut: { result: "failed", error: new Error("the connection was cut") },
} as const satisfies Record<string, Heard["heard"]>;

type What = keyof typeof heard;
const all = (names: readonly What[], failurePolicy: "Fail" | "Ignore" = "Fail"): readonly Heard[] =>
  names.map((name) => ({ policy: policy(failurePolicy), heard: heard[name] }));

describe("a change is", () => {
  const cases: Record<string, [heard: readonly What[], code: number | undefined, cause?: string]> = {
    "let in when all is granted": [["granted", "granted"], undefined],
    "refused when one claim is denied": [["granted", "denied"], 403, "QuotaExceeded"],
    "refused for quota even when another claim is not decided": [["timeout", "denied"], 403, "QuotaExceeded"],
    "refused for quota even when another policy is broken": [["invalid", "denied"], 403, "QuotaExceeded"],
    "told that it is there before anything else": [["denied", "taken"], 409],
    "told to come back when nobody decides": [["granted", "timeout"], 503, "QuotaDecisionTimeout"],
    "told to come back when its claim is gone": [["lost"], 503, "QuotaUndecided"],
    "told to come back when there are too many": [["busy"], 503, "QuotaUndecided"],
    "told to come back when the server does not answer": [["unavailable"], 503, "QuotaUndecided"],
    "told to come back when the server is busy": [["hurried"], 503, "QuotaUndecided"],
    "told to come back when the connection is cut": [["cut"], 503, "QuotaUndecided"],
    "refused as misconfigured when its claim cannot be valid": [["invalid"], 500, "QuotaMisconfigured"],
    "refused as misconfigured when its claim may not be made": [["forbidden"], 500, "QuotaMisconfigured"],
    "refused as misconfigured when there is another claim of the name": [["foreign"], 500, "QuotaMisconfigured"],
    "told to come back when claims cannot be watched": [["unwatched"], 503, "QuotaDecisionTimeout"],
    "refused as misconfigured before it is told to come back": [["timeout", "forbidden"], 500, "QuotaMisconfigured"],
  };
  for (const [name, [names, code, cause]] of Object.entries(cases)) {
    it(name, () => {
      const status = judge(all(names), "Ask.")?.status;
      expect([status?.code, status?.details?.causes?.[0]?.reason]).toEqual([code, cause]);
      expect(status?.details?.retryAfterSeconds).toBe(code === 503 ? 1 : undefined);
    });
  }
});

it("every refusal but for quota, and for an object that is there, names the policy", () => {
  const { granted: _granted, denied: _denied, taken: _taken, ...others } = heard;
  for (const each of Object.values(others)) {
    const status = judge([{ policy: policy("Fail"), heard: each }], "")?.status;
    expect(status?.message).toContain('the claim of ClaimCreationPolicy "maps" ');
    expect(status?.details?.causes?.[0]?.message).toContain('ClaimCreationPolicy "maps"');
  }
});

describe("a policy, when a change is refused, came to", () => {
  const cases: Record<What, AdmissionResult> = {
    granted: "withdrawn",
    denied: "denied",
    taken: "exists",
    invalid: "misconfigured",
    lost: "undecided",
    timeout: "undecided",
    busy: "undecided",
    unwatched: "undecided",
    foreign: "misconfigured",
    forbidden: "misconfigured",
    unavailable: "undecided",
    hurried: "undecided",
    cut: "undecided",
  };
  for (const [name, result] of Object.entries(cases) as [What, AdmissionResult][]) {
    it(`${result} because of: ${name}`, () => {
      for (const failurePolicy of ["Fail", "Ignore"] as const) {
        expect(all([name], failurePolicy).map(resultIfRefused)).toEqual([result]);
      }
    });
  }
});

it("who is short of something is told of what, with the numbers, and what to do", () => {
  const { status } = judge(all(["denied"]), "Ask.") as Refused;
  const text = short.replace(": ", ' for Namespace "default": ');
  expect(status.message).toBe(`Insufficient quota resources available: ${text}. Ask.`);
  expect(status.details?.causes).toEqual([{ reason: "QuotaExceeded", field: "core/configmaps", message: text }]);
});

describe("a policy that ignores failures", () => {
  const cases: Record<What, boolean> = {
    granted: false,
    denied: false,
    taken: false,
    invalid: true,
    lost: true,
    timeout: true,
    busy: true,
    unwatched: true,
    foreign: true,
    forbidden: true,
    unavailable: true,
    hurried: true,
    cut: true,
  };
  for (const [name, ignored] of Object.entries(cases) as [What, boolean][]) {
    it(`${ignored ? "lets in" : "does not let in"} because of: ${name}`, () => {
      const [one] = all([name], "Ignore") as [Heard];
      expect(isIgnored(one)).toBe(ignored);
      expect(judge([one], "") === undefined).toBe(ignored || name === "granted");
    });
  }
});
