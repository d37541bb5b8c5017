import { beforeEach, describe, expect, it } from "vitest";
import { AdmissionBook } from "./admission-book.ts";
import { AdmittedObjectsAreCounted, answerFaults } from "./admitted-objects-are-counted.ts";
import { BornTogether } from "./born-together.ts";
import {
  claim,
  claims,
  forObjects,
  grant,
  grants,
  Planted,
  type Promised,
  page,
  pages,
  policies,
  registration,
  registrations,
  thing,
  things,
} from "./checking.ts";
import { ClaimsOutliveObjects } from "./claims-outlive-objects.ts";
import { DenialsAreTrue } from "./denials-are-true.ts";
import { PolicyHistory } from "./policy-history.ts";

const one = [{ amount: 1 }];

describe("denials are true", () => {
  let planted: Planted;
  let book: AdmissionBook;
  const deny = (): readonly string[] => planted.put(claims, claim("c", "denied", one));
  beforeEach(() => {
    book = new AdmissionBook();
    planted = new Planted([new DenialsAreTrue(1_000, book)]);
    planted.put(registrations, registration());
    planted.put(grants, grant("g", [{ amount: 1 }]));
  });

  it("reports a claim that always had room", () => {
    planted.put(claims, claim("c", "pending", one));
    expect(deny()).toHaveLength(1);
  });

  const reasons: Record<string, () => void> = {
    "another claim held it for a moment": () => {
      planted.put(claims, claim("d", "granted", one));
      planted.remove(claims, "d");
    },
    "it was promised to another claim": () => {
      planted.put(pages, page({ limit: 1, allocated: 0, promised: [{ by: "d", amount: 1 }] }));
      planted.put(pages, page({ limit: 1, allocated: 0 }));
    },
    "the page counted somebody who is gone": () => {
      planted.put(pages, page({ limit: 1, allocated: 1 }));
    },
    "the grant was smaller for a moment": () => {
      planted.put(grants, grant("g", [{ amount: 0 }], 2));
      planted.put(grants, grant("g", [{ amount: 1 }], 3));
    },
    "nobody had registered it for a moment": () => {
      planted.put(registrations, registration("x/things", false));
      planted.put(registrations, registration());
    },
  };
  for (const [reason, happens] of Object.entries(reasons)) {
    it(`accepts a denial when ${reason}`, () => {
      planted.put(claims, claim("c", "pending", one));
      happens();
      expect(deny()).toEqual([]);
    });
  }

  it("does not take its own promise for use by others", () => {
    planted.put(claims, claim("c", "pending", one));
    planted.put(pages, page({ limit: 1, allocated: 0, promised: [{ by: "c", amount: 1 }] }));
    expect(deny()).toHaveLength(1);
  });

  const early: Record<string, readonly [begunMs: number, faults: number]> = {
    "something changed since somebody began to ask for it": [400, 0],
    "nothing changed since somebody began to ask for it": [600, 1],
  };
  for (const [what, [begunMs, faults]] of Object.entries(early)) {
    it(`knows of claims that are decided before they are stored: ${what}`, () => {
      planted.nowMs = 500;
      planted.put(grants, grant("g", [{ amount: 1 }], 2));
      book.begun("t", begunMs);
      planted.nowMs = 700;
      planted.put(claims, claim("c", "pending", one, forObjects("t")));
      expect(planted.put(claims, claim("c", "denied", one, forObjects("t")))).toHaveLength(faults);
    });
  }

  it("takes a grant for expired when some clock may say so", () => {
    const expiring = (atMs: number): readonly string[] => {
      planted.put(grants, grant("g", [{ amount: 1 }], 2, { expiresAt: new Date(atMs).toISOString() }));
      planted.put(claims, claim("c", "pending", one));
      const faults = deny();
      planted.remove(claims, "c");
      return faults;
    };
    expect(expiring(1_500)).toHaveLength(1);
    expect(expiring(500)).toEqual([]);
  });
});

