import { noRule, type PolicyRule } from "./policy-rule.ts";

const read = "get list watch";
const write = "create delete deletecollection patch update";
const readWrite = "create delete deletecollection get list patch update watch";

/** The same rules in the same order as in a Kubernetes cluster, so that a diff of two clusters is empty. */
export const bootstrapRules: Readonly<Record<string, readonly PolicyRule[]>> = {
  "cluster-admin": [on("*", "*", "*"), urls("*", "*")],
  "system:discovery": [
    urls("get", "/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/"),
  ],
  "system:monitoring": [
    urls("get", "/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*"),
    on("", "nodes/metrics", "get"),
  ],
  "system:basic-user": [
    on("authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews", "create"),
    on("authentication.k8s.io", "selfsubjectreviews", "create"),
  ],
  "system:public-info-viewer": [urls("get", "/healthz /livez /readyz /version /version/")],
  "system:auth-delegator": [
    on("authentication.k8s.io", "tokenreviews", "create"),
    on("authorization.k8s.io", "subjectaccessreviews", "create"),
  ],
  "system:aggregate-to-admin": [
    on("authorization.k8s.io", "localsubjectaccessreviews", "create"),
    on("rbac.authorization.k8s.io", "rolebindings roles", readWrite),
  ],
  "system:aggregate-to-edit": [
    on("", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy", read),
    on("", "serviceaccounts", "impersonate"),
    on("", "pods pods/attach pods/exec pods/portforward pods/proxy", write),
    on("", "pods/eviction", "create"),
    on(
      "",
      "configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets " +
        "serviceaccounts services services/proxy",
      write,
    ),
    on("", "serviceaccounts/token", "create"),
    on(
      "apps",
      "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets " +
        "statefulsets/scale",
      write,
    ),
    on("autoscaling", "horizontalpodautoscalers", write),
    on("batch", "cronjobs jobs", write),
    on(
      "extensions",
      "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets " +
        "replicasets/scale replicationcontrollers/scale",
      write,
    ),
    on("policy", "poddisruptionbudgets", write),
    on("networking.k8s.io", "ingresses networkpolicies", write),
    on("coordination.k8s.io", "leases", readWrite),
    on("resource.k8s.io", "resourceclaims resourceclaimtemplates", write),
  ],
  "system:aggregate-to-view": [
    on(
      "",
      "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers " +
        "replicationcontrollers/scale serviceaccounts services services/status",
      read,
    ),
    on(
      "",
      "bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status " +
        "resourcequotas resourcequotas/status",
      read,
    ),
    // In a RoleBinding this covers that namespace only.
    on("", "namespaces", read),
    on("discovery.k8s.io", "endpointslices", read),
    on(
      "apps",
      "controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets " +
        "replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status",
      read,
    ),
    on("autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status", read),
    on("batch", "cronjobs cronjobs/status jobs jobs/status", read),
    on(
      "extensions",
      "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status " +
        "networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale",
      read,
    ),
    on("policy", "poddisruptionbudgets poddisruptionbudgets/status", read),
    on("networking.k8s.io", "ingresses ingresses/status networkpolicies", read),
    on("resource.k8s.io", "resourceclaims resourceclaims/status resourceclaimtemplates", read),
  ],
};

function on(group: string, resources: string, verbs: string): PolicyRule {
  return { ...noRule, apiGroups: [group], resources: resources.split(" "), verbs: verbs.split(" ") };
}

function urls(verbs: string, paths: string): PolicyRule {
  return { ...noRule, nonResourceURLs: paths.split(" "), verbs: verbs.split(" ") };
}
