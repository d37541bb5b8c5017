/** Names that other programs rely on. */

export const quotaGroup = "quota.miloapis.com";
export const quotaVersion = "v1alpha1";
export const quotaApiVersion = `${quotaGroup}/${quotaVersion}`;

/** Where things go that belong to nobody's namespace. */
export const systemNamespace = "milo-system";

export const labels = {
  autoCreated: "quota.miloapis.com/auto-created",
  policy: "quota.miloapis.com/policy",
  gvk: "quota.miloapis.com/gvk",
  consumerKind: "quota.miloapis.com/consumer-kind",
  consumerName: "quota.miloapis.com/consumer-name",
} as const;

export const annotations = {
  /** On a bucket: another value has the quota system count it anew. */
  recount: `${quotaGroup}/recount-requested`,
  createdBy: "quota.miloapis.com/created-by",
  createdAt: "quota.miloapis.com/created-at",
  resourceName: "quota.miloapis.com/resource-name",
  policy: "quota.miloapis.com/policy",
  /** The control plane of the object, where that is not the root. */
  resourcePlane: "quota.miloapis.com/resource-plane",
  /** What else tells of which object a grant was made for: its kind as in `Project.resourcemanager.miloapis.com`. */
  resourceKind: "quota.miloapis.com/resource-kind",
  /** Its namespace, where it is in one. */
  resourceNamespace: "quota.miloapis.com/resource-namespace",
  resourceUid: "quota.miloapis.com/resource-uid",
  /** The control plane of the policy, where that is not the root. */
  policyPlane: "quota.miloapis.com/policy-plane",
  /** Stands for the labels and annotations that a policy gave a grant, so that only the policy changes them again. */
  rendered: "quota.miloapis.com/rendered",
  /** UIDs of the objects that this claim may be for, one of which will be stored; joined by commas. */
  candidates: "quota.miloapis.com/candidates",
  /** UID of the object that this claim is for, once it is stored. */
  bound: "quota.miloapis.com/bound",
} as const;

/** What Kubernetes and Milo put on objects of all kinds, for people. */
export const forPeople = {
  displayNameAnnotation: "kubernetes.io/display-name",
  descriptionAnnotation: "kubernetes.io/description",
  /** The service that something belongs to. */
  ownerLabel: "services.miloapis.com/owner",
} as const;

/** How many objects may wait for the same claim. */
export const candidatesMax = 16;

/** Keeps a page from going while it is needed; only the writer of pages takes it off. */
export const pageFinalizer = "quota.miloapis.com/page";

/** Keeps a claim, and what it holds, until the object that it is for is gone. Not on claims unless asked for. */
export const claimFinalizer = "quota.miloapis.com/resource-claim-cleanup";

/** The value of the created-by annotation on claims that admission made. */
export const claimCreator = "claim-creation-plugin";
/** The same for claims that were made for objects stored without one. */
export const claimRepairer = "ownership-controller";
