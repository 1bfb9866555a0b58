import { expect, test } from 'vitest';
import { type EndedAsking, endedSessions, newEndedKnown } from './ended-sessions';

const { signal } = new AbortController();

/** The sessions asked for, and their answers. */
function stage() {
  const answers = new Map<string, Awaited<ReturnType<EndedAsking['session']>>>();
  const asked: string[] = [];
  const known = newEndedKnown();
  let seesAll = true;
  const asking: EndedAsking = {
    seesAll: async () => {
      asked.push('all');
      return seesAll;
    },
    session: async (id) => {
      asked.push(id);
      return answers.get(id) ?? 'ended';
    },
  };
  return {
    answers,
    known,
    sees: (all: boolean) => {
      seesAll = all;
    },
    find: (ids: readonly string[], nowMs = 1_000) =>
      endedSessions(new Set(ids), asking, known, { nowMs, signal }),
    asked: () => asked.splice(0).sort(),
  };
}

test('only a session for which Consul answers has ended, and none that has is asked for twice', async () => {
  const on = stage();
  on.answers.set('late', 'there').set('kept', 'kept');
  expect(await on.find(['gone', 'late', 'kept'])).toEqual({ ids: new Set(['gone']), askAtMs: 31_000 });
  expect(on.asked()).toEqual(['all', 'gone', 'kept', 'late']);
  expect((await on.find(['gone', 'late', 'kept'])).ids).toEqual(new Set(['gone']));
  expect(on.asked()).toEqual(['all', 'late']);
  await on.find([]);
  expect([on.known.answers.plain.size, on.known.answers.hidden.size]).toEqual([0, 0]);
  expect(on.asked()).toEqual([]);
});

test('a session that was hidden from the token is asked for again after 30 s', async () => {
  const on = stage();
  on.answers.set('kept', 'kept');
  expect(await on.find(['kept', 'gone'], 1_000)).toEqual({ ids: new Set(['gone']), askAtMs: 31_000 });
  on.asked();
  await on.find(['kept', 'gone'], 30_999);
  expect(on.asked()).toEqual([]);
  on.answers.clear();
  expect(await on.find(['kept', 'gone'], 31_000)).toEqual({
    ids: new Set(['gone', 'kept']),
    askAtMs: null,
  });
  expect(on.asked()).toEqual(['all', 'kept']);
});

test('a token that does not see every session proves no end, and is asked again when its rights may be others', async () => {
  const on = stage();
  on.sees(false);
  expect(await on.find(['gone'], 1_000)).toEqual({ ids: new Set(), askAtMs: 31_000 });
  expect(on.asked()).toEqual(['all']);
  on.sees(true);
  expect(await on.find(['gone'], 30_999)).toEqual({ ids: new Set(), askAtMs: 31_000 });
  expect(on.asked()).toEqual([]);
  expect(await on.find(['gone'], 31_000)).toEqual({ ids: new Set(['gone']), askAtMs: null });
});

test('an answer that does not come proves nothing, and is asked for again', async () => {
  const on = stage();
  on.answers.set('gone', 'unknown');
  expect(await on.find(['gone'], 1_000)).toEqual({ ids: new Set(), askAtMs: 31_000 });
  on.answers.clear();
  expect((await on.find(['gone'], 31_000)).ids).toEqual(new Set(['gone']));
});

test('of very many the first are asked for in one look, and the rest in the next', async () => {
  const on = stage();
  const ids = Array.from({ length: 300 }, (_, n) => `s${n}`);
  const first = await on.find(ids);
  expect([first.ids.size, first.askAtMs]).toEqual([256, 1_250]);
  expect((await on.find(ids)).ids.size).toBe(300);
});
