import { type StructField, structOf } from "../../registry/builtin/typed/struct-table.ts";
import numbers from "./field-numbers.json" with { type: "json" };

/** The target of a message's field: a field of the object, or a message whose fields are inlined into the object. */
export type Member =
  | { readonly form: "field"; readonly field: StructField }
  | { readonly form: "embedded"; readonly message: Message };

export interface Message {
  /** The Go name, without its package. */
  readonly name: string;
  readonly members: ReadonlyMap<number, Member>;
}

const texts: Readonly<Record<string, string>> = numbers.structs;
const parsed = new Map<string, Message>();

export function hasMessage(structName: string): boolean {
  return Object.hasOwn(texts, structName);
}

/** The message of a struct such as `core.v1.PodSpec`; loaded on first use. */
export function messageOf(structName: string): Message {
  let message = parsed.get(structName);
  if (message === undefined) {
    message = parseMessage(structName);
    parsed.set(structName, message);
  }
  return message;
}

interface Draft {
  readonly name: string;
  readonly members: Map<number, Member>;
}

function parseMessage(structName: string): Message {
  const text = texts[structName];
  if (text === undefined) throw new Error(`no field numbers for ${structName}`);
  const { fields } = structOf(structName);
  const root: Draft = { name: structName.slice(structName.lastIndexOf(".") + 1), members: new Map() };
  for (const part of text.split(" ").filter((part) => part !== "")) {
    const equals = part.lastIndexOf("=");
    const field = fields.get(part.slice(0, equals));
    if (field !== undefined)
      insertField(
        root,
        part
          .slice(equals + 1)
          .split(".")
          .map(Number),
        field,
      );
  }
  return root;
}

/** Inserts a field at a path of field numbers, creating the messages on the way. */
function insertField(message: Draft, path: readonly number[], field: StructField): void {
  const [number = 0, ...rest] = path;
  if (rest.length === 0) {
    message.members.set(number, { form: "field", field });
    return;
  }
  const existing = message.members.get(number);
  const inner: Draft =
    existing?.form === "embedded" ? (existing.message as Draft) : { name: message.name, members: new Map() };
  message.members.set(number, { form: "embedded", message: inner });
  insertField(inner, rest, field);
}
