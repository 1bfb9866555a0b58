import { z } from 'zod';
import { readJson } from './wire';

const txnErrorSchema = z.object({
  Errors: z.array(z.object({ OpIndex: z.number().int(), What: z.string() })).nullish(),
});

/** The body of a transaction that was refused: which operations were at fault, and what each was told. */
export function readTxnErrors(body: unknown): { readonly op: number; readonly what: string }[] {
  const { Errors } = txnErrorSchema.parse(readJson(Buffer.from(String(body))));
  return (Errors ?? []).map(({ OpIndex, What }) => ({ op: OpIndex, what: What }));
}
