import { type Identity, identityName } from '@/lib/domain/identity';
import type { Messages } from '@/lib/i18n/messages';

export const nameOf = (identity: Identity, m: Messages): string =>
  identityName(identity) ?? m.identity.who.anonymous;
