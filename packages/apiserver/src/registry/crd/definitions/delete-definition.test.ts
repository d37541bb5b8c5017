import { describe, expect, it } from "vitest";
import { definition } from "../../../../test/definition-samples.ts";
import type { ApiObject } from "../../kinds/api-object.ts";
import { cleanupFinalizer, markedForDeletion, withTermination } from "./delete-definition.ts";

const now = "2026-01-01T00:00:00Z";

describe("a deleted definition", () => {
  it("is kept, with a condition that its objects are deleted first", () => {
    const marked = markedForDeletion(definition({}), now);
    expect(marked.metadata).toMatchObject({ deletionTimestamp: now, finalizers: [cleanupFinalizer] });
    expect(marked["status"]).toMatchObject({
      conditions: [{ type: "Terminating", status: "True", reason: "InstanceDeletionPending", lastTransitionTime: now }],
    });
  });

  it("keeps other finalizers, and has the cleanup finalizer once", () => {
    const held = definition({ metadata: { finalizers: [cleanupFinalizer, "example.com/wait"] } });
    expect(markedForDeletion(held, now).metadata.finalizers).toEqual(["example.com/wait", cleanupFinalizer]);
  });

  it("changes the reason but not the transition time", () => {
    const marked = markedForDeletion(definition({}), now);
    const later = withTermination(
      marked,
      { reason: "InstanceDeletionInProgress", message: "" },
      "2026-01-01T00:00:09Z",
    );
    const { conditions } = later["status"] as unknown as { readonly conditions: ApiObject[] };
    expect(conditions).toMatchObject([{ reason: "InstanceDeletionInProgress", lastTransitionTime: now }]);
  });
});
