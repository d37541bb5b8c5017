import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/{src,test}/**/*.test.ts", "test/**/*.test.ts", "tools/**/*.test.ts", "bench/**/*.test.ts"],
    exclude: ["test/real-kubernetes/**"],
    pool: "threads",
    isolate: false,
    testTimeout: 120_000,
    maxWorkers: "100%",
    reporters: ["default", ["json", { outputFile: "node_modules/.cache/milo-quota/test-results.json" }]],
  },
});
