/** Values from any client with a write right: coordination entries, owners, lock infos. */
import fc from 'fast-check';
import { jsonObject, maxValueBytes, oneLine, storedValue, utf8 } from '@/lib/domain/seam/stored-value';
import { same } from '@/lib/domain/world/change';
import {
  editCoordination,
  newCoordination,
  readCoordination,
} from '@/lib/providers/consul/rows/coordination';
import { anyText, mutated } from '@/quality/fuzz/bytes';
import { values } from '@/quality/fuzz/corpus';
import { sessionIds } from '@/quality/fuzz/names';
import { claim, target, type Verdict } from '@/quality/fuzz/target';

const bytes = fc.oneof(
  { weight: 6, arbitrary: mutated(values, 5) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((any) => Buffer.from(any)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('map' as const, 'list' as const),
        fc.integer(),
        fc.array(anyText, { maxLength: 4 }),
      )
      .map(([shape, limit, holders]) => newCoordination(shape, limit, holders)),
  },
);

/** A member of strict JSON by its name in any letter case, the last of several: Go's own rule. */
function member(of: object, name: string): unknown {
  return Object.entries(of).findLast(([key]) => key.toLowerCase() === name)?.[1];
}

const others = (of: object) =>
  Object.fromEntries(Object.entries(of).filter(([key]) => !/^(limit|holders)$/i.test(key)));

function checkReading(value: Buffer): Verdict {
  const { coordination, limit, holders, problems } = readCoordination(value);
  claim(problems.length < 20, 'more problems than there are kinds');
  for (const id of holders ?? []) claim(!/\p{Surrogate}/u.test(id), 'a holder that no address can name');
  if (coordination === null) return 'refused';
  const read = JSON.parse(coordination.text) as object;
  claim(limit === member(read, 'limit') && Number.isSafeInteger(limit), 'another limit than JSON has');
  const stored = member(read, 'holders');
  // Go reads every lone surrogate as the same character, so names that differ only there are equal.
  const ids = Array.isArray(stored)
    ? stored
    : [...new Set(Object.keys(stored ?? {}).map((id) => id.replace(/\p{Surrogate}/gu, '\ufffd')))];
  claim(holders?.length === ids.length, `${holders?.length} holders, and JSON has ${ids.length}`);

  const kept = (holders ?? []).slice(1);
  const written = editCoordination(coordination, { limit: 7, holders: [...kept, sessionIds[3] ?? ''] });
  const after = JSON.parse(written.toString('utf8')) as object;
  claim(member(after, 'limit') === 7, 'the limit was not written');
  claim(same(others(read), others(after)), 'something else was changed');
  const again = readCoordination(written);
  claim(again.coordination?.shape === coordination.shape, 'another shape was written');
  claim(
    same([...new Set(again.holders)], [...new Set([...kept, sessionIds[3] ?? ''])]),
    'other holders were written',
  );
  claim(editCoordination(coordination, {}).equals(value), 'writing nothing changed bytes');
  return 'taken';
}

function checkShown(value: Buffer): void {
  const shown = storedValue(value);
  claim((shown === null) === (value.length === 0), 'a value was hidden, or made up');
  if (shown === null) return;
  claim(shown.bytes === value.length, 'a wrong length');
  claim(shown.truncated === value.length > maxValueBytes, 'cut without a word');
  if (shown.encoding === 'base64')
    claim(Buffer.from(shown.content, 'base64').equals(value.subarray(0, maxValueBytes)), 'other bytes');
  else {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
    claim(!/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(shown.content), 'control characters as text');
    claim(value.toString('utf8').startsWith(shown.content), 'other text');
  }
}

export const valueTargets = [
  target({
    name: 'values',
    guarantee:
      'Any bytes in a stored value are read without an error, as strict JSON, and an edit changes only its target.',
    inputs: bytes,
    check: (value) => {
      const verdict = checkReading(value);
      checkShown(value);
      jsonObject(value);
      const text = utf8(value);
      if (text !== null) {
        const line = oneLine(text, 64);
        claim(
          Array.from(line).length <= 64 && !/[\p{Cc}\u2028\u2029\u202a-\u202e]/u.test(line),
          'more than a line',
        );
      }
      return verdict;
    },
  }),
];
