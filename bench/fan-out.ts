/** One change, many readers: what the thousandth waits, and what each of them costs. */
import { type ChildProcess, fork } from 'node:child_process';
import { startSignalbox } from '@/e2e/support/signalbox';
import { pause } from '@/lib/consul/client/clock';
import { inProject } from '@/scripts/project.mjs';
import { startConsul } from '@/test/support/consul';
import { atMost, type Bench, type BenchStage, bytes, type Figure, ms, quantile } from './figure';
import { startReadCount } from './read-count';
import { createScales, type Weighed } from './weighed';

const many = Number(process.env.SIGNALBOX_BENCH_VIEWERS ?? 1_000);
const locks = 100;
/** Of Go's `api.Lock`: what makes a key a lock. */
const lockFlags = '3304740253564472344';
/** Readers that come and go before anything is weighed. */
const warmUp = 50;
const rounds = 5;
const eventsEach = 15;
const betweenMs = 160;

/** Whose streams are read: a server, and by how many. */
interface Group {
  readonly name: string;
  readonly count: number;
  readonly port: number;
  readonly path: string;
  readonly server: Weighed;
  /** Makes an event that holds this text. */
  cause(mark: string): Promise<void>;
  /** Questions to Consul so far. */
  requests(): number;
}

interface Seen {
  /** From before the cause to the last reader's event, in milliseconds, of each event. */
  readonly last: number[];
  cpuMs: number;
  requests: number;
  elapsedMs: number;
}

/** The answer of a child to one message. */
function asked<T>(child: ChildProcess, message: object): Promise<T> {
  return new Promise((resolve, reject) => {
    child.once('message', (said: T & { failed?: string }) =>
      said.failed === undefined ? resolve(said) : reject(new Error(said.failed)),
    );
    child.send(message);
  });
}

async function put(url: string, body: string, method = 'PUT'): Promise<void> {
  const response = await fetch(url, { method, body });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
}

const where = ({ name, port, path }: Group) => ({ group: name, port, path });
const portOf = (url: string) => Number(new URL(url).port);

function child(stage: BenchStage, file: string, env: Record<string, string> = {}): ChildProcess {
  const made = fork(inProject('bench', file), { env: { ...process.env, ...env } });
  stage.defer(() => made.kill('SIGKILL'));
  return made;
}

async function startBare(stage: BenchStage, name: string, count: number, beginning: string): Promise<Group> {
  const scales = createScales();
  stage.defer(scales.remove);
  const server = child(stage, 'bare-stream.mjs', scales.env);
  const { port } = await new Promise<{ port: number }>((resolve) =>
    server.once('message', (said) => resolve(said as { port: number })),
  );
  await put(`http://127.0.0.1:${port}/beginning`, beginning, 'POST');
  return {
    name,
    count,
    port,
    path: '/',
    server: scales.process(),
    requests: () => 0,
    cause: (mark) => put(`http://127.0.0.1:${port}/`, patchText.replaceAll('$MARK', mark), 'POST'),
  };
}

/** The text of one patch of ours, so that the bare server sends as much. */
let patchText = '';

async function startOurs(
  stage: BenchStage,
  consul: { readonly address: string },
  name: string,
  count: number,
): Promise<Group> {
  for (let n = 0; n < locks; n += 1)
    await put(`http://${consul.address}/v1/kv/${name}/lock-${n}?flags=${lockFlags}`, 'free');
  const scales = createScales();
  stage.defer(scales.remove);
  const counted = await startReadCount(consul.address);
  stage.defer(counted.close);
  const signalbox = await startSignalbox({
    consulAddress: counted.address,
    env: { ...scales.env, SIGNALBOX_PREFIXES: `${name}/` },
  });
  stage.defer(signalbox.stop);
  const server = scales.process();
  return {
    name,
    count,
    port: portOf(signalbox.baseUrl),
    path: '/api/v1/events',
    server,
    requests: () => counted.requests,
    cause: (mark) => put(`http://${consul.address}/v1/kv/${name}/lock-7?flags=${lockFlags}`, mark),
  };
}

