// What `kubectl explain` says of built-in kinds: a sentence for each kind, and for the fields people ask about most.
import { structOf } from "./typed/struct-table.ts";

/** By name in the table of definitions. */
const structs: Readonly<Record<string, string>> = {
  "core.v1.Namespace": "A scope for names: objects in it are listed, granted access to and deleted together.",
  "core.v1.ConfigMap": "Settings under keys, for programs to read.",
  "core.v1.Secret": "Small pieces of confidential data under keys.",
  "core.v1.ServiceAccount": "An identity for programs.",
  "core.v1.Event": "A report of something that happened to an object. Kept for a while only.",
  "core.v1.Service": "A stable name and address in front of a changing set of pods.",
  "core.v1.PersistentVolumeClaim": "A request for storage, by size and way of access.",
  "core.v1.Pod": "Containers that run together on one node.",
  "events.v1.Event": "A report of something that happened to an object. Kept for a while only.",
  "coordination.v1.Lease": "A lock that expires unless its holder renews it, as used for electing leaders.",
  "discovery.v1.EndpointSlice": "Some of the addresses behind a service.",
  "apps.v1.Deployment": "Keeps a number of equal pods, and replaces them step by step when their template changes.",
  "rbac.v1.Role": "Rights inside one namespace.",
  "rbac.v1.ClusterRole": "Rights on all namespaces, on objects outside of them, and on paths.",
  "rbac.v1.RoleBinding": "Gives the rights of a role to users, groups and service accounts, inside one namespace.",
  "rbac.v1.ClusterRoleBinding": "Gives the rights of a cluster role to users, groups and service accounts, everywhere.",
  "admissionregistration.v1.MutatingWebhookConfiguration":
    "Servers that are asked before an object is written, and may change it.",
  "admissionregistration.v1.ValidatingWebhookConfiguration":
    "Servers that are asked before an object is written, and may refuse it.",
  "apiextensions.v1.CustomResourceDefinition": "Makes a kind of your own: its names, versions and schemas.",
  "authentication.v1.TokenReview": "Asks who a bearer token belongs to.",
  "authentication.v1.TokenRequest": "Asks for a token of a service account.",
  "authentication.v1.SelfSubjectReview": "Asks who you are to this server.",
  "authorization.v1.SubjectAccessReview": "Asks whether somebody may do something.",
  "authorization.v1.SelfSubjectAccessReview": "Asks whether you may do something.",
  "authorization.v1.LocalSubjectAccessReview": "Asks whether somebody may do something in a namespace.",
  "authorization.v1.SelfSubjectRulesReview": "Asks for everything you may do in a namespace.",
  "core.v1.PodTemplateSpec": "What the pods made from it look like.",
  "core.v1.Container": "One program of a pod, and what it runs with.",
  "core.v1.ResourceRequirements": "What something needs, and the most it may use.",
  "meta.v1.ObjectMeta": "What every object has: its name, labels, owners, and what the server keeps about it.",
  "meta.v1.ListMeta": "What every list has: the revision it shows, and where the next page starts.",
  "meta.v1.LabelSelector":
    "Selects objects by their labels. All parts must hold; an empty selector selects everything.",
  "meta.v1.LabelSelectorRequirement": "A condition on one label.",
  "meta.v1.OwnerReference": "An object that this one belongs to and goes away with.",
  "meta.v1.ManagedFieldsEntry": "The fields that one manager has set.",
  "meta.v1.Condition": "One aspect of the state of an object.",
  "meta.v1.Status": "The answer of a server that is not the object asked for.",
  "meta.v1.DeleteOptions": "How to delete an object.",
};

/** Of every object. */
const objectFields: Readonly<Record<string, string>> = {
  apiVersion: "The version of this representation. A server may refuse versions it does not know.",
  kind: "The kind of object this is, in CamelCase.",
  metadata: "What every object has: its name, labels, owners, and what the server keeps about it.",
  spec: "What is asked for.",
  status: "What is the case, as last observed. Written by the system.",
};

