import type {
  AdmissionPlugin,
  AdmissionRequest,
  Verdict,
} from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import type { ApiObject } from "@milo-quota/apiserver/registry/kinds/api-object.ts";
import type { Outcome } from "@milo-quota/kubernetes/protocol/admission-verdict.ts";

/** One question that a plug-in was asked, and what it was told of the outcome. */
export interface Asked {
  readonly request: AdmissionRequest;
  readonly outcomes: Outcome[];
}

type Answer = (request: AdmissionRequest, signal: AbortSignal) => Verdict | undefined | Promise<Verdict | undefined>;

/** A plug-in that allows everything, unless told otherwise, and remembers it. It looks at config maps alone. */
export class RecordingPlugin implements AdmissionPlugin {
  readonly name: string;
  readonly asked: Asked[] = [];
  answer: Answer = () => undefined;
  change: (object: ApiObject, request: AdmissionRequest) => ApiObject = (object) => object;

  /** Called when it is told of an outcome. */
  told: () => void = () => undefined;

  constructor(name: string) {
    this.name = name;
  }

  readonly mutate = async (request: AdmissionRequest): Promise<ApiObject> => {
    const object = request.object as ApiObject;
    return request.kind.plural === "configmaps" ? this.change(object, request) : object;
  };

  readonly validate = async (request: AdmissionRequest, signal: AbortSignal): Promise<Verdict> => {
    if (request.kind.plural !== "configmaps") return { allowed: true };
    const asked: Asked = { request, outcomes: [] };
    const verdict = await this.answer(request, signal);
    if (verdict?.allowed === false) return verdict;
    this.asked.push(asked);
    return {
      allowed: true,
      settled: (outcome) => {
        asked.outcomes.push(outcome);
        this.told();
      },
    };
  };

  /** For each question it allowed: `stored`, `not stored`, or what is wrong with the number of answers. */
  get outcomes(): readonly string[] {
    return this.asked.map(({ outcomes }) => {
      const [outcome] = outcomes;
      if (outcome === undefined || outcomes.length > 1) return `told ${outcomes.length} times`;
      return outcome.stored ? "stored" : "not stored";
    });
  }
}
