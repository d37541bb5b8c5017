import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { goJsonError } from "@milo-quota/kubernetes/protocol/go-json-error.ts";
import { readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import { isJsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";

/** The position of the next page of a list, and its revision. */
export interface Continuation {
  /** -1: the latest revision, for an inconsistent continuation of an expired list. */
  readonly revision: number;
  /** Set in lists over all planes. */
  readonly plane?: string;
  readonly namespace: string;
  readonly name: string;
  /** Number of objects on the pages before. */
  readonly seen: number;
}

const version = "meta.k8s.io/v1";

export function writeContinue({ revision, plane, namespace, name, seen }: Continuation): string {
  const start = `${namespace}/${name}`;
  return Buffer.from(JSON.stringify({ v: version, rv: revision, start, plane, seen })).toString("base64url");
}

export function readContinue(token: string): Continuation {
  try {
    const text = Buffer.from(token, "base64url").toString("utf8");
    const fault = goJsonError(text);
    if (fault !== undefined) throw new Error(fault);
    const value = readJson(text);
    if (!isJsonObject(value) || value["v"] !== version) {
      const given = isJsonObject(value) && typeof value["v"] === "string" ? value["v"] : "";
      throw new Error(`server does not recognize this encoded version ${given}`);
    }
    const { rv, start, plane, seen } = value as Readonly<Record<string, unknown>>;
    const slash = typeof start === "string" ? start.indexOf("/") : -1;
    if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv < -1 || slash < 0) throw new Error("no position");
    const position = start as string;
    if (position.split("/").some((part) => part === "." || part === "..")) throw new Error(position);
    const count = typeof seen === "number" ? seen : 0;
    return {
      revision: rv,
      ...(typeof plane === "string" ? { plane } : {}),
      namespace: position.slice(0, slash),
      name: position.slice(slash + 1),
      seen: count,
    };
  } catch (error) {
    const because = error instanceof Error ? error.message : String(error);
    throw new StatusError(failure("BadRequest", `invalid continue token: continue key is not valid: ${because}`));
  }
}
