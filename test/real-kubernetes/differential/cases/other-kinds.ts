import { cases } from "../case.ts";
import { asTable, get, patch, post } from "../steps.ts";

const core = "/api/v1/namespaces/{ns}";
const accounts = `${core}/serviceaccounts`;
const slices = "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices";

export const otherKindCases = cases("other kind", {
  "a ServiceAccount": [
    post(accounts, {
      metadata: { name: "one" },
      secrets: [{ name: "a" }],
      imagePullSecrets: [{ name: "b" }],
      automountServiceAccountToken: false,
    }),
    get(`${accounts}/one`, asTable),
    patch("strategic", `${accounts}/one`, { imagePullSecrets: [{ name: "c" }] }),
    patch("strategic", `${accounts}/one`, { secrets: [{ name: "d" }] }),
  ],
  "a ServiceAccount with an invalid name": [post(accounts, { metadata: { name: "A b" } })],
  "an EndpointSlice": [
    post(slices, {
      metadata: { name: "one" },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true } }],
      ports: [{ port: 80 }],
    }),
    get(`${slices}/one`, asTable),
    patch("merge", `${slices}/one`, { addressType: "IPv6" }),
  ],
  "an invalid EndpointSlice": [
    post(slices, { metadata: { name: "one" } }),
    post(slices, {
      metadata: { name: "one" },
      addressType: "IPv4",
      endpoints: [{ addresses: ["x"] }, { addresses: [] }],
      ports: [{ port: 0, name: "A_" }],
    }),
  ],
});