describe("objects that were let in", () => {
  let book: AdmissionBook;
  let planted: Planted;
  const policy = (text: string) => ({
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ClaimCreationPolicy",
    metadata: { name: "things", uid: "p" },
    spec: { text },
  });
  beforeEach(() => {
    book = new AdmissionBook();
    const history = new PolicyHistory();
    const invariants = [new AdmittedObjectsAreCounted(book, history), new ClaimsOutliveObjects(book, history)];
    planted = new Planted(invariants, (change) => history.take(change));
    planted.put(policies, policy("first"));
    planted.nowMs = 10;
    planted.put(claims, claim("c", "granted", one, forObjects("t")));
    book.allowed("t", [{ uid: "c", policy: "things" }], 0);
  });

  it("are accepted while a granted claim lists them", () => {
    expect(planted.put(things, thing("t"))).toEqual([]);
    expect(planted.put(claims, claim("c", "granted", one, forObjects("t", "t")))).toEqual([]);
  });

  it("are reported when no claim lists them, or a claim that is not granted", () => {
    planted.put(claims, claim("c", "granted", one, forObjects("another")));
    expect(planted.put(things, thing("t"))).toHaveLength(1);
    planted.put(claims, claim("c", "granted", one, forObjects("t")));
    expect(planted.put(claims, claim("c", "pending", one, forObjects("t")))).toHaveLength(1);
  });

  it("are reported when their claim goes: while they exist, and while they may still be stored", () => {
    expect(planted.remove(claims, "c")).toHaveLength(1);
    planted.put(claims, claim("c", "granted", one, forObjects("t")));
    planted.put(things, thing("t"));
    book.landedOrDropped("t");
    expect(planted.remove(claims, "c")).toHaveLength(2);
  });

  it("may lose their claim when they are gone, when their policy changed, or when somebody says so", () => {
    book.landedOrDropped("t");
    expect(planted.remove(claims, "c")).toEqual([]);
    planted.put(claims, claim("c", "granted", one, forObjects("t")));
    planted.put(things, thing("t"));
    planted.nowMs = 20;
    planted.put(policies, policy("second"));
    expect(planted.remove(claims, "c")).toEqual([]);
    planted.nowMs = 30;
    planted.put(claims, claim("d", "granted", one, forObjects("t")));
    book.endedByHand("d");
    expect(planted.remove(claims, "d")).toEqual([]);
  });

  it("were let in wrongly when their claim was not granted, did not list them, or was gone at that moment", () => {
    const faults = (uid: string, by: string): readonly string[] => [
      ...answerFaults(uid, [{ uid: by, policy: "things" }], planted.truth),
    ];
    planted.put(claims, claim("p", "pending", one, forObjects("t")));
    expect(faults("t", "c")).toEqual([]);
    expect(faults("u", "c")).toHaveLength(1);
    expect(faults("t", "p")).toHaveLength(1);
    expect(faults("t", "gone")).toHaveLength(1);
  });
});

describe("objects that were let in by promises", () => {
  let planted: Planted;
  const promise = (by: string) => page({ limit: 1, allocated: 0, promised: [{ by, amount: 1 }] });
  beforeEach(() => {
    const book = new AdmissionBook();
    book.allowed("t", [{ uid: "c", policy: "things" }], 0);
    planted = new Planted([new AdmittedObjectsAreCounted(book, new PolicyHistory(), "promises")]);
  });

  it("are accepted while a claim lists them that is promised all it asks for", () => {
    planted.put(pages, promise("c"));
    planted.put(claims, claim("c", "pending", one, forObjects("t")));
    expect(planted.put(things, thing("t"))).toEqual([]);
  });

  it("are reported when another claim is promised that, or nobody", () => {
    planted.put(claims, claim("c", "pending", one, forObjects("t")));
    expect(planted.put(things, thing("t"))).toHaveLength(1);
    planted.put(pages, promise("another"));
    expect(planted.put(claims, claim("c", "pending", one, forObjects("t")))).toHaveLength(1);
  });
});

