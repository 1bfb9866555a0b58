/**
 * Shapes of a coordination entry, and the reaction of HashiCorp's own client (`consul lock -n=3`) to each.
 * `shapes.test.ts` tries them all, and compares our judgement. `docs/truth.md` has them as a table.
 */
import type { Severity } from '@/lib/domain/findings/finding';

export interface Shape {
  readonly title: string;
  /** `id`: a session to record, where the shape can name one. */
  readonly value: (id: string) => string | Buffer;
  /**
   * The reaction of an arriving client. `refuses`: its own limit differs. `fails`: it cannot decode the entry.
   * `crashes`: with a panic.
   */
  readonly comes: 'enters' | 'refuses' | 'fails' | 'crashes';
  /**
   * The reaction of a holder. `loses`: the entry does not name it, and it leaves. `breaks`: it leaves and cannot
   * release.
   */
  readonly holds: 'keeps' | 'loses' | 'breaks';
  /** Our urgency for the entry while clients contend. */
  readonly severity: Severity | null;
}

const fine = { comes: 'enters', holds: 'keeps', severity: null } as const;
/** The limit differs from the arriving client's. Holders do not check it. */
const refused = { comes: 'refuses', holds: 'keeps', severity: 'urgent' } as const;
const undecoded = { comes: 'fails', holds: 'breaks', severity: 'urgent' } as const;

const row = (
  title: string,
  value: Shape['value'],
  rest: Pick<Shape, 'comes' | 'holds' | 'severity'>,
): Shape => ({
  title,
  value,
  ...rest,
});

export const shapes: readonly Shape[] = [
  row('as Go writes it', (id) => `{"Limit":3,"Holders":{"${id}":true}}`, fine),
  row('white space around it', (id) => ` \n{"Limit" : 3, "Holders" : {"${id}" : true}}\n`, fine),
  row('fields in lower case', (id) => `{"limit":3,"holders":{"${id}":true}}`, fine),
  row('fields in mixed case', (id) => `{"LIMIT":3,"hOLDERS":{"${id}":true}}`, fine),
  row('a long s in a field name', (id) => `{"Limit":3,"Holderſ":{"${id}":true}}`, fine),
  row('a field that nobody knows', (id) => `{"Limit":3,"Holders":{"${id}":true},"owner":"x"}`, fine),
  row('a holder marked false', (id) => `{"Limit":3,"Holders":{"${id}":false}}`, fine),
  row('a holder marked null', (id) => `{"Limit":3,"Holders":{"${id}":null}}`, fine),
  row('one holder twice in the map', (id) => `{"Limit":3,"Holders":{"${id}":true,"${id}":true}}`, fine),
  row('a holder that is no session', (id) => `{"Limit":3,"Holders":{"${id}":true,"bob":true}}`, fine),
  row(
    'bytes that are no UTF-8',
    (id) => Buffer.from(`{"Limit":3,"Holders":{"${id}":true},"x":"\xff"}`, 'latin1'),
    fine,
  ),
  row('nothing at all', () => '', { comes: 'enters', holds: 'loses', severity: 'urgent' }),
  row('the limit twice, the last one right', (id) => `{"Limit":2,"limit":3,"Holders":{"${id}":true}}`, {
    ...fine,
    severity: 'warning',
  }),
  row('the limit twice, the last one another', (id) => `{"Limit":3,"limit":2,"Holders":{"${id}":true}}`, {
    ...refused,
    severity: 'warning',
  }),
  row('the holders twice: Go joins them', (id) => `{"Limit":3,"Holders":{"${id}":true},"holders":{}}`, {
    ...fine,
    severity: 'warning',
  }),
  row(
    'the limit twice, the first one as a text',
    (id) => `{"Limit":"3","limit":3,"Holders":{"${id}":true}}`,
    undecoded,
  ),
  row('a limit of 0', (id) => `{"Limit":0,"Holders":{"${id}":true}}`, refused),
  row('a limit of -0', (id) => `{"Limit":-0,"Holders":{"${id}":true}}`, refused),
  row('a limit below 0', (id) => `{"Limit":-1,"Holders":{"${id}":true}}`, refused),
  row('a limit of null', (id) => `{"Limit":null,"Holders":{"${id}":true}}`, refused),
  row('no limit', (id) => `{"Holders":{"${id}":true}}`, refused),
  row('a limit beyond 2^53', (id) => `{"Limit":9007199254740993,"Holders":{"${id}":true}}`, refused),
  row('a limit beyond 2^63', (id) => `{"Limit":9223372036854775808,"Holders":{"${id}":true}}`, undecoded),
  row('the limit as 3.0', (id) => `{"Limit":3.0,"Holders":{"${id}":true}}`, undecoded),
  row('the limit as 3e0', (id) => `{"Limit":3e0,"Holders":{"${id}":true}}`, undecoded),
  row('the limit as a text', (id) => `{"Limit":"3","Holders":{"${id}":true}}`, undecoded),
  row('holders of null', () => '{"Limit":3,"Holders":null}', {
    comes: 'crashes',
    holds: 'loses',
    severity: 'urgent',
  }),
  row('no holders', () => '{"Limit":3}', { comes: 'crashes', holds: 'loses', severity: 'urgent' }),
  row('no holders, and a field that nobody knows', () => '{"Limit":3,"owner":"x"}', {
    comes: 'crashes',
    holds: 'loses',
    severity: 'urgent',
  }),
  row('the holders twice, the last of them null', () => '{"Limit":3,"Holders":{},"holders":null}', {
    comes: 'crashes',
    holds: 'loses',
    severity: 'urgent',
  }),
  row('an empty object', () => '{}', { comes: 'refuses', holds: 'loses', severity: 'urgent' }),
  row('null', () => 'null', { comes: 'refuses', holds: 'loses', severity: 'urgent' }),
  row('a list of holders under the flags of Go', (id) => `{"Limit":3,"Holders":["${id}"]}`, undecoded),
  row('an empty list of holders', () => '{"Limit":3,"Holders":[]}', undecoded),
  row('a holder marked 1', (id) => `{"Limit":3,"Holders":{"${id}":1}}`, undecoded),
  row('holders as a text', (id) => `{"Limit":3,"Holders":"${id}"}`, undecoded),
  row('holders as a number', () => '{"Limit":3,"Holders":1}', undecoded),
  row('an array', (id) => `[3,["${id}"]]`, undecoded),
  row('a text', () => '"3"', undecoded),
  row('a number', () => '3', undecoded),
  row('no JSON', () => 'Limit=3', undecoded),
  row('something after it', (id) => `{"Limit":3,"Holders":{"${id}":true}} x`, undecoded),
  row('a byte order mark before it', (id) => `\ufeff{"Limit":3,"Holders":{"${id}":true}}`, undecoded),
  row(
    'a control character in a text',
    (id) => `{"Limit":3,"Holders":{"${id}":true},"x":"a\u0001b"}`,
    undecoded,
  ),
];
