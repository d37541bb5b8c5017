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
  createdBy: "quota.miloapis.com/created-by",
  createdAt: "quota.miloapis.com/created-at",
  resourceName: "quota.miloapis.com/resource-name",
  policy: "quota.miloapis.com/policy",
} as const;

/** The value of the created-by annotation on claims that admission made. */
export const claimCreator = "claim-creation-plugin";
