/** Faults of the link between Signalbox and Consul; the locks' own clients are not affected. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Chance } from '@/quality/chaos/chance';
import type { Fault } from '@/quality/chaos/fault';
import { agent } from '@/quality/chaos/ground';
import { calledWell } from '@/quality/chaos/holders';
import { lockFlags } from '@/quality/chaos/reader';
import type { Stage } from '@/quality/chaos/stage';
import { withoutHealth } from '@/test/support/fault-pipe';
import { until } from '@/test/support/until';

const onTheLink = { ground: agent, hits: 'console' } as const;
const resume = async (stage: Stage) => stage.proxy.resume();
const accept = async (stage: Stage) => stage.proxy.accept();

/** Repeats a deed for `ms`, at random moments. */
async function often(ms: number, chance: Chance, deed: () => void): Promise<void> {
  const began = performance.now();
  while (performance.now() - began < ms) {
    deed();
    await delay(50 + chance() * 450);
  }
}

const cut: Fault = {
  ...onTheLink,
  name: 'link-cut',
  title: 'Every connection is ended (FIN), again and again for five seconds',
  lastsMs: [0, 1_000],
  inject: (stage, chance) => often(5_000, chance, stage.proxy.cut),
  mend: async () => {},
};

const reset: Fault = {
  ...onTheLink,
  name: 'link-reset',
  title: 'Every connection is broken (RST), also in the middle of answers, again and again for five seconds',
  lastsMs: [0, 1_000],
  inject: (stage, chance) => often(5_000, chance, stage.proxy.reset),
  mend: async () => {},
};

const refused: Fault = {
  ...onTheLink,
  name: 'link-refused',
  title: 'Nothing takes a connection at Consul’s address',
  lastsMs: [5_000, 9_000],
  inject: async (stage) => stage.proxy.refuse(),
  mend: accept,
};

const stalled: Fault = {
  ...onTheLink,
  name: 'link-stalled',
  title: 'Nothing passes, and nothing is broken: a network that swallows packets',
  lastsMs: [8_000, 14_000],
  inject: async (stage) => stage.proxy.stall(),
  mend: resume,
};

const slowed: Fault = {
  ...onTheLink,
  name: 'link-slowed',
  title: 'At most 4 kB a second on each connection',
  lastsMs: [8_000, 12_000],
  inject: async (stage) => stage.proxy.slow(4_000),
  mend: resume,
};

const lossy: Fault = {
  ...onTheLink,
  name: 'link-lossy',
  title:
    'A fifth of what passes is lost and sent again after 200 ms or more, and all of it is late by 5 to 150 ms',
  lastsMs: [8_000, 12_000],
  inject: async (stage, chance) => stage.proxy.lose({ share: 0.2, delayMs: [5, 150], chance }),
  mend: resume,
};

const answering = (status: number, body: string): Pick<Fault, 'inject' | 'mend'> => ({
  inject: async (stage) => stage.proxy.answer({ status, body }),
  mend: accept,
});

const limited: Fault = {
  ...onTheLink,
  name: 'status-429',
  title: 'Every request is answered with 429, as by an agent that limits requests',
  lastsMs: [5_000, 9_000],
  ...answering(429, 'rate limit exceeded, try again later or against a different server'),
};

const unavailable: Fault = {
  ...onTheLink,
  name: 'status-503',
  title: 'Every request is answered with 503, as by a proxy whose backend is gone',
  lastsMs: [5_000, 9_000],
  ...answering(503, '<html><body>upstream connect error</body></html>'),
};

const headEnd = Buffer.from('\r\n\r\n');
/** The offset of the body in a piece that begins with a head; 0 in a piece without one. */
function bodyAt(piece: Buffer): number {
  const at = piece.indexOf(headEnd);
  return piece.toString('latin1', 0, 5) === 'HTTP/' && at !== -1 ? at + headEnd.length : 0;
}

const garbled: Fault = {
  ...onTheLink,
  name: 'answer-garbled',
  title: 'Bytes of every body are overwritten with ones that JSON does not know',
  lastsMs: [5_000, 8_000],
  inject: async (stage, chance) =>
    stage.proxy.garble((piece) => {
      const spoilt = Buffer.from(piece);
      const from = bodyAt(piece);
      // Without a checksum no client notices a changed letter, so these bytes break the JSON.
      for (let n = 0; n < 4 && from < piece.length; n += 1)
        spoilt[from + Math.floor(chance() * (piece.length - from))] = 0x01;
      return spoilt;
    }),
  mend: resume,
};

