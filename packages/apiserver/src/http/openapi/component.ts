/** A schema as an OpenAPI document has it. */
export type Component = Readonly<Record<string, unknown>>;

/** The schemas of a document by name. */
export type Components = Readonly<Record<string, Component>>;

export const metaPackage = "io.k8s.apimachinery.pkg.apis.meta.v1";

export function reference(name: string): Component {
  return { $ref: `#/components/schemas/${name}` };
}

/** A reference next to other members, which a bare $ref would hide. */
export function described(name: string, description: string | undefined, rest: Component = {}): Component {
  const others = { ...(description === undefined ? {} : { description }), ...rest };
  return Object.keys(others).length === 0 ? reference(name) : { allOf: [reference(name)], ...others };
}
