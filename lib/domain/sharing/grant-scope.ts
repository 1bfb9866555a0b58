/** The shape of a grant from outside. Apart from `grant.ts`, which screens load. */
import { z } from 'zod';
import { isWhole } from '@/lib/domain/actions/schema';
import { firstSource, sourceIdPattern } from '@/lib/domain/source';
import { frameLengthMax, framePattern } from './frame';

/** As long as the console's own addresses allow. */
const nameMax = 2_048;
const framesMax = 16;
const name = z.string().max(nameMax).refine(isWhole);

const common = {
  /** The one source that is shown. */
  source: z.string().regex(sourceIdPattern).default(firstSource),
  /** The datacenter that is meant; `null`: whichever this server watches. */
  datacenter: z.string().min(1).max(128).nullable().default(null),
  /** Stored values, and what was read from them (owners, Terraform's lock info). */
  values: z.boolean().default(false),
  /** Facts of sessions: names, TTLs, nodes and checks, and what follows from them. */
  sessions: z.boolean().default(true),
  /** None: no page can frame it. */
  frames: z.array(z.string().max(frameLengthMax).regex(framePattern)).max(framesMax).default([]),
  /** The maker's note on the place where the share is used. The reader never sees it. */
  label: z.string().max(120).default(''),
};

/** The last `historyMs` of it. Absent: not. */
const withHistory = { history: z.boolean().optional() };

/** A prefix is a string prefix, as in Consul: `pay` covers `payroll/` as well. */
export const scopeSchema = z.discriminatedUnion('view', [
  z.strictObject({ view: z.literal('board'), prefix: name, ...common }),
  z.strictObject({ view: z.literal('lock'), key: name.min(1), ...common, ...withHistory }),
  z.strictObject({ view: z.literal('semaphore'), prefix: name.min(1), ...common, ...withHistory }),
]);
export type Scope = z.infer<typeof scopeSchema>;
