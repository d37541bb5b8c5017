import type { JsonObject, JsonValue } from "../protocol/json-value.ts";
import type { Schema } from "./structural-schema.ts";

/**
 * The type of a valid value after pruning and defaulting. Integers of format int64 may be bigints; convert them to an
 * Amount before arithmetic.
 */
export type Infer<S extends Schema> = S extends { readonly nullable: true } ? InferValue<S> | null : InferValue<S>;

type InferValue<S extends Schema> = S extends { readonly "x-kubernetes-int-or-string": true }
  ? number | bigint | string
  : S extends { readonly type: "string" }
    ? InferString<S>
    : S extends { readonly type: "integer"; readonly format: "int64" }
      ? number | bigint
      : S extends { readonly type: "integer" | "number" }
        ? number
        : S extends { readonly type: "boolean" }
          ? boolean
          : S extends { readonly type: "array"; readonly items: infer Items extends Schema }
            ? readonly Infer<Items>[]
            : S extends { readonly type: "object" }
              ? InferObject<S>
              : JsonValue;

type InferString<S extends Schema> = S extends { readonly enum: readonly (infer Choice extends string)[] }
  ? Choice
  : string;

type InferObject<S extends Schema> = S extends {
  readonly properties: infer Properties extends Readonly<Record<string, Schema>>;
}
  ? InferProperties<Properties, PresentKeys<S, Properties>>
  : S extends { readonly additionalProperties: infer Values extends Schema }
    ? Readonly<Record<string, Infer<Values>>>
    : JsonObject;

type InferProperties<Properties extends Readonly<Record<string, Schema>>, Present extends keyof Properties> = {
  readonly [Key in Present]: Infer<Properties[Key]>;
} & {
  readonly [Key in Exclude<keyof Properties, Present>]?: Infer<Properties[Key]>;
};

/** Required and defaulted fields are present. */
type PresentKeys<S extends Schema, Properties> =
  | (S extends { readonly required: readonly (infer Name)[] } ? Name & keyof Properties : never)
  | {
      [Key in keyof Properties]: Properties[Key] extends { readonly default: unknown } ? Key : never;
    }[keyof Properties];
