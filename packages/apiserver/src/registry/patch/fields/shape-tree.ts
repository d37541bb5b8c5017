/** A trie of shapes. */
export class ShapeTree<Found> {
  readonly #nodesMax: number;
  #nodes = 0;
  #root: Shape<Found>;

  constructor(placesMax: number) {
    this.#nodesMax = placesMax;
    this.#root = this.newNode();
  }

  /** The start of a shape. A tree that has grown too large starts over, but only between walks. */
  get root(): Shape<Found> {
    if (this.#nodes < this.#nodesMax) return this.#root;
    this.#nodes = 0;
    this.#root = this.newNode();
    return this.#root;
  }

  newNode(): Shape<Found> {
    this.#nodes += 1;
    return new Shape(this);
  }
}

/** A node of the tree: the same steps lead to the same node. */
export class Shape<Found> {
  /** The cached result for this shape. */
  result: Found | undefined;
  readonly #tree: ShapeTree<Found>;
  #end: Shape<Found> | undefined;
  /** The first step that was taken from here, which is mostly the only one. */
  #name: string | undefined;
  #next: Shape<Found> | undefined;
  #others: Map<string, Shape<Found>> | undefined;

  constructor(tree: ShapeTree<Found>) {
    this.#tree = tree;
  }

  step(name: string): Shape<Found> {
    if (this.#next !== undefined && this.#name === name) return this.#next;
    return this.#next === undefined ? this.#first(name) : this.#other(name);
  }

  /** Closes a nested value; a step that no name collides with. */
  end(): Shape<Found> {
    this.#end ??= this.#tree.newNode();
    return this.#end;
  }

  #first(name: string): Shape<Found> {
    this.#name = name;
    this.#next = this.#tree.newNode();
    return this.#next;
  }

  #other(name: string): Shape<Found> {
    this.#others ??= new Map();
    const existing = this.#others.get(name);
    if (existing !== undefined) return existing;
    const node = this.#tree.newNode();
    this.#others.set(name, node);
    return node;
  }
}
