import type { Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";

/** For whom a token is made, and until when. */
export interface TokenOrder {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly expiresAtMs?: number;
  /** The User, if there is one: the token goes with it. */
  readonly owner?: { readonly name: string; readonly uid: string };
}

/** How tokens of users are made and kept; whoever serves tenants knows. */
export interface TokenPort {
  /** Of the Secrets that tokens are kept in. */
  readonly secretType: string;
  /** Throws a TypeError for names that no token may have. */
  make(order: TokenOrder): { readonly token: string; readonly secret: KubernetesObject };
  parse(secret: JsonValue): Parsed<{
    readonly user: string;
    readonly groups: readonly string[];
    readonly expiresAtMs: number | undefined;
  }>;
}
