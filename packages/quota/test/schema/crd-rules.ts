// Validates objects like an API server with a CustomResourceDefinition: by the emitted schema, and by evaluating its CEL rules.
import { boolType } from "@milo-quota/kubernetes/cel/cel-type.ts";
import { compile } from "@milo-quota/kubernetes/cel/compile.ts";
import { createEnvironment } from "@milo-quota/kubernetes/cel/environment.ts";
import type { Program } from "@milo-quota/kubernetes/cel/program.ts";
import { schemaType } from "@milo-quota/kubernetes/cel/schema-type.ts";
import { isJsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { canonicalJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { type CompiledSchema, compileSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import { ruleSites } from "@milo-quota/kubernetes/schema/rule-sites.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { walkObject } from "@milo-quota/kubernetes/schema/walk.ts";

export class CrdServer {
  readonly #compiled: CompiledSchema;
  readonly #programs = new Map<CompiledSchema, ReadonlyMap<string, Program<boolean>>>();

  constructor(crd: unknown) {
    const { spec } = crd as { spec: { versions: [{ schema: { openAPIV3Schema: Schema } }] } };
    this.#compiled = compileSchema(spec.versions[0].schema.openAPIV3Schema);
  }

  /** Whether an API server with this definition would accept the create, or the update of an old object. */
  accepts(object: JsonValue, old: JsonValue | undefined): boolean {
    const walked = walkObject(this.#compiled, object);
    if (walked.issues.length > 0) return false;
    const before = old === undefined ? undefined : walkObject(this.#compiled, old).value;
    const self = inOrder(this.#compiled, walked.value);
    const oldSelf = before === undefined ? undefined : inOrder(this.#compiled, before);
    return this.#followsRules(self, oldSelf);
  }

  #followsRules(value: JsonValue, old: JsonValue | undefined): boolean {
    for (const { compiled, rules, self, oldSelf } of ruleSites(this.#compiled, value, old)) {
      for (const { rule } of rules) {
        if (/\boldSelf\b/.test(rule) && oldSelf === undefined) continue;
        const result = this.#program(compiled, rule).evaluate({ self, oldSelf });
        if (!result.ok || !result.value) return false;
      }
    }
    return true;
  }

  /** Compiles the rules once. An API server would reject a definition with a rule that does not compile. */
  #program(compiled: CompiledSchema, rule: string): Program<boolean> {
    const known = this.#programs.get(compiled) ?? programsOf(compiled);
    this.#programs.set(compiled, known);
    return known.get(rule) as Program<boolean>;
  }
}

/** Sorts lists that are maps or sets, because Kubernetes ignores their order when it compares them. */
function inOrder(compiled: CompiledSchema, value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    const items = value.map((item: JsonValue) => (compiled.items === undefined ? item : inOrder(compiled.items, item)));
    const listType = compiled.schema["x-kubernetes-list-type"];
    return listType === "map" || listType === "set"
      ? items.sort((left, right) => (canonicalJson(left) < canonicalJson(right) ? -1 : 1))
      : items;
  }
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => {
    const child = compiled.properties.get(key) ?? compiled.additional;
    return [key, child === undefined || child === true ? member : inOrder(child, member)] as const;
  });
  return Object.fromEntries(members);
}

function programsOf({ schema, rules }: CompiledSchema): ReadonlyMap<string, Program<boolean>> {
  const type = schemaType(schema);
  const environment = createEnvironment({ variables: { self: type, oldSelf: type } });
  return new Map(
    rules.map(({ rule }) => {
      const compiled = compile(rule, environment, { expect: boolType });
      if (!compiled.ok) throw new Error(`${rule}: ${compiled.issues.map((issue) => issue.message).join("; ")}`);
      return [rule, compiled.program];
    }),
  );
}
