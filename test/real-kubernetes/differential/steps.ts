// Short constructors for steps.
import type { Step } from "./case.ts";

type More = Omit<Step, "method" | "path" | "body">;

export const unseen: More = { unseen: true };

export function get(path: string, more: More = {}): Step {
  return { method: "GET", path, ...more };
}

export function post(path: string, body: unknown, more: More = {}): Step {
  return { method: "POST", path, body, ...more };
}

export function put(path: string, body: unknown, more: More = {}): Step {
  return { method: "PUT", path, body, ...more };
}

export function remove(path: string, body?: unknown, more: More = {}): Step {
  return { method: "DELETE", path, ...(body === undefined ? {} : { body }), ...more };
}

const patchTypes = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

export function patch(type: keyof typeof patchTypes, path: string, body: unknown, more: More = {}): Step {
  return { method: "PATCH", path, contentType: patchTypes[type], body, ...more };
}

export const asTable: More = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
export const asMetadata: More = { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" };
export const asMetadataList: More = { accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" };
