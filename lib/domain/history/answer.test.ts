/** What is not known of who waited is absent from an answer: an empty list would say that nobody did. */
import { expect, test } from 'vitest';
import { type HistoryAnswer, receivedHistory, sentHistory } from './answer';
import { answerOf, holdOf, waitOf } from './fixture/episodes';

const answer = answerOf(9, { episodes: [holdOf(1, 2)] });

test.each([
  ['a lock whose queue no server shows', answer, undefined],
  ['nothing', { ...answer, episodes: [] }, undefined],
  ['a lock that nobody waited for', { ...answer, episodes: [holdOf(1, 2, { waitersMax: 0 })] }, []],
  [
    'a lock whose clients are counted, not named',
    { ...answer, episodes: [holdOf(1, 2, { waitersMax: 3 })] },
    undefined,
  ],
  ['one wait alone', { ...answer, episodes: [], waits: [waitOf(1, 2)] }, [waitOf(1, 2)]],
])('the waits of %s', (_what, of: HistoryAnswer, waits) => {
  const sent = sentHistory(of);
  expect(sent.waits).toEqual(waits);
  expect('waits' in sent).toBe(waits !== undefined);
  expect(receivedHistory(sent)).toEqual(of);
});
