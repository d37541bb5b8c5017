import {
  dynType,
  isPrimitive,
  listType,
  mapType,
  opaqueType,
  parameterType,
  stringType,
  type Type,
  typeTypeOf,
} from "../cel-type.ts";
import { isNullable, moreGeneral, partsOf, sameShape, sameType } from "./same-type.ts";

/** More steps than any sensible expression takes; exponential types reach it within milliseconds. */
const stepsMax = 1_000_000;

/** The inferred type parameters: unification, with `dyn` as a wildcard. */
export class Substitution {
  readonly #found = new Map<string, Type>();
  #trail: (readonly [name: string, before: Type | undefined])[] = [];
  #freshCount = 0;
  #steps = 0;

  /**
   * Set once types became too complex; from then on everything is assignable, and the expression is rejected for that.
   */
  get exhausted(): boolean {
    return this.#steps > stepsMax;
  }

  /** A fresh type parameter. */
  fresh(): Type {
    this.#freshCount += 1;
    return parameterType(`_var${this.#freshCount}`);
  }

  /** The types with their parameters replaced by fresh ones. */
  instantiate(types: readonly Type[]): readonly Type[] {
    const fresh = new Map<string, Type>();
    const replace = (type: Type): Type => {
      if (type.kind !== "parameter") return rebuild(type, replace);
      const existing = fresh.get(type.name) ?? this.fresh();
      fresh.set(type.name, existing);
      return existing;
    };
    return types.map(replace);
  }

  /** Whether values of these types are assignable to those. Inferred parameters are kept only if all of them are. */
  assign(from: readonly Type[], to: readonly Type[]): boolean {
    this.#trail = [];
    if (from.length === to.length && from.every((type, index) => this.#fits(type, to[index] as Type))) return true;
    for (const [name, before] of this.#trail.reverse()) {
      if (before === undefined) this.#found.delete(name);
      else this.#found.set(name, before);
    }
    return false;
  }

  /** Replaces parameters by their inferred types. */
  resolve(type: Type): Type {
    if (this.#exhaust()) return dynType;
    if (type.kind !== "parameter")
      return partsOf(type).length === 0 ? type : rebuild(type, (part) => this.resolve(part));
    const found = this.#found.get(type.name);
    return found === undefined ? type : this.resolve(found);
  }

  /** The same, with `dyn` for unresolved parameters. */
  finish(type: Type): Type {
    const resolved = this.resolve(type);
    const close = (part: Type): Type => (part.kind === "parameter" ? dynType : rebuild(part, close));
    return close(resolved);
  }

  #fits(from: Type, to: Type): boolean {
    if (this.#exhaust()) return true;
    if (to.kind === "parameter") {
      const learned = this.#learn(to.name, from);
      if (learned !== "circular") return learned === "fits";
    }
    if (from.kind === "parameter") return this.#learn(from.name, to) === "fits";
    if (isWildcard(from) || isWildcard(to)) return true;
    if (from.kind === "null") return isNullable(to);
    if (to.kind === "null") return isNullable(from);
    if (from.kind === "type" && to.kind === "type") return true;
    if (to.kind === "map" && isJsonObjectType(from)) return this.#fits(jsonMapType, to);
    if (isPrimitive(unwrapped(from))) return unwrapped(from).kind === unwrapped(to).kind;
    return sameShape(from, to) && partsOf(from).every((part, index) => this.#fits(part, partsOf(to)[index] as Type));
  }

  #learn(name: string, type: Type): "fits" | "clashes" | "circular" {
    if (type.kind === "parameter" && type.name === name) return "fits";
    const existing = this.#found.get(name);
    if (existing === undefined) {
      if (this.#mentions(type, name)) return "circular";
      this.#set(name, type);
      return "fits";
    }
    if (sameType(existing, type)) return "fits";
    if (!this.#fits(type, existing)) return "clashes";
    const general = moreGeneral(type, existing);
    if (!this.#mentions(general, name)) this.#set(name, general);
    return "fits";
  }

  #set(name: string, type: Type): void {
    this.#trail.push([name, this.#found.get(name)]);
    this.#found.set(name, type);
  }

  #mentions(type: Type, name: string): boolean {
    if (this.#exhaust()) return true;
    if (type.kind !== "parameter") return partsOf(type).some((part) => this.#mentions(part, name));
    if (type.name === name) return true;
    const found = this.#found.get(type.name);
    return found !== undefined && this.#mentions(found, name);
  }

  #exhaust(): boolean {
    this.#steps += 1;
    return this.exhausted;
  }
}

const jsonMapType = mapType(stringType, dynType);

function isJsonObjectType(type: Type): boolean {
  return type.kind === "object" && type.json !== undefined;
}

function isWildcard(type: Type): boolean {
  return type.kind === "dyn" || type.kind === "error";
}

function unwrapped(type: Type): Type {
  return type.kind === "wrapper" ? ({ kind: type.of } as Type) : type;
}

/** The same type with other parameters. */
function rebuild(type: Type, replace: (part: Type) => Type): Type {
  switch (type.kind) {
    case "list":
      return listType(replace(type.element));
    case "map":
      return mapType(replace(type.key), replace(type.value));
    case "opaque":
      return opaqueType(type.name, type.parameters.map(replace));
    case "type":
      return type.of === undefined ? type : typeTypeOf(replace(type.of));
    default:
      return type;
  }
}
