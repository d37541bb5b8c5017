import { expect, it } from "vitest";
import { Desk } from "../../../src/controllers/writer/desk.ts";

const consumer = { apiGroup: "", kind: "Namespace", namespace: "", name: "web" };

const cases: Record<string, [happens: (desk: Desk) => void, isFree: boolean]> = {
  "when nothing is to be done": [() => undefined, true],
  "while its pages are being written": [(desk) => (desk.isAtWork = true), false],
  "when it has to be counted": [(desk) => (desk.isCounted = false), false],
  "when somebody else may have written a page": [(desk) => desk.sawPage("x"), false],
  "when somebody waits": [(desk) => desk.expect({} as never), false],
  "when whoever waited is being seen to": [
    (desk) => {
      desk.expect({} as never);
      desk.takeComing();
    },
    true,
  ],
};
for (const [when, [happens, isFree]] of Object.entries(cases)) {
  it(`a desk ${isFree ? "is" : "is not"} free for a claim of its own ${when}`, () => {
    const desk = new Desk({ plane: "root", consumer });
    desk.isCounted = true;
    happens(desk);
    expect(desk.isFree).toBe(isFree);
  });
}
