/** All shapes that were seen, as a tree: those that begin alike share their beginning. */
export class ShapeTree<Found> {
  readonly #placesMax: number;
  #places = 0;
  #root: Shape<Found>;

  constructor(placesMax: number) {
    this.#placesMax = placesMax;
    this.#root = this.place();
  }

  /** Where a shape begins. A tree that has become too large starts over, but not while somebody is on the way. */
  get root(): Shape<Found> {
    if (this.#places < this.#placesMax) return this.#root;
    this.#places = 0;
    this.#root = this.place();
    return this.#root;
  }

  place(): Shape<Found> {
    this.#places += 1;
    return new Shape(this);
  }
}

/** A place in the tree. Whoever comes by the same steps comes to the same place. */
export class Shape<Found> {
  /** What somebody found out about this shape. */
  found: Found | undefined;
  readonly #tree: ShapeTree<Found>;
  #end: Shape<Found> | undefined;
  /** The first step from here that was seen, which is mostly the only one. */
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

  /** The end of what has been begun; a step of its own, that no name is taken for. */
  end(): Shape<Found> {
    this.#end ??= this.#tree.place();
    return this.#end;
  }

  #first(name: string): Shape<Found> {
    this.#name = name;
    this.#next = this.#tree.place();
    return this.#next;
  }

  #other(name: string): Shape<Found> {
    this.#others ??= new Map();
    const known = this.#others.get(name);
    if (known !== undefined) return known;
    const place = this.#tree.place();
    this.#others.set(name, place);
    return place;
  }
}
