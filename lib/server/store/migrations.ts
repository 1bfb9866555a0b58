/** All migrations, in their order. One that has been released is never changed: write another. */
import type { Kysely } from 'kysely';
import { audit } from './migration-0001-audit';
import { grants } from './migration-0002-grants';
import { auditSent } from './migration-0003-audit-sent';
import { auditReplace } from './migration-0004-audit-replace';
import { endedSignIns } from './migration-0005-ended-sign-ins';
import { grantTokens } from './migration-0006-grant-tokens';
import type { Tables } from './tables';

export interface Migration {
  /** Its file's name. */
  readonly name: string;
  up(db: Kysely<Tables>, dialect: 'sqlite' | 'postgres'): Promise<void>;
}

export const migrations: readonly Migration[] = [
  { name: '0001-audit', up: audit },
  { name: '0002-grants', up: grants },
  { name: '0003-audit-sent', up: auditSent },
  { name: '0004-audit-replace', up: auditReplace },
  { name: '0005-ended-sign-ins', up: endedSignIns },
  { name: '0006-grant-tokens', up: grantTokens },
];
