import { findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { type FieldIssue, forbidden, invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { type GroupKind, groupKindText, sameGroupKind } from "../fields/consumer-ref.ts";
import { isPending, type ResourceRegistration } from "../resource-registration.ts";

/** Registrations by resource type, whether Active or not. */
export interface RegistrationView {
  byResourceType(resourceType: string): readonly ResourceRegistration[];
}

/** Of two registrations for one resource type, only the older one is valid. */
export function registrationIssues(registration: ResourceRegistration, view: RegistrationView): readonly FieldIssue[] {
  const older = view
    .byResourceType(registration.resourceType)
    .find((other) => other.metadata.name !== registration.metadata.name && isOlder(other, registration));
  if (older === undefined) return [];
  const detail = `ResourceRegistration ${quote(older.metadata.name ?? "")} registers this resourceType already`;
  return [invalid("spec.resourceType", registration.resourceType, detail)];
}

/** The Active registration of a resource type. */
export function activeRegistration(view: RegistrationView, resourceType: string): ResourceRegistration | undefined {
  return view
    .byResourceType(resourceType)
    .find((registration) => findCondition(registration.status.conditions, "Active")?.status === "True");
}

/** The Active registration, or an issue that tells why there is none. */
export function requireRegistration(
  view: RegistrationView,
  resourceType: string,
  path: string,
): { readonly registration: ResourceRegistration } | { readonly issue: FieldIssue } {
  const registration = activeRegistration(view, resourceType);
  if (registration !== undefined) return { registration };
  const [inactive] = view.byResourceType(resourceType);
  if (inactive === undefined) {
    return { issue: invalid(path, resourceType, "no ResourceRegistration has this resourceType: register it first") };
  }
  const name = quote(inactive.metadata.name ?? "");
  const message = findCondition(inactive.status.conditions, "Active")?.message ?? "";
  const because = isPending(inactive) ? "it is not validated yet" : message;
  return { issue: invalid(path, resourceType, `ResourceRegistration ${name} is not Active: ${because}`) };
}

export function consumerIssues(
  registration: ResourceRegistration,
  consumer: GroupKind,
  path: string,
): readonly FieldIssue[] {
  if (sameGroupKind(registration.consumerType, consumer)) return [];
  const wanted = groupKindText(registration.consumerType);
  const detail = `${quote(registration.resourceType)} is granted to and used by ${wanted}`;
  return [invalid(path, groupKindText(consumer), detail)];
}

export function claimantIssues(
  registration: ResourceRegistration,
  claimant: GroupKind,
  path: string,
): readonly FieldIssue[] {
  if (registration.claimingResources.some((allowed) => sameGroupKind(allowed, claimant))) return [];
  const where = `claimingResources of ResourceRegistration ${quote(registration.metadata.name ?? "")}`;
  return [
    forbidden(path, `${groupKindText(claimant)} may not claim ${quote(registration.resourceType)}: add it to ${where}`),
  ];
}

export function dimensionIssues(
  registration: ResourceRegistration,
  names: readonly string[],
  path: string,
): readonly FieldIssue[] {
  const known = registration.dimensions.length === 0 ? "none" : registration.dimensions.join(", ");
  return names
    .filter((name) => !registration.dimensions.includes(name))
    .map((name) => invalid(path, name, `not a dimension of ${quote(registration.resourceType)}, which has ${known}`));
}

export function featureIssue(registration: ResourceRegistration, path: string): FieldIssue {
  return forbidden(
    path,
    `${quote(registration.resourceType)} is a Feature: grants switch it on, and it cannot be claimed`,
  );
}

function isOlder(one: ResourceRegistration, other: ResourceRegistration): boolean {
  // A registration that is being created has no creationTimestamp yet: it is the youngest.
  const [mine, theirs] = [one, other].map(({ metadata }) => metadata.creationTimestamp ?? "~") as [string, string];
  return mine === theirs ? (one.metadata.name ?? "") < (other.metadata.name ?? "") : mine < theirs;
}
