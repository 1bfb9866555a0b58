/** The shape of what a grant shows, as it is checked where it comes from outside. Apart from `grant.ts`, which screens load. */
import { z } from 'zod';
import { isWhole } from '@/lib/domain/actions/action';
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
  /** Whether stored values are shown, and what was read from them (owners, Terraform's lock info). */
  values: z.boolean().default(false),
  /**
   * Whether facts of sessions are shown: their names, TTLs, nodes and checks, and what follows from them. A person who may
   * not read them gets a grant without them.
   */
  sessions: z.boolean().default(true),
  /** Who may frame it. None: it can be opened, and its badge shown, but no page can frame it. */
  frames: z.array(z.string().max(frameLengthMax).regex(framePattern)).max(framesMax).default([]),
  /** For the list of grants: where it is used. The reader never sees it. */
  label: z.string().max(120).default(''),
};

/** What a grant shows. A prefix is a string prefix, as in Consul: `pay` covers `payroll/` as well. */
export const scopeSchema = z.discriminatedUnion('view', [
  z.strictObject({ view: z.literal('board'), prefix: name, ...common }),
  z.strictObject({ view: z.literal('lock'), key: name.min(1), ...common }),
  z.strictObject({ view: z.literal('semaphore'), prefix: name.min(1), ...common }),
]);
export type Scope = z.infer<typeof scopeSchema>;
