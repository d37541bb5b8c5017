import type {
  AdmissionPlugin,
  AdmissionRequest,
  Verdict,
} from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import type { ApiObject } from "@milo-quota/apiserver/registry/kinds/api-object.ts";
import type { StorageOutcome } from "@milo-quota/kubernetes/protocol/admission-verdict.ts";

/** One call of a plug-in with its outcomes. */
export interface RecordedCall {
  readonly request: AdmissionRequest;
  readonly outcomes: StorageOutcome[];
}

type Answer = (request: AdmissionRequest, signal: AbortSignal) => Verdict | undefined | Promise<Verdict | undefined>;

/** A plug-in for ConfigMaps that allows everything by default and records its calls. */
export class RecordingPlugin implements AdmissionPlugin {
  readonly name: string;
  readonly calls: RecordedCall[] = [];
  answer: Answer = () => undefined;
  change: (object: ApiObject, request: AdmissionRequest) => ApiObject = (object) => object;

  /** Called with each outcome. */
  onOutcome: () => void = () => undefined;

  constructor(name: string) {
    this.name = name;
  }

  readonly mutate = async (request: AdmissionRequest): Promise<ApiObject> => {
    const object = request.object as ApiObject;
    return request.kind.plural === "configmaps" ? this.change(object, request) : object;
  };

  readonly validate = async (request: AdmissionRequest, signal: AbortSignal): Promise<Verdict> => {
    if (request.kind.plural !== "configmaps") return { allowed: true };
    const call: RecordedCall = { request, outcomes: [] };
    const verdict = await this.answer(request, signal);
    if (verdict?.allowed === false) return verdict;
    this.calls.push(call);
    return {
      allowed: true,
      onSettled: (outcome) => {
        call.outcomes.push(outcome);
        this.onOutcome();
      },
    };
  };

  /** For each allowed request: `stored`, `not stored`, or a wrong number of outcomes. */
  get outcomes(): readonly string[] {
    return this.calls.map(({ outcomes }) => {
      const [outcome] = outcomes;
      if (outcome === undefined || outcomes.length > 1) return `${outcomes.length} outcomes`;
      return outcome.stored ? "stored" : "not stored";
    });
  }
}
