import { customResourceDefinition } from "../crd/definition-kind.ts";
import type { ServedKind } from "../served-kind.ts";
import { configMap } from "./kinds/config-map.ts";
import { deployment } from "./kinds/deployment.ts";
import { endpointSlice } from "./kinds/endpoint-slice.ts";
import { coreEvent, newEvent } from "./kinds/event.ts";
import { lease } from "./kinds/lease.ts";
import { namespace } from "./kinds/namespace.ts";
import { persistentVolumeClaim } from "./kinds/persistent-volume-claim.ts";
import { pod } from "./kinds/pod.ts";
import { reviewKinds } from "./kinds/reviews.ts";
import { clusterRole, role } from "./kinds/role.ts";
import { clusterRoleBinding, roleBinding } from "./kinds/role-binding.ts";
import { secret } from "./kinds/secret.ts";
import { service } from "./kinds/service.ts";
import { serviceAccount } from "./kinds/service-account.ts";
import { mutatingWebhookConfiguration, validatingWebhookConfiguration } from "./kinds/webhook-configuration.ts";

/** Every kind that the server knows without a CustomResourceDefinition. */
export const builtinKinds: readonly ServedKind[] = [
  configMap,
  coreEvent,
  namespace,
  persistentVolumeClaim,
  pod,
  secret,
  serviceAccount,
  service,
  mutatingWebhookConfiguration,
  validatingWebhookConfiguration,
  customResourceDefinition,
  deployment,
  ...reviewKinds,
  lease,
  endpointSlice,
  newEvent,
  clusterRoleBinding,
  clusterRole,
  roleBinding,
  role,
];
