import { beforeEach, describe, expect, it } from "vitest";
import { AdmissionBook } from "./admission-book.ts";
import { AdmittedObjectsAreCounted, answerFaults } from "./admitted-objects-are-counted.ts";
import {
  claim,
  claims,
  forObjects,
  grant,
  grants,
  Planted,
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
import type { QuotaChange } from "./quota-truth.ts";
import { transactionFaults } from "./transactions-are-whole.ts";

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

describe("a transaction", () => {
  /** All that a transaction writes, and what is found to be wrong with it. */
  function faultsOf(write: (planted: Planted) => void): readonly string[] {
    const changes: QuotaChange[] = [];
    const planted = new Planted([], (change) => changes.push(change));
    planted.put(grants, grant("g", [{ amount: 2 }]));
    planted.put(pages, page({ limit: 2, allocated: 1, shares: [["g", 2, 1]] }));
    planted.put(claims, claim("old", "granted", one, forObjects("o", "o")));
    planted.put(things, thing("o"));
    changes.length = 0;
    write(planted);
    return [...transactionFaults(changes, planted.truth)];
  }
  const counting = (allocated: number) => page({ limit: 2, allocated, shares: [["g", 2, 1]] });
  const born = (amount = 1) => claim("c", "granted", [{ amount }], forObjects("t", "t"));
  const cases: Record<string, readonly [write: (planted: Planted) => void, faults: number]> = {
    "of page, claim and object is whole": [
      (planted) => {
        planted.put(pages, counting(2));
        planted.put(claims, born());
        planted.put(things, thing("t"));
      },
      0,
    ],
    "without the page is not": [
      (planted) => {
        planted.put(claims, born());
        planted.put(things, thing("t"));
      },
      1,
    ],
    "without the object is not": [
      (planted) => {
        planted.put(pages, counting(2));
        planted.put(claims, born());
      },
      1,
    ],
    "whose claim does not fit is not": [
      (planted) => {
        planted.put(pages, counting(3));
        planted.put(claims, born(2));
        planted.put(things, thing("t"));
      },
      1,
    ],
    "that removes object, claim and what the page counts is whole": [
      (planted) => {
        planted.remove(things, "o");
        planted.remove(claims, "old");
        planted.put(pages, counting(0));
      },
      0,
    ],
    "that removes object and claim and leaves the page is not": [
      (planted) => {
        planted.remove(things, "o");
        planted.remove(claims, "old");
      },
      1,
    ],
    "of one write that grants a claim later is another matter": [
      (planted) => planted.put(claims, claim("d", "pending", one)),
      0,
    ],
  };
  for (const [what, [write, faults]] of Object.entries(cases)) {
    it(`${what}: ${faults === 0 ? "accepted" : "reported"}`, () => {
      expect(faultsOf(write)).toHaveLength(faults);
    });
  }
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
