// Pages use different names, so that readers can follow them in any order, and an unfinished guide
// does not break the next one.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { readGuide } from "./guide.ts";
import { guides, textOf } from "./guide-files.ts";
import { parts } from "./guide-suite-parts.ts";

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: { readonly resourceType?: string };
}

const examples = join(import.meta.dirname, "../../examples");

/** Folders that readers apply together: each folder of an example with its `try`, each folder of a guide. */
const folderOf = (file: string): string => dirname(file).replace(/\/try$/, "");

const manifests = readdirSync(examples, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".yaml"))
  .flatMap((file) =>
    parseAllDocuments(readFileSync(join(examples, file), "utf8")).map((document) => ({
      folder: folderOf(file),
      manifest: document.toJS() as Manifest,
    })),
  );

/** Returns the names that several places use, each with its places. */
function usedTwice(uses: readonly (readonly [name: string, place: string])[]): Readonly<Record<string, string[]>> {
  const places = new Map<string, Set<string>>();
  for (const [name, place] of uses) places.set(name, (places.get(name) ?? new Set()).add(place));
  return Object.fromEntries([...places].filter(([, { size }]) => size > 1).map(([name, used]) => [name, [...used]]));
}

describe("names in examples and guides", () => {
  it("finds a name that two places use", () => {
    const uses: [string, string][] = [
      ["a", "one"],
      ["a", "one"],
      ["b", "one"],
      ["b", "two"],
    ];
    expect(usedTwice(uses)).toEqual({ b: ["one", "two"] });
  });

  it("no object is declared in two folders", () => {
    expect(manifests.length).toBeGreaterThan(50);
    const objects = manifests.map(({ folder, manifest: { apiVersion, kind, metadata } }) => {
      const group = apiVersion.replace(/\/?[^/]*$/, "");
      return [[group, kind, metadata.namespace ?? "", metadata.name].join("/"), folder] as const;
    });
    expect(usedTwice(objects)).toEqual({});
  });

  it("no resource type is registered in two folders", () => {
    const registrations = manifests.filter(({ manifest }) => manifest.kind === "ResourceRegistration");
    expect(usedTwice(registrations.map(({ folder, manifest }) => [manifest.spec?.resourceType ?? "", folder]))).toEqual(
      {},
    );
  });

  it("no namespace or role is created by the commands of two pages", () => {
    const created = guides.flatMap((guide) =>
      readGuide(textOf(guide)).flatMap((step) => {
        const command = step.kind === "command" ? step.command : "";
        const [, kind, name] = /^kubectl create (namespace|clusterrole) (\S+)/.exec(command) ?? [];
        return name === undefined ? [] : [[`${kind}/${name}`, guide] as const];
      }),
    );
    expect(created.length).toBeGreaterThan(5);
    expect(usedTwice(created)).toEqual({});
  });

  it("there is a test file for each part of the guides", () => {
    const files = readdirSync(import.meta.dirname).filter((name) => /^guides-\d+\.test\.ts$/.test(name));
    expect(files.sort()).toEqual(Array.from({ length: parts }, (_, index) => `guides-${index + 1}.test.ts`));
  });
});
