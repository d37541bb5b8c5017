import { cases } from "../case.ts";
import { get, patch, post, remove, unseen } from "../steps.ts";

const base = "/apis/admissionregistration.k8s.io/v1";
const validating = `${base}/validatingwebhookconfigurations`;
const mutating = `${base}/mutatingwebhookconfigurations`;
const maps = "/api/v1/namespaces/{ns}/configmaps";
const nowhere = "https://127.0.0.1:1/check";
const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "DELETE"], resources: ["configmaps"] };
const hook = (more: object = {}) => ({
  name: "check.example.com",
  clientConfig: { url: nowhere },
  rules: [rule],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "{ns}" } },
  ...more,
});
const configuration = (hooks: readonly object[]) => ({ metadata: { name: "{ns}-hooks" }, webhooks: hooks });
const gone = [
  remove(`${validating}/{ns}-hooks`, undefined, unseen),
  remove(`${mutating}/{ns}-hooks`, undefined, unseen),
];
const bad = (hooks: readonly object[]) => [post(validating, configuration(hooks))];
const map = (name: string) => ({ metadata: { name } });
/** Waits until the webhook is active: then the ConfigMap `probe` cannot be created. */
const known = post(`${maps}?dryRun=All`, map("probe"), { until: 500, unseen: true });

export const webhookCases = cases("webhook", {
  defaults: [post(validating, configuration([hook()])), post(mutating, configuration([hook()])), ...gone],
  "for a service": [
    post(validating, configuration([hook({ clientConfig: { service: { name: "a", namespace: "b" } } })])),
    ...gone,
  ],
  "an empty object": [post(validating, { metadata: { name: "{ns}-hooks" } }), ...gone],
  "without a name": bad([hook({ name: "" })]),
  "with a short name": bad([hook({ name: "check" })]),
  "duplicate names": bad([hook(), hook()]),
  "without versions": bad([hook({ admissionReviewVersions: [] })]),
  "with unknown versions": bad([hook({ admissionReviewVersions: ["v9"] })]),
  "with side effects": bad([hook({ sideEffects: "Some" }), hook({ name: "b.example.com", sideEffects: undefined })]),
  "with an invalid policy and timeout": bad([hook({ failurePolicy: "Odd", matchPolicy: "Odd", timeoutSeconds: 31 })]),
  "with invalid addresses": bad([
    hook({ clientConfig: {} }),
    hook({ name: "b.example.com", clientConfig: { url: "http://x" } }),
    hook({ name: "c.example.com", clientConfig: { url: nowhere, service: { name: "", namespace: "" } } }),
  ]),
  "with invalid rules": bad([
    hook({
      rules: [
        { apiGroups: [], apiVersions: [], operations: ["ODD"], resources: ["*", "pods"] },
        { ...rule, scope: "Odd" },
        { ...rule, resources: ["pods/*", "pods/status"] },
      ],
    }),
  ]),
  "with invalid selectors": bad([
    hook({
      namespaceSelector: { matchLabels: { "a b": "c" } },
      objectSelector: { matchExpressions: [{ key: "a", operator: "Odd" }] },
    }),
  ]),
  "with a match condition without a name": bad([hook({ matchConditions: [{ name: "a b", expression: "true" }] })]),
  "with an invalid match condition": bad([hook({ matchConditions: [{ name: "c", expression: "" }] })]),
  "with a match condition of an unknown variable": bad([
    hook({ matchConditions: [{ name: "c", expression: "nope" }] }),
  ]),
  "with a match condition that is not boolean": bad([hook({ matchConditions: [{ name: "c", expression: "1" }] })]),
  "with a wrong type": bad([hook({ timeoutSeconds: "x" })]),
  "not reachable": [
    post(validating, configuration([hook()]), unseen),
    known,
    post(maps, map("one")),
    patch("apply", `${maps}/one?fieldManager=me`, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } }),
    get(`${maps}/one`),
    ...gone,
  ],
  "mutating and not reachable": [
    post(mutating, configuration([hook()]), unseen),
    known,
    post(maps, map("one")),
    ...gone,
  ],
  "not reachable with failurePolicy Ignore": [
    post(
      validating,
      configuration([
        hook({ failurePolicy: "Ignore" }),
        hook({ name: "b.example.com", objectSelector: { matchLabels: { probe: "yes" } } }),
      ]),
      unseen,
    ),
    post(`${maps}?dryRun=All`, { metadata: { name: "probe", labels: { probe: "yes" } } }, { until: 500, unseen: true }),
    post(maps, map("one")),
    ...gone,
  ],
  "with a match condition": [
    post(
      validating,
      configuration([
        hook({ matchConditions: [{ name: "only", expression: "object.metadata.name in ['probe', 'one']" }] }),
      ]),
      unseen,
    ),
    known,
    post(maps, map("one")),
    post(maps, map("two")),
    ...gone,
  ],
  "with a match condition that fails to evaluate": [
    post(
      validating,
      configuration([hook({ matchConditions: [{ name: "odd", expression: "object.data.nope == 'x'" }] })]),
      unseen,
    ),
    post(`${maps}?dryRun=All`, { ...map("probe"), data: {} }, { until: 403, unseen: true }),
    post(maps, { ...map("one"), data: { a: "b" } }),
    ...gone,
  ],
  "for deletes": [
    post(maps, map("one"), unseen),
    post(validating, configuration([hook()]), unseen),
    known,
    remove(`${maps}/one`),
    ...gone,
  ],
  "with side effects, in a dry run": [
    post(validating, configuration([hook({ sideEffects: "NoneOnDryRun" })]), unseen),
    known,
    post(`${maps}?dryRun=All`, map("one")),
    ...gone,
  ],
});
