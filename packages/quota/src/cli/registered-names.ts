import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { ResourceRegistration } from "../core/resources/resource-registration.ts";
import { activeRegistration, type RegistrationView } from "../core/resources/rules/registration-rules.ts";

/** What people call a resource type and whose it is, as far as its registration says. */
export interface RegisteredNames {
  readonly displayName?: string;
  readonly description?: string;
  readonly owner?: string;
}

/** As they are written, for programs. */
export function namesOf(view: RegistrationView, resourceType: string): RegisteredNames {
  const registration = activeRegistration(view, resourceType) ?? view.byResourceType(resourceType)[0];
  return registration === undefined ? {} : namesIn(registration);
}

export function namesIn({ displayName, description, owner }: ResourceRegistration): RegisteredNames {
  return {
    ...(displayName === "" ? {} : { displayName }),
    ...(description === "" ? {} : { description }),
    ...(owner === "" ? {} : { owner }),
  };
}

/** A type, and what people call it: `core/secrets "Secrets"`. */
export function typeText(view: RegistrationView, resourceType: string): string {
  const { displayName } = namesOf(view, resourceType);
  return displayName === undefined ? resourceType : `${resourceType} ${quote(shownName(displayName))}`;
}

const nameLengthMax = 40;
const descriptionLengthMax = 500;

/** Annotations hold anything, of any length: a cell of a table is one short line, and sends nothing to the terminal. */
export function shownName(text: string): string {
  return oneLine(text, nameLengthMax);
}

/** What is said of a type beside its figures; undefined when nothing is. */
export function aboutText(view: RegistrationView, resourceType: string): string | undefined {
  const { displayName, description, owner } = namesOf(view, resourceType);
  const called = [
    ...(displayName === undefined ? [] : [quote(shownName(displayName))]),
    ...(owner === undefined ? [] : [`owned by ${owner}`]),
  ].join(", ");
  const said = description === undefined ? "" : oneLine(description, descriptionLengthMax);
  return [called, said].filter((part) => part !== "").join(": ") || undefined;
}

function oneLine(text: string, lengthMax: number): string {
  const characters = [...text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim()];
  return characters.length <= lengthMax ? characters.join("") : `${characters.slice(0, lengthMax - 1).join("")}…`;
}
