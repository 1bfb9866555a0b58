/** Malformed coordination entries, one fault each: the facts that remain, and that nothing is written back. */

import type { FindingCode } from '@/lib/domain/findings/finding';
import type { SemaphoreProblemCode } from '@/lib/domain/model';
import type { AllMessages } from '@/lib/i18n/messages';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { type Situation, semaphoreAt, situation } from '@/quality/truth/situation';
import { anySlots } from '@/quality/truth/text';

const notWritten = (w: AllMessages) => ({
  name: w.action.buttons['semaphore.resize'],
  why: w.why['not-understood']({}),
});

interface Broken {
  readonly name: string;
  readonly title: string;
  readonly knows: string;
  readonly value: string | Buffer;
  readonly code: SemaphoreProblemCode;
  readonly detail?: string;
  /** The readable rest of the entry. */
  readonly limit?: number | null;
  readonly recorded?: number | null;
  /** True when the shape is understood, and so may be written back. */
  readonly written?: boolean;
  readonly finding?: FindingCode;
  /** True when no client fails on it. */
  readonly harmless?: boolean;
}

const someone = '11111111-2222-4333-8444-555555555555';

const broken: readonly Broken[] = [
  {
    name: 'json',
    title: 'no JSON',
    knows: 'bytes that no client can decode',
    value: 'Limit=3;Holders=…',
    code: 'not-json',
  },
  {
    name: 'empty',
    title: 'empty',
    knows: 'an entry without a value, which Go’s next client takes for a new semaphore',
    value: '',
    code: 'empty-value',
    harmless: true,
  },
  {
    name: 'holders-null',
    title: 'holders of null',
    knows: 'a limit, and a null on which a Go client that comes crashes',
    value: '{"Limit":3,"Holders":null}',
    code: 'holders-missing',
    detail: 'null',
    limit: 3,
  },
  {
    name: 'holders-missing',
    title: 'no holders',
    knows: 'a limit, and no field for holders: a Go client that comes crashes',
    value: '{"Limit":3}',
    code: 'holders-missing',
    limit: 3,
  },
  {
    name: 'twice-in-map',
    title: 'one holder twice in a map',
    knows: 'two keys that every client decodes as one',
    value: `{"Limit":2,"Holders":{"${someone}":true,"${someone}":true}}`,
    code: 'holder-repeated',
    detail: someone,
    limit: 2,
    recorded: 1,
    written: true,
    finding: 'ghost-slots',
    harmless: true,
  },
  {
    name: 'not-utf8',
    title: 'bytes that are no UTF-8 in a field',
    knows: 'a limit and holders, which Go reads past such bytes',
    value: Buffer.from('{"Limit":2,"Holders":{},"x":"\xff"}', 'latin1'),
    code: 'not-utf8',
    limit: 2,
    recorded: 0,
    harmless: true,
  },
  {
    name: 'array',
    title: 'an array',
    knows: 'JSON that is no object',
    value: '[3,["a"]]',
    code: 'not-an-object',
    detail: 'array',
  },
  {
    name: 'holders-text',
    title: 'holders as a text',
    knows: 'a limit, and holders of a type that fails every decode',
    value: '{"Limit":2,"Holders":"nobody"}',
    code: 'holders-wrong-type',
    limit: 2,
  },
  {
    name: 'limit-text',
    title: 'the limit as a text',
    knows: 'a limit that a strict decoder refuses',
    value: '{"Limit":"2","Holders":{}}',
    code: 'limit-not-integer',
    detail: '"2"',
    recorded: 0,
  },
  {
    name: 'limit-fraction',
    title: 'the limit as 2.0',
    knows: 'a number that Go does not take for a whole one',
    value: '{"Limit":2.0,"Holders":{}}',
    code: 'limit-not-integer',
    detail: '2.0',
    recorded: 0,
  },
  {
    name: 'limit-missing',
    title: 'no limit',
    knows: 'holders, and no limit',
    value: '{"Holders":{}}',
    code: 'limit-missing',
    recorded: 0,
  },
  {
    name: 'limit-zero',
    title: 'a limit of 0',
    knows: 'a limit that lets nobody in',
    value: '{"Limit":0,"Holders":{}}',
    code: 'limit-below-one',
    detail: '0',
    limit: 0,
    recorded: 0,
    written: true,
  },
  {
    name: 'limit-huge',
    title: 'a limit beyond what a number can hold',
    knows: 'digits that would be rounded',
    value: '{"Limit":9007199254740993,"Holders":{}}',
    code: 'limit-not-integer',
    detail: '9007199254740993',
    recorded: 0,
  },
  {
    name: 'twice',
    title: 'one holder twice',
    knows: 'a list that names one session in two slots',
    value: JSON.stringify({ Limit: 2, Holders: [someone, someone] }),
    code: 'duplicate-holders',
    detail: someone,
    limit: 2,
    recorded: 2,
    written: true,
  },
  {
    name: 'fields-twice',
    title: 'two limits in one object',
    knows: 'two limits: clients differ on which one counts',
    value: '{"Limit":2,"limit":5,"Holders":{}}',
    code: 'duplicate-fields',
    detail: 'limit',
  },
  {
    name: 'not-a-session',
    title: 'a holder that is no session id',
    knows: 'a name that no session can have',
    value: '{"Limit":2,"Holders":{"bob":true}}',
    code: 'holder-not-a-session',
    detail: 'bob',
    limit: 2,
    recorded: 1,
    written: true,
    finding: 'ghost-slots',
  },
  {
    name: 'renamed',
    title: 'renamed fields (max, owners)',
    knows: 'an object in which nothing is called limit or holders',
    value: '{"max":2,"owners":[]}',
    code: 'limit-missing',
  },
  {
    name: 'binary',
    title: 'binary bytes',
    knows: 'bytes that are no text',
    value: Buffer.from([0x00, 0xff, 0xfe, 0x80, 0x1b, 0x5b, 0x33, 0x31, 0x6d]),
    code: 'not-json',
  },
];

