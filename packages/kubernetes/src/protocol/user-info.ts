/** Who sent a request, as authentication found out; the same shape in reviews and in calls of webhooks. */
export interface UserInfo {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}
