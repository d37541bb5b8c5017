import { expect, it } from "vitest";
import { compileSchema } from "../../../schema/compiled-schema.ts";
import type { WriteRequest } from "../object-request.ts";
import type { ApiObject } from "../served-kind.ts";
import { formedStatus } from "./forms.ts";

const kind = { schema: compileSchema({ type: "object" }), version: "v1" };
const request = { kind, manager: "me", subresource: "status", vouched: "believed" } as unknown as WriteRequest;

const entry = (manager: string, subresource: string) => ({
  manager,
  operation: "Update" as const,
  apiVersion: "v1",
  ...(subresource === "" ? {} : { subresource }),
  time: "2026-01-01T00:00:00Z",
});

function object(managers: readonly (readonly [manager: string, subresource: string])[], status: object): ApiObject {
  const managedFields = managers.map(([manager, subresource]) => entry(manager, subresource));
  return { apiVersion: "v1", kind: "Thing", metadata: { name: "t", managedFields }, status } as unknown as ApiObject;
}

it("a shape that tells nothing about others is asked a few times, and then made once each time", () => {
  const two = [
    ["maker", ""],
    ["other", "status"],
  ] as const;
  let made = 0;
  for (let at = 0; at < 10; at += 1) {
    const old = object(two, { a: at });
    const next = { ...old, status: { a: at + 1 } } as never;
    formedStatus({ old, next, isWhole: false }, request, 0, () => {
      made += 1;
      return object([...two, ["me", "status"]], { a: at + 1 }); // three owners: no form is made of these
    });
  }
  expect(made).toBe(3 * 2 + 7);
});
