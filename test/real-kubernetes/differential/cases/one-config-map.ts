// The ConfigMap of most cases and its path.
export const one = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" }, data: { a: "1" } };
export const list = "/api/v1/namespaces/{ns}/configmaps";
export const at = `${list}/one`;
export const created = { method: "POST", path: list, body: one, unseen: true } as const;
