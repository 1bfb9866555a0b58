import { expect, test } from 'vitest';
import { liveSource } from '@/lib/domain/fixture/world';
import type { SourceState } from '@/lib/domain/source-state';
import { createLog } from '@/lib/server/process/log';
import { createSourceLog } from './source-log';

const live = liveSource();

function logOf() {
  const lines: Record<string, unknown>[] = [];
  const log = createSourceLog(createLog('info', { write: (line) => void lines.push(JSON.parse(line)) }));
  const restores = () =>
    lines
      .filter(({ msg }) => msg === 'the source was put back to an earlier state')
      .map(({ level, source, restoredAtMs }) => [level, source, restoredAtMs]);
  return { log, lines, restores };
}

test('a restored snapshot is one warning, a second restore another, and a watch that has seen none is no line', () => {
  const { log, restores } = logOf();
  for (const restoredAtMs of [null, 1_000, 1_000, 2_000, null, null]) log({ ...live, restoredAtMs });
  expect(restores()).toEqual([
    ['warn', undefined, 1_000],
    ['warn', undefined, 2_000],
  ]);
});

test('a restore changes nothing about the freshness, which is not logged again for it', () => {
  const { log, lines } = logOf();
  log(live);
  log({ ...live, restoredAtMs: 1_000 });
  expect(lines.map(({ msg }) => msg)).toEqual(['freshness', 'the source was put back to an earlier state']);
});

test('of several sources the line names the one that was put back', () => {
  const { log, restores } = logOf();
  const second: SourceState = { ...live, id: 'west', restoredAtMs: 1_000 };
  log({ ...live, parts: [live, second] });
  log({ ...live, parts: [live, second] });
  expect(restores()).toEqual([['warn', 'west', 1_000]]);
});

test('an agent that is followed no more is logged once, and is news when it comes back', () => {
  const { log, lines } = logOf();
  const watch = (agent: string) => ({ agent, state: 'observed', sinceMs: 1 }) as const;
  for (const renewals of [[watch('a'), watch('b')], [watch('a')], [watch('a')], [watch('a'), watch('b')]])
    log({ ...live, renewals });
  expect(lines.filter(({ msg }) => msg === 'renewals').map(({ agent, state }) => [agent, state])).toEqual([
    ['a', 'observed'],
    ['b', 'observed'],
    ['b', 'gone'],
    ['b', 'observed'],
  ]);
});
