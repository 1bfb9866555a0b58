/** English: how what is there differs from what a plan saw. */
import type { Sayings } from '@/lib/domain/message';
import { shortId } from '@/lib/domain/model';
import type { DifferenceFacts } from '@/lib/domain/refusal';
import { verdicts } from '@/lib/i18n/en/verdict';
import { consul } from './consul';
import { redis } from './redis';
import { standIn } from './stand-in';
import { zookeeper } from './zookeeper';

const holder = (sessionId: string | null) => (sessionId === null ? 'none' : shortId(sessionId));
/** Ids in a list, shortened for people. */
const ids = (list: string) => (list === '' ? 'none' : list.split(', ').map(shortId).join(', '));

export const differences: Sayings<DifferenceFacts> = {
  'entry-gone': ({ key }) => `${key} existed; now gone`,
  'entry-replaced': ({ key }) => `${key} was deleted and recreated`,
  'holder-changed': ({ key, before, now }) => `holder of ${key} was ${holder(before)}, now ${holder(now)}`,
  'limit-changed': ({ before, now }) => `limit was ${before}, now ${now}`,
  'ghosts-changed': ({ before, now }) => `ghosts were ${ids(before)}, now ${ids(now)}`,
  'verdict-changed': ({ sessionId, before, now }) =>
    `session ${shortId(sessionId)} was ${verdicts[before].word}, is ${verdicts[now].word} now: its process may be working`,
  'verdict-lost': ({ sessionId, before }) =>
    `session ${shortId(sessionId)} was ${verdicts[before].word} and may no longer be: its process may be working`,
  ...consul.differences,
  ...redis.differences,
  ...standIn.differences,
  ...zookeeper.differences,
};
