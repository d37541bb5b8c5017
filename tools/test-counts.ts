// Prints the counts of the last test run; the last lines of CI's output.
import { readFileSync } from "node:fs";

interface Results {
  readonly numTotalTests: number;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly unknown[];
}

const path = "node_modules/.cache/milo-quota/test-results.json";
const results = JSON.parse(readFileSync(path, "utf8")) as Results;
console.log(
  `tests: ${results.numTotalTests} in ${results.testResults.length} files, ` +
    `${results.numPassedTests} passed, ${results.numFailedTests} failed, ${results.numPendingTests} skipped`,
);