/** A patch as a reader gets it, with `$MARK` in the place of the stored value. */
async function readPatch({ port, path, cause }: Group): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  const decoder = new TextDecoder();
  let text = '';
  let caused = false;
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (!caused) await cause('$MARK');
    caused = true;
    const found = /event: patch\n(?:.+\n)*data: .*\$MARK.*\n\n/.exec(text)?.[0];
    if (found !== undefined) return found;
  }
  throw new Error('There was no patch.');
}

/** Some events, one after the other, each waited for by every reader. */
async function window(viewers: ChildProcess, group: Group, seen: Seen, round: number): Promise<void> {
  const before = { cpuMs: group.server.cpuMs(), requests: group.requests(), at: performance.now() };
  for (let n = 0; n < eventsEach; n += 1) {
    const number = round * eventsEach + n;
    const mark = `mark-${String(number).padStart(6, '0')}-end`;
    await asked(viewers, { watch: { group: group.name, mark, event: number } });
    const told = new Promise<{ lastNs: string }>((resolve) =>
      viewers.once('message', (said) => resolve(said as { lastNs: string })),
    );
    const fromNs = process.hrtime.bigint();
    await group.cause(mark);
    const { lastNs } = await told;
    seen.last.push(Number(BigInt(lastNs) - fromNs) / 1e6);
    await pause(betweenMs);
  }
  seen.cpuMs += group.server.cpuMs() - before.cpuMs;
  seen.requests += group.requests() - before.requests;
  seen.elapsedMs += performance.now() - before.at;
}

/** What each reader beyond the first costs, of a server with many and one with one. */
const each = (all: number, one: number) => (all - one) / (many - 1);

