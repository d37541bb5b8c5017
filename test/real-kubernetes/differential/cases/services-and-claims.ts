import { cases } from "../case.ts";
import { asTable, get, patch, post, unseen } from "../steps.ts";

const core = "/api/v1/namespaces/{ns}";
const services = `${core}/services`;
const service = (spec: object) => ({ metadata: { name: "one" }, spec });
const port = { port: 80 };

export const serviceCases = cases("service", {
  defaults: [post(services, service({ ports: [port], selector: { a: "b" } })), get(`${services}/one`)],
  "without an address": [
    post(services, service({ ports: [port], clusterIP: "None" })),
    get(`${services}/one`, asTable),
  ],
  "of another name": [
    post(services, service({ type: "ExternalName", externalName: "example.com" })),
    get(`${services}/one`, asTable),
  ],
  nothing: [post(services, { metadata: { name: "one" } })],
  "two ports without names": [post(services, service({ ports: [port, { port: 81 }] }))],
  "invalid ports": [
    post(
      services,
      service({
        ports: [
          { port: 0, name: "A" },
          { port: 80, name: "a", targetPort: "NOT A NAME" },
          { port: 80, name: "b", protocol: "X" },
        ],
      }),
    ),
  ],
  "an invalid type": [post(services, service({ type: "Odd", ports: [port] }))],
  "an invalid name": [post(services, { metadata: { name: "1a" }, spec: { ports: [port] } })],
  "ports by number": [
    post(
      services,
      service({
        ports: [
          { port: 80, name: "a" },
          { port: 81, name: "b" },
        ],
      }),
      unseen,
    ),
    patch("strategic", `${services}/one`, { spec: { ports: [{ port: 80, targetPort: 8080 }] } }),
    patch("strategic", `${services}/one`, { spec: { ports: [{ port: 81, $patch: "delete" }] } }),
  ],
  "a status": [
    post(services, service({ ports: [port], clusterIP: "None" }), unseen),
    patch("merge", `${services}/one/status`, {
      status: {
        conditions: [
          { type: "A", status: "True", reason: "R", message: "", lastTransitionTime: "2020-01-01T00:00:00Z" },
        ],
      },
    }),
  ],
});

const claims = `${core}/persistentvolumeclaims`;
const claim = (spec: object) => ({ metadata: { name: "one" }, spec });
const goodClaim = claim({ accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } });

export const claimCases = cases("volume claim", {
  defaults: {
    steps: [post(claims, goodClaim), get(`${claims}/one`, asTable)],
    mayDiffer: {
      "[0].body.metadata.finalizers": "no controller here would remove the finalizer that protects a claim in use",
      "[1].body.rows[0].object.metadata.finalizers": "the same",
    },
  },
  nothing: [post(claims, { metadata: { name: "one" } })],
  "invalid access modes": [
    post(claims, claim({ accessModes: ["Odd", "ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } })),
  ],
  "no size": [post(claims, claim({ accessModes: ["ReadWriteOnce"] }))],
  "a size of zero": [
    post(claims, claim({ accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "0" } } })),
  ],
});
