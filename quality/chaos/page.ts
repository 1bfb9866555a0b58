/** `docs/faults.md`: a row for each fault, replaced by its newest run. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { inProject } from '@/scripts/project.mjs';
import { found, open } from './found';
import type { HistoryPart } from './history/evidence';
import { historyHead, historySection } from './history/section';
import { cutOffBoundMs, liveBoundMs } from './invariants';
import { type Played, settleMaxMs } from './run';
import { flatFrom, flatShare } from './soak';

const path = () => inProject('docs', 'faults.md');

const head = `# Faults

\`npm run chaos\` breaks real servers and writes this page: the production build, real Consul with ACLs, real clients (\`consul lock\` and our own), more than 500 locks so that they are read in parts, a page of one lock in Chromium beside three plain clients, and a person who takes all seven kinds of action in turn, each in turn with three tokens. \`npm run chaos -- --minutes 60\` runs for an hour; \`--only leader-killed --seed 7\` repeats one fault.

Throughout, a reader of Consul that shares no code with Signalbox checks these invariants:

- No screen says "live" for more than ${liveBoundMs / 1000} s over data that Consul knows to be old, nor calls a holder well for longer when its node or check is critical. Where nothing reaches a screen, because Signalbox is stopped (SIGSTOP) or a proxy keeps all for itself, that screen has ${cutOffBoundMs / 1000} s: two missed heartbeats.
- Every state of an entry has its exact 64-bit flags, shape and limit.
- An action's write goes out once, unless Consul itself refused it.
- The outcome of an action is reported, unless Signalbox itself is stopped, and is true part by part; "not known" stands only for what could not be known. A refused limit never appears, and half a minute after a refused release, deletion or end of a session all is as it was.
- Signalbox makes no write that was not ordered.
- Only evicted holders lose a slot, unless the fault is one of Consul itself.
- Within ${settleMaxMs / 1000} s after each fault every screen equals a fresh read without a reload, with each holder's state: well, suspect or a ghost. Screens of one lock show what it was a moment ago.

"Old while live" is the longest time that a screen said "live" over old data, before a missed heartbeat can show it. "Equal after" counts from the end of the fault. Runs in which one process lives for ${flatFrom.minutes} minutes or more also assert growth: heap, resident memory and sockets of the last third are at most ${flatShare * 100} % above the middle third.
`;

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const mark = (fault: string) => `<!-- fault:${fault} -->`;

/** The screen's words, each once in a row: \`stale → agent-hangs → live\`. */
function saidBy({ said }: Played): string {
  const changes = said.filter(({ says }, i) => says !== said[i - 1]?.says);
  const [first] = changes;
  if (first === undefined) return 'live all along';
  const rest = changes.length > 6 ? [...changes.slice(0, 3), null, ...changes.slice(-2)] : changes;
  const words = rest.map((one) => (one === null ? '…' : one.says));
  return `after ${seconds(first.afterMs)}: ${words.join(' → ')}`;
}

function rowOf(played: Played, times: number, { consul, tree }: Pick<PageFacts, 'consul' | 'tree'>): string {
  const told = Object.entries(played.told).map(([code, count]) => `${count} ${code}`);
  const broken = [...new Set(played.violations.map(({ invariant }) => invariant))];
  const cells = [
    `${played.title} (\`${played.fault}\`)`,
    seconds(played.lastedMs),
    saidBy(played),
    seconds(played.oldestLiveMs),
    played.recoveredMs !== null
      ? seconds(played.recoveredMs)
      : broken.includes('failed')
        ? '–'
        : '**not in time**',
    told.join(', ') || 'none',
    broken.length === 0 ? (times > 1 ? `held, ${times} times` : 'held') : `**broken: ${broken.join(', ')}**`,
    `${played.seed}`,
    `${consul}, ${tree}, ${played.at.slice(0, 10)}`,
  ];
  return `${mark(played.fault)}| ${cells.join(' | ')} |`;
}

/** The worst of several runs of one fault: broken before slow. */
function worst(runs: readonly Played[]): Played | null {
  const weight = (one: Played) => one.violations.length * 1e9 + (one.recoveredMs ?? 1e8) + one.oldestLiveMs;
  return runs.reduce<Played | null>((a, b) => (a === null || weight(b) > weight(a) ? b : a), null);
}

const flatHead = '## Flat after a long run';
const foundHead = '## Found and mended';
const stormHead = '## Storms on Redis and ZooKeeper';

/** The present section; empty when there is none. */
function sectionBefore(page: readonly string[], title: string): readonly string[] {
  const from = page.indexOf(title);
  const to = page.findIndex((line, i) => i > from && line.startsWith('## '));
  return from === -1 ? [] : page.slice(from, to === -1 ? undefined : to);
}

/** Replaces the rows of the history. Everything else stays. */
export function writeHistory(parts: readonly HistoryPart[]): void {
  const page = readFileSync(path(), 'utf8').split('\n');
  const at = page.indexOf(historyHead);
  const from = at === -1 ? page.indexOf(foundHead) : at;
  const to = page.findIndex((line, i) => i > from && line.startsWith('## '));
  const rest = at === -1 ? page.slice(from) : page.slice(to);
  writeFileSync(path(), [...page.slice(0, from), ...historySection(page, parts), ...rest].join('\n'));
}

/** What holds for all rows of a run. */
export interface PageFacts {
  /** The names of all faults. */
  readonly order: readonly string[];
  readonly consul: string;
  /** The commit, and a mark when files differed from it. */
  readonly tree: string;
  readonly command: string;
  /** The load averages of 1, 5 and 15 minutes when it began. */
  readonly loadBefore: readonly number[];
  /** The new table; absent: the one before stays. */
  readonly flat?: string | null;
}

