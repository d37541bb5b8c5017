import type { RequestHeaders } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { describe, expect, it } from "vitest";
import { authorizeRequest, type GateDeps, isExempt } from "./access-gate.ts";
import { type RequestAttributes, resourceAttributes } from "./authorizer.ts";
import { FairQueue } from "./fair-queue.ts";

const signal = new AbortController().signal;
const person = (username: string, ...groups: string[]): UserInfo => ({ username, uid: "", groups, extra: {} });

function gate(requester: UserInfo, allows: (attributes: RequestAttributes) => boolean) {
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
      authorize: async (attributes) => {
        steps.push(`${attributes.verb} by ${attributes.user.username}, ${queue.executing} executing`);
        return { outcome: allows(attributes) ? "allow" : "none", reason: "" };
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

describe("the access gate", () => {
  it("authenticates, impersonates, queues and authorizes a request in this order", async () => {
    const { get, queue, steps } = gate(person("root"), () => true);
    const { user, warnings, seat } = await get({ "impersonate-user": ["alice"] });
    expect(steps).toEqual(["authenticate", "impersonate by root, 0 executing", "list by alice, 1 executing"]);
    expect(user.username).toBe("alice");
    expect(warnings).toEqual(["careful"]);
    seat.release();
    expect(queue.executing).toBe(0);
  });

  it("rejects a request that no authorizer allows, and releases its seat", async () => {
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

  it("exempts masters and probes from queueing", () => {
    expect(isExempt(person("a", "system:masters"), "/api")).toBe(true);
    expect(isExempt(person("a", "devs"), "/livez")).toBe(true);
    expect(isExempt(person("a", "devs"), "/livez/ping")).toBe(false);
    expect(isExempt(person("a", "devs"), "/version")).toBe(false);
  });
});
