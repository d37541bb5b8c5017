import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { ResourceRegistration } from "../core/resources/resource-registration.ts";
import { describingRegistration, oneLine, shortName } from "../core/resources/rules/display-names.ts";
import type { RegistrationView } from "../core/resources/rules/registration-rules.ts";

/** What a registration tells people about a resource type. */
export interface ResourceTypeInfo {
  readonly displayName?: string;
  readonly description?: string;
  readonly owner?: string;
}

/** The texts as the registration has them, for JSON output. */
export function typeInfo(view: RegistrationView, resourceType: string): ResourceTypeInfo {
  const registration = describingRegistration(view, resourceType);
  return registration === undefined ? {} : registrationInfo(registration);
}

export function registrationInfo({ displayName, description, owner }: ResourceRegistration): ResourceTypeInfo {
  return {
    ...(displayName === "" ? {} : { displayName }),
    ...(description === "" ? {} : { description }),
    ...(owner === "" ? {} : { owner }),
  };
}

const descriptionLengthMax = 500;

/** `"Display name", owned by SERVICE: description`, as far as the registration has them. */
export function describeType(view: RegistrationView, resourceType: string): string | undefined {
  const { displayName, description, owner } = typeInfo(view, resourceType);
  const nameAndOwner = [
    ...(displayName === undefined ? [] : [quote(shortName(displayName))]),
    ...(owner === undefined ? [] : [`owned by ${owner}`]),
  ].join(", ");
  const text = description === undefined ? "" : oneLine(description, descriptionLengthMax);
  return [nameAndOwner, text].filter((part) => part !== "").join(": ") || undefined;
}
