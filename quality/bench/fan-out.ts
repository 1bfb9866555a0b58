/** One change, many readers: the delay of the thousandth, and the cost of each. */
import { startConsul } from '@/test/support/consul';
import {
  atMost,
  type Bench,
  type BenchStage,
  bytes,
  type Figure,
  goalOf,
  ms,
  plainFigure,
  quantile,
} from './figure';
import { eventsEach, startReaders, unseen } from './readers';
import { readPatch, type StreamServer, startBare, startOurs } from './stream-server';

/**
 * Each person may open 60 streams a minute (`lib/server/http/limits.ts`), so a thousand viewers take uncounted minutes
 * to come.
 */
const people = 5;
const many = Number(process.env.SIGNALBOX_BENCH_VIEWERS ?? 1_000);
const locks = 100;
/** Readers that come and go before the weighing. */
const warmUp = 40;
const rounds = 5;

/** The cost of each reader beyond a person's first, from a server with many and one with few. */
const each = (all: number, few: number) => (all - few) / (many - people);

async function run(stage: BenchStage) {
  const consul = await startConsul({ acl: true });
  const oursOne = await startOurs(stage, { consul, name: 'one', people: 1, count: 1, locks });
  const oursFew = await startOurs(stage, { consul, name: 'few', people, count: people, locks });
  const oursMany = await startOurs(stage, { consul, name: 'many', people, count: many, locks });
  const patch = await readPatch(oursOne);
  const [cookie] = oursOne.cookies;
  const snapshot = await (
    await fetch(`http://127.0.0.1:${oursOne.port}/api/v1/snapshot`, { headers: { cookie } })
  ).text();
  const beginning = `retry: 1000\n\nevent: snapshot\nid: x-1\ndata: ${snapshot}\n\n`;
  const bareFew = await startBare(stage, { name: 'bare-few', count: people, beginning, patch });
  const bareMany = await startBare(stage, { name: 'bare-many', count: many, beginning, patch });
  const groups = [oursOne, oursFew, bareFew, oursMany, bareMany];
  const readers = startReaders(stage);

  const before = new Map<StreamServer, { held: number; resident: number }>();
  for (const group of groups) {
    // Shared work must not count for the first reader.
    await readers.open(group, Math.max(warmUp, group.cookies.length));
    await readers.leave(group);
    before.set(group, await group.server.memory());
  }
  const begunMs = new Map<StreamServer, number>();
  for (const group of groups) {
    const openedMs = await readers.open(group, group.count);
    begunMs.set(group, openedMs);
    stage.say(`${group.name}: ${group.count} connected in ${ms(openedMs)}`);
  }
  const seen = new Map(groups.map((group) => [group, unseen()]));
  const of = (group: StreamServer) => seen.get(group) ?? unseen();
  for (let round = 0; round < rounds; round += 1)
    for (const group of groups) await readers.window(group, of(group), round);
  const grown = new Map<StreamServer, { held: number; resident: number }>();
  for (const group of groups) {
    const { held, resident } = await group.server.memory();
    const was = before.get(group) ?? { held: 0, resident: 0 };
    grown.set(group, { held: held - was.held, resident: resident - was.resident });
  }
  const memory = (group: StreamServer) => grown.get(group) ?? { held: 0, resident: 0 };
  for (const group of groups) {
    const { last, cpuMs, requests, elapsedMs } = of(group);
    stage.say(
      `${group.name}: last ${ms(quantile(last, 0.5))} / ${ms(quantile(last, 0.99))}, ${((100 * cpuMs) / elapsedMs).toFixed(1)} % of a core, ${requests} requests, +${bytes(memory(group).held)} held, +${bytes(memory(group).resident)} resident`,
    );
  }
  const events = rounds * eventsEach;
  const perViewer = (value: number) => `${(value * 1000).toFixed(1)} us`;
  const [askedMany, askedFew] = [of(oursMany).requests, of(oursFew).requests];
  const thousand = many.toLocaleString('en');
  const queries: Figure = {
    ...plainFigure(
      `questions to Consul for ${events} changes, ${thousand} viewers (compared with: one viewer of each person)`,
      { ours: askedMany, compared: askedFew, show: String },
    ),
    goal: goalOf(Math.abs(askedMany - askedFew), '<=', 0.1 * askedFew, {
      show: (value) => value.toFixed(0),
      text: 'the same, within 10 %',
    }),
  };
  const last = (group: StreamServer) => quantile(of(group).last, 0.5);
  return {
    compared: 'bare node:http',
    figures: [
      queries,
      plainFigure(`questions to Consul of one person's viewer (compared with: ${people} people's)`, {
        ours: of(oursOne).requests,
        compared: askedFew,
        show: String,
      }),
      atMost("write to the last viewer's event, median (compared with: the only viewer's)", {
        ours: last(oursMany),
        compared: last(oursOne),
        max: 5,
        show: ms,
      }),
      plainFigure(`the same (compared with: one viewer of each of ${people} people)`, {
        ours: last(oursMany),
        compared: last(oursFew),
        show: ms,
      }),
      plainFigure("cause to the last viewer's event, median", {
        ours: last(oursMany),
        compared: last(bareMany),
        show: ms,
      }),
      plainFigure(`until all ${thousand} streams have begun, 40 at a time`, {
        ours: begunMs.get(oursMany) ?? 0,
        compared: begunMs.get(bareMany) ?? 0,
        show: ms,
      }),
      atMost('processor time of one viewer for one event', {
        ours: each(of(oursMany).cpuMs, of(oursFew).cpuMs) / events,
        compared: each(of(bareMany).cpuMs, of(bareFew).cpuMs) / events,
        max: 1.5,
        show: perViewer,
      }),
      atMost('memory of one viewer, garbage collected', {
        ours: each(memory(oursMany).held, memory(oursFew).held),
        compared: each(memory(bareMany).held, memory(bareFew).held),
        max: 1.5,
        show: bytes,
      }),
      atMost('resident memory of one viewer', {
        ours: each(memory(oursMany).resident, memory(oursFew).resident),
        compared: each(memory(bareMany).resident, memory(bareFew).resident),
        max: 1.5,
        show: bytes,
      }),
    ],
    notes: [
      'The goal is the same number of questions. Some of them are asked by the clock (heartbeats, checks), and the rounds of a thousand viewers take longer than those of few: so up to a tenth more or less counts as the same.',
      'Our process has memory left over from its start, which viewers fill before it grows: so its resident memory may grow by less than what they hold.',
      `The processor time of ${thousand} viewers at ${Math.round((1000 * events) / of(oursMany).elapsedMs)} events a second is ${((100 * of(oursMany).cpuMs) / of(oursMany).elapsedMs).toFixed(1)} % of a core here and ${((100 * of(bareMany).cpuMs) / of(bareMany).elapsedMs).toFixed(1)} % with bare node:http. It includes the pings, which both send.`,
    ],
  };
}

export const bench: Bench = {
  title: 'Fan-out: one change, a thousand viewers',
  about: `Consul has ACLs on, default deny. Three servers of ours: with one viewer; with one viewer of each of ${people} people; and with ${many.toLocaleString('en')} viewers of ${people} people. Two of bare node:http, with ${people} viewers and with ${many.toLocaleString('en')}. The viewers are bare sockets in another process, and read gzip. Each of our servers has a management token; each person has signed in with a token that may read everything in view, and Consul is asked with each of them. The bare servers ask for no token, and compress each event once. In turn, each server sends ${eventsEach} events, of the same text, one after the other, ${rounds} times. Ours are caused by a write of a lock's value in Consul among ${locks} locks in view, the bare one's by a request. What a viewer costs is the difference between many and few, by the number of viewers: processor time of all threads over the rounds, memory from before the viewers came to after the last round.`,
  excluded: `${warmUp} viewers that come to each server and leave before it is weighed. The time until the streams have begun stands in a row of its own, without the minutes that our server makes people wait who open more than 60 in one. The viewers unpack each event once, not once each.`,
  run,
};
