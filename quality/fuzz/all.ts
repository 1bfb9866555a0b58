/** Every target that needs no server. */
import type { Target } from './target';
import { bodyTargets } from './targets/bodies';
import { headerTargets } from './targets/headers';
import { patchTargets } from './targets/patches';
import { tokenTargets } from './targets/tokens';
import { valueTargets } from './targets/values';
import { wordTargets } from './targets/words';
import { worldTargets } from './targets/worlds';

export const targets: readonly Target[] = [
  ...valueTargets,
  ...worldTargets,
  ...patchTargets,
  ...wordTargets,
  ...bodyTargets,
  ...tokenTargets,
  ...headerTargets,
];
