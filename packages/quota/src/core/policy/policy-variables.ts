import { dynType, listType, mapType, objectType, stringType } from "@milo-quota/kubernetes/cel/cel-type.ts";
import { createEnvironment, type Environment, extendEnvironment } from "@milo-quota/kubernetes/cel/environment.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";

export interface RequestUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export interface RequestInfo {
  readonly verb: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Values for the variables of a policy, by name. */
export type PolicyBindings = Readonly<Record<string, unknown>>;

const userType = objectType("User", {
  name: stringType,
  uid: stringType,
  groups: listType(stringType),
  extra: mapType(stringType, listType(stringType)),
});

const requestInfoType = objectType("RequestInfo", {
  verb: stringType,
  apiGroup: stringType,
  apiVersion: stringType,
  resource: stringType,
  subresource: stringType,
  namespace: stringType,
  name: stringType,
});

/** Grant policies see only the object, because controllers evaluate them without a request. */
export const grantPolicyVariables: Environment = createEnvironment({
  variables: { trigger: dynType, object: dynType },
});

/** Claim policies also see the user and the request. */
export const claimPolicyVariables: Environment = extendEnvironment(grantPolicyVariables, {
  user: userType,
  requestInfo: requestInfoType,
});

export function grantBindings(trigger: JsonObject): PolicyBindings {
  return { trigger, object: trigger };
}

export function claimBindings(trigger: JsonObject, user: RequestUser, requestInfo: RequestInfo): PolicyBindings {
  return { trigger, object: trigger, user, requestInfo };
}
