/** Locks and semaphores that change hands as fast as possible. */
import { runConsulLock, startConsul, type TestConsul } from '@/test/support/consul';
import { type Kind, type Measured, ours, slice, sliceMs, slots, theirs } from './contest';
import { type Bench, type Figure, goalOf, ms, plainFigure, quantile, times } from './figure';

/** The length of a hold, without which there would be no waiters. A lone contender holds for no time. */
const workMs = 5;
/** Each side measures a slice in each round. */
const rounds = 2;
/** For slices that vary by more than they differ from Go's. */
const moreRounds = 6;
/** Few, because each cycle of the command is a process of its own. */
const commands = 4;
const commandsMs = 6_000;

/** The sum of several slices. */
function sum(slices: readonly Measured[]): Measured {
  const total = (pick: (slice: Measured) => number) => slices.reduce((sum, one) => sum + pick(one), 0);
  return {
    cycles: total(({ cycles }) => cycles),
    reads: total(({ reads }) => reads),
    ms: total(({ ms }) => ms),
    longestMs: Math.max(...slices.map(({ longestMs }) => longestMs)),
    handedMs: slices.flatMap(({ handedMs }) => handedMs),
  };
}

const perSecond = ({ cycles, ms }: Pick<Measured, 'cycles' | 'ms'>) => (cycles * 1000) / ms;
const readsPer = ({ cycles, reads }: Measured) => reads / Math.max(1, cycles);
const rate = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} /s`;
const count = (value: number) => value.toFixed(1);

/** The contenders, their number, and the rounds. */
const plan: readonly (readonly [Kind, number, number])[] = [
  ['lock', 1, rounds],
  ['lock', 8, rounds],
  ['lock', 64, rounds],
  ['lock, held for no time', 64, rounds],
  ['lock, a process each', 2, moreRounds],
  ['lock, a process each', 8, moreRounds],
  ['lock, a process each', 64, moreRounds],
  ['semaphore', 1, rounds],
  ['semaphore', 8, moreRounds],
  ['semaphore', 64, rounds],
];

interface Round {
  readonly ours: Measured;
  readonly theirs: Measured;
}

interface Pair extends Round {
  readonly kind: Kind;
  readonly n: number;
  readonly rounds: readonly Round[];
}

/**
 * The standard error of the ratio of all rounds' cycles, with both slices of a round as a pair. More rounds could move
 * the ratio by this. `undefined` for too few rounds.
 */
function ratioError({ rounds, ours, theirs }: Pair): number | undefined {
  if (rounds.length < moreRounds) return undefined;
  const whole = perSecond(ours) / perSecond(theirs);
  const off = rounds.map((round) => perSecond(round.ours) - whole * perSecond(round.theirs));
  const variance = off.reduce((sum, one) => sum + one ** 2, 0) / (rounds.length - 1);
  return Math.sqrt(variance / rounds.length) / perSecond(theirs);
}

function cyclesOf(pair: Pair): Figure {
  const { kind, n } = pair;
  const error = ratioError(pair);
  const values = { ours: perSecond(pair.ours), compared: perSecond(pair.theirs), show: rate };
  return {
    ...plainFigure(`${kind}: cycles, ${n} contender${n === 1 ? '' : 's'}`, values),
    ...(error === undefined ? {} : { ratioError: error }),
    goal: goalOf(values.ours / values.compared, '>=', 1, { show: times, text: '>= 1x' }),
  };
}

/** Reads per release may rise by this factor from 8 contenders to 64 as noise. A herd rises by more. */
const flat = 1.25;

function readsOf({ kind, n, ours, theirs }: Pair, fewer: Pair | undefined): Figure {
  const mine = readsPer(ours);
  const figure = plainFigure(`${kind}: reads per release, ${n} contender${n === 1 ? '' : 's'}`, {
    ours: mine,
    compared: readsPer(theirs),
    show: count,
  });
  if (fewer === undefined || n < 64 || fewer.n === n) return figure;
  const text = `no more than with 8 (within ${Math.round((flat - 1) * 100)} %)`;
  return { ...figure, goal: goalOf(mine, '<=', flat * readsPer(fewer.ours), { show: count, text }) };
}

/** From a release to the next holder. With rests, all waiters may be asleep. */
const handedOf = ({ kind, n, ours, theirs }: Pair): Figure =>
  plainFigure(`${kind}: from a release to the next holder, median, ${n} contenders`, {
    ours: quantile(ours.handedMs, 0.5),
    compared: quantile(theirs.handedMs, 0.5),
    show: ms,
  });

const longestOf = ({ kind, n, ours, theirs }: Pair): Figure =>
  plainFigure(`${kind}: longest wait, ${n} contenders`, {
    ours: ours.longestMs,
    compared: theirs.longestMs,
    show: ms,
  });

/**
 * Cycles of real `consul lock` processes, and of ours, in turns. There is no goal, because each of their cycles is
 * mostly the start of a process. The algorithms are compared above.
 */
async function commandFigure(consul: TestConsul): Promise<Figure> {
  const [mine, other]: [Measured[], { cycles: number; ms: number }] = [[], { cycles: 0, ms: 0 }];
  const cycles = async (untilMs: number) => {
    while (performance.now() < untilMs) {
      const code = await runConsulLock(consul, { n: 1, prefix: 'recipes/command', command: 'true' }).exited;
      if (code !== 0) throw new Error(`consul lock ended with ${code}.`);
      other.cycles += 1;
    }
  };
  for (let round = 0; round < rounds; round += 1) {
    const beganMs = performance.now();
    await Promise.all(Array.from({ length: commands }, () => cycles(beganMs + commandsMs / rounds)));
    other.ms += performance.now() - beganMs;
    const name = `recipes/beside-command-${round}`;
    mine.push(await slice(ours({ consul, kind: 'lock, a process each', name, n: commands }), 0));
  }
  return {
    what: `lock: cycles, ${commands} contenders, beside the command \`consul lock\`, which starts a process for each`,
    ours: rate(perSecond(sum(mine))),
    compared: rate(perSecond(other)),
    ratio: null,
    goal: null,
  };
}

