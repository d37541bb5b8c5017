import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { requireKubeconfig, writeKubeconfig } from "./kubeconfig-file.ts";

interface Read {
  readonly clusters: readonly { readonly name: string; readonly cluster: { readonly server: string } }[];
  readonly contexts: readonly { readonly name: string }[];
  readonly users: readonly { readonly name: string; readonly user: { readonly token: string } }[];
  readonly "current-context": string;
}

describe("a kubeconfig file", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "milo-quota-kubeconfig-"));
    path = join(folder, "config");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (token = "t") => writeKubeconfig(path, { server: "https://here", authority: "ca", token });
  const read = (): Read => parse(readFileSync(path, "utf8")) as Read;

  it("that is missing is created, and points to the server", () => {
    expect(write()).toEqual({ isCurrent: true });
    expect(read()["current-context"]).toBe("milo-quota");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("written before keeps additions, and gets the current token", () => {
    write("old");
    const own = JSON.parse(readFileSync(path, "utf8")) as Read;
    const added = { ...own, contexts: [...own.contexts, { name: "web", context: {} }], "current-context": "web" };
    writeFileSync(path, JSON.stringify(added));
    expect(write("new")).toEqual({ isCurrent: false });
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(read());
    expect(read().contexts.map(({ name }) => name)).toEqual(["milo-quota", "web"]);
    expect(read().users.map(({ user }) => user.token)).toEqual(["new"]);
    expect(read()["current-context"]).toBe("web");
  });

  it("with a missing current context points to the server", () => {
    writeFileSync(path, "apiVersion: v1\nkind: Config\ncontexts: null\ncurrent-context: gone\n");
    expect(write()).toEqual({ isCurrent: true });
    expect(read()["current-context"]).toBe("milo-quota");
  });

  it("keeps comments, and becomes readable by its owner only", () => {
    writeFileSync(path, "# mine\nkind: Config # yes\n");
    chmodSync(path, 0o644);
    write();
    expect(readFileSync(path, "utf8")).toMatch(/^# mine\nkind: Config # yes\n/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("is written to the target of a symbolic link", () => {
    const target = join(folder, "target");
    writeFileSync(target, "");
    symlinkSync(target, path);
    write();
    expect(readFileSync(target, "utf8")).toContain("https://here");
  });

  const none: Record<string, string> = {
    "is not YAML": "a: [",
    "is a string": "hello",
    "is another kind": "kind: Pod",
    "has no list of clusters": "clusters: {}",
  };
  for (const [what, text] of Object.entries(none)) {
    it(`that ${what} is not changed`, () => {
      writeFileSync(path, text);
      expect(() => requireKubeconfig(path)).toThrow(/is not a kubeconfig \(.*\) and was not changed; choose another/);
      expect(() => write()).toThrow(/is not a kubeconfig/);
      expect(readFileSync(path, "utf8")).toBe(text);
    });
  }
});
