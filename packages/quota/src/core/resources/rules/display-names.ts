import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { ResourceRegistration } from "../resource-registration.ts";
import { activeRegistration, type RegistrationView } from "./registration-rules.ts";

const nameLengthMax = 40;

/** The Active registration of a resource type, else any: its texts help people in either case. */
export function describingRegistration(view: RegistrationView, resourceType: string): ResourceRegistration | undefined {
  return activeRegistration(view, resourceType) ?? view.byResourceType(resourceType)[0];
}

/** A type and its display name: `core/secrets "Secrets"`. */
export function typeWithName(view: RegistrationView, resourceType: string): string {
  const { displayName = "" } = describingRegistration(view, resourceType) ?? {};
  return displayName === "" ? resourceType : `${resourceType} ${quote(shortName(displayName))}`;
}

/** A display name as one short line. */
export function shortName(text: string): string {
  return oneLine(text, nameLengthMax);
}

/** Annotations may contain anything, such as control characters for the terminal. */
export function oneLine(text: string, lengthMax: number): string {
  const characters = [...text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim()];
  return characters.length <= lengthMax ? characters.join("") : `${characters.slice(0, lengthMax - 1).join("")}…`;
}
