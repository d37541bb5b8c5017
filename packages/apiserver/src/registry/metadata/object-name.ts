/** No vowels and nothing that looks like another letter: generated names spell no words. */
const suffixLetters = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const generatedLengthMax = 63;

/** Chance as a parameter. */
export interface Random {
  /** From 0 up to, but not including, 1. */
  fraction(): number;
  uuid(): string;
}

/** A prefix with five random letters behind it; a long prefix is cut so that the whole stays a label. */
export function generatedName(prefix: string, random: Random): string {
  const letters = Array.from(
    { length: suffixLength },
    () => suffixLetters[Math.floor(random.fraction() * suffixLetters.length)],
  );
  return prefix.slice(0, generatedLengthMax - suffixLength) + letters.join("");
}

/** What nobody could store. */
const unstorable = /[\0\p{Surrogate}]/u;
const pathSegmentLengthMax = 1_024;

const none: readonly never[] = [];

/** What the path of a URL, or the store, cannot hold as a name. */
export function pathSegmentIssues(name: string): readonly string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  if (unstorable.test(name)) return ["may not contain U+0000, nor half of a surrogate pair"];
  if (name.length > pathSegmentLengthMax) return [`must be no more than ${pathSegmentLengthMax} characters`];
  if (!name.includes("/") && !name.includes("%")) return none;
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}
