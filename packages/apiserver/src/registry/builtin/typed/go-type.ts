/** The Go type of a field, which determines how its JSON is decoded and encoded. */
export type GoType =
  | { readonly form: "string" | "bool" | "int32" | "int64" | "float64" | "bytes" }
  | { readonly form: "pointer" | "map"; readonly of: GoType }
  | { readonly form: "slice"; readonly of: GoType; readonly name: string }
  | { readonly form: "struct"; readonly name: string }
  /** With its own JSON encoding. */
  | { readonly form: "opaque"; readonly name: OpaqueName };

const opaqueNames = [
  "meta.v1.Time",
  "meta.v1.MicroTime",
  "meta.v1.FieldsV1",
  "resource.Quantity",
  "intstr.IntOrString",
  "runtime.RawExtension",
  "apiextensions.v1.JSON",
  "apiextensions.v1.JSONSchemaPropsOrBool",
  "apiextensions.v1.JSONSchemaPropsOrArray",
  "apiextensions.v1.JSONSchemaPropsOrStringArray",
] as const;

export type OpaqueName = (typeof opaqueNames)[number];

const scalars = ["string", "bool", "int32", "int64", "float64"] as const;

/**
 * Parses `[]core.v1.Container`; `named` gives the underlying type of a name like `core.v1.PullPolicy`, undefined for
 * structs.
 */
export function parseGoType(text: string, named: (name: string) => string | undefined): GoType {
  if (text === "[]byte") return { form: "bytes" };
  if (text.startsWith("*")) return { form: "pointer", of: parseGoType(text.slice(1), named) };
  if (text.startsWith("[]")) return { form: "slice", of: parseGoType(text.slice(2), named), name: text };
  const map = /^map\[[^\]]+\](.*)$/.exec(text);
  if (map !== null) return { form: "map", of: parseGoType(map[1] as string, named) };
  const scalar = scalars.find((form) => form === text);
  if (scalar !== undefined) return { form: scalar };
  const opaque = opaqueNames.find((name) => name === text);
  if (opaque !== undefined) return { form: "opaque", name: opaque };
  const underneath = named(text);
  if (underneath === undefined) return { form: "struct", name: text };
  const type = parseGoType(underneath, named);
  return type.form === "slice" ? { ...type, name: text } : type;
}

/** A pointer has the encoding of its element type, except that it may be nil. */
export function pointee(type: GoType): GoType {
  return type.form === "pointer" ? pointee(type.of) : type;
}
