const bytesMax = 128;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Who is said to write when a request does not name its field manager: the program of its User-Agent. */
export function managerOf(fieldManager: string, userAgent: string): string {
  return fieldManager === "" ? programOf(userAgent) : fieldManager;
}

/** `kubectl/v1.34.4 (linux/amd64)` is kubectl; what cannot be printed is left out, what is too long cut. */
function programOf(userAgent: string): string {
  const [whole = ""] = userAgent.split("/", 1);
  if (whole.length <= bytesMax && /^[ -~]*$/.test(whole)) return whole; // as nearly all of them
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
