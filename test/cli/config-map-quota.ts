// A quota for ConfigMaps: one unit each, for the namespace "default".
export const registration = `apiVersion: quota.miloapis.com/v1alpha1
kind: ResourceRegistration
metadata: { name: maps }
spec: { resourceType: test/maps, type: Entity, consumerType: { apiGroup: '', kind: Namespace }, baseUnit: map, claimingResources: [{ apiGroup: '', kind: ConfigMap }] }
`;
export const policy = `apiVersion: quota.miloapis.com/v1alpha1
kind: ClaimCreationPolicy
metadata: { name: maps }
spec:
  trigger: { resource: { apiVersion: v1, kind: ConfigMap } }
  target:
    resourceClaimTemplate:
      spec: { consumerRef: { kind: Namespace, name: default }, requests: [{ resourceType: test/maps, amount: 1 }] }
`;
export const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: one, namespace: default }\n";
