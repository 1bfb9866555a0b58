/** `docs/truth.md`, written from the table. Pure. */
import type { Chapter } from '@/test/truth/table';

const head = (count: number) => `# The truth table

${count} situations, each made for real on Consul by \`test/truth\` and looked at through the API and the screen by
\`e2e/truth.spec.ts\`, which fails for what is said wrongly and for what is said at all where nothing can be known.
What Consul cannot know is never shown; unknown is not none; every conclusion names its evidence.

This file is written by \`node scripts/truth.mjs\` from the same rows that the tests run.
`;

/** Text in a cell: a bar would end it. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

export function truthDocument(chapters: readonly Chapter[]): string {
  const count = chapters.reduce((sum, { situations }) => sum + situations.length, 0);
  let number = 0;
  const parts = chapters.map(({ title, situations }) => {
    const rows = situations.map((one) => {
      number += 1;
      const cells = [sentence(one.title), sentence(one.knows), sentence(one.says), sentence(one.mustNot)];
      return `| ${number} | ${cells.map(cell).join(' | ')} |`;
    });
    return [
      `## ${title}`,
      '| # | Situation | What Consul knows | What Signalbox says | What it must not say |',
      '| --- | --- | --- | --- | --- |',
      ...rows,
    ].join('\n');
  });
  return `${[head(count), ...parts].join('\n\n').replaceAll('\n\n\n', '\n\n')}\n`;
}
