import { describe, expect, it } from "vitest";
import type { AdmissionObserver } from "../admission/admission-observer.ts";
import { createLog } from "../telemetry/log.ts";
import { loggedAdmission, loggedDecisions, loggedRequests } from "./logged-observers.ts";

function logged() {
  const lines: string[] = [];
  const now = (): string => "2026-01-31T12:34:56Z";
  const log = createLog({ level: "debug", form: "readable", now, write: (line) => lines.push(line) });
  return { log, lines };
}

describe("logged observers", () => {
  it("log requests, and pass them on", () => {
    const { log, lines } = logged();
    const observed: number[] = [];
    const observer = loggedRequests(log, {
      onStarted: () => observed.push(0),
      onResponse: ({ code }) => observed.push(code),
    });
    observer.onStarted?.();
    const subject = { verb: "GET", group: "", version: "", resource: "", subresource: "", scope: "" } as const;
    observer.onResponse?.({ subject, method: "GET", path: "/version", code: 200, ms: 1 });
    expect(observed).toEqual([0, 200]);
    expect(lines).toEqual(["12:34:56 DEBUG GET /version code=200 ms=1\n"]);
  });

  it("log decisions, with the reason of a denial", () => {
    const { log, lines } = logged();
    const observed: string[] = [];
    const observer = loggedDecisions(log, {
      onDecided: (_, decision) => observed.push(decision),
      onRecount: () => observed.push("count"),
    });
    const consumer = { apiGroup: "", kind: "Namespace", namespace: "", name: "default" };
    const claim = {
      namespace: "default",
      name: "c1",
      uid: "u1",
      claim: { metadata: {}, consumer, resource: undefined },
    };
    observer.onDecided?.("root", "granted", { ...claim, message: "" });
    observer.onDecided?.("root", "denied", { ...claim, message: "not enough" });
    observer.onRecount?.();
    expect(observed).toEqual(["granted", "denied", "count"]);
    expect(lines).toEqual([
      "12:34:56 DEBUG claim default/c1 granted plane=root\n",
      "12:34:56 DEBUG claim default/c1 denied: not enough plane=root\n",
    ]);
  });

  it("log what a policy in Shadow mode would reject", () => {
    const { log, lines } = logged();
    type Shadowed = Parameters<NonNullable<AdmissionObserver["onShadowRejection"]>>;
    const policy = { metadata: { name: "maps" } } as Shadowed[0];
    const change = { kind: { kind: "ConfigMap" }, namespace: "default", name: "a", plane: "root" } as Shadowed[1];
    loggedAdmission(log, {}).onShadowRejection?.(policy, change, "2 of 2 used");
    expect(lines).toEqual([
      "12:34:56 INFO  policy maps is in Shadow mode; Enforce would reject ConfigMap default/a: 2 of 2 used plane=root\n",
    ]);
  });
});
