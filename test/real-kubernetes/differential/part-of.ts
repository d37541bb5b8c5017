const step = /([^.[\]]+)|\[([^=\]]+)=([^\]]*)\]/g;

/** The value at a path such as `items[metadata.name=one].spec`; undefined if there is none. */
export function partOf(whole: unknown, path: string): unknown {
  let value = whole;
  for (const [, field, key, wanted] of path.matchAll(step)) {
    if (field !== undefined) value = member(value, field);
    else value = Array.isArray(value) ? value.find((item) => partOf(item, key as string) === wanted) : undefined;
  }
  return value;
}

function member(value: unknown, field: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[field] : undefined;
}
