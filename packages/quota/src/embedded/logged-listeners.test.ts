import { describe, expect, it } from "vitest";
import type { AdmissionListener } from "../admission/admission-listener.ts";
import { createLog } from "../telemetry/log.ts";
import { loggedAdmission, loggedDecisions, loggedRequests } from "./logged-listeners.ts";

function logged() {
  const lines: string[] = [];
  const now = (): string => "2026-01-31T12:34:56Z";
  const log = createLog({ level: "debug", form: "readable", now, write: (line) => lines.push(line) });
  return { log, lines };
}

describe("what is told to listeners", () => {
  it("is logged of requests, and handed on", () => {
    const { log, lines } = logged();
    const heard: number[] = [];
    const told = loggedRequests(log, { begun: () => heard.push(0), answered: ({ code }) => heard.push(code) });
    told.begun?.();
    const subject = { verb: "GET", group: "", version: "", resource: "", subresource: "", scope: "" } as const;
    told.answered?.({ subject, method: "GET", path: "/version", code: 200, ms: 1 });
    expect(heard).toEqual([0, 200]);
    expect(lines).toEqual(["12:34:56 DEBUG GET /version code=200 ms=1\n"]);
  });

  it("is logged of decisions, with the reason of a denial", () => {
    const { log, lines } = logged();
    const heard: string[] = [];
    const told = loggedDecisions(log, {
      decided: (_, decision) => heard.push(decision),
      recounted: () => heard.push("count"),
    });
    const consumer = { apiGroup: "", kind: "Namespace", namespace: "", name: "default" };
    const claim = {
      namespace: "default",
      name: "c1",
      uid: "u1",
      claim: { metadata: {}, consumer, resource: undefined },
    };
    told.decided?.("root", "granted", { ...claim, message: "" });
    told.decided?.("root", "denied", { ...claim, message: "not enough" });
    told.recounted?.();
    expect(heard).toEqual(["granted", "denied", "count"]);
    expect(lines).toEqual([
      "12:34:56 DEBUG claim default/c1 granted plane=root\n",
      "12:34:56 DEBUG claim default/c1 denied: not enough plane=root\n",
    ]);
  });

  it("is logged of what a policy in Shadow mode would reject", () => {
    const { log, lines } = logged();
    type Shadowed = Parameters<NonNullable<AdmissionListener["shadowed"]>>;
    const policy = { metadata: { name: "maps" } } as Shadowed[0];
    const change = { kind: { kind: "ConfigMap" }, namespace: "default", name: "a", plane: "root" } as Shadowed[1];
    loggedAdmission(log, {}).shadowed?.(policy, change, "2 of 2 used");
    expect(lines).toEqual([
      "12:34:56 INFO  policy maps is in Shadow mode; Enforce would reject ConfigMap default/a: 2 of 2 used plane=root\n",
    ]);
  });
});