describe("a claim that is born granted", () => {
  const counting = (...promised: Promised[]) => page({ limit: 1, allocated: 1, promised, shares: [["g", 1, 1]] });
  const born: Record<string, readonly [happens: (planted: Planted) => void, faults: number]> = {
    "comes with the page that counts it": [() => undefined, 0],
    "comes after the page": [(planted) => (planted.nowMs += 1), 1],
    "comes when another has taken its place": [(planted) => planted.put(claims, claim("d", "granted", one)), 1],
    "comes when the page promises its place to another": [
      (planted) => {
        planted.nowMs += 1;
        planted.put(pages, counting({ by: "d", amount: 1 }));
      },
      1,
    ],
    "comes before the page promises, in the same piece, what was forced": [
      (planted) => planted.put(pages, counting({ by: "d", amount: 1, forced: true })),
      0,
    ],
  };
  for (const [what, [happens, faults]] of Object.entries(born)) {
    it(`${what}: ${faults === 0 ? "accepted" : "reported"}`, () => {
      const planted = new Planted([new BornTogether()]);
      planted.put(grants, grant("g", [{ amount: 1 }]));
      planted.put(pages, counting());
      happens(planted);
      expect(planted.put(claims, claim("c", "granted", one))).toHaveLength(faults);
    });
  }

  const keeping = (ahead: number) =>
    page({ limit: 4, allocated: 0, shares: [["g", 4, 1]], more: ahead === 0 ? {} : { ahead } });
  const kept: Record<string, readonly [ahead: number, came: number, amount: number, faults: number]> = {
    "takes of what its page keeps": [2, 0, 2, 0],
    "takes what is left of it": [3, 2, 1, 0],
    "takes more than its page keeps": [2, 0, 3, 1],
    "takes more than is left of it": [3, 2, 2, 1],
    "takes of a page that keeps nothing": [0, 0, 1, 1],
  };
  for (const [what, [ahead, came, amount, faults]] of Object.entries(kept)) {
    it(`${what}: ${faults === 0 ? "accepted" : "reported"}`, () => {
      const planted = new Planted([new BornTogether()]);
      planted.put(grants, grant("g", [{ amount: 4 }]));
      expect(planted.put(pages, keeping(ahead))).toEqual([]);
      planted.nowMs += 1;
      if (came > 0) expect(planted.put(claims, claim("b", "granted", [{ amount: came }]))).toEqual([]);
      expect(planted.put(claims, claim("c", "granted", [{ amount }]))).toHaveLength(faults);
    });
  }

  it("is reported when its page keeps more than there is, but for those that came by the version before", () => {
    const planted = new Planted([new BornTogether()]);
    planted.put(grants, grant("g", [{ amount: 4 }]));
    expect(planted.put(pages, keeping(5))).toHaveLength(1);
    planted.put(pages, keeping(4));
    planted.nowMs += 1;
    planted.put(claims, claim("c", "granted", [{ amount: 2 }]));
    expect(planted.put(pages, keeping(4))).toEqual([]);
    expect(planted.put(pages, keeping(4))).toHaveLength(1);
  });

  it("is another matter than one that is granted later", () => {
    const planted = new Planted([new BornTogether()]);
    planted.put(claims, claim("c", "pending", one));
    planted.put(pages, page({ limit: 1, allocated: 0, promised: [{ by: "c", amount: 1 }] }));
    planted.nowMs += 1;
    expect(planted.put(claims, claim("c", "granted", one))).toEqual([]);
  });
});

describe("claims of people and services", () => {
  it("are deleted by nobody else", () => {
    const book = new AdmissionBook();
    const planted = new Planted([new ClaimsOutliveObjects(book, new PolicyHistory())]);
    planted.put(claims, claim("mine", "denied", one));
    expect(planted.remove(claims, "mine")).toHaveLength(1);
    planted.put(claims, claim("mine", "denied", one));
    book.endedByHand("mine");
    expect(planted.remove(claims, "mine")).toEqual([]);
  });
});
