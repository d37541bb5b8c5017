import type { TestServer } from "./test-server.ts";

const group = "rbac.authorization.k8s.io";

/** Binds users to a ClusterRole in the whole plane. */
export async function bind(server: TestServer, role: string, ...names: readonly string[]): Promise<void> {
  await server.create(`/apis/${group}/v1/clusterrolebindings`, {
    metadata: { name: `${role}-${names.join("-")}` },
    roleRef: { apiGroup: group, kind: "ClusterRole", name: role },
    subjects: names.map((name) => ({ apiGroup: group, kind: "User", name })),
  });
}
