/** Apart from `lib/domain/source.ts`, which every screen loads. */
import { z } from 'zod/mini';
import { sourceIdPattern } from '@/lib/domain/source';

export const sourceIdSchema = z.string().check(z.regex(sourceIdPattern));