/** By struct and field. */
const structFields: Readonly<Record<string, string>> = {
  "core.v1.ConfigMap.data": "Texts under keys.",
  "core.v1.ConfigMap.binaryData": "Bytes under keys, in base64.",
  "core.v1.ConfigMap.immutable": "Whether the content can never change. Once true, it stays.",
  "core.v1.Secret.data": "Bytes under keys, in base64.",
  "core.v1.Secret.stringData": "Texts under keys, for writing only: they end up in `data`.",
  "core.v1.Secret.type": "What the secret is for; some types demand certain keys.",
  "core.v1.Secret.immutable": "Whether the content can never change. Once true, it stays.",
  "core.v1.NamespaceSpec.finalizers": "Who has to clean up before the namespace can go.",
  "core.v1.NamespaceStatus.phase": "Active, or Terminating once it is being deleted.",
  "core.v1.PodSpec.containers": "The programs of the pod. There is at least one.",
  "core.v1.PodSpec.initContainers": "Programs that run to their end, one after the other, before the others start.",
  "core.v1.PodSpec.volumes": "Storage that containers can mount.",
  "core.v1.PodSpec.restartPolicy": "What happens when a container ends: Always, OnFailure or Never.",
  "core.v1.PodSpec.nodeName": "The node that runs the pod.",
  "core.v1.PodSpec.nodeSelector": "Labels that a node must have to run the pod.",
  "core.v1.PodSpec.serviceAccountName": "The identity that the pod runs under.",
  "core.v1.Container.name": "The name of the container, unique in its pod.",
  "core.v1.Container.image": "The image to run.",
  "core.v1.Container.imagePullPolicy": "When to fetch the image: Always, IfNotPresent or Never.",
  "core.v1.Container.command": "Runs in place of what the image would run.",
  "core.v1.Container.args": "Arguments to the command.",
  "core.v1.Container.env": "Environment variables.",
  "core.v1.Container.ports": "Ports that the container listens on.",
  "core.v1.Container.volumeMounts": "Where volumes of the pod appear in the container's file system.",
  "core.v1.ResourceRequirements.limits": "The most of each resource that may be used.",
  "core.v1.ResourceRequirements.requests": "How much of each resource is set aside.",
  "core.v1.Container.resources": "What the container needs, and the most it may use.",
  "core.v1.ServiceSpec.selector": "Labels of the pods behind the service.",
  "core.v1.ServiceSpec.ports": "The ports of the service.",
  "core.v1.ServiceSpec.type": "How it is reached: ClusterIP, NodePort, LoadBalancer or ExternalName.",
  "core.v1.ServiceSpec.clusterIP": "Its address inside the cluster; None for no address of its own.",
  "core.v1.PersistentVolumeClaimSpec.accessModes": "How the storage is to be mounted.",
  "core.v1.PersistentVolumeClaimSpec.storageClassName": "The class of storage asked for.",
  "core.v1.Event.involvedObject": "The object that the event is about.",
  "core.v1.Event.reason": "Why, in one CamelCase word for programs.",
  "core.v1.Event.message": "What happened, for people.",
  "core.v1.Event.type": "Normal or Warning.",
  "core.v1.Event.count": "How often it happened.",
  "events.v1.Event.regarding": "The object that the event is about.",
  "events.v1.Event.reason": "Why, in one CamelCase word for programs.",
  "events.v1.Event.note": "What happened, for people.",
  "coordination.v1.LeaseSpec.holderIdentity": "Who holds the lease.",
  "coordination.v1.LeaseSpec.leaseDurationSeconds": "How long after the last renewal others have to wait.",
  "coordination.v1.LeaseSpec.renewTime": "When the holder last renewed it.",
  "coordination.v1.LeaseSpec.acquireTime": "When the holder got it.",
  "coordination.v1.LeaseSpec.leaseTransitions": "How often it went from one holder to another.",
  "apps.v1.DeploymentSpec.replicas": "How many pods there should be.",
  "apps.v1.DeploymentSpec.template": "What its pods look like.",
  "apps.v1.DeploymentSpec.selector":
    "Which pods belong to it. The template must carry these labels; it can never change.",
  "apps.v1.DeploymentSpec.strategy": "How old pods are replaced by new ones.",
  "rbac.v1.Role.rules": "What is allowed.",
  "rbac.v1.ClusterRole.rules": "What is allowed.",
  "rbac.v1.ClusterRole.aggregationRule": "Collects the rules from other cluster roles, chosen by their labels.",
  "rbac.v1.PolicyRule.verbs": "What may be done: get, list, create, …; * for anything.",
  "rbac.v1.PolicyRule.apiGroups": "The groups of the resources; the empty text is the core group, * any.",
  "rbac.v1.PolicyRule.resources": "The resources, in the plural, perhaps with a subresource; * for any.",
  "rbac.v1.PolicyRule.resourceNames": "Names of single objects; all when left out.",
  "rbac.v1.PolicyRule.nonResourceURLs": "Paths that are no objects, such as /metrics; a final * matches the rest.",
  "rbac.v1.RoleBinding.subjects": "Who gets the rights.",
  "rbac.v1.RoleBinding.roleRef": "The role whose rights are given. It can never change.",
  "rbac.v1.ClusterRoleBinding.subjects": "Who gets the rights.",
  "rbac.v1.ClusterRoleBinding.roleRef": "The role whose rights are given. It can never change.",
  "apiextensions.v1.CustomResourceDefinitionSpec.group": "The group of the kind.",
  "apiextensions.v1.CustomResourceDefinitionSpec.names": "What the kind is called.",
  "apiextensions.v1.CustomResourceDefinitionSpec.scope": "Namespaced or Cluster.",
  "apiextensions.v1.CustomResourceDefinitionSpec.versions": "The versions of the kind. Exactly one of them is stored.",
  "meta.v1.ObjectMeta.name": "The name, unique among objects of this kind in its namespace. It can never change.",
  "meta.v1.ObjectMeta.generateName": "The start of a name that the server completes.",
  "meta.v1.ObjectMeta.namespace": "The namespace that the object is in.",
  "meta.v1.ObjectMeta.uid": "Identifies this object, even after another takes its name.",
  "meta.v1.ObjectMeta.resourceVersion": "Changes with every write. Send it back to make sure nobody wrote in between.",
  "meta.v1.ObjectMeta.generation": "Counts the changes of what is asked for.",
  "meta.v1.ObjectMeta.creationTimestamp": "When the object was made.",
  "meta.v1.ObjectMeta.deletionTimestamp": "When the deletion of the object was asked for.",
  "meta.v1.ObjectMeta.labels": "Short texts under keys, to select objects by.",
  "meta.v1.ObjectMeta.annotations": "Texts under keys, for tools and people.",
  "meta.v1.ObjectMeta.ownerReferences": "Objects that this one belongs to. When all are gone, it goes too.",
  "meta.v1.ObjectMeta.finalizers": "Who has to agree before the object can go.",
  "meta.v1.ObjectMeta.managedFields": "Who has set which fields.",
  "meta.v1.LabelSelector.matchLabels": "Labels with exactly these values.",
  "meta.v1.LabelSelector.matchExpressions": "Further conditions on labels.",
};

export function structDescription(struct: string): string | undefined {
  return structs[struct];
}

export function fieldDescription(struct: string, field: string): string | undefined {
  const own = structFields[`${struct}.${field}`];
  return own ?? (structOf(struct).fields.has("metadata") ? objectFields[field] : undefined);
}

/** For the test that keeps this table in step with the definitions. */
export const describedNames: readonly string[] = [...Object.keys(structs), ...Object.keys(structFields)];
