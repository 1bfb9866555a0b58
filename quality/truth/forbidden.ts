/** Every sentence by which a page would make a forbidden claim, in the words of one language. */

import type { FindingCode, FindingFacts } from '@/lib/domain/findings/finding';
import type { EvidenceCode, Lock, Verdict } from '@/lib/domain/model';
import { type AllMessages, languages } from '@/lib/i18n/messages';
import type { LampKind } from '@/lib/view/board-rows';
import type { Never } from '@/quality/truth/situation';
import { any, many, pattern } from '@/quality/truth/text';

const counts = [1, many] as const;
type Holds = FindingFacts['ghost-slots']['holds'];
const allHolds: readonly Holds[] = ['session', 'lease', 'entry'];

/** The ends of a holder that never frees itself: none, with its node, with a Consul server. */
const endings = [
  { verdict: 'immortal', node: any, onServer: 0 },
  { verdict: 'node-bound', node: any, onServer: 0 },
  { verdict: 'node-bound', node: null, onServer: 0 },
  { verdict: 'node-bound', node: null, onServer: 1 },
] as const;

/** Facts with which each finding makes all its possible claims. A new finding does not compile without an entry. */
const facts: {
  readonly [C in FindingCode]: (n: number, holds: Holds) => FindingFacts[C] | readonly FindingFacts[C][];
} = {
  'ghost-slots': (n, holds) => ({ ghosts: n, recorded: n, waiting: n, holds }),
  'over-limit': (n) => ({ effective: n, limit: many, layout: 'go-semaphore' }),
  'overdue-holder': (n, holds) => ({ holders: n, label: any, waiting: 0, full: 0, holds }),
  'suspect-holder': (n, holds) => ({ holders: n, label: any, waiting: 0, full: 0, endless: 0, holds }),
  'endless-holder': (n, holds) =>
    endings.map((ending) => ({ holders: n, label: any, waiting: 0, holds, ...ending })),
  'unreadable-entry': (n) => ({ problem: 'not-json', detail: null, contenders: n, named: null }),
  'wrong-flags': (n) => ({ flags: any, contenders: n }),
  'limit-disagreement': (n) => ({ limit: many, asked: null, clients: n, waiting: n }),
  herd: (n) => ({ crowd: many, waiting: many, limit: n }),
  flapping: () => ({ changes: many, windowMs: many, holdMs: many }),
  deadlock: () => ({ clients: 2, first: any, second: any, behind: 0, owners: 0 }),
  'dead-queue-head': (n) => ({ label: any, behind: n, free: 0 }),
  'sleeping-waiters': (n) => ({ waiting: n }),
  'sleeping-readers': (n) => ({ waiting: n }),
  'same-thread-removed': () => ({ label: any }),
  'no-lock-delay': (n) => ({ label: any, delayMs: n === 1 ? 0 : many, layout: 'plain' }),
  'session-leak': () => ({ name: any, node: any }),
};

/** Verdicts for which a lock that is held without a session only says that it is held. */
const unsaid: ReadonlySet<Verdict> = new Set<Verdict>(['alive', 'node-bound']);

const verdictTexts = (verdict: Verdict, { meanings, subject }: AllMessages): string[] => [
  meanings[verdict],
  ...(verdict === 'alive' ? [meanings.aliveWithin(any)] : []),
  ...(verdict === 'node-bound'
    ? [
        meanings.boundToServer,
        subject.lock.boundToServer(any),
        ...counts.map(subject.semaphore.boundToServer),
      ]
    : []),
  subject.lock.held(verdict, any, null),
  subject.holding.meanings.lease[verdict],
  subject.holding.meanings.entry[verdict],
  ...(unsaid.has(verdict) ? [] : [subject.holding.held[verdict](any)]),
  ...counts.flatMap((n) => subject.semaphore.doubtful[verdict]?.(n) ?? []),
  ...(verdict === 'overdue' ? counts.map((n) => subject.semaphore.overdueUntil(n, any)) : []),
];

/** Each reason for an unobserved renewal has a sentence. */
const details: Partial<Record<EvidenceCode, readonly string[]>> = {
  'renewals-not-observed': ['unseen', 'connecting', 'forbidden', 'unreachable', 'left', 'no-servers', 'off'],
};

const withDetail = (code: EvidenceCode, { evidence }: AllMessages): string[] =>
  (details[code] ?? [any]).flatMap((detail) => [evidence[code](detail, null), evidence[code](detail, any)]);

function evidenceTexts(code: EvidenceCode, words: AllMessages): string[] {
  const without = words.evidence[code](null, null);
  // A short fact may be part of another's sentence: its node's checks pass, and so do its checks.
  const others = (Object.keys(words.evidence) as EvidenceCode[]).filter((other) => other !== code);
  const clear = !others.some((other) => withDetail(other, words).some((text) => text.includes(without)));
  return [...withDetail(code, words), ...(clear ? [without] : [])];
}

