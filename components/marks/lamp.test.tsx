// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, expect, test } from 'vitest';
import { en } from '@/lib/i18n/messages';
import type { LampKind } from '@/lib/view/board-rows';
import { Lamp, lampShapes } from './lamp';

afterEach(cleanup);
const kinds = Object.keys(lampShapes) as LampKind[];

test('no two lamps have the same shape, so that colour is never needed', () => {
  const shapes = kinds.map((kind) => renderToStaticMarkup(<svg aria-hidden="true">{lampShapes[kind]}</svg>));
  expect(new Set(shapes).size).toBe(kinds.length);
});

test('every lamp has a word and a meaning', () => {
  const words = { ...en.verdicts, ...en.lampWords };
  for (const kind of kinds) {
    expect(words[kind].word).not.toBe('');
    expect(en.meanings[kind]).not.toBe('');
  }
});

test.each(kinds)('%s: a lamp without its word beside it is named, one with it is decoration', (kind) => {
  render(
    <>
      <Lamp kind={kind} label={`a ${kind} lamp`} />
      <Lamp kind={kind} />
    </>,
  );
  expect(screen.getAllByRole('img').map((lamp) => lamp.getAttribute('aria-label'))).toEqual([
    `a ${kind} lamp`,
  ]);
});
