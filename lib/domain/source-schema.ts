/** Apart from `source.ts`, which every screen loads. */
import { z } from 'zod/mini';
import { sourceIdPattern } from './source';

export const sourceIdSchema = z.string().check(z.regex(sourceIdPattern));
