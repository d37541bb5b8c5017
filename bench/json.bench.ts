import { readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import { interleaved } from "./interleaved.ts";
import type { Suite } from "./run.ts";

/** A claim of 2 KB with managed fields. */
export function claimText(amount = "1"): string {
  const claim = {
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ResourceClaim",
    metadata: {
      name: "project-quota-enforcement-3f9c2b7a1d",
      namespace: "organization-acme-corp",
      uid: "7d0f3d0a-95b5-4a31-9d6f-0c6b6f5b1e2a",
      resourceVersion: "184467",
      generation: 1,
      creationTimestamp: "2026-01-01T12:00:00Z",
      labels: {
        "quota.miloapis.com/auto-created": "true",
        "quota.miloapis.com/policy": "project-quota-enforcement",
        "quota.miloapis.com/gvk": "resourcemanager.miloapis.com.v1alpha1.Project",
      },
      annotations: {
        "quota.miloapis.com/created-by": "claim-creation-plugin",
        "quota.miloapis.com/created-at": "2026-01-01T12:00:00Z",
        "quota.miloapis.com/resource-name": "web-app",
      },
      managedFields: [
        {
          manager: "milo-quota",
          operation: "Update",
          apiVersion: "quota.miloapis.com/v1alpha1",
          time: "2026-01-01T12:00:00Z",
          fieldsType: "FieldsV1",
          fieldsV1: {
            "f:metadata": { "f:labels": { ".": {}, "f:quota.miloapis.com/policy": {} }, "f:annotations": { ".": {} } },
            "f:spec": { "f:consumerRef": {}, "f:requests": {}, "f:resourceRef": {} },
          },
        },
        {
          manager: "milo-quota",
          operation: "Update",
          apiVersion: "quota.miloapis.com/v1alpha1",
          time: "2026-01-01T12:00:00Z",
          fieldsType: "FieldsV1",
          fieldsV1: { "f:status": { ".": {}, "f:allocations": {}, "f:conditions": {}, "f:observedGeneration": {} } },
          subresource: "status",
        },
      ],
    },
    spec: {
      consumerRef: { apiGroup: "resourcemanager.miloapis.com", kind: "Organization", name: "acme-corp" },
      requests: [{ resourceType: "resourcemanager.miloapis.com/projects", amount: 1 }],
      resourceRef: { apiGroup: "resourcemanager.miloapis.com", kind: "Project", name: "web-app" },
    },
    status: {
      observedGeneration: 1,
      allocations: [
        {
          resourceType: "resourcemanager.miloapis.com/projects",
          status: "Granted",
          reason: "QuotaAvailable",
          allocatedAmount: 1,
          allocatingBucket: "organization-acme-corp-projects-5d41402abc",
          lastTransitionTime: "2026-01-01T12:00:00Z",
        },
      ],
      conditions: [
        {
          type: "Granted",
          status: "True",
          reason: "QuotaAvailable",
          message: "All 1 resource requests have been granted",
          lastTransitionTime: "2026-01-01T12:00:00Z",
        },
      ],
    },
  };
  return JSON.stringify(claim).replace('"amount":1', `"amount":${amount}`);
}

export const suite: Suite = () => {
  const ordinary = claimText();
  const large = claimText("9223372036854775807");
  const list = `{"kind":"ResourceClaimList","items":[${Array.from({ length: 20 }, () => ordinary).join(",")}]}`;
  const times = (read: (text: string) => unknown, text: string) => (count: number) => {
    for (let i = 0; i < count; i += 1) read(text);
  };
  const fast = interleaved(times(readJson, ordinary), times(JSON.parse, ordinary));
  const many = interleaved(times(readJson, list), times(JSON.parse, list));
  const exact = interleaved(times(readJson, large), times(JSON.parse, large));
  return [
    {
      name: `readJson against JSON.parse, a ${ordinary.length} byte claim`,
      value: fast.ratio,
      unit: "x",
      budget: "exactJsonRead",
    },
    {
      name: `readJson against JSON.parse, a list of ${list.length} bytes`,
      value: many.ratio,
      unit: "x",
      budget: "exactJsonRead",
    },
    { name: "readJson, ordinary claims", value: fast.first, unit: "/s" },
    { name: "readJson against JSON.parse, an amount beyond 2^53", value: exact.ratio, unit: "x" },
  ];
};