const loads = (all: readonly number[]) => all.map((one) => one.toFixed(2)).join(', ');

/** Replaces the rows of these runs. */
export function writePage(runs: readonly Played[], facts: PageFacts): void {
  const { order, consul, tree, command, loadBefore, flat = null } = facts;
  const before = existsSync(path()) ? readFileSync(path(), 'utf8').split('\n') : [];
  const rows = order.flatMap((name) => {
    const mine = runs.filter(({ fault }) => fault === name);
    const played = worst(mine);
    if (played !== null) return [rowOf(played, mine.length, facts)];
    return before.filter((line) => line.startsWith(mark(name)));
  });
  const losses = runs.reduce((sum, one) => sum + one.losses, 0);
  const text = [
    head,
    '| fault | lasted | the screen said | old while live | equal after | actions applied meanwhile | invariants | seed | Consul, tree, and when |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows,
    '',
    `The newest run: \`${command}\`, ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC: ${runs.length} faults, ${cpus().length} cores, Node ${process.versions.node}, Consul ${consul}, tree ${tree}, load over 1, 5 and 15 minutes ${loads(loadBefore)} before and ${loads(loadavg())} after. Slots that clients lost to faults of Consul itself, by their own rules: ${losses}.`,
    '',
    ...(flat === null ? sectionBefore(before, flatHead) : [flatHead, '', flat, '', `\`${command}\``, '']),
    ...sectionBefore(before, stormHead),
    ...historySection(before, []),
    foundHead,
    '',
    ...(found.length === 0
      ? ['Nothing yet.']
      : [
          '| by | what was wrong | what was done |',
          '|---|---|---|',
          ...found.map(({ fault, was, mended }) => `| \`${fault}\` | ${was} | ${mended} |`),
        ]),
    '',
    '## Known, and not played',
    '',
    ...open.map((text) => `- ${text}`),
    '',
  ];
  writeFileSync(path(), text.join('\n'));
}

const stormText = `\`npm run chaos -- redis --minutes 5\` and \`npm run chaos -- zookeeper --minutes 5\`: real clients of Redisson and Curator take and let go of locks and permits without a pause, operators plan and apply actions at random, on whatever Signalbox shows: on both they release, remove waiters, evict and set limits, on Redis they also wake, sweep permits that are over and return those of clients that are gone, on ZooKeeper they also ask. Each storm lasts as long as is asked; on Redis there are two, one after the other. A client is killed (SIGKILL) 20 s after the last one that took its place began; the leader is killed 30 s after the one before came back: the master of a slot of a Redis cluster of three masters with a replica each, the master of a set under sentinels, the leader of a ZooKeeper ensemble of three. On ZooKeeper another program deletes places in queues of semaphores, so that leases get stuck.

Judges that share no code with the providers decide. On ZooKeeper they read the servers' transaction logs, which name the session that removed each node; on Redis they take the clients' own words, and read the replica of each killed master before it takes over, so that what Redis itself loses, as it copies afterwards, is told apart from what an action took.

- Each hold that its client lost was evicted by an action that named it, once for each action; each eviction that was told as done was such a loss. Locks that nobody acts on stay.
- On ZooKeeper, no node was removed but by its own client, the end of its session, or an action that named that node at that time.
- Nobody is let in beside another holder, unless an action, a failover of Redis or the end of a session parted them.
- Under Redis a client that gave up asking while its master was gone, or for whose answer Redisson waited longer than it was asked to, may hold for a lease all the same, which excuses one eviction. A hold that was evicted before its client could say that it had it keeps nobody out. Redisson repeats a call whose connection was closed, under the same name: what was evicted during a call of 1.5 s or more, up to 15 s after a failover, may have been taken again.
- What is free of a semaphore without names adds up from what each client and operator was told; a killed master's replica says from what on.
- Afterwards a real client takes each lock once more, permits add up to the last limit, and nothing is left.
`;

/** Replaces the rows of a storm, by name. */
export function writeStorms(rows: ReadonlyMap<string, string>): void {
  const page = readFileSync(path(), 'utf8').split('\n');
  const before = sectionBefore(page, stormHead).filter((line) => line.startsWith('<!-- storm:'));
  const markOf = (name: string) => `<!-- storm:${name} -->`;
  const isNew = (line: string) => [...rows.keys()].some((name) => line.startsWith(markOf(name)));
  const all = [
    ...before.filter((line) => !isNew(line)),
    ...[...rows].map(([name, row]) => markOf(name) + row),
  ];
  const section = [
    stormHead,
    '',
    stormText,
    '| storm | lasted | counted | invariants | when |',
    '|---|---|---|---|---|',
    ...all.sort(),
    '',
  ];
  const at = page.indexOf(stormHead);
  const place = at === -1 ? page.indexOf(foundHead) : at;
  page.splice(place, sectionBefore(page, stormHead).length, ...section);
  writeFileSync(path(), page.join('\n'));
}

/** One run of one fault, for a terminal. */
export function printed(played: Played): string {
  const { recoveredMs, oldestLiveMs, violations, told, losses } = played;
  const after = recoveredMs === null ? 'NOT EQUAL IN TIME' : `equal after ${seconds(recoveredMs)}`;
  const lines = violations.map(({ invariant, text }) => `\n     BROKEN ${invariant}: ${text}`).join('');
  return `   ${saidBy(played)}; old while live ${seconds(oldestLiveMs)}; ${after}; ${JSON.stringify(told)}; ${losses} lost${lines}`;
}
