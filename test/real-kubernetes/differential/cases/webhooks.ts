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
/** Until the servers know of the webhook: then the config map `probe` cannot be made. */
const known = post(`${maps}?dryRun=All`, map("probe"), { until: 500, unseen: true });

export const webhookCases = cases("webhook", {
  defaults: [post(validating, configuration([hook()])), post(mutating, configuration([hook()])), ...gone],
  "of a service": [
    post(validating, configuration([hook({ clientConfig: { service: { name: "a", namespace: "b" } } })])),
    ...gone,
  ],
  "nothing in it": [post(validating, { metadata: { name: "{ns}-hooks" } }), ...gone],
  "without a name": bad([hook({ name: "" })]),
  "with a short name": bad([hook({ name: "check" })]),
  "two of a name": bad([hook(), hook()]),
  "without versions": bad([hook({ admissionReviewVersions: [] })]),
  "with versions nobody knows": bad([hook({ admissionReviewVersions: ["v9"] })]),
  "with side effects": bad([hook({ sideEffects: "Some" }), hook({ name: "b.example.com", sideEffects: undefined })]),
  "with a bad policy and time": bad([hook({ failurePolicy: "Odd", matchPolicy: "Odd", timeoutSeconds: 31 })]),
  "with bad addresses": bad([
    hook({ clientConfig: {} }),
    hook({ name: "b.example.com", clientConfig: { url: "http://x" } }),
    hook({ name: "c.example.com", clientConfig: { url: nowhere, service: { name: "", namespace: "" } } }),
  ]),
  "with bad rules": bad([
    hook({
      rules: [
        { apiGroups: [], apiVersions: [], operations: ["ODD"], resources: ["*", "pods"] },
        { ...rule, scope: "Odd" },
        { ...rule, resources: ["pods/*", "pods/status"] },
      ],
    }),
  ]),
  "with bad selectors": bad([
    hook({
      namespaceSelector: { matchLabels: { "a b": "c" } },
      objectSelector: { matchExpressions: [{ key: "a", operator: "Odd" }] },
    }),
  ]),
  "with a condition without a name": bad([hook({ matchConditions: [{ name: "a b", expression: "true" }] })]),
  "with a condition that is none": bad([hook({ matchConditions: [{ name: "c", expression: "" }] })]),
  "with a condition of an unknown name": bad([hook({ matchConditions: [{ name: "c", expression: "nope" }] })]),
  "with a condition that is no boolean": bad([hook({ matchConditions: [{ name: "c", expression: "1" }] })]),
  "with a wrong type": bad([hook({ timeoutSeconds: "x" })]),
  "that cannot be reached": [
    post(validating, configuration([hook()]), unseen),
    known,
    post(maps, map("one")),
    patch("apply", `${maps}/one?fieldManager=me`, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } }),
    get(`${maps}/one`),
    ...gone,
  ],
  "that changes and cannot be reached": [
    post(mutating, configuration([hook()]), unseen),
    known,
    post(maps, map("one")),
    ...gone,
  ],
  "that cannot be reached and need not": [
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
  "whose condition holds for some": [
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
  "whose condition cannot be computed": [
    post(
      validating,
      configuration([hook({ matchConditions: [{ name: "odd", expression: "object.data.nope == 'x'" }] })]),
      unseen,
    ),
    post(`${maps}?dryRun=All`, { ...map("probe"), data: {} }, { until: 403, unseen: true }),
    post(maps, { ...map("one"), data: { a: "b" } }),
    ...gone,
  ],
  "that is asked of deletes": [
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