export const malformed: readonly Situation[] = broken.map((one) =>
  situation({
    title: `a .lock that is malformed: ${one.title}`,
    knows: one.knows,
    says: one.written
      ? 'what is wrong with it, beside what could be read'
      : 'what is wrong with it; it is never written',
    mustNot:
      one.limit == null || one.recorded == null
        ? 'a limit, or that slots are free'
        : 'more than what could be read',
    make: async (stage) => {
      const prefix = `truth/bad/${one.name}`;
      await stage.entry(prefix, one.value);
      return { subject: semaphoreAt(prefix) };
    },
    api: () => ({
      row: {
        layout: one.written ? (one.name === 'twice' ? 'guide-list' : 'go-semaphore') : 'unreadable',
        limit: one.limit ?? null,
        recorded: one.recorded ?? null,
        flags: semaphoreFlags,
      },
      findings: one.finding !== undefined ? [one.finding] : one.harmless ? [] : ['unreadable-entry'],
    }),
    screen: (_, w) => ({
      has: [w.entryProblems[one.code](one.detail ?? null)].filter(
        (text) => one.detail !== undefined || text !== '',
      ),
      ...(one.written ? {} : { blocked: [notWritten(w)] }),
      ...(one.limit != null && one.recorded == null ? { lamps: { free: 0 } } : {}),
    }),
    never: (_, w) => ({
      verdicts: ['alive', 'suspect', 'overdue'],
      ...(one.limit == null || one.recorded == null
        ? { texts: [...anySlots(w), ...(one.recorded == null ? [w.subject.none.holders] : [])] }
        : {}),
      ...(one.recorded == null ? { rows: [{ recorded: 0 }, { effective: 0 }] } : {}),
      ...(one.harmless ? { findings: ['unreadable-entry'] } : {}),
    }),
  }),
);
