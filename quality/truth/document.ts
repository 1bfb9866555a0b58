/** `docs/truth.md`, written from the table. Pure. */

import { en } from '@/lib/i18n/messages';
import { readCoordination } from '@/lib/providers/consul/rows/coordination';
import type { Shape } from '@/quality/truth/shapes';
import type { Situation } from '@/quality/truth/situation';
import type { Chapter } from '@/quality/truth/table';

/** A row that only a server with Consul's rule for keys can make; no run of `npm test` has one. */
const isLater = ({ keys }: Situation) => keys === 'ruled';

/** The situations that every run makes. */
export const madeCount = (situations: readonly Situation[]): number =>
  situations.filter((one) => !isLater(one)).length;

/** In the cell of such a row. */
const later = 'Only on Consul 2.0 and later.';

const head = (count: number, laterCount: number) => `# The truth table

${count} situations, each made for real by \`quality/truth\`: on Consul, and in the chapters that name them on Redis with clients of
Redisson and on ZooKeeper with clients of Curator. The tests there ask the API, and \`e2e/truth-*.spec.ts\` look at the screen as
well, in every language. They fail for what is said wrongly, and for what is said at all, at any time of the situation and
anywhere on the page, where nothing can be known.
What the server cannot know is never shown; unknown is not none; every conclusion names its evidence.
${
  laterCount === 0
    ? ''
    : `
${laterCount} more, marked "${later}", are made where \`CONSUL_BIN\` names such a version. \`npm test\` fetches none, so they are not counted.
`
}
This file is written by \`node scripts/truth.mjs\` from the same rows that the tests run.
`;

/** The README's count. */
const counted = /\[(\d+) situations\]\(docs\/truth\.md\)/;

export function readmeWith(readme: string, count: number): string {
  if (!counted.test(readme)) throw new Error('README.md does not say how many situations there are.');
  return readme.replace(counted, `[${count} situations](docs/truth.md)`);
}

/** Text in a cell, in which a bar would end it. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const comes: Readonly<Record<Shape['comes'], string>> = {
  enters: 'enters',
  refuses: 'refuses: the limit is not its own',
  fails: 'fails: it cannot decode the entry',
  crashes: 'crashes: assignment to entry in nil map',
};
const holds: Readonly<Record<Shape['holds'], string>> = {
  keeps: 'keeps its slot',
  loses: 'leaves: it is not named',
  breaks: 'leaves, and cannot release',
};

/** Replaces a session's id, which is too long for a table. */
const someone = 'id';

function shapeRow({ title, value, ...does }: Shape): string {
  const stored = Buffer.from(value(someone));
  const { coordination, problems } = readCoordination(stored);
  const list = { code: 'holders-wrong-type', detail: 'list' } as const;
  const words = [...problems, ...(coordination?.shape === 'list' ? [list] : [])]
    .filter(({ code }) => code !== 'holder-not-a-session' || stored.includes('bob'))
    .map(({ code, detail }) => en.entryProblems[code](detail === someone ? 'bob' : detail));
  const says = [
    ...(words.length === 0 ? ['Nothing is wrong with it.'] : words),
    ...(coordination === null ? ['It is never written.'] : []),
  ];
  const cells = [
    sentence(title),
    comes[does.comes],
    holds[does.holds],
    does.severity ?? 'none',
    says.join(' '),
  ];
  return `| ${cells.map(cell).join(' | ')} |`;
}

const shapesPart = (shapes: readonly Shape[]) =>
  [
    `## What Go’s client does with a coordination entry

\`quality/truth/shapes.test.ts\` writes each of these and lets \`consul lock -n=3\` come to it, and hold while it is written. A client
fails on what it cannot decode, so that such an entry is urgent while somebody contends, and no slot of it is shown as free. Only
an entry that clients decode is ever written back. Clients with a list differ from each other; where they are known, the layouts
above have them.
`,
    '| `.lock` | A client that comes | A client that holds | Urgency, with a contender | What Signalbox says |',
    '| --- | --- | --- | --- | --- |',
    ...shapes.map(shapeRow),
  ].join('\n');

export function truthDocument(chapters: readonly Chapter[], shapes: readonly Shape[]): string {
  const all = chapters.flatMap(({ situations }) => situations);
  const count = madeCount(all);
  let number = 0;
  const parts = chapters.map(({ title, situations }) => {
    const rows = situations.map((one) => {
      number += 1;
      const title = isLater(one) ? `${sentence(one.title)} ${later}` : sentence(one.title);
      const cells = [title, sentence(one.knows), sentence(one.says), sentence(one.mustNot)];
      return `| ${number} | ${cells.map(cell).join(' | ')} |`;
    });
    return [
      `## ${title}`,
      '| # | Situation | What the server knows | What Signalbox says | What it must not say |',
      '| --- | --- | --- | --- | --- |',
      ...rows,
    ].join('\n');
  });
  return `${[head(count, all.length - count), ...parts, shapesPart(shapes)].join('\n\n').replaceAll('\n\n\n', '\n\n')}\n`;
}
