/** The reason why the screen may be wrong, as one code. It comes from the source's problem, and has its own words. */

import { consulOutages } from '@/lib/domain/codes/consul';
import { redisOutages } from '@/lib/domain/codes/redis';
import { standInOutages } from '@/lib/domain/codes/stand-in';
import { zookeeperOutages } from '@/lib/domain/codes/zookeeper';
import type { Problem } from './problem';
import type { SourceState } from './source-state';

export const outageCodes = [
  /** This browser does not reach Signalbox. Only the browser knows. */
  'console-unreachable',
  /** Nothing listens at the agent's address. */
  'agent-gone',
  /** The agent's address does not resolve, or has no route. */
  'agent-unreachable',
  /** Signalbox itself has no file descriptors left. */
  'no-descriptors',
  /** TLS: the agent's certificate is not accepted, for its issuer or its dates. */
  'not-trusted',
  /** TLS: the certificate is for another name. */
  'wrong-name',
  /** TLS: the agent wants a certificate of ours, and got none that it accepts. */
  'certificate-wanted',
  'tls-on-one-side',
  /** The agent is stopped or overloaded, or the network drops packets. */
  'agent-hangs',
  'connection-broke',
  /** The agent says that this address has too many connections. */
  'connections-capped',
  'no-leader',
  'token-unknown',
  'token-refused',
  /** One source among several, and people sign in to another one. */
  'second-sign-in',
  /** One source among several does not know the token of this person. */
  'token-not-of-source',
  'rate-limited',
  /** Answers come, but they are errors of Consul, or of a proxy before it. */
  'failing',
  'not-understood',
  /** The backend holds more than Signalbox reads. */
  'too-much-to-read',
  /** All rows together are more than Signalbox holds. */
  'too-much-to-show',
  'unknown',
  ...consulOutages,
  ...redisOutages,
  ...standInOutages,
  ...zookeeperOutages,
] as const;

export type OutageCode = (typeof outageCodes)[number];

/** Outages by the reason of a problem. Without a row here, the problem's own code decides. */
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
  'datacenter-away': 'datacenter-away',
  'old-copy': 'old-copy',
  'second-sign-in': 'second-sign-in',
  'token-not-of-source': 'token-not-of-source',
  'call-failed': 'failing',
  'call-refused': 'failing',
  'file-not-read': 'file-unread',
  'file-not-understood': 'file-unclear',
  'redis-sign-in-refused': 'redis-sign-in',
  'redis-not-permitted': 'redis-permission',
  'redis-key-not-permitted': 'redis-permission',
  'redis-loading': 'redis-starting',
  'redis-busy': 'redis-script',
  'redis-cluster-down': 'redis-cluster',
  'redis-moved': 'redis-cluster',
  'redis-no-master': 'redis-failover',
  'redis-replica': 'redis-failover',
  'redis-too-old': 'redis-version',
  'redis-refused': 'failing',
  'zookeeper-no-quorum': 'zookeeper-without-quorum',
  'zookeeper-not-taken': 'zookeeper-takes-no-more',
  'zookeeper-not-known': 'zookeeper-not-permitted',
  'zookeeper-too-much': 'zookeeper-too-large',
};

const byCode: Readonly<Partial<Record<Problem['code'], OutageCode>>> = {
  'signed-out': 'token-unknown',
  forbidden: 'token-refused',
  busy: 'rate-limited',
  'no-leader': 'no-leader',
  invalid: 'failing',
};

/** Errors of an address at which no server listens. Any other failure to connect is the network's or the resolver's. */
const nobodyListens = new Set(['ECONNREFUSED', 'ENOENT']);
const noDescriptors = new Set(['EMFILE', 'ENFILE']);

/** Error codes of OpenSSL and Node. The first match wins. An alert comes from the other side. */
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

/** The outage that a problem means for the screen. */
export function outageOfProblem({ code, why = null }: Problem): OutageCode {
  if (why?.code === 'not-reached') return outageOfErrno(String(why.facts.errno));
  return (why === null ? undefined : byWhy[why.code]) ?? byCode[code] ?? 'unknown';
}

/** The outage of a source; `null` while it is live, or only catching up. */
export function outageOf({ state, problem }: Pick<SourceState, 'state' | 'problem'>): OutageCode | null {
  if (state === 'live') return null;
  if (problem !== null) return outageOfProblem(problem);
  return state === 'catching-up' ? null : 'unknown';
}
