/** English: what is said while the screen cannot be trusted. One outage, one set of sentences. */
import type { OutageCode } from '@/lib/domain/outage';

export const lost: OutageText = {
  short: 'disconnected',
  title: 'This page has lost its connection to Signalbox.',
  means: 'Nothing is known of Consul from here. Locks in Consul are not affected.',
  next: 'It reconnects by itself. If it does not, see whether the Signalbox server runs, and whether this machine reaches it.',
};

export const around = {
  /** Between two sentences. */
  gap: ' ',
  /** What still works, and how old the view is. */
  shown: (age: string | null) =>
    `You see the last known state${age === null ? '' : `, ${age} old`}: searching and reading work, actions are off.`,
  nothingShown: 'Nothing has been read yet; this page fills by itself.',
  restored: (at: string) =>
    `Consul was put back to an earlier state at ${at}. A program may still work on a lock that it no longer holds here.`,
  origin: (origin: string) => `Signalbox reads ${origin}.`,
  more: 'What it means, and what to do',
};

export interface OutageText {
  /** A few words, for the head of the page. */
  readonly short: string;
  /** What happened. */
  readonly title: string;
  /** What it means for the locks. */
  readonly means: string;
  /** What to do next. */
  readonly next: string;
}

/** Of an outage that is about Signalbox's own way to Consul: it says nothing about anyone else's. */
const same = 'By itself this changes nothing for holders and waiters: it is this view that is blind.';

