import { afterEach, beforeEach, expect, it } from "vitest";
import { bucketsType, claimsType, grantsType, registrationsType } from "../../../src/controllers/quota-types.ts";
import { bucketName } from "../../../src/core/resources/object-names.ts";
import type { Call } from "../../../src/kube/transport/transport.ts";
import { claim, grant, organization, projectsType, registration } from "./manifests.ts";
import { type Json, QuotaSystem } from "./quota-system.ts";

let system: QuotaSystem;
/** What the controllers asked for that matters here, in order. */
let calls: string[];
const name = bucketName(organization, projectsType);

/** Writes of the page with what they say, and reads of it. */
function note({ method, path, body }: Call): void {
  if (!path.includes(`/allowancebuckets/${name}`)) return;
  const { status = {} } = (body?.value ?? {}) as { readonly status?: Json };
  calls.push(method === "PUT" ? `${status["allocated"]} allocated, ${status["ahead"] ?? 0} kept` : method);
}

beforeEach(async () => {
  calls = [];
  system = await QuotaSystem.start({ meddle: note });
  await system.create(registrationsType, registration(projectsType));
  await system.create(grantsType, grant("base", organization, { [projectsType]: 100 }));
  await system.create(claimsType, claim("a", organization, [{ resourceType: projectsType, amount: 1 }]));
  await system.eventually(async () =>
    expect(await system.figures(organization, projectsType)).toMatchObject({ allocated: 1, reserved: 0 }),
  );
});

afterEach(() => system.stop());

it("what somebody else keeps on a page is given up only after the page was written with it", async () => {
  calls = [];
  const where = { namespace: "milo-system" };
  const found = await system.resource(bucketsType).get({ ...where, name }, new AbortController().signal);
  const status = { ...(found["status"] as Json), writer: "other.1", ahead: 30 };
  await system.resource(bucketsType).updateStatus({ ...found, status } as never, {}, new AbortController().signal);
  await system.eventually(async () => {
    const figures = await system.figures(organization, projectsType);
    expect([figures?.["allocated"], figures?.["ahead"]]).toEqual([1, undefined]);
  });
  expect(calls).toEqual(["GET", "1 allocated, 30 kept", "1 allocated, 0 kept"]);
  expect(system.reported).toEqual([]);
});
