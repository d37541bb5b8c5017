import { microTimeText, timeText } from "../../protocol/time.ts";

/** The object that an event is about. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for objects that are in none; their events are in `default`. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion?: string;
}

/** What happened, in a word for programs and a sentence for people. */
export interface Happening {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** What the event is to be found by, beside its subject. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Who reports. */
export interface EventSource {
  readonly component: string;
  readonly instance: string;
}

/** An event on its way, which may stand for several that were alike. */
export interface Occurrence {
  readonly name: string;
  readonly subject: EventSubject;
  readonly happening: Happening;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly count: number;
}

const messageLengthMax = 1_024;
const nameLengthMax = 253;

export function namespaceOf({ namespace }: EventSubject): string {
  return namespace === "" ? "default" : namespace;
}

/** A name that no other event has: of the object, and of a moment. */
export function eventName({ name }: EventSubject, nowMs: number, serial: number): string {
  const moment = (BigInt(Math.trunc(nowMs)) * 1_000_000n + BigInt(serial % 1_000_000)).toString(16);
  return `${name.slice(0, nameLengthMax - moment.length - 1).replace(/[.-]+$/, "")}.${moment}`;
}

export function shortened(message: string): string {
  return message.length <= messageLengthMax ? message : `${message.slice(0, messageLengthMax - 3)}...`;
}

export function eventObject(occurrence: Occurrence, source: EventSource): Readonly<Record<string, unknown>> {
  const { subject, happening, firstMs } = occurrence;
  const { namespace, ...about } = subject;
  const { labels, annotations } = happening;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: occurrence.name,
      namespace: namespaceOf(subject),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    involvedObject: { ...about, ...(namespace === "" ? {} : { namespace }) },
    type: happening.type,
    reason: happening.reason,
    source: { component: source.component, host: source.instance },
    reportingComponent: source.component,
    reportingInstance: source.instance,
    firstTimestamp: timeText(firstMs),
    ...repetition(occurrence),
  };
}

/** What changes when the same happens again. */
export function repetition({ happening, lastMs, count }: Occurrence): Readonly<Record<string, unknown>> {
  return {
    message: happening.message,
    lastTimestamp: timeText(lastMs),
    count,
    ...(count > 1 ? { series: { count, lastObservedTime: microTimeText(lastMs) } } : {}),
  };
}
