import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { claimsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, describe, expect, it } from "vitest";
import { claim, grant, organization, projectsType, registration } from "./manifests.ts";
import { TestSystem } from "./test-system.ts";

let system: TestSystem;
let isFull = false;
let rejected = 0;

function rejectWrites({ method, path }: Call): void {
  if (!isFull || method === "GET" || !path.includes("/allowancebuckets/")) return;
  rejected += 1;
  throw new StatusError(failure("ServiceUnavailable", "the disk is full"));
}

afterEach(() => system.stop());

describe("buckets that cannot be written for a while", () => {
  it("are retried with backoff, and soon after the disk has space again", async () => {
    system = await TestSystem.start({ intercept: rejectWrites });
    await system.create(registrationsType, registration(projectsType));
    await system.create(grantsType, grant("base", organization, { [projectsType]: 100 }));
    await system.eventually(async () => expect(await system.figures(organization, projectsType)).toBeDefined());
    isFull = true;
    await system.create(claimsType, claim("one", organization, [{ resourceType: projectsType, amount: 1 }]));
    await system.pass(60_000);
    expect(await system.answer("one")).toBe("False PendingEvaluation");
    expect(rejected).toBeGreaterThan(20);
    expect(rejected).toBeLessThan(80); // about one in one or two seconds
    isFull = false;
    await system.pass(3_000);
    expect(await system.answer("one")).toBe("True QuotaAvailable");
  });
});