const outages: Readonly<Record<OutageCode, OutageText>> = {
  'console-unreachable': lost,
  'agent-gone': {
    short: 'nothing listens there',
    title: 'The Consul agent is not there: nothing listens at its address.',
    means:
      'If only this agent is down, locks go on, but clients that use it cannot renew: their sessions end by TTL, or when the node’s check fails.',
    next: 'Start the agent again, or look on its machine why it ended.',
  },
  'agent-unreachable': {
    short: 'no way to Consul',
    title: 'The Consul agent cannot be reached: its address does not resolve, or no way leads there.',
    means: `${same} Clients on the same network may have lost it, too.`,
    next: 'Check the address that Signalbox was given, the name service and the network between.',
  },
  'no-descriptors': {
    short: 'no descriptors left',
    title: 'Signalbox cannot open a connection to Consul: its process has no file descriptors left.',
    means: `It is not Consul that fails. ${same}`,
    next: 'Raise the limit of open files of the process (ulimit -n, LimitNOFILE), or find who keeps so many connections to it open.',
  },
  'not-trusted': {
    short: 'certificate not trusted',
    title: 'The certificate of the Consul agent is not trusted here: no TLS connection comes about.',
    means: same,
    next: 'Check that CONSUL_CACERT or CONSUL_CAPATH names the authority that signed it, and that it has not expired.',
  },
  'wrong-name': {
    short: 'certificate of another name',
    title: 'The Consul agent shows a certificate for another name: no TLS connection comes about.',
    means: same,
    next: 'Set CONSUL_TLS_SERVER_NAME to a name in it, such as server.dc1.consul, or check that the address is the right one.',
  },
  'certificate-wanted': {
    short: 'client certificate refused',
    title: 'The Consul agent wants a client certificate, and accepts none from Signalbox.',
    means: same,
    next: 'Check CONSUL_CLIENT_CERT and CONSUL_CLIENT_KEY: both set, not expired, and signed by an authority that the agent trusts.',
  },
  'tls-on-one-side': {
    short: 'TLS on one side only',
    title: 'One side speaks TLS and the other does not: the Consul agent cannot be spoken to.',
    means: same,
    next: 'Check http:// or https:// in CONSUL_HTTP_ADDR, CONSUL_HTTP_SSL, and whether the port is the agent’s for HTTPS.',
  },
  'agent-hangs': {
    short: 'Consul does not answer',
    title: 'Consul does not answer: the agent takes the call and says nothing.',
    means:
      'It is stopped or overloaded, or packets are lost on the way. Clients that use this agent cannot renew: their sessions may end by TTL.',
    next: 'Look at the agent’s machine: process, load, disk. A write that was sent just now may still be carried out when it goes on.',
  },
  'connection-broke': {
    short: 'the connection broke',
    title: 'The connection to Consul broke.',
    means: same,
    next: 'Signalbox connects anew by itself. If this keeps coming back, look at the proxy or network between.',
  },
  'connections-not-taken': {
    short: 'connections are refused',
    title: 'New connections to Consul are closed at once, without a word.',
    means: `An agent that has all the connections it accepts from one address does that (200 by default; Consul up to 1.8 says nothing). So does a proxy or an agent in trouble: it cannot be told from here. ${same}`,
    next: 'Count the connections from this machine to the agent’s port. Leave some closed, or raise limits.http_max_conns_per_client.',
  },
  'connections-capped': {
    short: 'too many connections',
    title: 'The Consul agent takes no more connections from this address.',
    means: `Every program on this machine shares that limit, and the consul command meets it, too. ${same}`,
    next: 'Find what keeps so many open, or raise limits.http_max_conns_per_client on the agent. Signalbox asks less often meanwhile.',
  },
  'no-leader': {
    short: 'Consul has no leader',
    title: 'The Consul cluster has no leader.',
    means:
      'No lock can be taken, released or freed until there is one, not even by a TTL that runs out. Holders keep what they have. A new leader starts every TTL anew.',
    next: 'See that a majority of the servers runs and that they reach each other (consul operator raft list-peers).',
  },
  'no-server': {
    short: 'no Consul server known',
    title: 'The Consul agent has lost all servers.',
    means:
      'It can pass nothing on. If the servers run elsewhere, locks go on there; clients of this agent cannot renew.',
    next: 'Check the network between this agent and the servers (consul members).',
  },
  'leader-changing': {
    short: 'the leader changes',
    title: 'Consul lost its leader during a call.',
    means:
      'An election is likely under way: for some seconds no lock can be taken or freed. A new leader starts every TTL anew.',
    next: 'Wait a few seconds. If it stays, look at the servers’ logs.',
  },
  'old-copy': {
    short: 'an old copy',
    title: 'Consul has no leader, and what you see is one server’s own copy.',
    means:
      'It may be behind what the cluster agreed on. No lock can be taken or freed until there is a leader; holders keep what they have.',
    next: 'See that a majority of the servers runs. Do not conclude from this view who holds what.',
  },
  'token-unknown': {
    short: 'token not known',
    title: 'Consul does not know the token of this server: it was deleted, or has expired.',
    means: same,
    next: 'Create the token again, or give Signalbox another one. It goes on by itself as soon as Consul knows it.',
  },
  'token-refused': {
    short: 'permission denied',
    title: 'Consul refuses to let this server’s token read.',
    means: `${same} It is not known what it would show.`,
    next: 'The token needs key:read (key:list where the agent asks for it) on what is watched, and session:read.',
  },
  'rate-limited': {
    short: 'rate limited',
    title: 'Consul limits the rate of requests (429).',
    means:
      'What is held stays held, but clients may meet the limit as well: a renewal counts as a write, and a session that is not renewed ends by its TTL.',
    next: 'Signalbox asks less often until it is let through. Find who asks so much, or raise limits.request_limits.',
  },
  'leader-rate-limited': {
    short: 'leader rate limited',
    title: 'Consul’s leader limits the rate of requests (503).',
    means:
      'What is held stays held. Only the leader could answer, so no other server helps; renewals and acquisitions of clients may be refused as well.',
    next: 'Signalbox asks less often until it is let through. Find who writes so much, or raise limits.request_limits.',
  },
  'no-room': {
    short: 'no room for this token',
    title: 'Signalbox has no room for the rights of this token.',
    means:
      'It follows a bounded number of tokens with different rights at a time. Nothing is shown to yours, and no lock is affected.',
    next: 'Signalbox tries again every 2.5 s. A token with the policies of a colleague who sees the page gets in at once.',
  },
  failing: {
    short: 'Consul answers with errors',
    title: 'Consul, or a proxy before it, answers with errors.',
    means: `What was asked could not be read. ${same}`,
    next: 'Look at the log of Signalbox for the status, and at the agent’s and the proxy’s logs.',
  },
  'not-understood': {
    short: 'answer not understood',
    title: 'What answers at Consul’s address is not understood.',
    means: `It may be a proxy’s page, or a version of Consul that Signalbox does not know. ${same}`,
    next: 'Check that the address is that of a Consul agent’s HTTP API.',
  },
  'too-much-to-read': {
    short: 'too much to read',
    title: 'There is more below the watched prefixes than Signalbox reads.',
    means: `One answer of Consul is longer than the bound, which keeps whoever may write keys from filling this server’s memory. ${same}`,
    next: 'Look for large values or many keys below the watched prefixes, watch narrower ones with SIGNALBOX_PREFIXES, or raise SIGNALBOX_ANSWER_MAX_MB.',
  },
  'too-much-to-show': {
    short: 'too much to show',
    title: 'The watched prefixes hold more than Signalbox can show.',
    means: `All entries together exceed the bound, which keeps writers of keys from filling this server’s memory. ${same}`,
    next: 'Look for large .lock entries or many locks below the watched prefixes, watch narrower ones with SIGNALBOX_PREFIXES, or raise SIGNALBOX_WORLD_MAX_MB.',
  },
  unknown: {
    short: 'what is shown is old',
    title: 'What is shown may be old.',
    means: same,
    next: 'Signalbox keeps trying; the page goes on by itself.',
  },
};

export const outage = { ...around, outages };
