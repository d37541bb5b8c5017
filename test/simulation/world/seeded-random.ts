/** Pseudorandom numbers that depend only on the seed and the name of the stream. */
export class SeededRandom {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** Streams of different names are independent. */
  constructor(seed: number, name = "") {
    this.#a = mixed(seed | 0, 0x9e3779b9);
    this.#b = mixed(Math.floor(seed / 2 ** 32), this.#a);
    this.#c = mixed(hashOf(name), this.#b);
    for (let warm = 0; warm < 12; warm += 1) this.bits();
  }

  /** In [0, 1). */
  fraction(): number {
    return this.bits() / 2 ** 32;
  }

  /** An integer in [0, count). */
  below(count: number): number {
    return Math.floor(this.fraction() * count);
  }

  /** An integer in [least, most]. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item {
    if (items.length === 0) throw new RangeError("nothing to pick from");
    return items[this.below(items.length)] as Item;
  }

  shuffled<Item>(items: readonly Item[]): readonly Item[] {
    const left = [...items];
    return items.map(() => left.splice(this.below(left.length), 1)[0] as Item);
  }

  uuid(): string {
    const hex = [this.bits(), this.bits(), this.bits(), this.bits()]
      .map((bits) => bits.toString(16).padStart(8, "0"))
      .join("");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  /** 32 random bits (sfc32). */
  bits(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }
}

function mixed(value: number, salt: number): number {
  let bits = (value ^ salt) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) | 0;
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
