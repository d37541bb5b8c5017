import { customResourceDefinition } from "../crd/definitions/definition-kind.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import { configMap } from "./kinds/config-map.ts";
import { deployment } from "./kinds/deployment.ts";
import { coreEvent, newEvent } from "./kinds/event.ts";
import { lease } from "./kinds/lease.ts";
import { namespace } from "./kinds/namespace.ts";
import { persistentVolumeClaim } from "./kinds/persistent-volume-claim.ts";
import { pod } from "./kinds/pods/pod.ts";
import { reviewKinds } from "./kinds/reviews.ts";
import { clusterRole, role } from "./kinds/role.ts";
import { clusterRoleBinding, roleBinding } from "./kinds/role-binding.ts";
import { secret } from "./kinds/secret.ts";
import { serviceAccount } from "./kinds/service-account.ts";
import { endpointSlice } from "./kinds/services/endpoint-slice.ts";
import { service } from "./kinds/services/service.ts";
import {
  mutatingWebhookConfiguration,
  validatingWebhookConfiguration,
} from "./kinds/webhooks/webhook-configuration.ts";

/** All kinds that the server has without a CustomResourceDefinition. */
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
