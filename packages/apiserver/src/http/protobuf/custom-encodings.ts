import { copyDraft, type Draft, type DraftObject } from "../../registry/builtin/typed/go-round-trip.ts";
import type { OpaqueName } from "../../registry/builtin/typed/go-type.ts";
import { quantityProblem } from "../../registry/builtin/typed/quantity-text.ts";
import { textOf } from "./go-text.ts";
import { rawJson } from "./raw-values.ts";
import type { ReadLimits } from "./read-limits.ts";
import { timestampText } from "./timestamp.ts";
import { ProtobufError, type Tag, WireReader } from "./wire-reader.ts";

export interface EncodingDeps {
  readonly limits: ReadLimits;
  readonly readSchema: (bytes: Uint8Array) => DraftObject;
}

/** Types whose JSON is not an object of their fields. The field numbers are those of Kubernetes' messages. */
export function readCustomEncoding(name: OpaqueName, bytes: Uint8Array, deps: EncodingDeps): Draft {
  switch (name) {
    case "meta.v1.Time":
      return timestampText(bytes, 0);
    case "meta.v1.MicroTime":
      return timestampText(bytes, 6);
    case "resource.Quantity":
      return quantity(bytes);
    case "intstr.IntOrString":
      return intOrString(bytes);
    case "meta.v1.FieldsV1":
    case "runtime.RawExtension":
    case "apiextensions.v1.JSON":
      return raw(bytes, name.slice(name.lastIndexOf(".") + 1));
    case "apiextensions.v1.JSONSchemaPropsOrBool":
      return schemaOrBool(bytes, deps);
    case "apiextensions.v1.JSONSchemaPropsOrArray":
      return schemaOrArray(bytes, deps);
    case "apiextensions.v1.JSONSchemaPropsOrStringArray":
      return schemaOrStrings(bytes, deps);
  }
}

/** Calls `visit` for each field; a field it does not consume is skipped. */
function eachField(message: string, bytes: Uint8Array, visit: (tag: Tag, wire: WireReader) => boolean): void {
  const wire = new WireReader(bytes);
  while (!wire.isAtEnd) {
    const tag = wire.tag(message);
    if (!visit(tag, wire)) wire.skip(tag.type);
  }
}

/** Go clients send the canonical form; other quantities are canonicalized with the rest of the object. */
function quantity(bytes: Uint8Array): string {
  let text = "0";
  eachField("Quantity", bytes, (tag, wire) => {
    if (tag.field !== 1) return false;
    text = textOf(wire.bytes(tag, "string"));
    const fault = quantityProblem(text);
    if (fault !== undefined) throw new ProtobufError(fault);
    return true;
  });
  return text;
}

function intOrString(bytes: Uint8Array): string | number {
  let type: number | bigint = 0;
  let number = 0;
  let text = "";
  eachField("IntOrString", bytes, (tag, wire) => {
    if (tag.field === 1) type = wire.int64(tag, "type");
    else if (tag.field === 2) number = wire.int32(tag, "intVal");
    else if (tag.field === 3) text = textOf(wire.bytes(tag, "strVal"));
    return tag.field <= 3;
  });
  if (type !== 0 && type !== 1) throw new ProtobufError("impossible IntOrString.Type");
  return type === 0 ? number : text;
}

function raw(bytes: Uint8Array, message: string): Draft {
  let value: Draft = null;
  eachField(message, bytes, (tag, wire) => {
    if (tag.field !== 1) return false;
    value = copyDraft(rawJson(wire.bytes(tag, "raw"), message));
    return true;
  });
  return value;
}

function schemaOrBool(bytes: Uint8Array, { readSchema }: EncodingDeps): Draft {
  let value: Draft = false;
  eachField("JSONSchemaPropsOrBool", bytes, (tag, wire) => {
    if (tag.field === 1) {
      const allows = wire.bool(tag, "allows");
      if (typeof value === "boolean") value = allows;
    } else if (tag.field === 2) value = readSchema(wire.bytes(tag, "schema"));
    return tag.field <= 2;
  });
  return value;
}

function schemaOrArray(bytes: Uint8Array, { readSchema, limits }: EncodingDeps): Draft {
  let schema: Draft = null;
  const schemas: Draft[] = [];
  eachField("JSONSchemaPropsOrArray", bytes, (tag, wire) => {
    if (tag.field === 1) schema = readSchema(wire.bytes(tag, "schema"));
    else if (tag.field === 2) {
      limits.count();
      schemas.push(readSchema(wire.bytes(tag, "jSONSchemas")));
    }
    return tag.field <= 2;
  });
  return schemas.length > 0 ? schemas : schema;
}

function schemaOrStrings(bytes: Uint8Array, { readSchema, limits }: EncodingDeps): Draft {
  let schema: Draft = null;
  const strings: Draft[] = [];
  eachField("JSONSchemaPropsOrStringArray", bytes, (tag, wire) => {
    if (tag.field === 1) schema = readSchema(wire.bytes(tag, "schema"));
    else if (tag.field === 2) {
      limits.count();
      strings.push(textOf(wire.bytes(tag, "property")));
    }
    return tag.field <= 2;
  });
  return strings.length > 0 ? strings : schema;
}
