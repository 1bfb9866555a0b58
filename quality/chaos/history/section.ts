/** The history's part of `docs/faults.md`: a row for each half, replaced by the newest run of it. */
import type { HistoryPart } from './evidence';
import { quantile } from './run';

export const historyHead = '## The history, beside an independent recorder';

const about = `\`npm run chaos -- history --minutes 60\` lets real \`consul lock\` and plain clients take and leave locks and slots in every way that is known of clients (let go, wait on under the same session, delete the key, end the session, die by SIGKILL, break the record), while a person frees, evicts and ends through the API. Half of the time nothing else happens; in the other half Signalbox is blinded. A plain client of Consul in a process of its own (\`quality/chaos/history/observer-process.mjs\`, which has no line of Signalbox) follows two indexes and keeps every hold that it sees. Then each hold that \`GET /api/v1/history\` tells is compared with it:

- None is missing that lasted longer than 5.5 s in sight, the bound for old data on a live screen. Shorter ones may be over before a read; they are counted.
- None is invented. One that was over between two reads of the observer is counted; an answer within 50 ms of its beginning may be older than it.
- Its beginning and end are at most 5.5 s later than the observer saw them, and each end has its right name. Where several things happened between two reads, as a release and the end of its session, each of their names is right; such ends are counted.
- An end within a gap is \`not-watched\`, unless it is told within 300 ms of when the observer saw it (or the p99 of the delay outside gaps, where that is more), or an action of Signalbox's own ended the hold and the end says "at most". There is a gap where, and only where, its own screen did not say "live".`;

const columns = [
  'part',
  'lasted',
  'holds seen',
  'told, and the same',
  'over before a read, the longest',
  'within a gap',
  'between two reads of the observer, the longest',
  'later than the observer, p50, p99',
  'ends with two right names',
  'gaps',
  'differences',
  'seed',
  'Consul, and when',
];
const rowMark = (name: string) => `<!-- history:${name} -->`;

function rowOf({ name, minutes, compared, blindings, seed, consul, at }: HistoryPart): string {
  const { lagsMs, differences } = compared;
  const cells = [
    name === 'storm' ? 'the storm alone' : `the storm and ${blindings.length} faults`,
    `${minutes} min`,
    `${compared.seen}`,
    `${compared.told}, ${compared.equal}`,
    `${compared.unread}, ${Math.round(compared.longestUnreadMs)} ms`,
    `${compared.inGap}`,
    `${compared.unobserved}, ${Math.round(compared.longestUnobservedMs)} ms`,
    `${quantile(lagsMs, 0.5)} ms, ${quantile(lagsMs, 0.99)} ms`,
    `${compared.coalesced}`,
    `${compared.gaps}, ${Math.round(compared.gapMs / 1_000)} s`,
    differences.length === 0 ? 'none' : `**${differences.length}**`,
    `${seed}`,
    `${consul}, ${at.slice(0, 10)}`,
  ];
  return `${rowMark(name)}| ${cells.join(' | ')} |`;
}

/** The section after these runs. `before`: the page's lines. */
export function historySection(before: readonly string[], parts: readonly HistoryPart[]): readonly string[] {
  const rows = (['storm', 'faults'] as const).flatMap((name) => {
    const played = parts.find((one) => one.name === name);
    if (played !== undefined) return [rowOf(played)];
    return before.filter((line) => line.startsWith(rowMark(name)));
  });
  if (rows.length === 0) return [];
  return [
    historyHead,
    '',
    about,
    '',
    `| ${columns.join(' | ')} |`,
    `|${columns.map(() => '---').join('|')}|`,
    ...rows,
    '',
  ];
}
