import type { ApiObject } from "../served-kind.ts";

const formed = new WeakSet<ApiObject>();

/** Says of an object that it is in the shape it will be stored in, and that its managed fields are right. */
export function asFormed(object: ApiObject): ApiObject {
  formed.add(object);
  return object;
}

/** Whether that is known of an object. Of one that somebody changed on its way it is not. */
export function isFormed(object: ApiObject): boolean {
  return formed.has(object);
}
