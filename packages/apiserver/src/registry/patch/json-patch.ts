import { isJsonObject, type JsonValue, jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import {
  addAt,
  JsonPatchDraft,
  OperationFailed,
  type PatchTarget,
  removeAt,
  replaceAt,
  valueAt,
} from "./json-patch-draft.ts";
import type { JsonPatchOperation } from "./json-patch-operation.ts";
import { PatchRejected, requireShallow } from "./patch-errors.ts";

/** Limit on the bytes that copies may add, as in kube-apiserver. */
const copyBytesMax = 3 * 1024 * 1024;

/**
 * Applies a JSON patch (RFC 6902). The document is not modified. Throws PatchRejected for the first operation that
 * fails.
 */
export function applyJsonPatch(document: JsonValue, operations: readonly JsonPatchOperation[]): JsonValue {
  const run = new PatchRun(document);
  try {
    for (const operation of operations) run.take(operation);
  } catch (error) {
    throw error instanceof OperationFailed ? new PatchRejected(error.message) : error;
  }
  return requireShallow(run.result);
}

class PatchRun {
  readonly #draft: JsonPatchDraft;
  readonly #steps = new Map<string, (operation: JsonPatchOperation) => void>([
    ["add", (operation) => this.#add(operation)],
    ["remove", (operation) => this.#remove(operation)],
    ["replace", (operation) => this.#replace(operation)],
    ["move", (operation) => this.#move(operation)],
    ["copy", (operation) => this.#copy(operation)],
    ["test", (operation) => this.#test(operation)],
  ]);
  #copiedBytes = 0;

  constructor(document: JsonValue) {
    this.#draft = new JsonPatchDraft(document);
  }

  get result(): JsonValue {
    return this.#draft.root;
  }

  take(operation: JsonPatchOperation): void {
    const step = this.#steps.get(operation.op);
    if (step === undefined) throw new OperationFailed(`Unexpected kind: ${operation.op}`);
    step(operation);
  }

  #add({ path, value = null }: JsonPatchOperation): void {
    if (path === undefined) throw new OperationFailed("add operation failed to decode path: missing value");
    const target = this.#find(path, `add operation does not apply: doc is missing path: "${path}"`);
    within(`error in add for path: '${path}'`, () => addAt(target, value));
  }

  #remove({ path }: JsonPatchOperation): void {
    if (path === undefined) throw new OperationFailed("remove operation failed to decode path: missing value");
    const target = this.#find(path, `remove operation does not apply: doc is missing path: "${path}"`);
    within(`error in remove for path: '${path}'`, () => removeAt(target));
  }

  /** A missing member is added, and the root can only be replaced by an object or an array. */
  #replace(operation: JsonPatchOperation): void {
    const path = pathOf(operation);
    const { value = null } = operation;
    if (path === "") {
      if (isJsonObject(value) || Array.isArray(value)) this.#draft.replaceRoot(value);
      return;
    }
    const target = this.#find(path, `replace operation does not apply: doc is missing path: ${path}`);
    within(
      () => `replace operation does not apply: doc is missing key: ${path}: missing value`,
      () => replaceAt(target, value),
    );
  }

  #move(operation: JsonPatchOperation): void {
    const from = fromOf(operation);
    const source = this.#find(from, `move operation does not apply: doc is missing from path: ${from}`);
    const value = within(`error in move for path: '${source.key}'`, () => {
      const moved = valueAt(source) ?? null;
      removeAt(source);
      return moved;
    });
    const path = pathOf(operation);
    const target = this.#find(path, `move operation does not apply: doc is missing destination path: ${path}`);
    within(`error in move for path: '${path}'`, () => addAt(target, value));
  }

  #copy(operation: JsonPatchOperation): void {
    const from = fromOf(operation);
    const source = this.#find(from, `copy operation does not apply: doc is missing from path: ${from}`);
    const value = within(`error in copy for from: '${from}'`, () => valueAt(source) ?? null);
    const { path } = operation;
    if (path === undefined) throw new OperationFailed("copy operation failed to decode path: missing value");
    const target = this.#find(path, `copy operation does not apply: doc is missing destination path: ${path}`);
    const copy = this.#duplicate(value);
    within("error while adding value during copy", () => addAt(target, copy));
  }

  #test(operation: JsonPatchOperation): void {
    const path = pathOf(operation);
    const actual = path === "" ? this.#draft.root : this.#tested(path);
    if (!jsonEquals(actual, operation.value ?? null)) {
      throw new OperationFailed(`testing value ${path} failed: test failed`);
    }
  }

  #tested(path: string): JsonValue {
    const target = this.#find(path, `test operation does not apply: is missing path: ${path}`);
    return within(`error in test for path: '${path}'`, () => valueAt(target) ?? null);
  }

  /** A copy shares nothing with its source: later operations may change either. */
  #duplicate(value: JsonValue): JsonValue {
    this.#copiedBytes += writeJson(requireShallow(value)).length;
    if (this.#copiedBytes > copyBytesMax) {
      const sizes = `is ${this.#copiedBytes}, exceeding the limit ${copyBytesMax}`;
      throw new OperationFailed(`Unable to complete the copy, the accumulated size increase of copy ${sizes}`);
    }
    return structuredClone(value);
  }

  #find(path: string, otherwise: string): PatchTarget {
    const target = this.#draft.find(path);
    if (target === undefined) throw new OperationFailed(`${otherwise}: missing value`);
    return target;
  }
}

function pathOf({ op, path }: JsonPatchOperation): string {
  if (path !== undefined) return path;
  throw new OperationFailed(`${op} operation failed to decode path: operation missing path field: missing value`);
}

function fromOf({ op, from }: JsonPatchOperation): string {
  if (from !== undefined) return from;
  throw new OperationFailed(`${op} operation failed to decode from: operation, missing from field: missing value`);
}

/** Adds the location to an error. */
function within<Result>(where: string | (() => string), step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof OperationFailed)) throw error;
    throw new OperationFailed(typeof where === "string" ? `${where}: ${error.message}` : where());
  }
}
