import type { Random as Chance } from "@milo-quota/kubernetes/client/backoff.ts";

/** No vowels and nothing that looks like another letter: generated names spell no words. */
const suffixLetters = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const generatedLengthMax = 63;

export interface Random extends Chance {
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
