// Rules for folders and files: size of folders, no import cycles, unambiguous file names. tools/architecture.test.ts
// enforces them.
import { basename, dirname } from "node:path/posix";

/** Source files per folder: a larger folder should be split. */
export const sourcesMax = 25;

export function largeFolders(files: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const file of files.filter((each) => !each.endsWith(".test.ts"))) {
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > sourcesMax).map(([folder, count]) => `${folder}: ${count} sources`);
}

/** File names that occur in several packages. */
export function ambiguousNames(files: readonly string[]): readonly string[] {
  const packagesOf = new Map<string, Set<string>>();
  for (const file of files.filter((each) => !each.endsWith(".test.ts"))) {
    const [, name = ""] = file.split("/");
    packagesOf.set(basename(file), (packagesOf.get(basename(file)) ?? new Set()).add(name));
  }
  const shared = [...packagesOf].filter(([, packages]) => packages.size > 1);
  return shared.map(([file, packages]) => `${file}: ${[...packages].sort().join(", ")}`);
}

/** Import cycles, type imports included: the strongly connected components of the import graph, by Tarjan's algorithm. */
export function cyclesIn(importsOf: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const nodes = new Map<string, { index: number; low: number; isOpen: boolean }>();
  const open: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): { index: number; low: number; isOpen: boolean } => {
    const node = { index: nodes.size, low: nodes.size, isOpen: true };
    nodes.set(file, node);
    open.push(file);
    for (const target of importsOf.get(file) ?? []) {
      const known = nodes.get(target);
      if (known === undefined) node.low = Math.min(node.low, visit(target).low);
      else if (known.isOpen) node.low = Math.min(node.low, known.index);
    }
    if (node.low === node.index) closeFrom(file);
    return node;
  };
  const closeFrom = (file: string): void => {
    const members = open.splice(open.indexOf(file));
    for (const each of members) (nodes.get(each) as { isOpen: boolean }).isOpen = false;
    const isCycle = members.length > 1 || importsOf.get(file)?.includes(file) === true;
    if (isCycle) cycles.push(members.sort());
  };
  for (const file of importsOf.keys()) if (!nodes.has(file)) visit(file);
  return cycles;
}
