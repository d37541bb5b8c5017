// Descriptions of built-in kinds for `kubectl explain`: one sentence per kind, and for the most common fields.
import { structOf } from "./typed/struct-table.ts";

/** By Go struct. */
const structs: Readonly<Record<string, string>> = {
  "core.v1.Namespace": "A scope for names, access and deletion.",
  "core.v1.ConfigMap": "Configuration data as key-value pairs.",
  "core.v1.Secret": "Confidential data as key-value pairs.",
  "core.v1.ServiceAccount": "An identity for processes.",
  "core.v1.Event": "A report of something that happened to an object. Events expire.",
  "core.v1.Service": "A stable name and address in front of a changing set of pods.",
  "core.v1.PersistentVolumeClaim": "A request for storage, by size and access mode.",
  "core.v1.Pod": "Containers that run together on one node.",
  "events.v1.Event": "A report of something that happened to an object. Events expire.",
  "coordination.v1.Lease": "A lock that expires unless its holder renews it, as used for leader election.",
  "discovery.v1.EndpointSlice": "A subset of the endpoints of a service.",
  "apps.v1.Deployment": "Maintains a number of identical pods, with rolling updates of their template.",
  "rbac.v1.Role": "Permissions within one namespace.",
  "rbac.v1.ClusterRole": "Permissions in all namespaces, on cluster-scoped objects, and on non-resource URLs.",
  "rbac.v1.RoleBinding":
    "Grants the permissions of a role to users, groups and service accounts, within one namespace.",
  "rbac.v1.ClusterRoleBinding":
    "Grants the permissions of a cluster role to users, groups and service accounts, cluster-wide.",
  "admissionregistration.v1.MutatingWebhookConfiguration":
    "Webhooks that are called before an object is written and may change it.",
  "admissionregistration.v1.ValidatingWebhookConfiguration":
    "Webhooks that are called before an object is written and may reject it.",
  "apiextensions.v1.CustomResourceDefinition": "Defines a custom kind: its names, versions and schemas.",
  "authentication.v1.TokenReview": "Authenticates a bearer token.",
  "authentication.v1.TokenRequest": "Requests a token for a service account.",
  "authentication.v1.SelfSubjectReview": "Returns the user that the server authenticated you as.",
  "authorization.v1.SubjectAccessReview": "Checks whether a user may perform an action.",
  "authorization.v1.SelfSubjectAccessReview": "Checks whether you may perform an action.",
  "authorization.v1.LocalSubjectAccessReview": "Checks whether a user may perform an action in a namespace.",
  "authorization.v1.SelfSubjectRulesReview": "Lists the actions you may perform in a namespace.",
  "core.v1.PodTemplateSpec": "The template of pods.",
  "core.v1.Container": "One container of a pod.",
  "core.v1.ResourceRequirements": "Resource requests and limits.",
  "meta.v1.ObjectMeta": "Standard metadata of every object: name, labels, owners, and fields set by the server.",
  "meta.v1.ListMeta": "Standard metadata of every list: its revision and the token of the next page.",
  "meta.v1.LabelSelector":
    "Selects objects by their labels. All parts must match; an empty selector matches everything.",
  "meta.v1.LabelSelectorRequirement": "A requirement on one label.",
  "meta.v1.OwnerReference": "An owner of the object. The object is deleted when all its owners are gone.",
  "meta.v1.ManagedFieldsEntry": "The fields set by one manager.",
  "meta.v1.Condition": "One aspect of the state of an object.",
  "meta.v1.Status": "The result of a request that does not return another object.",
  "meta.v1.DeleteOptions": "Options of a delete request.",
};

/** Of every object. */
const objectFields: Readonly<Record<string, string>> = {
  apiVersion: "The version of this representation. A server may reject unknown versions.",
  kind: "The kind of the object, in CamelCase.",
  metadata: "Standard metadata of every object: name, labels, owners, and fields set by the server.",
  spec: "The desired state.",
  status: "The state last observed. Written by the system.",
};