async function run(stage: BenchStage) {
  const consul = await startConsul();
  const oursOne = await startOurs(stage, consul, 'one', 1);
  const oursMany = await startOurs(stage, consul, 'many', many);
  patchText = await readPatch(oursOne);
  await readPatch(oursMany);
  const snapshot = await (await fetch(`http://127.0.0.1:${oursOne.port}/api/v1/snapshot`)).text();
  const beginning = `retry: 1000\n\nevent: snapshot\nid: x-1\ndata: ${snapshot}\n\n`;
  const bareOne = await startBare(stage, 'bare-one', 1, beginning);
  const bareMany = await startBare(stage, 'bare-many', many, beginning);
  const groups = [oursOne, bareOne, oursMany, bareMany];
  const viewers = child(stage, 'viewers.mjs');

  const before = new Map<Group, { held: number; resident: number }>();
  for (const group of groups) {
    // What a server makes once for all of them is not to be counted with the first.
    await asked(viewers, { open: { ...where(group), count: warmUp } });
    await asked(viewers, { leave: group.name });
    before.set(group, await group.server.memory());
  }
  const begunMs = new Map<Group, number>();
  for (const group of groups) {
    const fromMs = performance.now();
    await asked(viewers, { open: { ...where(group), count: group.count } });
    begunMs.set(group, performance.now() - fromMs);
    stage.say(`${group.name}: ${group.count} connected in ${ms(performance.now() - fromMs)}`);
  }
  const seen = new Map(
    groups.map((group) => [group, { last: [], cpuMs: 0, requests: 0, elapsedMs: 0 } as Seen]),
  );
  const of = (group: Group) => seen.get(group) as Seen;
  for (let round = 0; round < rounds; round += 1)
    for (const group of groups) await window(viewers, group, of(group), round);
  const grown = new Map<Group, { held: number; resident: number }>();
  for (const group of groups) {
    const { held, resident } = await group.server.memory();
    const was = before.get(group) ?? { held: 0, resident: 0 };
    grown.set(group, { held: held - was.held, resident: resident - was.resident });
  }
  const memory = (group: Group) => grown.get(group) ?? { held: 0, resident: 0 };
  for (const group of groups) {
    const { last, cpuMs, requests, elapsedMs } = of(group);
    stage.say(
      `${group.name}: last ${ms(quantile(last, 0.5))} / ${ms(quantile(last, 0.99))}, ${((100 * cpuMs) / elapsedMs).toFixed(1)} % of a core, ${requests} requests, +${bytes(memory(group).held)} held, +${bytes(memory(group).resident)} resident`,
    );
  }
  const events = rounds * eventsEach;
  const perViewer = (value: number) => `${(value * 1000).toFixed(1)} us`;
  const queries: Figure = {
    what: `questions to Consul for ${events} changes, ${many.toLocaleString('en')} viewers (compared with: one viewer)`,
    ours: String(of(oursMany).requests),
    compared: String(of(oursOne).requests),
    ratio: of(oursMany).requests / of(oursOne).requests,
    goal: 'the same, within 10 %',
    met: Math.abs(of(oursMany).requests - of(oursOne).requests) <= 0.1 * of(oursOne).requests,
  };
  return {
    compared: 'bare node:http',
    figures: [
      queries,
      atMost("write to the last viewer's event, median (compared with: one viewer's)", {
        ours: quantile(of(oursMany).last, 0.5),
        compared: quantile(of(oursOne).last, 0.5),
        max: 5,
        show: ms,
      }),
      {
        ...atMost("cause to the last viewer's event, median", {
          ours: quantile(of(oursMany).last, 0.5),
          compared: quantile(of(bareMany).last, 0.5),
          max: 1.5,
          show: ms,
        }),
        goal: null,
        met: null,
      },
      {
        ...atMost(`until all ${many.toLocaleString('en')} streams have begun, 40 at a time`, {
          ours: begunMs.get(oursMany) ?? 0,
          compared: begunMs.get(bareMany) ?? 0,
          max: 1.5,
          show: ms,
        }),
        goal: null,
        met: null,
      },
      atMost('processor time of one viewer for one event', {
        ours: each(of(oursMany).cpuMs, of(oursOne).cpuMs) / events,
        compared: each(of(bareMany).cpuMs, of(bareOne).cpuMs) / events,
        max: 1.5,
        show: perViewer,
      }),
      atMost('memory of one viewer, garbage collected', {
        ours: each(memory(oursMany).held, memory(oursOne).held),
        compared: each(memory(bareMany).held, memory(bareOne).held),
        max: 1.5,
        show: bytes,
      }),
      atMost('resident memory of one viewer', {
        ours: each(memory(oursMany).resident, memory(oursOne).resident),
        compared: each(memory(bareMany).resident, memory(bareOne).resident),
        max: 1.5,
        show: bytes,
      }),
    ],
    notes: [
      'The goal is the same number of questions. Some of them are asked by the clock (heartbeats, checks), and the rounds of a thousand viewers take longer than those of one: so up to a tenth more or less counts as the same.',
      'Our process has memory left over from its start, which viewers fill before it grows: so its resident memory may grow by less than what they hold.',
      `The processor time of ${many.toLocaleString('en')} viewers at ${Math.round((1000 * events) / of(oursMany).elapsedMs)} events a second is ${((100 * of(oursMany).cpuMs) / of(oursMany).elapsedMs).toFixed(1)} % of a core here and ${((100 * of(bareMany).cpuMs) / of(bareMany).elapsedMs).toFixed(1)} % with bare node:http. It includes the pings, which both send.`,
    ],
  };
}

export const bench: Bench = {
  title: 'Fan-out: one change, a thousand viewers',
  about: `Two servers of ours and two of bare node:http, each with one viewer or with ${many.toLocaleString('en')}; the viewers are bare sockets in another process. In turn, each server sends ${eventsEach} events, of the same bytes, one after the other, ${rounds} times. Ours are caused by a write of a lock's value in Consul among ${locks} locks in view, the bare one's by a request. What a viewer costs is the difference between many and one, by the number of viewers: processor time of all threads over the rounds, memory from before the viewers came to after the last round.`,
  run,
};
