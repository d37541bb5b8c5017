import { describe, expect, it } from "vitest";
import { denialEvent } from "./denial-event.ts";

const consumer = { apiGroup: "", kind: "Namespace", namespace: "", name: "team" };
const decided = { namespace: "team", name: "c", uid: "u", message: "too much" };

describe("the event of a denial", () => {
  it("names the consumer and the object, because the claim is deleted soon", () => {
    const resource = { apiGroup: "apps", kind: "Deployment", namespace: "team", name: "web" };
    const metadata = { annotations: { "quota.miloapis.com/resource-plane": "project-a" } };
    expect(denialEvent({ ...decided, claim: { metadata, consumer, resource } })).toEqual({
      type: "Warning",
      reason: "QuotaExceeded",
      message: "too much",
      labels: { "quota.miloapis.com/consumer-kind": "Namespace", "quota.miloapis.com/consumer-name": "team" },
      annotations: {
        "quota.miloapis.com/resource-kind": "Deployment.apps",
        "quota.miloapis.com/resource-namespace": "team",
        "quota.miloapis.com/resource-name": "web",
        "quota.miloapis.com/resource-plane": "project-a",
      },
    });
  });

  it("names no object for a claim without one", () => {
    const { annotations } = denialEvent({ ...decided, claim: { metadata: {}, consumer, resource: undefined } });
    expect(annotations).toEqual({});
  });
});
