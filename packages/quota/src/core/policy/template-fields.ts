import { intType } from "@milo-quota/kubernetes/cel/cel-type.ts";
import { compile } from "@milo-quota/kubernetes/cel/compile.ts";
import type { Environment } from "@milo-quota/kubernetes/cel/environment.ts";
import {
  childPath,
  type FieldIssue,
  forbidden,
  invalid,
  itemPath,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import {
  dnsLabel,
  dnsSubdomain,
  labelValue,
  type NameRule,
  qualifiedName,
} from "@milo-quota/kubernetes/protocol/names.ts";
import { type Amount, amountOf } from "../resources/fields/amount.ts";
import type { AmountSource } from "../resources/fields/amount-source.ts";
import type { ConsumerRef } from "../resources/fields/consumer-ref.ts";
import type { ConsumerTemplate, MetadataTemplate } from "../resources/fields/template-schema.ts";
import { expressionIssue } from "./expression-issue.ts";
import { pathSegment } from "./path-segment.ts";
import type { PolicyBindings } from "./policy-variables.ts";
import { excerpt } from "./quoted-excerpt.ts";
import { compileTemplate, type Template } from "./template.ts";

/** A template cannot be rendered for an object. This is a fault of the policy, not of the object. */
export class RenderFailure extends Error {
  override readonly name = "RenderFailure";
}

/** Renders a value for an object, or throws RenderFailure. */
export type Renderer<Value> = (bindings: PolicyBindings) => Value;

export interface RenderedMetadata {
  readonly name: string | undefined;
  readonly generateName: string | undefined;
  readonly namespace: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const optionalNamespace: NameRule = (value) => (value === "" ? [] : dnsLabel(value));

/** Compiles the fields of a policy's template, and collects their issues. */
export class TemplateFields {
  readonly issues: FieldIssue[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  metadata(
    path: string,
    { name, generateName, namespace, labels, annotations }: MetadataTemplate,
  ): Renderer<RenderedMetadata> {
    const at = (field: string): string => childPath(path, field);
    this.#checkKeys(at("labels"), labels);
    this.#checkKeys(at("annotations"), annotations);
    const renderName = this.#optional(at("name"), name, dnsSubdomain);
    const renderPrefix = this.#optional(at("generateName"), generateName, () => []);
    const renderNamespace = this.#optional(at("namespace"), namespace, optionalNamespace);
    const renderAnnotations = this.texts(at("annotations"), annotations, () => []);
    return (bindings) => ({
      name: renderName(bindings),
      generateName: renderPrefix(bindings),
      namespace: renderNamespace(bindings) || undefined,
      labels,
      annotations: renderAnnotations(bindings),
    });
  }

  consumer(path: string, { apiGroup, kind, name, namespace }: ConsumerTemplate): Renderer<ConsumerRef> {
    const renderName = this.text(childPath(path, "name"), name, pathSegment);
    const renderNamespace = this.text(childPath(path, "namespace"), namespace, optionalNamespace);
    return (bindings) => ({ apiGroup, kind, name: renderName(bindings), namespace: renderNamespace(bindings) });
  }

  /** Dimension values must be valid label values. */
  dimensionValues(path: string, values: Readonly<Record<string, string>>): Renderer<Readonly<Record<string, string>>> {
    return this.texts(path, values, labelValue);
  }

  texts(
    path: string,
    values: Readonly<Record<string, string>>,
    rule: NameRule,
  ): Renderer<Readonly<Record<string, string>>> {
    const renderers = Object.entries(values).map(
      ([key, text]) => [key, this.text(itemPath(path, key), text, rule)] as const,
    );
    return (bindings) => Object.fromEntries(renderers.map(([key, render]) => [key, render(bindings)]));
  }

  /** The rendered text must follow the rule. A text without actions is checked at once. */
  text(path: string, text: string, rule: NameRule): Renderer<string> {
    const compiled = compileTemplate(text, this.#environment);
    if (!compiled.ok) {
      this.issues.push(...compiled.issues.map((issue) => expressionIssue(path, text, issue)));
      return () => "";
    }
    if (compiled.template.isLiteral) this.#checkLiteral(path, text, rule);
    return (bindings) => renderText(path, compiled.template, rule, bindings);
  }

  amount(path: string, source: AmountSource): Renderer<Amount> {
    if (source.kind === "fixed") return () => source.amount;
    const at = childPath(path, "amountExpression");
    const compiled = compile(source.expression, this.#environment, { expect: intType });
    if (!compiled.ok) {
      this.issues.push(...compiled.issues.map((issue) => expressionIssue(at, source.expression, issue)));
      return () => amountOf(0);
    }
    return (bindings) => {
      const result = compiled.program.evaluate(bindings);
      if (!result.ok) throw new RenderFailure(`${at}: ${source.expression}: ${result.error.message}`);
      if (result.value < 0n)
        throw new RenderFailure(`${at}: ${source.expression}: evaluates to ${result.value}, which is below 0`);
      return amountOf(result.value);
    };
  }

  /** Resource types cannot be templates, because registrations are looked up without an object. */
  literalType(path: string, resourceType: string): void {
    if (resourceType.includes("{{")) this.issues.push(forbidden(path, "a resourceType cannot be a template"));
  }

  #optional(path: string, text: string | undefined, rule: NameRule): Renderer<string | undefined> {
    return text === undefined ? () => undefined : this.text(path, text, rule);
  }

  #checkLiteral(path: string, text: string, rule: NameRule): void {
    const faults = rule(text);
    if (faults.length > 0) this.issues.push(invalid(path, text, faults.join("; ")));
  }

  #checkKeys(path: string, values: Readonly<Record<string, string>>): void {
    for (const key of Object.keys(values)) this.#checkLiteral(path, key, qualifiedName);
  }
}

/** Checks a namespace that is derived, for example from the name of the consumer. */
export function validNamespace(namespace: string): string {
  const faults = dnsLabel(namespace);
  if (faults.length > 0) throw new RenderFailure(`namespace ${excerpt(namespace)}: ${faults.join("; ")}`);
  return namespace;
}

function renderText(path: string, template: Template, rule: NameRule, bindings: PolicyBindings): string {
  const rendered = template.render(bindings);
  if (!rendered.ok) throw new RenderFailure(`${path}: ${rendered.message}`);
  const faults = template.isLiteral ? [] : rule(rendered.text);
  if (faults.length > 0) throw new RenderFailure(`${path}: ${excerpt(rendered.text)}: ${faults.join("; ")}`);
  return rendered.text;
}
