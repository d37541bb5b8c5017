/** The guides are split into parts, so that no test file takes more than a minute: guides-1.test.ts, and so on. */
export const parts = 4;
