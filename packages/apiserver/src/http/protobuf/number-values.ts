import type { GoType } from "../../registry/builtin/typed/go-type.ts";
import { ProtobufError, type Tag, type WireReader, wireType } from "./wire-reader.ts";

/** The position of a value: after its tag, with the name of its field. */
export interface FieldPosition {
  readonly name: string;
  readonly tag: Tag;
  readonly wire: WireReader;
}

type NumberForm = "bool" | "int32" | "int64" | "float64";

/** Whether values of a type have no length prefix, so that several can be packed into one field. */
export function isNumber(type: GoType): type is GoType & { readonly form: NumberForm } {
  return type.form === "bool" || type.form === "int32" || type.form === "int64" || type.form === "float64";
}

/** The wire type of the numbers packed into one field. */
export function packedWireType(form: NumberForm): number {
  return form === "float64" ? wireType.fixed64 : wireType.varint;
}

export function readNumber(form: NumberForm, { name, tag, wire }: FieldPosition): boolean | number | bigint {
  switch (form) {
    case "bool":
      return wire.bool(tag, name);
    case "int32":
      return wire.int32(tag, name);
    case "int64":
      return wire.int64(tag, name);
    case "float64":
      return finite(wire.double(tag, name));
  }
}

/**
 * JSON has finite numbers only. An integer that a double cannot represent is a bigint, as when parsed from JSON text.
 */
function finite(value: number): number | bigint {
  if (!Number.isFinite(value)) throw new ProtobufError(`json: unsupported value: ${goFloat(value)}`);
  const isLongInteger = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21;
  return isLongInteger ? BigInt(String(value)) : value;
}

function goFloat(value: number): string {
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}
