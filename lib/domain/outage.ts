/**
 * What is wrong when the screen cannot be trusted, as one code out of a short list: each has its own sentences, because
 * each means something else for the locks and asks something else of the person who reads it. Pure; made from the
 * source's problem, which the provider words as a `Why`.
 */

import type { Problem } from './problem';
import type { Source } from './source';

export const outageCodes = [
  /** This browser does not reach Signalbox. Known to the browser only. */
  'console-unreachable',
  /** Nothing listens at the agent's address. */
  'agent-gone',
  /** Its address does not resolve, or no way leads there. */
  'agent-unreachable',
  /** Signalbox itself may open nothing more. */
  'no-descriptors',
  /** TLS: the agent's certificate is not accepted here, for whoever has signed it or for its age. */
  'not-trusted',
  /** TLS: it is a certificate for another name. */
  'wrong-name',
  /** TLS: the agent wants a certificate of ours, and has got none, or not one that it accepts. */
  'certificate-wanted',
  'tls-on-one-side',
  /** It takes the call and does not answer in time: stopped, overloaded, or a network that swallows packets. */
  'agent-hangs',
  /** A connection in use was broken. */
  'connection-broke',
  /** New connections are closed at once, without an answer. */
  'connections-not-taken',
  /** The agent says that this address has too many connections. */
  'connections-capped',
  'no-leader',
  /** A client agent that knows no server. */
  'no-server',
  'leader-changing',
  /** There is no leader, and what is shown is one server's own copy. */
  'old-copy',
  'token-unknown',
  'token-refused',
  'rate-limited',
  'leader-rate-limited',
  /** There is no room for the rights of this token. */
  'no-room',
  /** Answers come, but they are errors of Consul, or of a proxy before it. */
  'failing',
  /** Answers come that Signalbox does not understand. */
  'not-understood',
  /** What there is to read is more than Signalbox reads. */
  'too-much-to-read',
  /** It could be read, and all of it together is more than Signalbox holds. */
  'too-much-to-show',
  /** Old for a reason that was not told. */
  'unknown',
] as const;

export type OutageCode = (typeof outageCodes)[number];

/** By what the call failed with. A reason that is not in this table leaves the problem's own code to decide. */
const byWhy: Readonly<Partial<Record<NonNullable<Problem['why']>['code'], OutageCode>>> = {
  'no-answer': 'agent-hangs',
  'connection-broke': 'connection-broke',
  'connection-not-taken': 'connections-not-taken',
  'connections-capped': 'connections-capped',
  'answer-not-readable': 'not-understood',
  'answer-too-large': 'too-much-to-read',
  'world-too-large': 'too-much-to-show',
  'token-unknown': 'token-unknown',
  'token-refused': 'token-refused',
  'rate-limited': 'rate-limited',
  'leader-rate-limited': 'leader-rate-limited',
  'too-many-rights': 'no-room',
  'no-leader-now': 'no-leader',
  'no-server-known': 'no-server',
  'leader-lost': 'leader-changing',
  'old-copy': 'old-copy',
  'call-failed': 'failing',
  'call-refused': 'failing',
};

const byCode: Readonly<Partial<Record<Problem['code'], OutageCode>>> = {
  'signed-out': 'token-unknown',
  forbidden: 'token-refused',
  busy: 'rate-limited',
  'no-leader': 'no-leader',
  invalid: 'failing',
};

/** Nothing listens there. Any other way of not being reached is one of the network or of its names. */
const nobodyListens = new Set(['ECONNREFUSED', 'ENOENT']);
const noDescriptors = new Set(['EMFILE', 'ENFILE']);

/** As OpenSSL and Node name what goes wrong with TLS, the first that fits; an alert is what the other side says. */
const byTls: readonly (readonly [RegExp, OutageCode])[] = [
  [/WRONG_VERSION|HTTPS_WANTED/, 'tls-on-one-side'],
  [/ALTNAME/, 'wrong-name'],
  [/_ALERT_/, 'certificate-wanted'],
  [/CERT|LEAF_SIGNATURE/, 'not-trusted'],
];

function outageOfErrno(errno: string): OutageCode {
  if (nobodyListens.has(errno)) return 'agent-gone';
  if (noDescriptors.has(errno)) return 'no-descriptors';
  return byTls.find(([pattern]) => pattern.test(errno))?.[1] ?? 'agent-unreachable';
}

/** The outage that a problem stands for. */
export function outageOfProblem({ code, why = null }: Problem): OutageCode {
  if (why?.code === 'not-reached') return outageOfErrno(String(why.facts.errno));
  return (why === null ? undefined : byWhy[why.code]) ?? byCode[code] ?? 'unknown';
}

/** What keeps the source from being live; `null` while it is, or while it is only catching up. */
export function outageOf({ state, problem }: Pick<Source, 'state' | 'problem'>): OutageCode | null {
  if (state === 'live') return null;
  if (problem !== null) return outageOfProblem(problem);
  return state === 'catching-up' ? null : 'unknown';
}
