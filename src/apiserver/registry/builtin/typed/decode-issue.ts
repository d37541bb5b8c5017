import { depthMax, isJsonObject, type JsonObject, type JsonValue } from "../../../../protocol/json-value.ts";
import { writeJson } from "../../../../protocol/json-writer.ts";
import { base64FaultAt } from "./go-base64.ts";
import { microTimeLayout, timeFault, timeLayout } from "./go-time.ts";
import { type GoType, goName, type OpaqueName, pointee } from "./go-type.ts";
import { quantityFault } from "./quantity-text.ts";
import { structOf } from "./struct-table.ts";

/** A value that a type with a JSON form of its own does not take; Go stops reading there. */
class Unreadable extends Error {}

const int32Max = 2n ** 31n - 1n;
const int64Max = 2n ** 63n - 1n;

/**
 * Why Kubernetes would not read an object as the type it has for it, in the words of Go's decoder; undefined when it
 * would. Unknown fields do not matter, and null is as good as nothing everywhere.
 */
export function decodeIssue(structName: string, object: JsonValue): string | undefined {
  const decoder = new Decoder();
  try {
    decoder.visit({ form: "struct", name: structName }, object);
  } catch (error) {
    if (error instanceof Unreadable) return error.message;
    throw error;
  }
  return decoder.saved;
}

class Decoder {
  /** The first mismatch. Go reads on after it, and something unreadable further on is told instead. */
  saved: string | undefined;
  #struct = "";
  readonly #path: string[] = [];
  #depth = 0;

  visit(type: GoType, value: JsonValue): void {
    if (value === null) return;
    if (this.#depth > depthMax) throw new Unreadable("exceeded max depth");
    this.#depth += 1;
    this.#visitTyped(pointee(type), value);
    this.#depth -= 1;
  }

  #visitTyped(type: GoType, value: JsonValue): void {
    switch (type.form) {
      case "struct":
        if (isJsonObject(value)) this.#visitStruct(type.name, value);
        else this.#mismatch(type, value);
        break;
      case "map":
        if (isJsonObject(value)) for (const member of Object.values(value)) this.visit(type.of, member);
        else this.#mismatch(type, value);
        break;
      case "slice":
        if (Array.isArray(value)) for (const item of value) this.visit(type.of, item);
        else this.#mismatch(type, value);
        break;
      case "opaque":
        this.#visitOpaque(type.name, value);
        break;
      case "pointer":
        break;
      default:
        this.#visitScalar(type, value);
    }
  }

  #visitStruct(name: string, object: JsonObject): void {
    const { fields } = structOf(name);
    const outer = this.#struct;
    for (const [key, value] of Object.entries(object)) {
      const field = fields.get(key);
      if (field === undefined) continue;
      this.#struct = name.slice(name.lastIndexOf(".") + 1);
      this.#path.push(key);
      this.visit(field.type, value);
      this.#path.pop();
    }
    this.#struct = outer;
  }

  #visitScalar(type: GoType & { readonly name: string }, value: JsonValue): void {
    if (type.form === "bytes" && typeof value === "string") {
      const at = base64FaultAt(value);
      if (at !== undefined) this.#save(`illegal base64 data at input byte ${at}`);
    } else if (type.form === "int32" || type.form === "int64") {
      if (typeof value !== "number" && typeof value !== "bigint") this.#mismatch(type, value);
      else if (!isInteger(value, type.form)) this.#save(this.#cannot(`number ${writeJson(value)}`, type.name));
    } else if (!isScalar(type.form, value)) {
      this.#mismatch(type, value);
    }
  }

  /** Errors of a type that reads itself name the field that holds it, however deep inside they arise. */
  #visitOpaque(name: OpaqueName, value: JsonValue): void {
    switch (name) {
      case "meta.v1.Time":
        this.#visitTime(value, timeLayout);
        break;
      case "meta.v1.MicroTime":
        this.#visitTime(value, microTimeLayout);
        break;
      case "resource.Quantity":
        this.#visitQuantity(value);
        break;
      case "intstr.IntOrString":
        this.#visitIntOrString(value);
        break;
      case "apiextensions.v1.JSONSchemaPropsOrBool":
        if (!isJsonObject(value) && typeof value !== "boolean") throw new Unreadable("boolean or JSON schema expected");
        this.#visitSchemas(value);
        break;
      case "apiextensions.v1.JSONSchemaPropsOrArray":
        this.#visitSchemas(value);
        break;
      case "apiextensions.v1.JSONSchemaPropsOrStringArray":
        if (Array.isArray(value)) this.#visitWhole(stringSlice, value);
        else this.#visitSchemas(value);
        break;
      case "meta.v1.FieldsV1":
      case "runtime.RawExtension":
      case "apiextensions.v1.JSON":
        break;
      default:
        throw new Error(`unknown type ${name satisfies never}`);
    }
  }

  #visitQuantity(value: JsonValue): void {
    const fault = quantityFault(value);
    if (fault !== undefined) throw new Unreadable(fault);
  }

  #visitIntOrString(value: JsonValue): void {
    if (typeof value === "string" || isInteger(value, "int32")) return;
    throw new Unreadable(this.#cannot(typeof value === "number" ? `number ${value}` : jsonWord(value), "int32"));
  }

  #visitTime(value: JsonValue, layout: string): void {
    if (typeof value !== "string") throw new Unreadable(this.#cannot(jsonWord(value), "string"));
    const fault = timeFault(value, layout);
    if (fault !== undefined) throw new Unreadable(fault);
  }

  #visitSchemas(value: JsonValue): void {
    if (Array.isArray(value)) for (const item of value) this.#visitWhole(jsonSchema, item);
    else if (isJsonObject(value)) this.#visitWhole(jsonSchema, value);
  }

  /** Reads a value on its own; what is wrong with it stops the reading of everything. */
  #visitWhole(type: GoType, value: JsonValue): void {
    const inner = new Decoder();
    inner.#depth = this.#depth;
    inner.visit(type, value);
    if (inner.saved === undefined) return;
    const context = `Go struct field ${this.#struct}.${this.#path.join(".")}`;
    throw new Unreadable(inner.saved.replace(/Go (struct field \S+|value)/, context));
  }

  #mismatch(type: GoType & { readonly name: string }, value: JsonValue): void {
    this.#save(this.#cannot(jsonWord(value), goName(type.name)));
  }

  #cannot(what: string, type: string): string {
    const where = this.#path.length === 0 ? "Go value" : `Go struct field ${this.#struct}.${this.#path.join(".")}`;
    return `json: cannot unmarshal ${what} into ${where} of type ${type}`;
  }

  #save(message: string): void {
    this.saved ??= message;
  }
}

const jsonSchema: GoType = { form: "struct", name: "apiextensions.v1.JSONSchemaProps" };
const stringSlice: GoType = { form: "slice", of: { form: "string", name: "string" }, name: "[]string" };

function isInteger(value: JsonValue, form: "int32" | "int64"): boolean {
  if (typeof value !== "bigint" && !Number.isSafeInteger(value)) return false;
  const max = form === "int32" ? int32Max : int64Max;
  const whole = BigInt(value as number | bigint);
  return whole <= max && whole >= -max - 1n;
}

function isScalar(form: GoType["form"], value: JsonValue): boolean {
  if (form === "float64") return typeof value === "number" || typeof value === "bigint";
  return typeof value === (form === "bool" ? "boolean" : "string");
}

/** What Go calls the kind of a JSON value. */
function jsonWord(value: JsonValue): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "number" : typeof value;
}
