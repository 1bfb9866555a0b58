/** English: a screen that cannot be trusted. One outage, one set of sentences. */
import type { OutageCode } from '@/lib/domain/outage';
import { consul, viewOnly } from './providers/consul';
import { redis } from './providers/redis';
import { standIn } from './providers/stand-in';
import { zookeeper } from './providers/zookeeper';

export const lost: OutageText = {
  short: 'disconnected',
  title: 'This page lost its connection to Signalbox.',
  means: 'This page knows nothing of the locks now. They are not affected.',
  next: 'The page reconnects automatically. If not, check that the Signalbox server runs and that this machine reaches it.',
};

export const around = {
  /** Between two sentences. */
  gap: ' ',
  /** The parts that still work, and the age of the view. */
  shown: (age: string | null) =>
    `You see the last known state${age === null ? '' : `, ${age} old`}. Search and reading work; actions are off.`,
  nothingShown: 'Signalbox has read nothing yet. This page fills automatically.',
  /** The same of one source among several. */
  partShown: (title: string, age: string | null) =>
    `Rows of ${title} show the last known state${age === null ? '' : `, ${age} old`}. Actions on them are off.`,
  partUnread: (title: string) => `Signalbox has read nothing of ${title} yet. Its rows come automatically.`,
  /** Further sources, each with a few words. */
  also: (sources: readonly string[]) => `Not live either: ${sources.join(', ')}.`,
  restored: (at: string) =>
    `Consul was put back to an earlier state at ${at}. A program may still work on a lock that it no longer holds here.`,
  origin: (origin: string) => `Signalbox reads ${origin}.`,
  more: 'Meaning and next steps',
};

export interface OutageText {
  /** A few words, for the head of the page. */
  readonly short: string;
  /** The event. */
  readonly title: string;
  /** Its meaning for the locks. */
  readonly means: string;
  /** The next step. */
  readonly next: string;
}

