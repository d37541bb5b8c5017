/** Names that are part of the API. */

export const quotaGroup = "quota.miloapis.com";
export const quotaVersion = "v1alpha1";
export const quotaApiVersion = `${quotaGroup}/${quotaVersion}`;

/** The namespace of objects that belong to no other namespace, such as the buckets of projects. */
export const systemNamespace = "milo-system";

export const labels = {
  autoCreated: "quota.miloapis.com/auto-created",
  policy: "quota.miloapis.com/policy",
  gvk: "quota.miloapis.com/gvk",
  consumerKind: "quota.miloapis.com/consumer-kind",
  consumerName: "quota.miloapis.com/consumer-name",
} as const;

export const annotations = {
  /** On a bucket: a changed value makes the bucket writer recount it. */
  recount: `${quotaGroup}/recount-requested`,
  createdBy: "quota.miloapis.com/created-by",
  createdAt: "quota.miloapis.com/created-at",
  resourceName: "quota.miloapis.com/resource-name",
  policy: "quota.miloapis.com/policy",
  /** Control plane of the object, unless it is the root. */
  resourcePlane: "quota.miloapis.com/resource-plane",
  /** Kind of the object that a grant was created for, such as `Project.resourcemanager.miloapis.com`. */
  resourceKind: "quota.miloapis.com/resource-kind",
  /** Namespace of the object, unless it is cluster-scoped. */
  resourceNamespace: "quota.miloapis.com/resource-namespace",
  resourceUid: "quota.miloapis.com/resource-uid",
  /** Control plane of the policy, unless it is the root. */
  policyPlane: "quota.miloapis.com/policy-plane",
  /** Hash of the labels and annotations that a policy rendered for a grant, to detect changes of the policy. */
  rendered: "quota.miloapis.com/rendered",
  /** Comma-separated UIDs of the objects that this claim may be for. One of them will be stored. */
  candidates: "quota.miloapis.com/candidates",
  /** UID of the stored object that this claim is for. */
  bound: "quota.miloapis.com/bound",
} as const;

/** Labels and annotations of Kubernetes and Milo that describe objects of any kind to people. */
export const displayMetadata = {
  displayNameAnnotation: "kubernetes.io/display-name",
  descriptionAnnotation: "kubernetes.io/description",
  /** The service that an object belongs to. */
  ownerLabel: "services.miloapis.com/owner",
} as const;

/** Maximum number of candidates of a claim. */
export const candidatesMax = 16;

/** Keeps a bucket while it is in use; only the bucket writer removes it. */
export const bucketFinalizer = "quota.miloapis.com/bucket";

/** With the former name, which buckets stored by earlier versions still carry. */
export const bucketFinalizers: readonly string[] = [bucketFinalizer, "quota.miloapis.com/page"];

/** Keeps a claim until its object is deleted. */
export const claimFinalizer = "quota.miloapis.com/resource-claim-cleanup";

/** The created-by annotation of claims that admission created. */
export const claimCreator = "claim-creation-plugin";
/** The created-by annotation of claims that the ownership controller created for stored objects without one. */
export const claimRepairer = "ownership-controller";
