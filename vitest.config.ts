import { defineConfig } from "vitest/config";

/** Model writers with crashes and lost responses, checked after every step. */
const ledgerModel = "packages/quota/test/ledger/**/*.test.ts";

/** Tests by what they need: `npm run test:unit`, `test:system`, `test:simulation`; `npm test` runs all of them. */
export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["packages/*/{src,test}/**/*.test.ts", "{tools,bench}/**/*.test.ts"],
          exclude: [ledgerModel],
        },
      },
      {
        extends: true,
        test: { name: "system", include: ["test/**/*.test.ts"], exclude: ["test/{real-kubernetes,simulation}/**"] },
      },
      { extends: true, test: { name: "simulation", include: ["test/simulation/**/*.test.ts", ledgerModel] } },
    ],
    pool: "threads",
    isolate: false,
    testTimeout: 120_000,
    maxWorkers: "100%",
    reporters: ["default", ["json", { outputFile: "node_modules/.cache/milo-quota/test-results.json" }]],
  },
});
