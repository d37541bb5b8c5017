import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { qualifiedName } from "@milo-quota/kubernetes/protocol/names.ts";
import type { ApiObject } from "../../kinds/api-object.ts";

const standard = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

const none: readonly never[] = [];

/** Unqualified finalizer names are allowed on custom objects, with a warning. */
export function finalizerWarnings(object: ApiObject, old: ApiObject | undefined): readonly string[] {
  if ((object.metadata.finalizers ?? none).length === 0) return none;
  const before = new Set(old?.metadata.finalizers ?? []);
  const added = [...new Set(object.metadata.finalizers ?? [])].filter((name) => !before.has(name)).sort();
  return added.flatMap((name) => faultsOf(name).map((fault) => `metadata.finalizers: ${quote(name)}: ${fault}`));
}

function faultsOf(name: string): readonly string[] {
  const isPlain = !name.includes("/") && !standard.has(name);
  const path = name.includes(".") ? " including a path (/)" : "";
  const advice = `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
  return [...qualifiedName(name), ...(isPlain ? [advice] : [])];
}