export const bench: Bench = {
  title: 'Recipes: cycles of acquire and release',
  about: `\`packages/locks\` beside Go's own algorithm (\`api/lock.go\`, \`api/semaphore.go\`), request by request over bare \`node:http\`: there is no Go compiler in this project. Contenders take it, hold it for ${workMs} ms (one that is alone: for no time), give it back and take it again, in slices of ${sliceMs / 1000} s, ours and theirs in turns: ${rounds} of each, or ${moreRounds} where the slices of one side differ by more than the two sides do; there the standard error of the ratio stands beside it. Each slice begins with contenders, connections and a key of its own. Semaphores have ${slots} slots. "A process each": every contender has a client of its own, as on machines of their own; otherwise all are in one process. Reads are the queries sent to Consul, blocking ones included, by the releases made meanwhile.`,
  excluded: 'The beginning of each slice, until as many cycles are over as there are contenders.',
  run: async (stage) => {
    const consul = await startConsul({ extraConfig: { limits: { http_max_conns_per_client: 2000 } } });
    const pairs: Pair[] = [];
    for (const [kind, n, many] of plan) {
      const holdMs = n === 1 || kind === 'lock, held for no time' ? 0 : workMs;
      const slices: Round[] = [];
      for (let round = 0; round < many; round += 1) {
        const name = `recipes/${kind.replace(/[^a-z]+/g, '-')}-${n}-${round}`;
        const one = () => slice(ours({ consul, kind, name: `${name}-ours`, n }), holdMs);
        const other = () => slice(theirs({ consul, kind, name: `${name}-theirs`, n }), holdMs);
        // The order alternates, because other load on the machine varies.
        const early = round % 2 === 0 ? await one() : null;
        const compared = await other();
        slices.push({ ours: early ?? (await one()), theirs: compared });
      }
      const pair: Pair = {
        kind,
        n,
        rounds: slices,
        ours: sum(slices.map((round) => round.ours)),
        theirs: sum(slices.map((round) => round.theirs)),
      };
      stage.say(
        `${kind}, ${n}: ${rate(perSecond(pair.ours))} and ${rate(perSecond(pair.theirs))}, reads ${count(readsPer(pair.ours))} and ${count(readsPer(pair.theirs))}, longest wait ${ms(pair.ours.longestMs)} and ${ms(pair.theirs.longestMs)}`,
      );
      pairs.push(pair);
    }
    const fewer = ({ kind }: Pair) => pairs.find((one) => one.kind === kind && one.n === 8);
    return {
      compared: "Go's algorithm",
      figures: [
        ...pairs.map(cyclesOf),
        ...pairs.map((pair) => readsOf(pair, fewer(pair))),
        ...pairs.filter(({ kind }) => kind === 'lock, a process each').map(handedOf),
        ...pairs.filter(({ n }) => n > 1).map(longestOf),
        await commandFigure(consul),
      ],
      notes: [
        "Held for no time, most of Go's contenders are not contending: one that loses a race and then finds the key free again takes that for a lock-delay and sleeps for 5 s (`DefaultLockRetryTime`), so one or two go round alone.",
        "The longest wait includes those still waiting at the end. Each of Go's that sleeps for 5 s shows there; most wait without contending, so that few share the cycles.",
        'A lock of these libraries is one key, so every program that waits for it watches that key. "A process each": ours leave the key alone for a while after they have lost a race for it, so that a few are awake for a release; none rests more once it has waited for 2.5 s and seen 200 holders (`docs/decisions/0033`). Where a holder takes more than 2.5 s, only those count, and a release wakes all who have waited for longer, as in Go. All those programs are in the one process of this benchmark, whose own work for their answers is in the time.',
      ],
    };
  },
};
