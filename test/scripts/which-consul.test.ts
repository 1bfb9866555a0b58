import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCrew } from '@/scripts/crew.mjs';
import { chooseConsul, namesOthersOnly } from '@/scripts/which-consul.mjs';
import { freshFolder } from '@/test/support/stores';

const withConsul = [
  'consul://',
  'consul://?id=east',
  'redis://10.0.0.1?id=jobs\nconsul://?dc=west # the other coast',
  'stand-in:///a.json consul:///?id=c',
];
const withoutConsul = [
  'consul://10.0.0.1',
  'redis://10.0.0.1?id=jobs',
  'stand-in:///a.json',
  'stand-in:///consul://b',
];

test('an agent is looked for unless the sources name only others, in their variable or in their file', () => {
  const path = join(freshFolder(), 'sources');
  const inFile = (text: string) => {
    writeFileSync(path, text);
    return { SIGNALBOX_SOURCES_FILE: path };
  };
  for (const env of [
    {},
    { SIGNALBOX_SOURCES: ' ' },
    { SIGNALBOX_SOURCES_FILE: '' },
    ...withConsul.map((sources) => ({ SIGNALBOX_SOURCES: sources.replace(/#.*/, '') })),
  ])
    expect([env, namesOthersOnly(env)]).toEqual([env, false]);
  for (const text of withConsul) expect([text, namesOthersOnly(inFile(text))]).toEqual([text, false]);
  for (const text of withoutConsul) {
    expect([text, namesOthersOnly({ SIGNALBOX_SOURCES: text })]).toEqual([text, true]);
    expect(namesOthersOnly(inFile(`# consul://\n${text}\r\n\n  # consul://?id=c\n`))).toBe(true);
  }
});

test('with a file of other sources no agent is started, nor with one that the console refuses', async () => {
  const folder = freshFolder();
  const path = join(folder, 'sources');
  writeFileSync(path, 'redis://10.0.0.1?id=jobs\n');
  const crew = createCrew();
  for (const file of [path, join(folder, 'none')])
    expect(
      await chooseConsul({
        env: { NODE_ENV: 'test', SIGNALBOX_SOURCES_FILE: file, SIGNALBOX_STATE: folder },
        ...{ demo: true, crew, say: () => {} },
      }),
    ).toMatchObject({ kind: 'given', where: 'as SIGNALBOX_SOURCES_FILE says', agent: null });
});
