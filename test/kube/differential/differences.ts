/** One place where two answers are not the same. */
export interface Difference {
  /** `[1].body.metadata.labels` */
  readonly path: string;
  readonly real: unknown;
  readonly embedded: unknown;
}

/** Every place where two values differ. */
export function differences(real: unknown, embedded: unknown, path = ""): readonly Difference[] {
  if (Object.is(real, embedded)) return [];
  if (Array.isArray(real) && Array.isArray(embedded)) {
    const length = Math.max(real.length, embedded.length);
    return Array.from({ length }, (_, at) => differences(real[at], embedded[at], `${path}[${at}]`)).flat();
  }
  if (isObject(real) && isObject(embedded)) {
    const keys = [...new Set([...Object.keys(real), ...Object.keys(embedded)])];
    return keys.flatMap((key) => differences(real[key], embedded[key], path === "" ? key : `${path}.${key}`));
  }
  return [{ path, real, embedded }];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
