/** The view, as far as it is compared. */

export interface Party {
  sessionId: string;
  session: { name: string; node: string } | null;
  verdict: string;
  evidence: { code: string; source: string; detail: string | null }[];
  expiry: { kind: string };
  value: unknown;
  label: string;
  entryKey?: string;
}
export interface Shown {
  version: number;
  source: { state: string };
  locks: {
    key: string;
    exists: boolean;
    state: string;
    holder: Party | null;
    delay: { node: string } | null;
    value: unknown;
    details: unknown[];
    leftBehind: unknown;
    layout: string;
  }[];
  semaphores: {
    prefix: string;
    layout: string;
    flags: string | null;
    limit: number | null;
    recorded: number | null;
    effective: number | null;
    holders: Party[];
    waiters: Party[];
    leftovers: string[];
    problems: { code: string }[];
    part?: true;
  }[];
  sessions: {
    id: string;
    name: string;
    node: string;
    nodeStatus: string;
    checks: { name: string }[];
    holds: { kind: string; key?: string; prefix?: string }[];
    wants: { prefix: string }[];
  }[];
}
