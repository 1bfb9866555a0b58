import { expect, test } from 'vitest';
import { snippetOf } from './made';

const asked = {
  origin: 'https://signalbox.example.com',
  address: '/embed/v1/lock?share=S',
  name: 'a"<b>/[c]',
};

test.each(['html', 'grafana'] as const)(
  'a frame has scripts and no origin, and the console that it opens has one: %s',
  (kind) => {
    const sandbox = /sandbox="([^"]*)"/.exec(snippetOf(kind, asked))?.[1];
    expect(sandbox?.split(' ')).toEqual(['allow-scripts', 'allow-popups', 'allow-popups-to-escape-sandbox']);
  },
);

test('a name can neither leave the attribute nor the text that it is put into', () => {
  expect(snippetOf('html', asked)).toContain('title="Signalbox: a&#34;&#60;b&#62;/[c]"');
  expect(snippetOf('badge', asked)).toMatch(/^\[!\[Signalbox: a"\\<b\\>\/\\\[c\\\]\]\(/);
});
