import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { metadataIssues } from "@milo-quota/kubernetes/protocol/metadata/metadata-rules.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { describe, expect, it } from "vitest";
import recorded from "../../../../test/recorded/kubernetes-answers.json" with { type: "json" };
import type { ApiObject } from "../../kinds/api-object.ts";
import type { ServedKind, WrittenSubresource } from "../../kinds/served-kind.ts";
import { metadataChangeIssues } from "../../metadata/metadata-change-rules.ts";
import { builtinKinds } from "../builtin-kinds.ts";

/** The response of kube-apiserver v1.34 to an object: a decode error, the issues, or the stored object. */
interface Answer {
  readonly name: string;
  readonly old?: JsonObject;
  readonly part?: WrittenSubresource;
  readonly sent: JsonObject;
  readonly message?: string;
  readonly issues?: readonly (readonly [reason: string, field: string, message: string])[];
  readonly stored?: JsonObject;
  readonly warnings?: readonly string[];
}

function kindOf({ apiVersion, kind }: JsonObject): ServedKind {
  const { group } = parseApiVersion(String(apiVersion));
  const found = builtinKinds.find((each) => each.group === group && each.kind === kind);
  if (found === undefined) throw new Error(`no kind ${String(kind)}`);
  return found;
}

function prepared({ sent, old, part = "" }: Answer, kind: ServedKind): ApiObject {
  const object = sent as unknown as ApiObject;
  const { prepareCreate, prepareUpdate } = kind.rules;
  return old === undefined
    ? (prepareCreate?.(object) as ApiObject)
    : (prepareUpdate?.(object, old as unknown as ApiObject, part) as ApiObject);
}

function issuesOf(object: ApiObject, { old: before, part }: Answer, kind: ServedKind): string[] {
  const old = before as unknown as ApiObject | undefined;
  const issues = [
    ...metadataIssues(object.metadata, kind),
    ...(old === undefined ? [] : metadataChangeIssues(object.metadata, old.metadata)),
    ...(kind.rules.validate?.(object, old, part) ?? []),
  ];
  return issues.map(({ type, field, message }) => `${type} ${field}: ${message}`).sort();
}

/** Kubernetes allocates addresses and ports from a pool, this server derives them from the name; other components of a cluster add tolerations. */
function withoutAllocated(object: ApiObject): JsonObject {
  const copy = JSON.parse(JSON.stringify(object));
  for (const field of ["uid", "creationTimestamp", "managedFields", "resourceVersion", "generation"]) {
    delete copy.metadata[field];
  }
  if (copy.kind === "Service") {
    for (const field of ["clusterIP", "clusterIPs", "healthCheckNodePort"]) delete copy.spec[field];
    for (const port of copy.spec.ports ?? []) delete port.nodePort;
  }
  if (copy.kind === "Pod") for (const field of ["tolerations", "priority", "preemptionPolicy"]) delete copy.spec[field];
  return copy;
}

describe("built-in kinds answer as Kubernetes does to", () => {
  for (const answer of recorded as unknown as readonly Answer[]) {
    it(answer.name, () => {
      const kind = kindOf(answer.sent);
      const isUnreadable = answer.message !== undefined; // Kubernetes' message names its Go types.
      expect(kind.decodeIssue?.(answer.sent) !== undefined).toBe(isUnreadable);
      if (isUnreadable) return;
      const object = prepared(answer, kind);
      const expected = (answer.issues ?? []).map(([type, field, message]) => `${type} ${field}: ${message}`).sort();
      expect(issuesOf(object, answer, kind)).toEqual(expected);
      if (answer.stored === undefined) return;
      expect(withoutAllocated(object)).toEqual(answer.stored);
      const old = answer.old as unknown as ApiObject | undefined;
      expect(kind.rules.warnings?.(object, old) ?? []).toEqual(answer.warnings ?? []);
    });
  }

  it("every kind that is stored", () => {
    const seen = new Set((recorded as unknown as readonly Answer[]).map(({ sent }) => kindOf(sent)));
    const unseen = builtinKinds.filter((kind) => kind.verbs.includes("list") && !seen.has(kind));
    // Other tests cover definitions. PersistentVolumeClaims differ by a finalizer that only a cluster with volumes adds.
    expect(unseen.map(({ kind }) => kind)).toEqual(["CustomResourceDefinition"]);
  });

  it("an object already prepared, by leaving it unchanged", () => {
    for (const { stored, sent } of recorded as unknown as readonly Answer[]) {
      if (stored === undefined) continue;
      const kind = kindOf(sent);
      const object = stored as unknown as ApiObject;
      const once = kind.rules.prepareUpdate?.(object, object, "") as ApiObject;
      expect(kind.rules.prepareUpdate?.(once, once, "")).toEqual(once);
    }
  });
});
