// The quota of a small cloud: projects of an organization, Secrets and ConfigMaps of a project. Fields with two spellings
// use one spelling in the first half and the other in the second.

const apiVersion = "quota.miloapis.com/v1alpha1";
const apiGroup = "resourcemanager.miloapis.com";

export const types = {
  projects: "resourcemanager.miloapis.com/projects",
  secrets: "core/secrets",
  configMaps: "core/configmaps",
  services: "core/services",
} as const;

/** Limits of each consumer. */
const granted = { projects: 2, secrets: 2, configMaps: 3 } as const;

export const registrations: Readonly<Record<string, object>> = {
  projects: {
    apiVersion,
    kind: "ResourceRegistration",
    metadata: { name: "projects" },
    spec: {
      resourceType: types.projects,
      type: "Entity",
      baseUnit: "project",
      consumerType: { apiGroup, kind: "Organization" },
      claimingResources: [{ apiGroup, kind: "Project" }],
    },
  },
  secrets: registrationOfProject("secrets", types.secrets, ["secret", "Secret"]),
  "config-maps": registrationOfProject("config-maps", types.configMaps, ["config map", "ConfigMap"]),
};

function registrationOfProject(name: string, resourceType: string, [baseUnit, kind]: [string, string]): object {
  const consumerTypeRef = { apiGroup, kind: "Project" };
  const spec = { resourceType, type: "Entity", baseUnit, consumerTypeRef, claimingResources: [{ kind }] };
  return { apiVersion, kind: "ResourceRegistration", metadata: { name }, spec };
}

export const grantPolicies: Readonly<Record<string, object>> = {
  "for-organizations": {
    apiVersion,
    kind: "GrantCreationPolicy",
    metadata: { name: "for-organizations" },
    spec: {
      disabled: false,
      trigger: {
        resource: { apiVersion: `${apiGroup}/v1alpha1`, kind: "Organization" },
        constraints: [{ expression: 'trigger.status.phase == "Active"' }],
      },
      target: {
        resourceGrantTemplate: {
          spec: {
            consumerRef: { apiGroup, kind: "Organization", name: "{{ trigger.metadata.name }}" },
            allowances: [{ resourceType: types.projects, buckets: [{ amount: granted.projects }] }],
          },
        },
      },
    },
  },
  "for-projects": {
    apiVersion,
    kind: "GrantCreationPolicy",
    metadata: { name: "for-projects" },
    spec: {
      enabled: true,
      trigger: {
        resource: { apiVersion: `${apiGroup}/v1alpha1`, kind: "Project" },
        conditions: [{ expression: 'object.status.conditions.exists(c, c.type == "Ready" && c.status == "True")' }],
      },
      target: {
        parentContext: { apiGroup, kind: "Project", nameExpression: "object.metadata.name" },
        resourceGrantTemplate: {
          metadata: { namespace: "milo-system" },
          spec: {
            consumerRef: { apiGroup, kind: "Project", name: "{{.trigger.metadata.name}}" },
            allowances: [
              { resourceType: types.secrets, buckets: [{ amount: granted.secrets }] },
              { resourceType: types.configMaps, buckets: [{ amount: granted.configMaps }] },
            ],
          },
        },
      },
    },
  },
};

const claimPolicy = (name: string, spec: object): object => ({
  apiVersion,
  kind: "ClaimCreationPolicy",
  metadata: { name },
  spec,
});

export const projectsPolicy = claimPolicy("projects", {
  trigger: { resource: { apiVersion: `${apiGroup}/v1alpha1`, kind: "Project" } },
  target: {
    resourceClaimTemplate: {
      spec: {
        consumerRef: { apiGroup, kind: "Organization", name: "{{ trigger.spec.ownerRef.name }}" },
        requests: [{ resourceType: types.projects, amount: 1 }],
      },
    },
  },
});

/** Secrets that are not system tokens. Without a consumerRef, the project is the consumer. */
export const secretsPolicy = (more: object = {}, amount: object = { amount: 1 }): object =>
  claimPolicy("secrets", {
    trigger: {
      resource: { apiVersion: "v1", kind: "Secret" },
      conditions: [{ expression: 'object.type == "Opaque"' }],
    },
    target: { resourceClaimTemplate: { spec: { requests: [{ resourceType: types.secrets, ...amount }] } } },
    ...more,
  });

export const configMapsPolicy = claimPolicy("config-maps", {
  trigger: {
    resource: { apiVersion: "v1", kind: "ConfigMap" },
    constraints: [{ expression: 'trigger.metadata.labels["counted"] == "yes"' }],
  },
  target: { resourceClaimTemplate: { spec: { requests: [{ resourceType: types.configMaps, amount: 1 }] } } },
  existingObjects: "Adopt",
});

/** A policy in the control plane of a project, which applies only there. */
export const servicesPolicy = claimPolicy("services", {
  trigger: { resource: { apiVersion: "v1", kind: "Service" } },
  target: { resourceClaimTemplate: { spec: { requests: [{ resourceType: types.services, amount: 1 }] } } },
});

export const servicesRegistration = registrationOfProject("services", types.services, ["service", "Service"]);

export const service = (name: string): object => ({ metadata: { name }, spec: { ports: [{ port: 80 }] } });

export const secret = (name: string, type = "Opaque"): object => ({ metadata: { name }, type });

export const configMap = (name: string, counted = "yes"): object => ({ metadata: { name, labels: { counted } } });
