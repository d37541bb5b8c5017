import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";

/** A harmless edit, by another client, of the object that a write is about; undefined if the write is about no existing object. */
export function concurrentEdit({ method, path }: Call, mark: string): Call | undefined {
  if (method === "GET" || method === "POST") return undefined;
  const text = writeJson({ metadata: { annotations: { touched: mark } } });
  const body = { type: "application/merge-patch+json", text };
  return { method: "PATCH", path: path.replace(/\/status$/, ""), query: new URLSearchParams(), body };
}
