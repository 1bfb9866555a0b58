/** Five hundred people with tokens of their own, and the cost of each beyond the open pages. */
import { pause } from '@/lib/providers/consul/client/clock';
import { startConsul } from '@/test/support/consul';
import { atMost, type Bench, type BenchStage, bytes, goalOf, ms, plainFigure, quantile } from './figure';
import { eventsEach, startReaders, unseen } from './readers';
import { type StreamServer, startOurs } from './stream-server';

const people = 500;
const policies = 10;
const tabs = 1_000;
const locks = 100;
/** The same number of pages for few people, so that the difference is the cost of people. */
const few = 20;
const rounds = 5;
/** The time of each round without a change. */
const restMs = 8_000;

async function run(stage: BenchStage) {
  const consul = await startConsul({ acl: true });
  stage.defer(() => consul.stop());
  const one = await startOurs(stage, { consul, name: 'one', people: 1, count: 1, locks });
  const some = await startOurs(stage, { consul, name: 'few', people: few, count: tabs, locks });
  const all = await startOurs(stage, { consul, name: 'all', people, count: tabs, locks, policies });
  const groups = [one, some, all];
  const readers = startReaders(stage);
  for (const group of groups)
    stage.say(`${group.name}: ${group.count} connected in ${ms(await readers.open(group, group.count))}`);
  const seen = new Map(groups.map((group) => [group, unseen()]));
  const of = (group: StreamServer) => seen.get(group) ?? unseen();
  const rest = new Map(groups.map((group) => [group, { requests: 0, elapsedMs: 0 }]));
  for (let round = 0; round < rounds; round += 1) {
    for (const group of groups) await readers.window(group, of(group), round);
    const before = { requests: groups.map((group) => group.requests()), atMs: performance.now() };
    await pause(restMs);
    for (const [i, group] of groups.entries()) {
      const known = rest.get(group) ?? { requests: 0, elapsedMs: 0 };
      known.requests += group.requests() - (before.requests[i] ?? 0);
      known.elapsedMs += performance.now() - before.atMs;
      rest.set(group, known);
    }
  }
  const memory = new Map<StreamServer, { held: number; resident: number }>();
  for (const group of groups) memory.set(group, await group.server.memory());
  const heldBy = (group: StreamServer) => memory.get(group)?.held ?? 0;
  const residentOf = (group: StreamServer) => memory.get(group)?.resident ?? 0;
  const last = (group: StreamServer, q = 0.5) => quantile(of(group).last, q);
  const perSecond = (group: StreamServer) => (1000 * of(group).requests) / of(group).elapsedMs;
  const atRest = (group: StreamServer) => {
    const { requests = 0, elapsedMs = 1 } = rest.get(group) ?? {};
    return (1000 * requests) / elapsedMs;
  };
  /** The cost beyond that of the same time without a change. */
  const eachChange = (group: StreamServer) =>
    ((perSecond(group) - atRest(group)) * of(group).elapsedMs) / 1000 / (rounds * eventsEach);
  const core = (group: StreamServer) => (100 * of(group).cpuMs) / of(group).elapsedMs;
  for (const group of groups)
    stage.say(
      `${group.name}: last ${ms(last(group))} / ${ms(last(group, 0.99))}, ${core(group).toFixed(1)} % of a core, ${of(group).requests} requests, ${perSecond(group).toFixed(1)} a second, ${bytes(heldBy(group))} held, ${bytes(residentOf(group))} resident`,
    );
  const show = (value: number) => `${value.toFixed(1)} a second`;
  const times = (value: number) => value.toFixed(2);
  /** The rate of token look-ups, one per token every 2.5 s (`lib/providers/consul/sight/sights.ts`). */
  const lives = people / 2.5;
  const each = (value: (group: StreamServer) => number) => (value(all) - value(some)) / (people - few);
  const kilobytes = 50 * 1024;
  return {
    compared: 'one person with one page',
    figures: [
      {
        ...plainFigure('questions to Consul for one change', {
          ours: eachChange(all),
          compared: eachChange(one),
          show: times,
        }),
        goal: goalOf(eachChange(all), '<=', 1.1 * eachChange(one), {
          show: times,
          text: 'the same, within 10 %',
        }),
      },
      plainFigure(
        `questions to Consul while nothing changes, without the one by which each token is known to live (${lives} a second)`,
        { ours: atRest(all) - lives, compared: atRest(one) - 1 / 2.5, show },
      ),
      plainFigure(`the same (compared with: ${few} people of one policy)`, {
        ours: atRest(all) - lives,
        compared: atRest(some) - few / 2.5,
        show,
      }),
      plainFigure('all questions to Consul', { ours: perSecond(all), compared: perSecond(one), show }),
      atMost("write to the last page's event, median", {
        ours: last(all),
        compared: last(one),
        max: 5,
        show: ms,
      }),
      plainFigure(`the same (compared with: as many pages of ${few} people of one policy)`, {
        ours: last(all),
        compared: last(some),
        show: ms,
      }),
      plainFigure('processor time of the server, per cent of one core', {
        ours: core(all),
        compared: core(one),
        show: (value) => `${value.toFixed(1)} %`,
      }),
      {
        ...plainFigure(
          `memory of one person beyond the streams, garbage collected (compared with: all of as many pages of ${few} people)`,
          { ours: each(heldBy), compared: heldBy(some), show: bytes },
        ),
        goal: goalOf(each(heldBy), '<=', kilobytes, { show: bytes, text: '<= 50 kB' }),
      },
      plainFigure('the same, resident', { ours: each(residentOf), compared: residentOf(some), show: bytes }),
    ],
    notes: [
      `Of the ${policies} policies each has the same rules: what is read and asked goes by policies, not by what they say.`,
      `The rights of each policy are asked again every two seconds, changes or not, so that a right that is taken away ends within 5 s (\`docs/decisions/0057\`). What a change costs is what was asked in the windows of writing, less what as long a time takes without a change.`,
    ],
  };
}

export const bench: Bench = {
  title: 'People: five hundred tokens of ten policies',
  about: `Consul has ACLs on, default deny. Three servers of ours, each with ${locks} locks in view: with one person and one page; with ${tabs.toLocaleString('en')} pages of ${few} people who share a policy; and with as many pages of ${people} people, whose tokens have ${policies} policies in turns. The pages are bare sockets in another process, and read gzip. In turn, a lock of each server is written to ${eventsEach} times, ${rounds} times over, and after each time nothing is written for ${restMs / 1_000} s. What a person costs beyond the streams is the difference between the last two, by the number of people.`,
  excluded: 'Signing in, and the time until the streams have begun.',
  run,
};
