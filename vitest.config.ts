import { defineConfig } from "vitest/config";

/** Tests by what they need: `npm run test:unit`, `test:system`, `test:simulation`; `npm test` runs all of them. */
export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: "unit", include: ["packages/*/{src,test}/**/*.test.ts", "{tools,bench}/**/*.test.ts"] },
      },
      {
        extends: true,
        test: { name: "system", include: ["test/**/*.test.ts"], exclude: ["test/{real-kubernetes,simulation}/**"] },
      },
      { extends: true, test: { name: "simulation", include: ["test/simulation/**/*.test.ts"] } },
    ],
    pool: "threads",
    isolate: false,
    testTimeout: 120_000,
    maxWorkers: "100%",
    reporters: ["default", ["json", { outputFile: "node_modules/.cache/milo-quota/test-results.json" }]],
  },
});
