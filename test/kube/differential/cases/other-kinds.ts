import { cases } from "../case.ts";
import { asTable, get, patch, post } from "../steps.ts";

const core = "/api/v1/namespaces/{ns}";
const accounts = `${core}/serviceaccounts`;
const endpoints = `${core}/endpoints`;
const slices = "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices";
const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";

export const otherKindCases = cases("other kind", {
  "an account": [
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
  "an account with a bad name": [post(accounts, { metadata: { name: "A b" } })],
  endpoints: [
    post(endpoints, {
      metadata: { name: "one" },
      subsets: [{ addresses: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2", hostname: "a" }], ports: [{ port: 80 }] }],
    }),
    get(`${endpoints}/one`, asTable),
  ],
  "bad endpoints": [
    post(endpoints, {
      metadata: { name: "one" },
      subsets: [{ addresses: [{ ip: "x" }, { ip: "127.0.0.1" }], ports: [{ port: 0 }, { port: 80, protocol: "X" }] }],
    }),
  ],
  "a slice": [
    post(slices, {
      metadata: { name: "one" },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true } }],
      ports: [{ port: 80 }],
    }),
    get(`${slices}/one`, asTable),
    patch("merge", `${slices}/one`, { addressType: "IPv6" }),
  ],
  "a bad slice": [
    post(slices, { metadata: { name: "one" } }),
    post(slices, {
      metadata: { name: "one" },
      addressType: "IPv4",
      endpoints: [{ addresses: ["x"] }, { addresses: [] }],
      ports: [{ port: 0, name: "A_" }],
    }),
  ],
  "a class": [
    post(classes, { metadata: { name: "{ns}-class" }, value: 5, description: "x" }),
    get(`${classes}/{ns}-class`, asTable),
    patch("merge", `${classes}/{ns}-class`, { value: 6 }),
    patch("merge", `${classes}/{ns}-class`, { preemptionPolicy: "Never" }),
    { method: "DELETE", path: `${classes}/{ns}-class` },
  ],
  "a bad class": [
    post(classes, { metadata: { name: "{ns}-class" }, value: 2_000_000_000, preemptionPolicy: "Odd" }),
    post(classes, { metadata: { name: "system-{ns}" }, value: 5 }),
  ],
});
