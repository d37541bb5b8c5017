import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { accessFlags, accessLines, quoted, shellOf } from "./shell-lines.ts";

describe("a shell", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "milo-quota-shell-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const shell = (started: string, path = "") =>
    shellOf({ env: { PATH: path }, platform: "linux", started, currentFolder: "/clone" });

  it("has kubectl if it is a program in a folder of the search path", () => {
    expect(shell("x", folder).hasKubectl).toBe(false);
    writeFileSync(join(folder, "kubectl"), "");
    chmodSync(join(folder, "kubectl"), 0o755);
    expect(shell("x", ["/nowhere", folder].join(delimiter)).hasKubectl).toBe(true);
  });

  const calls: Record<string, string> = {
    "/home/me/node_modules/.bin/milo-quota": "milo-quota",
    "/usr/bin/kubectl-quota": "kubectl-quota",
    "/clone/dist/milo-quota.js": "node dist/milo-quota.js",
    "/other place/milo-quota.js": "node '/other place/milo-quota.js'",
  };
  it.each(Object.entries(calls))("calls %s as %s", (started, call) => {
    expect(shell(started).program).toBe(call);
  });
});

describe("lines to type", () => {
  const [withKubectl, without] = [true, false].map((hasKubectl) => ({ hasKubectl, program: "milo-quota" })) as [
    { hasKubectl: boolean; program: string },
    { hasKubectl: boolean; program: string },
  ];
  const server = { url: "https://here:1", token: "t" };

  it("name the kubeconfig, quoted where a shell would take it apart", () => {
    expect(accessLines({ ...server, kubeconfig: "/a/b" }, withKubectl)).toEqual(["export KUBECONFIG=/a/b"]);
    expect(accessLines({ ...server, kubeconfig: "/a b" }, without)).toEqual(["export KUBECONFIG='/a b'"]);
    expect(accessLines({ ...server, kubeconfig: "a" }, without)).toEqual([`export KUBECONFIG=${quoted(resolve("a"))}`]);
    expect(quoted("it's")).toBe("'it'\\''s'");
  });

  it("choose the context where another one is chosen", () => {
    const access = { ...server, kubeconfig: "/a", context: "milo-quota" };
    expect(accessLines(access, withKubectl)).toEqual(["export KUBECONFIG=/a", "kubectl config use-context milo-quota"]);
    expect([accessLines(access, without), accessFlags(access)]).toEqual([
      ["export KUBECONFIG=/a"],
      " --context milo-quota",
    ]);
  });

  it("carry everything where nothing is written down", () => {
    const access = { ...server, kubeconfig: undefined };
    const flags = " --server https://here:1 --insecure-skip-tls-verify --token t";
    expect(accessLines(access, withKubectl)).toEqual([`alias kubectl="kubectl${flags}"`]);
    expect([accessLines(access, without), accessFlags(access)]).toEqual([[], flags]);
  });
});