function findingTexts<C extends FindingCode>(code: C, { reports, findings }: AllMessages): string[] {
  const report = reports[code] as (facts: FindingFacts[C]) => string;
  const claims = counts.flatMap((n) => allHolds.flatMap((holds) => facts[code](n, holds)));
  return [...(claims as FindingFacts[C][]).map(report), findings[code].own ?? []].flat();
}

const stateTexts: Readonly<Record<Lock['state'], (words: AllMessages) => string[]>> = {
  held: ({ subject: { lock } }) => [
    ...(['alive', 'overdue', 'suspect', 'node-bound', 'immortal', 'unknown'] as const).map((verdict) =>
      lock.held(verdict, any, null),
    ),
    lock.boundToServer(any),
  ],
  free: ({ subject: { lock } }) => [lock.free, lock.freeOfLeases],
  delayed: ({ subject: { lock }, delay }) => [
    lock.delayed(null),
    lock.delayed(any),
    delay.goneSentence(null),
    delay.goneSentence(any),
  ],
  unknown: ({ subject: { lock, holding } }) => [lock.unknown, holding.unknown],
};

/** The forbidden sentences. */
export function forbiddenTexts(never: Never, words: AllMessages): readonly string[] {
  const { verdicts = [], evidence = [], findings = [], states = [], texts = [] } = never;
  return [
    ...new Set([
      ...verdicts.flatMap((verdict) => verdictTexts(verdict, words)),
      ...evidence.flatMap((code) => evidenceTexts(code, words)),
      ...findings.flatMap((code) => findingTexts(code, words)),
      ...states.flatMap((state) => stateTexts[state](words)),
      ...texts,
    ]),
  ];
}

/** The forbidden lamps, which would make the claim without words. */
export const forbiddenLamps = ({ verdicts = [], states = [] }: Never): readonly LampKind[] => [
  ...verdicts,
  ...states.filter((state) => state === 'free' || state === 'delayed'),
];

/** The number of forbidden states, each of which a row of the snapshot can have. */
export const forbiddenStates = (never: Never): number =>
  [never.verdicts, never.evidence, never.findings, never.severities, never.states, never.rows].reduce(
    (sum, some) => sum + (some?.length ?? 0),
    never.listed === undefined ? 0 : 1,
  );

/** Forbidden on every page in every language: a claim beyond what can be known, or an unformatted value. */
export const neverAnywhere: readonly RegExp[] = [
  // "If its process is dead" and "probably dead" are conditions and judgements. This is a claim.
  /(?<!if its process |if it )\b(is|are) (certainly |surely )?dead\b/i,
  /(?<!如果进程|如果|可能|不等于|若)已死/,
  /\bundefined\b|\bNaN\b|\[object |Invalid Date/,
];

/** Puts every sentence between marks, which shows the texts that are made of sentences. */
function marked<T>(words: T): T {
  if (typeof words === 'string') return `⟦${words}⟧` as T;
  if (typeof words === 'function')
    return ((...args: unknown[]) => {
      const said: unknown = words(...args);
      return typeof said === 'string' ? marked(said) : said;
    }) as T;
  if (typeof words !== 'object' || words === null) return words;
  return Object.fromEntries(Object.entries(words).map(([name, one]) => [name, marked(one)])) as T;
}
const markedWords: AllMessages = marked(languages.en as AllMessages);

/** Reasons why a row's "must not say" can never fail, each as a text. Such a check proves nothing. */
export function vacuous(claims: {
  never(words: AllMessages): Never;
  after(words: AllMessages): Never;
  screen(words: AllMessages): { readonly has: readonly string[] };
}): string[] {
  const faults: string[] = [];
  const of = (words: AllMessages) => [claims.never(words), claims.after(words)];
  const textsIn = (words: AllMessages) => of(words).flatMap((never) => forbiddenTexts(never, words));
  if (textsIn(languages.en).length === 0) faults.push('no sentence is forbidden');
  if (of(languages.en).every((never) => forbiddenStates(never) === 0)) faults.push('no state is forbidden');
  for (const text of textsIn(markedWords))
    if (!text.includes('⟦')) faults.push(`no sentence of the product: ${text}`);
  for (const [language, words] of Object.entries(languages)) {
    const { has } = claims.screen(words);
    if (has.length === 0) faults.push(`nothing is looked for in ${language}`);
    for (const text of textsIn(words)) {
      const found = pattern(text);
      for (const must of has)
        if (found.test(must)) faults.push(`forbidden and asked for in ${language}: ${text}`);
    }
  }
  return faults;
}