const outages: Readonly<Record<OutageCode, OutageText>> = {
  'console-unreachable': lost,
  'agent-gone': {
    short: 'nothing listening',
    title: 'Nothing listens at the server’s address.',
    means:
      'If only this agent or server is down, locks keep working elsewhere. Its clients cannot renew: their sessions and leases run out, with Consul also when the node’s check fails.',
    next: 'Start it again, or check on its machine why it ended.',
  },
  'agent-unreachable': {
    short: 'server unreachable',
    title: 'Signalbox cannot reach the server: its address does not resolve, or has no route.',
    means: `${viewOnly} Clients on the same network may have lost it too.`,
    next: 'Check the configured address, the name service and the network between.',
  },
  'no-descriptors': {
    short: 'no descriptors left',
    title: 'Signalbox cannot open a connection: its process has no file descriptors left.',
    means: `The server is not the cause. ${viewOnly}`,
    next: 'Raise the process’s limit of open files (ulimit -n, LimitNOFILE), or find the source of its many open connections.',
  },
  'not-trusted': {
    short: 'certificate not trusted',
    title: 'Signalbox does not trust the server’s certificate: TLS fails.',
    means: viewOnly,
    next: 'Check that CONSUL_CACERT, CONSUL_CAPATH or the source’s ca-file names its signing authority, and that it has not expired.',
  },
  'wrong-name': {
    short: 'certificate of another name',
    title: 'The server’s certificate is for another name: TLS fails.',
    means: viewOnly,
    next: 'Set CONSUL_TLS_SERVER_NAME or the source’s server-name to a name in it, such as server.dc1.consul, or check the address.',
  },
  'certificate-wanted': {
    short: 'client certificate refused',
    title: 'The server requires a client certificate and accepts none from Signalbox.',
    means: viewOnly,
    next: 'Check CONSUL_CLIENT_CERT and CONSUL_CLIENT_KEY, or the source’s cert-file and key-file: set both, not expired, signed by an authority that the server trusts.',
  },
  'tls-on-one-side': {
    short: 'TLS on one side only',
    title: 'Signalbox cannot talk to the server: only one side speaks TLS.',
    means: viewOnly,
    next: 'Check http:// or https:// in CONSUL_HTTP_ADDR, CONSUL_HTTP_SSL, the source’s address, and that the port is the one for TLS.',
  },
  'agent-hangs': {
    short: 'no answer',
    title: 'The server does not answer: it accepts calls but stays silent.',
    means:
      'It is stopped or overloaded, or the network loses packets. Its clients cannot renew: their sessions and leases may run out.',
    next: 'Check its machine: process, load, disk. It may still carry out a recent write when it recovers.',
  },
  'connection-broke': {
    short: 'the connection broke',
    title: 'The connection to the server broke.',
    means: viewOnly,
    next: 'Signalbox reconnects automatically. If this keeps returning, check the proxy or network between.',
  },
  'connections-capped': {
    short: 'too many connections',
    title: 'The Consul agent accepts no more connections from this address.',
    means: `Every program on this machine shares that limit, the consul command included. ${viewOnly}`,
    next: 'Find the program with many open connections, or raise limits.http_max_conns_per_client on the agent. Signalbox asks less often meanwhile.',
  },
  'no-leader': {
    short: 'Consul has no leader',
    title: 'The Consul cluster has no leader.',
    means:
      'Until a new leader, no lock can be taken, released or freed, not even by an expired TTL. Holders keep their locks. A new leader restarts every TTL.',
    next: 'Check that a majority of the servers runs and that they reach each other (consul operator raft list-peers).',
  },
  'token-unknown': {
    short: 'token unknown',
    title: 'Consul does not know this server’s token: it was deleted, or has expired.',
    means: viewOnly,
    next: 'Create the token again, or give Signalbox another one. Signalbox resumes once Consul knows the token.',
  },
  'token-refused': {
    short: 'permission denied',
    title: 'Consul refuses reads by this server’s token.',
    means: `${viewOnly} Signalbox does not know what the token hides.`,
    next: 'Grant the token key:read (key:list if the agent requires it) on the watched prefixes, and session:read.',
  },
  'second-sign-in': {
    short: 'not shown here',
    title: 'This source asks for tokens.',
    means:
      'Signalbox signs people in to another source here, and shows nothing of this one. Its locks are not affected.',
    next: 'Say with access= in SIGNALBOX_SOURCES who sees it, or run a console of its own for this source.',
  },
  'token-not-of-source': {
    short: 'not for your token',
    title: 'This source does not know the token that you signed in with.',
    means: 'Signalbox shows you nothing of it. Its locks are not affected.',
    next: 'Sign in with a token that both sources know, such as a global one of joined datacenters.',
  },
  'rate-limited': {
    short: 'rate limited',
    title: 'Consul limits the rate of requests (429).',
    means:
      'Held locks stay held, but clients may meet the limit too. A renewal counts as a write. A session without renewals ends by its TTL.',
    next: 'Signalbox asks less often until Consul accepts it. Find the source of the requests, or raise limits.request_limits.',
  },
  failing: {
    short: 'answers are errors',
    title: 'The server, or a proxy in front of it, answers with errors.',
    means: `Signalbox could not read the answer. ${viewOnly}`,
    next: 'Check the status in Signalbox’s log, then the server’s and the proxy’s logs.',
  },
  'not-understood': {
    short: 'answer not understood',
    title: 'Signalbox does not understand the answer at the server’s address.',
    means: `It may be a proxy’s page, or an unknown version of the server. ${viewOnly}`,
    next: 'Check the address: for Consul it is the HTTP API of an agent.',
  },
  'too-much-to-read': {
    short: 'too much to read',
    title: 'The watched prefixes hold more than Signalbox reads.',
    means: `One answer of the server exceeds the bound, which keeps writers of keys from filling this server’s memory. ${viewOnly}`,
    next: 'Check for large values or many keys below the watched prefixes. Narrow SIGNALBOX_PREFIXES, or raise SIGNALBOX_ANSWER_MAX_MB.',
  },
  'too-much-to-show': {
    short: 'too much to show',
    title: 'The watched prefixes hold more than Signalbox can show.',
    means: `All entries together exceed the bound that keeps key writers from filling this server’s memory. ${viewOnly}`,
    next: 'Check for large .lock entries or many locks below the watched prefixes. Narrow SIGNALBOX_PREFIXES, or raise SIGNALBOX_WORLD_MAX_MB.',
  },
  unknown: {
    short: 'old data',
    title: 'This data may be old.',
    means: viewOnly,
    next: 'Signalbox keeps trying. The page updates automatically.',
  },
  ...consul.outages,
  ...redis.outages,
  ...standIn.outages,
  ...zookeeper.outages,
};

export const outage = { ...around, outages };
