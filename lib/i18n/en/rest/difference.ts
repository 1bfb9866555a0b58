/** English: how what is there differs from what a plan saw. */
import type { Sayings } from '@/lib/domain/message';
import { shortId } from '@/lib/domain/model';
import type { DifferenceFacts } from '@/lib/domain/refusal';
import { verdicts } from '@/lib/i18n/en/verdict';
import { redis } from './redis';
import { standIn } from './stand-in';
import { zookeeper } from './zookeeper';

const count = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
const holder = (sessionId: string | null) => (sessionId === null ? 'none' : shortId(sessionId));
/** Ids in a list, shortened for people. */
const ids = (list: string) => (list === '' ? 'none' : list.split(', ').map(shortId).join(', '));

export const differences: Sayings<DifferenceFacts> = {
  'entry-came': ({ key, index }) => `${key} did not exist; now index ${index}`,
  'entry-gone': ({ key }) => `${key} existed; now gone`,
  'entry-replaced': ({ key }) => `${key} was deleted and recreated`,
  'holder-changed': ({ key, before, now }) => `holder of ${key} was ${holder(before)}, now ${holder(now)}`,
  'index-changed': ({ key, before, now }) => `index of ${key} was ${before ?? 'none'}, now ${now}`,
  'limit-changed': ({ before, now }) => `limit was ${before}, now ${now}`,
  'ghosts-changed': ({ before, now }) => `ghosts were ${ids(before)}, now ${ids(now)}`,
  'session-gone': ({ sessionId }) => `session ${shortId(sessionId)} existed; now gone`,
  'verdict-changed': ({ sessionId, before, now }) =>
    `session ${shortId(sessionId)} was ${verdicts[before].word}, is ${verdicts[now].word} now: its process may be working`,
  'verdict-lost': ({ sessionId, before }) =>
    `session ${shortId(sessionId)} was ${verdicts[before].word} and may no longer be: its process may be working`,
  'holdings-changed': ({ sessionId, before, now, keys }) =>
    `session ${shortId(sessionId)} held ${count(before, 'key')}, ${
      now === 0
        ? 'now none'
        : `now ${now}: ${keys.split('\n').join(', ')}${now > keys.split('\n').length ? ', …' : ''}`
    }`,
  ...redis.differences,
  ...standIn.differences,
  ...zookeeper.differences,
};