const truncated: Fault = {
  ...onTheLink,
  name: 'answer-truncated',
  title: 'Every body is cut in half and its length made to fit, as by a proxy that gives up',
  lastsMs: [5_000, 8_000],
  inject: async (stage) =>
    stage.proxy.garble((piece) => {
      const at = bodyAt(piece);
      if (at === 0) return Buffer.alloc(0);
      const body = piece.subarray(at, at + Math.floor((piece.length - at) / 2));
      const head = piece
        .toString('latin1', 0, at)
        .replace(/content-length: \d+/i, `Content-Length: ${body.length}`);
      return Buffer.concat([Buffer.from(head, 'latin1'), body]);
    }),
  mend: resume,
};

const repeated: Fault = {
  ...onTheLink,
  name: 'answer-repeated',
  title: 'Every piece of an answer comes twice',
  lastsMs: [5_000, 8_000],
  inject: async (stage) => stage.proxy.garble((piece) => Buffer.concat([piece, piece])),
  mend: resume,
};

const headless: Fault = {
  ...onTheLink,
  name: 'header-garbled',
  title: 'Every X-Consul-Index is replaced by no number, or taken away',
  lastsMs: [5_000, 8_000],
  inject: async (stage, chance) =>
    stage.proxy.garble((piece) => {
      const at = bodyAt(piece);
      if (at === 0) return piece;
      const head = piece
        .toString('latin1', 0, at)
        .replace(/X-Consul-Index: [^\r]*/i, chance() < 0.5 ? 'X-Consul-Index: -1x' : 'X-Nothing: 0');
      return Buffer.concat([Buffer.from(head, 'latin1'), piece.subarray(at)]);
    }),
  mend: resume,
};

const spoilt = new Map<object, { answers: number; readonly session: string }>();
const healthFails: Fault = {
  ...onTheLink,
  name: 'health-unreachable',
  title: 'Health alone is answered with 500, while the node of a holder turns critical',
  lastsMs: [8_000, 11_000],
  inject: async (stage) => {
    const put = (path: string, body: unknown) =>
      stage.call(path, { body: typeof body === 'string' ? body : JSON.stringify(body) });
    const Node = 'chaos-ward';
    const turn = (Status: string) =>
      put('catalog/register', {
        Node,
        Address: '10.0.0.9',
        Check: { Node, CheckID: 'serfHealth', Name: 'Serf Health Status', Status },
      });
    await turn('passing');
    // No check ends the session, so its holder turns suspect with its node, and keeps holding.
    const terms = { Node, Name: 'chaos ward', Behavior: 'delete', LockDelay: '0s', TTL: '600s' };
    const { ID } = JSON.parse(await put('session/create', { ...terms, NodeChecks: [] })) as { ID: string };
    const key = `chaos/ward-${ID.slice(0, 8)}`;
    await put(`kv/${key}?acquire=${ID}&flags=${lockFlags}`, 'held');
    const isWell = ({ screen }: Stage['viewers'][number]) => calledWell(screen().snapshot ?? nothing).has(ID);
    await until(() => stage.viewers.filter(({ part }) => part !== true).every(isWell), {
      what: 'every screen to call the holder well',
      timeoutMs: 20_000,
    });
    const seen = { answers: 0, session: ID };
    spoilt.set(stage, seen);
    stage.proxy.garble((piece) => {
      const spoiled = withoutHealth(piece);
      if (spoiled !== piece) seen.answers += 1;
      return spoiled;
    });
    await turn('critical');
  },
  mend: async (stage) => {
    stage.proxy.resume();
    const seen = spoilt.get(stage);
    spoilt.delete(stage);
    if (seen?.answers === 0) throw new Error('nobody asked for health');
    // Consul removes a node without an agent once a minute. Until then every screen must say "suspect".
    if (seen !== undefined && !(await stage.reader.failing()).has(seen.session))
      stage.say('   Consul took the node out meanwhile: nothing was to be seen');
  },
};
const nothing = { locks: [], semaphores: [] };

export const linkFaults: readonly Fault[] = [
  cut,
  reset,
  refused,
  stalled,
  slowed,
  lossy,
  limited,
  unavailable,
  garbled,
  truncated,
  repeated,
  headless,
  healthFails,
];
