import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { ResourceRegistration } from "../core/resources/resource-registration.ts";
import { activeRegistration, type RegistrationView } from "../core/resources/rules/registration-rules.ts";

/** What a registration tells people about a resource type. */
export interface ResourceTypeInfo {
  readonly displayName?: string;
  readonly description?: string;
  readonly owner?: string;
}

/** The texts as the registration has them, for JSON output. */
export function typeInfo(view: RegistrationView, resourceType: string): ResourceTypeInfo {
  const registration = activeRegistration(view, resourceType) ?? view.byResourceType(resourceType)[0];
  return registration === undefined ? {} : registrationInfo(registration);
}

export function registrationInfo({ displayName, description, owner }: ResourceRegistration): ResourceTypeInfo {
  return {
    ...(displayName === "" ? {} : { displayName }),
    ...(description === "" ? {} : { description }),
    ...(owner === "" ? {} : { owner }),
  };
}

/** A type and its display name: `core/secrets "Secrets"`. */
export function typeWithName(view: RegistrationView, resourceType: string): string {
  const { displayName } = typeInfo(view, resourceType);
  return displayName === undefined ? resourceType : `${resourceType} ${quote(shortName(displayName))}`;
}

const nameLengthMax = 40;
const descriptionLengthMax = 500;

/** Annotations may contain anything: a table cell must be one short line without control characters for the terminal. */
export function shortName(text: string): string {
  return oneLine(text, nameLengthMax);
}

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

function oneLine(text: string, lengthMax: number): string {
  const characters = [...text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim()];
  return characters.length <= lengthMax ? characters.join("") : `${characters.slice(0, lengthMax - 1).join("")}…`;
}
