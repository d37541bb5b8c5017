import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { claimsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, describe, expect, it } from "vitest";
import { claim, grant, organization, projectsType, registration } from "./manifests.ts";
import { QuotaSystem } from "./quota-system.ts";

let system: QuotaSystem;
let isFull = false;
let refused = 0;

function meddle({ method, path }: Call): void {
  if (!isFull || method === "GET" || !path.includes("/allowancebuckets/")) return;
  refused += 1;
  throw new StatusError(failure("ServiceUnavailable", "the disk is full"));
}

afterEach(() => system.stop());

describe("pages that cannot be written for a while", () => {
  it("are tried less and less often, and again soon after that is over", async () => {
    system = await QuotaSystem.start({ meddle });
    await system.create(registrationsType, registration(projectsType));
    await system.create(grantsType, grant("base", organization, { [projectsType]: 100 }));
    await system.eventually(async () => expect(await system.figures(organization, projectsType)).toBeDefined());
    isFull = true;
    await system.create(claimsType, claim("one", organization, [{ resourceType: projectsType, amount: 1 }]));
    await system.pass(60_000);
    expect(await system.answer("one")).toBe("False PendingEvaluation");
    expect(refused).toBeGreaterThan(20);
    expect(refused).toBeLessThan(80); // about one each second or two
    isFull = false;
    await system.pass(3_000);
    expect(await system.answer("one")).toBe("True QuotaAvailable");
  });
});
