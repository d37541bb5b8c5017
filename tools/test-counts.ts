// Prints the test counts of the last runs, as the last lines of CI's output.
import { existsSync, readFileSync } from "node:fs";

interface Results {
  readonly numTotalTests: number;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly unknown[];
}

const folder = "node_modules/.cache/milo-quota";
const runs = [
  { name: "tests", path: `${folder}/test-results.json` },
  { name: "tests on a real Kubernetes", path: `${folder}/kube-test-results.json` },
];

for (const { name, path } of runs.filter((run) => existsSync(run.path))) {
  const results = JSON.parse(readFileSync(path, "utf8")) as Results;
  console.log(
    `${name}: ${results.numTotalTests} in ${results.testResults.length} files, ` +
      `${results.numPassedTests} passed, ${results.numFailedTests} failed, ${results.numPendingTests} skipped`,
  );
}
