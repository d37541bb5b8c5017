// The limits of the floor plan: how full a folder may be, no cycles, and file names that mean one thing. Proved in
// tools/architecture.test.ts.
import { basename, dirname } from "node:path/posix";

/** Sources in one folder: more than a reader takes in at a glance are a folder that wants to be split. */
export const sourcesMax = 25;

export function crowdedFolders(files: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const file of files.filter((each) => !each.endsWith(".test.ts"))) {
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > sourcesMax).map(([folder, count]) => `${folder}: ${count} sources`);
}

/** File names that two packages use. */
export function sharedNames(files: readonly string[]): readonly string[] {
  const packagesOf = new Map<string, Set<string>>();
  for (const file of files.filter((each) => !each.endsWith(".test.ts"))) {
    const [, name = ""] = file.split("/");
    packagesOf.set(basename(file), (packagesOf.get(basename(file)) ?? new Set()).add(name));
  }
  const shared = [...packagesOf].filter(([, packages]) => packages.size > 1);
  return shared.map(([file, packages]) => `${file}: ${[...packages].sort().join(", ")}`);
}

/** Cycles of imports, those of types alone included: each set of files that reach each other. */
export function cyclesIn(importsOf: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const places = new Map<string, { index: number; low: number; isOpen: boolean }>();
  const open: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): { index: number; low: number; isOpen: boolean } => {
    const place = { index: places.size, low: places.size, isOpen: true };
    places.set(file, place);
    open.push(file);
    for (const target of importsOf.get(file) ?? []) {
      const known = places.get(target);
      if (known === undefined) place.low = Math.min(place.low, visit(target).low);
      else if (known.isOpen) place.low = Math.min(place.low, known.index);
    }
    if (place.low === place.index) closeFrom(file);
    return place;
  };
  const closeFrom = (file: string): void => {
    const members = open.splice(open.indexOf(file));
    for (const each of members) (places.get(each) as { isOpen: boolean }).isOpen = false;
    const isCycle = members.length > 1 || importsOf.get(file)?.includes(file) === true;
    if (isCycle) cycles.push(members.sort());
  };
  for (const file of importsOf.keys()) if (!places.has(file)) visit(file);
  return cycles;
}
