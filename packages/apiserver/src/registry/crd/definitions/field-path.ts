import { goEscapes } from "@milo-quota/kubernetes/protocol/go-escapes.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";

export type FieldPath =
  | {
      readonly ok: true;
      /** In the format of field errors: names with dots, map keys in brackets. */
      readonly path: string;
      /** The first name of the path. */
      readonly root: string;
      /** The schema at the path; undefined where there is none. */
      readonly schema: Schema | undefined;
    }
  | { readonly ok: false; readonly fault: string };

/** Follows a path of names (`.spec.size`) and, where allowed, quoted keys (`.labels['a.b']`) through a schema. */
export function followPath(text: string, root: Schema, allowsKeys = true): FieldPath {
  const tokens = tokensOf(text);
  let schema: Schema | undefined = root;
  let path = "";
  let first = "";
  for (let at = 0; at < tokens.length; at += 1) {
    const step = stepAt(tokens, at, allowsKeys);
    if (!step.ok) return step;
    at += step.tokens - 1;
    const next = follow(schema, step.name);
    if (next === undefined) return { ok: false, fault: "does not refer to a valid field" };
    path += next.isKey ? `[${step.name}]` : path === "" ? step.name : `.${step.name}`;
    first = first === "" ? path : first;
    schema = next.schema;
  }
  return { ok: true, path, root: first, schema };
}

/** The path in the format of field errors; empty when it matches no schema. */
export function fieldPathOf(text: string, schema: Schema): string {
  const followed = text === "" ? undefined : followPath(text, schema);
  return followed?.ok === true ? followed.path : "";
}

interface Child {
  readonly schema: Schema | undefined;
  readonly isKey: boolean;
}

function follow(schema: Schema | undefined, name: string): Child | undefined {
  const { properties, additionalProperties } = schema ?? {};
  if (properties !== undefined && Object.keys(properties).length > 0) {
    return Object.hasOwn(properties, name) ? { schema: properties[name], isKey: false } : undefined;
  }
  if (additionalProperties === undefined) return undefined;
  return { schema: typeof additionalProperties === "object" ? additionalProperties : undefined, isKey: true };
}

type Step =
  | { readonly ok: true; readonly name: string; readonly tokens: number }
  | { readonly ok: false; readonly fault: string };

const endFault = { ok: false, fault: "unexpected end of JSON path" } as const;

function stepAt(tokens: readonly string[], at: number, allowsKeys: boolean): Step {
  const [head = "", name, close] = tokens.slice(at, at + 3);
  if (head === ".") return name === undefined ? endFault : { ok: true, name, tokens: 2 };
  if (head !== "[") return { ok: false, fault: `expected [ or . but got: ${head}` };
  if (!allowsKeys) return { ok: false, fault: "array notation is not allowed" };
  if (name === undefined) return endFault;
  if (!/^'[\s\S]*'$/.test(name) || name.length < 2) {
    return { ok: false, fault: `expected single quoted string but got ${name}` };
  }
  const unquoted = unescaped(name.slice(1, -1));
  if (!unquoted.ok) return unquoted;
  if (close === undefined) return endFault;
  if (close !== "]") return { ok: false, fault: `expected ] but got ${close}` };
  return { ...unquoted, tokens: 3 };
}

/** Dots, brackets, quoted strings, and the text between them. */
function tokensOf(text: string): readonly string[] {
  return text.match(/'(?:[^'\\]|\\[\s\S])*'|[.[\]]|[^.[\]'][^.[\]]*|'[\s\S]*/g) ?? [];
}

const escapes: Readonly<Record<string, string>> = { ...goEscapes, "'": "'", "\\": "\\" };

function unescaped(text: string): Step {
  let fault: string | undefined;
  const name = text.replace(/\\([\s\S])/g, (found, letter: string) => {
    if (!Object.hasOwn(escapes, letter)) fault = `invalid string literal: invalid escape char ${found}`;
    return escapes[letter] ?? "";
  });
  return fault === undefined ? { ok: true, name, tokens: 1 } : { ok: false, fault };
}
