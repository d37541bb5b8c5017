import type { FieldIssue, Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";

export interface TokenSpec {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly expiresAtMs?: number;
  /** The User object, if it exists: the token is deleted with it. */
  readonly owner?: { readonly name: string; readonly uid: string };
}

/** Creates user tokens and reads the Secrets that store them. */
export interface TokenCodec {
  /** The type of those Secrets. */
  readonly secretType: string;
  validate(spec: TokenSpec): readonly FieldIssue[];
  create(spec: TokenSpec): { readonly token: string; readonly secret: KubernetesObject };
  parse(secret: JsonValue): Parsed<{
    readonly user: string;
    readonly groups: readonly string[];
    readonly expiresAtMs: number | undefined;
  }>;
}
