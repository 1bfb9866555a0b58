import type { Identity } from '@/lib/domain/identity';
import type { Messages } from '@/lib/i18n/messages';

export function nameOf(identity: Identity, m: Messages): string {
  if (identity.kind === 'anonymous') return m.identity.who.anonymous;
  return identity.name === '' && identity.kind === 'token' ? identity.id : identity.name;
}
