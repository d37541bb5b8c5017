import type { Random as Chance } from "@milo-quota/kubernetes/client/backoff.ts";

/** No vowels and no ambiguous characters, so that generated names spell no words. */
const suffixLetters = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const generatedLengthMax = 63;

export interface Random extends Chance {
  uuid(): string;
}

/** A prefix with a random suffix of five letters; a long prefix is truncated to keep the name valid. */
export function generatedName(prefix: string, random: Random): string {
  const letters = Array.from(
    { length: suffixLength },
    () => suffixLetters[Math.floor(random.fraction() * suffixLetters.length)],
  );
  return prefix.slice(0, generatedLengthMax - suffixLength) + letters.join("");
}
