/**
 * Schemas of this server's answers, tied to the types of the answers: a missing or different field or code fails to
 * compile. The server does not parse its own answers.
 */
import { z } from 'zod';
import type { Facts, Said } from '@/lib/domain/message';

/** Without `readonly` and with intersections flattened, to compare two of them. */
type Plain<T> = T extends readonly (infer U)[]
  ? Plain<U>[]
  : T extends object
    ? { -readonly [K in keyof T]: Plain<T[K]> }
    : T;
type Identical<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;
type Same<A, B> = Identical<Plain<A>, Plain<B>>;

/** No schema has this member. Without it a schema of a narrower type would pass for one of `T`. */
interface ExactOnly<T> {
  readonly wanted: T;
}

type Fields<T, S> = {
  [K in keyof T]-?: K extends keyof S
    ? S[K] extends z.ZodType
      ? Same<z.output<S[K]>, T[K]> extends true
        ? S[K]
        : ExactOnly<T[K]>
      : ExactOnly<T[K]>
    : z.ZodType<T[K]>;
};
/** No further field. */
type Only<T, S> = { [K in Exclude<keyof S, keyof T>]: never };

/** `object<T>()({ … })`. Strict, so that an undocumented field fails a test. */
export function object<T>() {
  return <S extends Readonly<Record<string, z.ZodType>>>(
    fields: S & Fields<T, S> & Only<T, S>,
  ): z.ZodType<T> => z.strictObject(fields) as unknown as z.ZodType<T>;
}

/** The record makes the list complete. */
export function word<T extends string>(words: Readonly<Record<T, true>>): z.ZodType<T> {
  return z.enum(Object.keys(words) as [T, ...T[]]) as unknown as z.ZodType<T>;
}

export const list = <T>(of: z.ZodType<T>): z.ZodType<readonly T[]> =>
  z.array(of) as unknown as z.ZodType<readonly T[]>;
export const text = z.string();
export const number = z.number();
export const flag = z.boolean();
export const orNull = <T>(of: z.ZodType<T>): z.ZodType<T | null> => z.nullable(of);
export const maybe = <T>(of: z.ZodType<T>): z.ZodType<T | undefined> => z.optional(of);
export const instant = z.number().describe('Epoch milliseconds.');
export const span = z.number().describe('Milliseconds.');

export type FactSchemas<F> = {
  readonly [C in keyof F]: { readonly [K in keyof F[C]]-?: z.ZodType<F[C][K]> };
};

function union<F extends Readonly<Record<string, Facts>>>(
  facts: FactSchemas<F>,
  besides: Readonly<Record<string, z.ZodType>>,
): z.ZodType {
  const members = Object.entries(facts).map(([code, fields]) =>
    z.strictObject({
      code: z.literal(code),
      facts: z.strictObject(fields as z.ZodRawShape),
      ...besides,
    }),
  );
  return z.discriminatedUnion('code', members as unknown as [(typeof members)[number]]);
}

export function said<F extends Readonly<Record<string, Facts>>>(facts: FactSchemas<F>): z.ZodType<Said<F>> {
  return union(facts, {}) as z.ZodType<Said<F>>;
}

/** Codes with English beside them (`lib/server/http/english.ts`). */
export function spoken<F extends Readonly<Record<string, Facts>>>(
  facts: FactSchemas<F>,
): z.ZodType<Said<F> & { readonly text: string }> {
  return union(facts, {
    text: z.string().describe('English, for people. Programs go by the code.'),
  }) as z.ZodType<Said<F> & { readonly text: string }>;
}

/** The same with the further fields of `E`. */
export function saidWith<F extends Readonly<Record<string, Facts>>, E>(
  facts: FactSchemas<F>,
  fields: { readonly [K in keyof E]-?: z.ZodType<E[K]> },
): z.ZodType<Said<F> & E> {
  return union(facts, fields as Readonly<Record<string, z.ZodType>>) as z.ZodType<Said<F> & E>;
}
