import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { accessFlags, accessLines, shellOf, shellQuote } from "./shell-lines.ts";

describe("a shell", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "milo-quota-shell-"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const shell = (scriptPath: string, path = "") =>
    shellOf({ env: { PATH: path }, platform: "linux", scriptPath, cwd: "/clone" });

  it("has kubectl if the PATH contains an executable of that name", () => {
    expect(shell("x", directory).hasKubectl).toBe(false);
    writeFileSync(join(directory, "kubectl"), "");
    chmodSync(join(directory, "kubectl"), 0o755);
    expect(shell("x", ["/nowhere", directory].join(delimiter)).hasKubectl).toBe(true);
  });

  const commands: Record<string, string> = {
    "/home/me/node_modules/.bin/milo-quota": "milo-quota",
    "/usr/bin/kubectl-quota": "kubectl-quota",
    "/clone/dist/milo-quota.js": "node dist/milo-quota.js",
    "/other place/milo-quota.js": "node '/other place/milo-quota.js'",
  };
  it.each(Object.entries(commands))("runs %s with %s", (scriptPath, command) => {
    expect(shell(scriptPath).program).toBe(command);
  });
});

describe("access lines", () => {
  const [withKubectl, without] = [true, false].map((hasKubectl) => ({ hasKubectl, program: "milo-quota" })) as [
    { hasKubectl: boolean; program: string },
    { hasKubectl: boolean; program: string },
  ];
  const server = { url: "https://here:1", token: "t" };

  it("export the kubeconfig, quoted for the shell", () => {
    expect(accessLines({ ...server, kubeconfig: "/a/b" }, withKubectl)).toEqual(["export KUBECONFIG=/a/b"]);
    expect(accessLines({ ...server, kubeconfig: "/a b" }, without)).toEqual(["export KUBECONFIG='/a b'"]);
    expect(accessLines({ ...server, kubeconfig: "a" }, without)).toEqual([
      `export KUBECONFIG=${shellQuote(resolve("a"))}`,
    ]);
    expect(shellQuote("it's")).toBe("'it'\\''s'");
  });

  it("select the context if it is not the current one", () => {
    const access = { ...server, kubeconfig: "/a", context: "milo-quota" };
    expect(accessLines(access, withKubectl)).toEqual(["export KUBECONFIG=/a", "kubectl config use-context milo-quota"]);
    expect([accessLines(access, without), accessFlags(access)]).toEqual([
      ["export KUBECONFIG=/a"],
      " --context milo-quota",
    ]);
  });

  it("carry server and token as flags without a kubeconfig", () => {
    const access = { ...server, kubeconfig: undefined };
    const flags = " --server https://here:1 --insecure-skip-tls-verify --token t";
    expect(accessLines(access, withKubectl)).toEqual([`alias kubectl="kubectl${flags}"`]);
    expect([accessLines(access, without), accessFlags(access)]).toEqual([[], flags]);
  });
});
