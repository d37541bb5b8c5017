import { setOwn } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type Draft, type DraftObject, isDraftObject } from "../../registry/builtin/typed/go-round-trip.ts";
import { type GoType, pointee } from "../../registry/builtin/typed/go-type.ts";
import type { StructField } from "../../registry/builtin/typed/struct-table.ts";
import { readCustomEncoding } from "./custom-encodings.ts";
import { textOf } from "./go-text.ts";
import { type Message, messageOf } from "./message-table.ts";
import { type FieldPosition, isNumber, packedWireType, readNumber } from "./number-values.ts";
import { base64Of } from "./raw-values.ts";
import { ReadLimits } from "./read-limits.ts";
import { type Tag, WireReader, wireType } from "./wire-reader.ts";
import { isOmitted, zeroStruct, zeroValue } from "./zero-values.ts";

/** Lists encoded as a message, because protobuf has no map of lists. */
const wrappedLists = new Set(["authentication.v1.ExtraValue", "authorization.v1.ExtraValue"]);

/** Decodes the message of a struct, as Go would marshal it to JSON. */
export function readMessage(structName: string, bytes: Uint8Array): DraftObject {
  return new MessageReader().struct(structName, bytes);
}

class MessageReader {
  readonly #limits = new ReadLimits();
  readonly #deps = {
    limits: this.#limits,
    readSchema: (bytes: Uint8Array) => this.struct("apiextensions.v1.JSONSchemaProps", bytes),
  };

  struct(structName: string, bytes: Uint8Array, into = zeroStruct(structName)): DraftObject {
    return this.#message(messageOf(structName), bytes, into);
  }

  #message(message: Message, bytes: Uint8Array, into: DraftObject): DraftObject {
    return this.#limits.nested(() => {
      const wire = new WireReader(bytes);
      while (!wire.isAtEnd) this.#member(message, wire, into);
      return into;
    });
  }

  #member(message: Message, wire: WireReader, into: DraftObject): void {
    const tag = wire.tag(message.name);
    const member = message.members.get(tag.field);
    if (member === undefined) wire.skip(tag.type);
    else if (member.form === "embedded") this.#message(member.message, wire.bytes(tag, message.name), into);
    else this.#field(member.field, tag, wire, into);
  }

  /** A repeated field appends to a list, merges into a map or a struct, and replaces any other value. */
  #field(field: StructField, tag: Tag, wire: WireReader, into: DraftObject): void {
    const type = pointee(field.type);
    const before = into[field.name];
    if (type.form === "slice" && !wrappedLists.has(type.name)) {
      const items = Array.isArray(before) ? before : [];
      this.#items(pointee(type.of), items, { name: field.name, tag, wire });
      if (items.length > 0) into[field.name] = items;
    } else if (type.form === "map") {
      const entries = isDraftObject(before) ? before : {};
      into[field.name] = entries;
      this.#entry(pointee(type.of), wire.bytes(tag, field.name), entries);
    } else if (type.form === "struct") {
      const bytes = wire.bytes(tag, field.name);
      into[field.name] = this.struct(type.name, bytes, isDraftObject(before) ? before : undefined);
    } else {
      this.#set(field, this.#value(type, { name: field.name, tag, wire }), into);
    }
  }

  #set(field: StructField, value: Draft, into: DraftObject): void {
    if (!isOmitted(field, value)) into[field.name] = value;
    else if (into[field.name] !== undefined) delete into[field.name];
  }

  /** One item, or several numbers packed into one field. */
  #items(of: GoType, items: Draft[], position: FieldPosition): void {
    const { name, tag, wire } = position;
    if (!isNumber(of) || tag.type !== wireType.bytes) {
      this.#limits.count();
      items.push(this.#value(of, position));
      return;
    }
    const packed = new WireReader(wire.bytes(tag, name));
    const packedTag = { field: tag.field, type: packedWireType(of.form) };
    while (!packed.isAtEnd) {
      this.#limits.count();
      items.push(readNumber(of.form, { name, tag: packedTag, wire: packed }));
    }
  }

  /** An entry of a map is a message of its key and its value, either of which may be omitted. */
  #entry(of: GoType, bytes: Uint8Array, entries: DraftObject): void {
    this.#limits.count();
    const wire = new WireReader(bytes);
    let key = "";
    let value: Draft | undefined;
    while (!wire.isAtEnd) {
      const tag = wire.tag("Entry");
      if (tag.field === 1) key = textOf(wire.bytes(tag, "mapkey"));
      else if (tag.field === 2) value = this.#value(of, { name: "mapvalue", tag, wire });
      else wire.skip(tag.type);
    }
    setOwn(entries, key, value === undefined ? emptyEntryValue(of) : value);
  }

  #value(type: GoType, position: FieldPosition): Draft {
    return isNumber(type)
      ? readNumber(type.form, position)
      : this.#lengthy(type, position.wire.bytes(position.tag, position.name));
  }

  #lengthy(type: GoType, bytes: Uint8Array): Draft {
    switch (type.form) {
      case "string":
        return textOf(bytes);
      case "bytes":
        return base64Of(bytes);
      case "struct":
        return this.struct(type.name, bytes);
      case "opaque":
        return readCustomEncoding(type.name, bytes, this.#deps);
      case "slice":
        return this.#wrapped(type.of, bytes);
      default:
        throw new Error(`no message has a ${type.form} here`);
    }
  }

  #wrapped(of: GoType, bytes: Uint8Array): Draft[] {
    const items: Draft[] = [];
    const wire = new WireReader(bytes);
    while (!wire.isAtEnd) {
      const tag = wire.tag("Items");
      if (tag.field === 1) this.#items(of, items, { name: "items", tag, wire });
      else wire.skip(tag.type);
    }
    return items;
  }
}

/** The value of an entry with only a key; lists and bytes are then empty, not missing. */
function emptyEntryValue(type: GoType): Draft {
  if (type.form === "slice") return [];
  return type.form === "bytes" ? "" : zeroValue(type);
}
