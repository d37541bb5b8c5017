import type { Case } from "./case.ts";

/** One difference between two responses. */
export interface Difference {
  /** `[1].body.metadata.labels` */
  readonly path: string;
  readonly real: unknown;
  readonly embedded: unknown;
}

/** Matches messages of Kubernetes with Go types, fields, source files or decoder errors. */
const goWording =
  /\bGo (?:struct|value)|\.go:\d+|cannot (?:unmarshal|restore|convert) |unrecognized type: |parsing time |got &|is of the type |illegal base64 data|\{"(?:Name|Path|Rule|Type)":/;

/** Differences between the embedded server and Kubernetes that a case does not allow. */
export function embeddedDifferences(
  { mayDiffer = {} }: Case,
  answered: unknown,
  embeddedAnswered: unknown,
): readonly Difference[] {
  return differences(answered, embeddedAnswered).filter(
    (difference) => !Object.hasOwn(mayDiffer, difference.path) && !isGoWording(difference),
  );
}

/** Code, reason, and the field and reason of every cause must still agree. */
function isGoWording({ path, real, embedded }: Difference): boolean {
  return path.endsWith(".message") && typeof embedded === "string" && goWording.test(String(real));
}

/** All differences between two values. */
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
