import { compareElements, elementString, type PathElement } from "./path-element.ts";

/**
 * A set of fields, as a trie. A field and its children are members independently. Every node is a member or has members
 * below.
 */
export type FieldSet = ReadonlyMap<string, FieldNode>;

export interface FieldNode {
  readonly element: PathElement;
  readonly isMember: boolean;
  readonly below: FieldSet;
}

export type FieldPath = readonly PathElement[];

export const noFields: FieldSet = new Map();

export function isEmptySet(set: FieldSet): boolean {
  return set.size === 0;
}

export function setOf(...paths: readonly FieldPath[]): FieldSet {
  return paths.map(singlePath).reduce(union, noFields);
}

function singlePath([first, ...rest]: FieldPath): FieldSet {
  if (first === undefined) return noFields;
  return new Map([[first.text, { element: first, isMember: rest.length === 0, below: singlePath(rest) }]]);
}

export function hasPath(set: FieldSet, [first, ...rest]: FieldPath): boolean {
  const node = first === undefined ? undefined : set.get(first.text);
  if (node === undefined) return false;
  return rest.length === 0 ? node.isMember : hasPath(node.below, rest);
}

export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left.size === 0) return right;
  if (right.size === 0) return left;
  const all = new Map(left);
  for (const [text, node] of right) {
    const other = all.get(text);
    all.set(text, other === undefined ? node : joined(other, node));
  }
  return all;
}

function joined(left: FieldNode, right: FieldNode): FieldNode {
  return {
    element: left.element,
    isMember: left.isMember || right.isMember,
    below: union(left.below, right.below),
  };
}

export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  return changed(left, ({ element, isMember, below }) => {
    const other = right.get(element.text);
    if (other === undefined) return undefined;
    return { element, isMember: isMember && other.isMember, below: intersection(below, other.below) };
  });
}

/** Removes the fields of another set, but not their children. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  if (right.size === 0) return left;
  return changed(left, (node) => {
    const other = right.get(node.element.text);
    if (other === undefined) return node;
    const isMember = node.isMember && !other.isMember;
    const below = difference(node.below, other.below);
    return isMember === node.isMember && below === node.below ? node : { element: node.element, isMember, below };
  });
}

/** Removes the fields of another set and all their children. */
export function recursiveDifference(left: FieldSet, right: FieldSet): FieldSet {
  if (right.size === 0) return left;
  return changed(left, (node) => {
    const other = right.get(node.element.text);
    if (other === undefined) return node;
    if (other.isMember) return undefined;
    const below = recursiveDifference(node.below, other.below);
    return below === node.below ? node : { ...node, below };
  });
}

/** Maps a set node by node, dropping empty nodes. Returns the same set when nothing changes. */
function changed(set: FieldSet, change: (node: FieldNode) => FieldNode | undefined): FieldSet {
  let result: Map<string, FieldNode> | undefined;
  for (const [text, node] of set) {
    const next = change(node);
    if (next === node) continue;
    result ??= new Map(set);
    if (next !== undefined && (next.isMember || next.below.size > 0)) result.set(text, next);
    else result.delete(text);
  }
  return result ?? set;
}

export function equalSets(left: FieldSet, right: FieldSet): boolean {
  if (left.size !== right.size) return false;
  for (const [text, node] of left) {
    const other = right.get(text);
    if (other === undefined || other.isMember !== node.isMember || !equalSets(node.below, other.below)) return false;
  }
  return true;
}

/** In the order in which Kubernetes writes them. */
export function orderedNodes(set: FieldSet): readonly FieldNode[] {
  return [...set.values()].sort((left, right) => compareElements(left.element, right.element));
}

/** All members, breadth first per node. */
export function pathsOf(set: FieldSet, prefix: FieldPath = []): readonly FieldPath[] {
  const nodes = orderedNodes(set);
  const here = nodes.filter((node) => node.isMember).map(({ element }) => [...prefix, element]);
  return [...here, ...nodes.flatMap(({ element, below }) => pathsOf(below, [...prefix, element]))];
}

export function pathString(path: FieldPath): string {
  return path.map(elementString).join("");
}
