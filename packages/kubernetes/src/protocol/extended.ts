import { setOwn } from "./json-value.ts";

/**
 * An object with members more than another, or other ones: what `{ ...base, ...more }` is. In Node 20 each object that a
 * member is added to while it is spread gets a hidden class of its own, and whatever is done with it is slow from then on;
 * this is for those of which one is made for every request.
 */
export function extended<Base extends object, More extends object>(base: Base, more: More): Base & More {
  const all: Record<string, unknown> = {};
  for (const members of [base, more] as readonly Readonly<Record<string, unknown>>[]) {
    for (const name of Object.keys(members)) {
      if (name === "__proto__") setOwn(all, name, members[name]);
      else all[name] = members[name];
    }
  }
  return all as Base & More;
}
