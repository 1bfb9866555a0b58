/** Findings over time in the API, its stream and the metrics: each state that one of them shows. */
import * as eventsRoute from '@/app/api/v1/events/route';
import * as findingsRoute from '@/app/api/v1/findings/route';
import * as metricsRoute from '@/app/metrics/route';
import type { Finding } from '@/lib/domain/findings/finding';
import { apply, type Patch } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { events } from '@/packages/cli/stream.mjs';
import { readExposition } from '@/test/machines/exposition';
import type { Served } from '@/test/machines/served';

export const readers = ['stream', 'api', 'metrics'] as const;
export type Reader = (typeof readers)[number];

export interface FindingLog {
  /** The stream's last snapshot. */
  readonly snapshot: Snapshot | null;
  /** All content of the stream. */
  readonly all: readonly Snapshot[];
  /** The severities that one reader saw of a code, in order, and `gone`. */
  said(reader: Reader, code: Finding['code']): readonly string[];
  /** Every code that any reader saw. */
  readonly codes: readonly string[];
  end(): Promise<void>;
}

const pollMs = 50;

export async function startFindingLog(served: Served): Promise<FindingLog> {
  const said = new Map<string, string[]>();
  const all: Snapshot[] = [];
  const end = new AbortController();
  const note = (reader: Reader, now: readonly { readonly code: string; readonly severity: string }[]) => {
    const severities = new Map(now.map(({ code, severity }) => [code, severity]));
    for (const code of severities.keys())
      if (!said.has(`${reader} ${code}`)) said.set(`${reader} ${code}`, []);
    for (const [name, list] of said) {
      const [of = '', code = ''] = name.split(' ');
      const is = severities.get(code) ?? 'gone';
      if (of === reader && list.at(-1) !== is) list.push(is);
    }
  };
  const poll = async (look: () => Promise<void>) => {
    while (!end.signal.aborted) {
      await look();
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  };
  const response = await served.ask(eventsRoute.GET, '/api/v1/events');
  const reader = response.body?.getReader();
  if (response.status !== 200 || reader === undefined) throw new Error(`Refused: ${response.status}`);
  async function* bytes(from: NonNullable<typeof reader>) {
    for (;;) {
      const { done, value } = await from.read();
      if (done) return;
      yield value;
    }
  }
  let snapshot: Snapshot | null = null;
  const follow = async () => {
    for await (const { event, data } of events(bytes(reader))) {
      if (event === 'snapshot') snapshot = JSON.parse(data) as Snapshot;
      else if (event === 'patch' || event === 'status')
        snapshot = snapshot === null ? null : apply(snapshot, JSON.parse(data) as Patch);
      else continue;
      if (snapshot === null) throw new Error('A patch does not join.');
      all.push(snapshot);
      note('stream', snapshot.findings);
    }
  };
  const running = Promise.all([
    follow(),
    poll(async () => {
      const answer = await served.ask(findingsRoute.GET, '/api/v1/findings');
      note('api', ((await answer.json()) as { findings: readonly Finding[] }).findings);
    }),
    poll(async () => {
      const answer = await served.ask(metricsRoute.GET, '/metrics');
      const family = readExposition(await answer.text()).get('signalbox_findings');
      const now = (family?.samples ?? []).filter(({ value }) => value > 0);
      note(
        'metrics',
        now.map(({ labels }) => ({ code: labels.code ?? '', severity: labels.severity ?? '' })),
      );
    }),
  ]);
  return {
    get snapshot() {
      return snapshot;
    },
    all,
    said: (reader, code) => said.get(`${reader} ${code}`) ?? [],
    get codes() {
      return [...new Set([...said.keys()].map((name) => name.split(' ')[1] ?? ''))];
    },
    end: async () => {
      end.abort();
      await reader.cancel();
      await running;
    },
  };
}
