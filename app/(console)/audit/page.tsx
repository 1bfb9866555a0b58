import { AuditView } from '@/components/audit/audit-view';
import { Trouble } from '@/components/shell/trouble';
import { isProblem } from '@/lib/domain/problem';
import { auditShown } from '@/lib/server/audit/answer';
import { pageCaller } from '@/lib/server/entry/page-caller';
import { titled } from '@/lib/server/http/accept-language';
import { type Query, textsOf } from '@/lib/server/http/query-params';
import { runtime } from '@/lib/server/runtime';

interface Props {
  readonly searchParams: Promise<Query>;
}

export const generateMetadata = titled((m) => m.audit.title);

export default async function AuditPage({ searchParams }: Props) {
  const query = await searchParams;
  const caller = await pageCaller();
  if (isProblem(caller)) return <Trouble problem={caller} />;
  const shown = await auditShown(query, caller, runtime());
  const texts = Object.entries(textsOf(query)).filter(([, text]) => text !== '');
  return <AuditView shown={shown} asked={Object.fromEntries(texts)} />;
}