/** By struct and field. */
const structFields: Readonly<Record<string, string>> = {
  "core.v1.ConfigMap.data": "Strings by key.",
  "core.v1.ConfigMap.binaryData": "Bytes by key, in base64.",
  "core.v1.ConfigMap.immutable": "Whether the content is immutable. Cannot be unset.",
  "core.v1.Secret.data": "Bytes by key, in base64.",
  "core.v1.Secret.stringData": "Strings by key. Write-only: they are merged into `data`.",
  "core.v1.Secret.type": "The type of the secret; some types require certain keys.",
  "core.v1.Secret.immutable": "Whether the content is immutable. Cannot be unset.",
  "core.v1.NamespaceSpec.finalizers": "Finalizers that must be removed before the namespace can be deleted.",
  "core.v1.NamespaceStatus.phase": "Active, or Terminating once it is being deleted.",
  "core.v1.PodSpec.containers": "The containers of the pod. At least one is required.",
  "core.v1.PodSpec.initContainers": "Containers that run to completion, one after the other, before the others start.",
  "core.v1.PodSpec.volumes": "Storage that containers can mount.",
  "core.v1.PodSpec.restartPolicy": "When to restart containers: Always, OnFailure or Never.",
  "core.v1.PodSpec.nodeName": "The node that runs the pod.",
  "core.v1.PodSpec.nodeSelector": "Labels that a node must have to run the pod.",
  "core.v1.PodSpec.serviceAccountName": "The service account of the pod.",
  "core.v1.Container.name": "The name of the container, unique in its pod.",
  "core.v1.Container.image": "The image to run.",
  "core.v1.Container.imagePullPolicy": "When to pull the image: Always, IfNotPresent or Never.",
  "core.v1.Container.command": "Overrides the entrypoint of the image.",
  "core.v1.Container.args": "Arguments to the command.",
  "core.v1.Container.env": "Environment variables.",
  "core.v1.Container.ports": "Ports that the container listens on.",
  "core.v1.Container.volumeMounts": "Where volumes of the pod are mounted in the container.",
  "core.v1.ResourceRequirements.limits": "The maximum of each resource that may be used.",
  "core.v1.ResourceRequirements.requests": "The amount of each resource that is reserved.",
  "core.v1.Container.resources": "Resource requests and limits of the container.",
  "core.v1.ServiceSpec.selector": "Labels of the pods behind the service.",
  "core.v1.ServiceSpec.ports": "The ports of the service.",
  "core.v1.ServiceSpec.type": "How the service is exposed: ClusterIP, NodePort, LoadBalancer or ExternalName.",
  "core.v1.ServiceSpec.clusterIP": "The IP address inside the cluster; None for a headless service.",
  "core.v1.PersistentVolumeClaimSpec.accessModes": "How the storage may be mounted.",
  "core.v1.PersistentVolumeClaimSpec.storageClassName": "The requested storage class.",
  "core.v1.Event.involvedObject": "The object that the event is about.",
  "core.v1.Event.reason": "The reason, in CamelCase.",
  "core.v1.Event.message": "A human-readable description.",
  "core.v1.Event.type": "Normal or Warning.",
  "core.v1.Event.count": "The number of occurrences.",
  "events.v1.Event.regarding": "The object that the event is about.",
  "events.v1.Event.reason": "The reason, in CamelCase.",
  "events.v1.Event.note": "A human-readable description.",
  "coordination.v1.LeaseSpec.holderIdentity": "The identity of the holder.",
  "coordination.v1.LeaseSpec.leaseDurationSeconds": "How long the lease is valid after its last renewal.",
  "coordination.v1.LeaseSpec.renewTime": "When the lease was last renewed.",
  "coordination.v1.LeaseSpec.acquireTime": "When the lease was acquired.",
  "coordination.v1.LeaseSpec.leaseTransitions": "The number of transitions between holders.",
  "apps.v1.DeploymentSpec.replicas": "The desired number of pods.",
  "apps.v1.DeploymentSpec.template": "The template of the pods.",
  "apps.v1.DeploymentSpec.selector": "Selects the pods. Must match the labels of the template. Immutable.",
  "apps.v1.DeploymentSpec.strategy": "How existing pods are replaced.",
  "rbac.v1.Role.rules": "The permissions.",
  "rbac.v1.ClusterRole.rules": "The permissions.",
  "rbac.v1.ClusterRole.aggregationRule": "Aggregates the rules of other cluster roles, selected by labels.",
  "rbac.v1.PolicyRule.verbs": "Allowed verbs: get, list, create, …; * for all.",
  "rbac.v1.PolicyRule.apiGroups": "API groups of the resources; empty for the core group, * for all.",
  "rbac.v1.PolicyRule.resources": "Plural resource names, optionally with a subresource; * for all.",
  "rbac.v1.PolicyRule.resourceNames": "Names of objects; all if empty.",
  "rbac.v1.PolicyRule.nonResourceURLs": "Non-resource URLs, such as /metrics; a trailing * matches any suffix.",
  "rbac.v1.RoleBinding.subjects": "The users, groups and service accounts.",
  "rbac.v1.RoleBinding.roleRef": "The role to grant. Immutable.",
  "rbac.v1.ClusterRoleBinding.subjects": "The users, groups and service accounts.",
  "rbac.v1.ClusterRoleBinding.roleRef": "The role to grant. Immutable.",
  "apiextensions.v1.CustomResourceDefinitionSpec.group": "The API group of the kind.",
  "apiextensions.v1.CustomResourceDefinitionSpec.names": "The names of the kind.",
  "apiextensions.v1.CustomResourceDefinitionSpec.scope": "Namespaced or Cluster.",
  "apiextensions.v1.CustomResourceDefinitionSpec.versions":
    "The versions of the kind. Exactly one of them is the storage version.",
  "meta.v1.ObjectMeta.name": "The name, unique among objects of this kind in its namespace. Immutable.",
  "meta.v1.ObjectMeta.generateName": "A prefix for a name that the server generates.",
  "meta.v1.ObjectMeta.namespace": "The namespace of the object.",
  "meta.v1.ObjectMeta.uid": "A unique ID of the object, across objects of the same name.",
  "meta.v1.ObjectMeta.resourceVersion":
    "Changes with every write. Include it in an update to detect conflicting writes.",
  "meta.v1.ObjectMeta.generation": "Incremented when the desired state changes.",
  "meta.v1.ObjectMeta.creationTimestamp": "When the object was created.",
  "meta.v1.ObjectMeta.deletionTimestamp": "When the deletion of the object was requested.",
  "meta.v1.ObjectMeta.labels": "Key-value pairs to select objects by.",
  "meta.v1.ObjectMeta.annotations": "Key-value pairs for tools and people.",
  "meta.v1.ObjectMeta.ownerReferences": "Owners of the object. When all are gone, it is garbage collected.",
  "meta.v1.ObjectMeta.finalizers": "Finalizers that must be removed before the object can be deleted.",
  "meta.v1.ObjectMeta.managedFields": "Field managers and the fields they set.",
  "meta.v1.LabelSelector.matchLabels": "Required labels with their values.",
  "meta.v1.LabelSelector.matchExpressions": "Further requirements on labels.",
};

export function structDescription(struct: string): string | undefined {
  return structs[struct];
}

export function fieldDescription(struct: string, field: string): string | undefined {
  const own = structFields[`${struct}.${field}`];
  return own ?? (structOf(struct).fields.has("metadata") ? objectFields[field] : undefined);
}

/** For the test that compares this table with the definitions. */
export const describedNames: readonly string[] = [...Object.keys(structs), ...Object.keys(structFields)];
