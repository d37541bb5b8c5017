import { expect } from "vitest";
import type { Body, TestServer } from "./test-server.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** Pseudorandom numbers in [0, 1) by seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<Item>(random: () => number, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

/** Creates, updates or deletes one of a few ConfigMaps. */
export async function writeSomething(server: TestServer, random: () => number, names = 12): Promise<void> {
  const name = `object-${Math.floor(random() * names)}`;
  const labels = { color: pick(random, ["red", "blue"]) };
  const body = { metadata: { name, labels }, data: { value: String(random()) } };
  const created = await server.create(configMaps, body);
  if (created.code === 201) return;
  const isDelete = random() < 0.3;
  const reply = isDelete
    ? await server.remove(`${configMaps}/${name}`)
    : await server.replace(`${configMaps}/${name}`, body);
  expect(reply.code).toBe(200);
}

/** The state of a client that follows watch events. */
export class FollowedState {
  readonly #objects = new Map<string, Body>();

  /** Fails on events that do not follow from the current state. */
  learn(type: string, object: Body): void {
    const { name } = object.metadata;
    const known = this.#objects.has(name);
    if (type === "BOOKMARK") return;
    expect(`${type} of ${known ? "known" : "unknown"}`).toMatch(/^(ADDED of unknown|(MODIFIED|DELETED) of known)$/);
    if (type === "DELETED") this.#objects.delete(name);
    else this.#objects.set(name, object);
  }

  start(objects: readonly Body[]): void {
    this.#objects.clear();
    for (const object of objects) this.#objects.set(object.metadata.name, object);
  }

  get all(): readonly Body[] {
    return [...this.#objects.values()].sort((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
  }
}

/** List items have no kind and apiVersion. */
export function withoutKind({ kind: _, apiVersion: __, ...rest }: Body): Body {
  return rest;
}
