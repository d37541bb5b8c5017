import { writeJson } from "../../protocol/json-writer.ts";
import type { CallBody } from "../transport/transport.ts";

/** An object to send. Its text is written for those who ask for it, and in the process of the server nobody does. */
export class JsonBody implements CallBody {
  readonly type: string;
  readonly value: object;

  constructor(value: object, type = "application/json") {
    this.value = value;
    this.type = type;
  }

  get text(): string {
    return writeJson(this.value);
  }
}
