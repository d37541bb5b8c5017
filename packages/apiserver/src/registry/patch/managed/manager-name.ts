const bytesMax = 128;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** The default field manager of a request: the program in its User-Agent. */
export function managerOf(fieldManager: string, userAgent: string): string {
  return fieldManager === "" ? programOf(userAgent) : fieldManager;
}

/** `kubectl/v1.34.4 (linux/amd64)` is kubectl; unprintable characters are removed and long names truncated. */
function programOf(userAgent: string): string {
  const [whole = ""] = userAgent.split("/", 1);
  if (whole.length <= bytesMax && /^[ -~]*$/.test(whole)) return whole; // nearly always
  let program = "";
  for (const character of whole) {
    if (!printable.test(character)) continue;
    if (bytes(program + character) > bytesMax) break;
    program += character;
  }
  return program;
}

function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
