import type { Identity } from '@/lib/domain/identity';
import type { FirstMessages } from '@/lib/i18n/messages';

/** What to call somebody. */
export function nameOf(identity: Identity, m: FirstMessages): string {
  if (identity.kind === 'anonymous') return m.identity.who.anonymous;
  return identity.name === '' && identity.kind === 'token' ? identity.id : identity.name;
}
