import type { RequestHeaders } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { describe, expect, it } from "vitest";
import { authorizeRequest, type GateDeps, isExempt } from "./access-gate.ts";
import { type RequestAttributes, resourceAttributes } from "./authorizer.ts";
import { FairQueue } from "./fair-queue.ts";

const signal = new AbortController().signal;
const person = (username: string, ...groups: string[]): UserInfo => ({ username, uid: "", groups, extra: {} });

function gate(requester: UserInfo, allows: (asked: RequestAttributes) => boolean) {
  const steps: string[] = [];
  const clock = { now: () => 0, after: () => ({ stop: () => undefined }) };
  const queue = new FairQueue(
    { seats: 1, seatsPerFlowMax: 1, waitingPerFlowMax: 0, waitingMax: 0, waitMsMax: 1 },
    clock,
  );
  const deps: GateDeps = {
    authenticator: {
      authenticate: async () => {
        steps.push("authenticate");
        return { user: requester, warnings: ["careful"] };
      },
    },
    authorizer: {
      authorize: async (asked) => {
        steps.push(`${asked.verb} by ${asked.user.username}, ${queue.executing} executing`);
        return { outcome: allows(asked) ? "allow" : "none", reason: "" };
      },
    },
    queue,
  };
  const get = (headers: RequestHeaders = {}, path = "/api/v1/pods") =>
    authorizeRequest(
      { path, uri: path, plane: "root", headers },
      (user) => resourceAttributes(user, { verb: "list", plane: "root", group: "", resource: "pods" }),
      deps,
      signal,
    );
  return { get, queue, steps };
}

describe("the way in", () => {
  it("asks who it is, whom they want to be, whether it is their turn, and whether they may", async () => {
    const { get, queue, steps } = gate(person("root"), () => true);
    const { user, warnings, seat } = await get({ "impersonate-user": ["alice"] });
    expect(steps).toEqual(["authenticate", "impersonate by root, 0 executing", "list by alice, 1 executing"]);
    expect(user.username).toBe("alice");
    expect(warnings).toEqual(["careful"]);
    seat.release();
    expect(queue.executing).toBe(0);
  });

  it("rejects what no authorizer allows, and releases the seat", async () => {
    const { get, queue } = gate(person("alice"), () => false);
    await expect(get()).rejects.toMatchObject({
      status: {
        code: 403,
        message: 'pods is forbidden: User "alice" cannot list resource "pods" in API group "" at the cluster scope',
      },
    });
    expect(queue.executing).toBe(0);
  });

  it("rejects requests when all seats are taken, except from masters and probes", async () => {
    const { get } = gate(person("alice"), () => true);
    const { seat } = await get();
    await expect(get()).rejects.toMatchObject({ status: { code: 429 } });
    await get({}, "/readyz");
    await get({ "impersonate-user": ["root"], "impersonate-group": ["system:masters"] });
    seat.release();
    await get();
  });

  it("knows who is exempt", () => {
    expect(isExempt(person("a", "system:masters"), "/api")).toBe(true);
    expect(isExempt(person("a", "devs"), "/livez")).toBe(true);
    expect(isExempt(person("a", "devs"), "/livez/ping")).toBe(false);
    expect(isExempt(person("a", "devs"), "/version")).toBe(false);
  });
});
