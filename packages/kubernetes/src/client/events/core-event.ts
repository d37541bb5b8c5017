import { formatMicroTime, formatTime } from "../../protocol/time.ts";

/** The object that an event is about. */
export interface InvolvedObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects; their events are in `default`. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion?: string;
}

export interface EventContent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** Labels of the event itself. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The reporting component. */
export interface EventSource {
  readonly component: string;
  readonly instance: string;
}

/** An event to write, which may stand for several similar ones. */
export interface CorrelatedEvent {
  readonly name: string;
  readonly involvedObject: InvolvedObject;
  readonly content: EventContent;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly count: number;
}

const messageLengthMax = 1_024;
const nameLengthMax = 253;

export function namespaceOf({ namespace }: InvolvedObject): string {
  return namespace === "" ? "default" : namespace;
}

/** A unique name: of the object, with a timestamp. */
export function eventName({ name }: InvolvedObject, nowMs: number, serial: number): string {
  const moment = (BigInt(Math.trunc(nowMs)) * 1_000_000n + BigInt(serial % 1_000_000)).toString(16);
  return `${name.slice(0, nameLengthMax - moment.length - 1).replace(/[.-]+$/, "")}.${moment}`;
}

export function truncateMessage(message: string): string {
  return message.length <= messageLengthMax ? message : `${message.slice(0, messageLengthMax - 3)}...`;
}

export function eventObject(event: CorrelatedEvent, source: EventSource): Readonly<Record<string, unknown>> {
  const { involvedObject, content, firstMs } = event;
  const { namespace, ...about } = involvedObject;
  const { labels, annotations } = content;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: event.name,
      namespace: namespaceOf(involvedObject),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    involvedObject: { ...about, ...(namespace === "" ? {} : { namespace }) },
    type: content.type,
    reason: content.reason,
    source: { component: source.component, host: source.instance },
    reportingComponent: source.component,
    reportingInstance: source.instance,
    firstTimestamp: formatTime(firstMs),
    ...repeatFields(event),
  };
}

/** The fields that change when an event repeats. */
export function repeatFields({ content, lastMs, count }: CorrelatedEvent): Readonly<Record<string, unknown>> {
  return {
    message: content.message,
    lastTimestamp: formatTime(lastMs),
    count,
    ...(count > 1 ? { series: { count, lastObservedTime: formatMicroTime(lastMs) } } : {}),
  };
}
