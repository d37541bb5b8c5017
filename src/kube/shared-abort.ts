import { setMaxListeners } from "node:events";

/** A controller whose signal is handed to any number of calls at the same time, without a warning that they are many. */
export function sharedAbort(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
