import { setOwn } from "./json-value.ts";

/**
 * The same as `{ ...base, ...more }`. In Node 20 each object that gets a member added by a spread has a hidden class of
 * its own, which makes every later access slow. Hot: for objects that are created with every request.
 */
export function extendObject<Base extends object, More extends object>(base: Base, more: More): Base & More {
  const all: Record<string, unknown> = {};
  for (const members of [base, more] as readonly Readonly<Record<string, unknown>>[]) {
    for (const name of Object.keys(members)) {
      if (name === "__proto__") setOwn(all, name, members[name]);
      else all[name] = members[name];
    }
  }
  return all as Base & More;
}
