import { defineConfig } from "vitest/config";

/** The suites on a real Kubernetes control plane, which need Go to build it. */
export default defineConfig({
  test: {
    include: ["test/real-kubernetes/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 1_800_000,
    fileParallelism: false,
    reporters: ["default", ["json", { outputFile: "node_modules/.cache/milo-quota/kube-test-results.json" }]],
  },
});
