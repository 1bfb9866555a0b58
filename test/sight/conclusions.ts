/**
 * What a reader of some entries can conclude about others, by the client libraries' rules. No line of the product is in
 * here.
 */
import type { Row } from './oracle';

type Rows = ReadonlyMap<string, Row>;

/** Names that a library gives to its sessions, and what a lock is called for them. */
export const nameOfLayout: Readonly<Record<string, string>> = {
  vault: 'Vault Lock',
  'consul-template': 'Consul-Template de-duplication',
};

/** Patroni's entry of the named leader, and its name for that leader's session. */
const patroni = ({ key, value }: Row) => {
  const base = key.slice(0, -'/leader'.length);
  return { member: `${base}/members/${value}`, name: `${base.split('/').at(-1)}-${value}` };
};

/** Whether a reader of these entries can identify this lock's client. */
export function mayBeCalled(layout: string, row: Row, sessionName: string, rows: Rows): boolean {
  if (layout in nameOfLayout) return nameOfLayout[layout] === sessionName;
  if (layout === 'terraform') return rows.has(`${row.key}info`);
  const { member, name } = patroni(row);
  return layout !== 'patroni-leader' || rows.has(member) || sessionName === name;
}

/** Entries beside a lock from which its name may be. */
export const besideOf = (row: Row) => [`${row.key}info`, patroni(row).member];

/** Of Go's client. */
const goFlags = Number(0xe0f69a2baa414de0n);

/** Flags of a record, a map, that its visible contenders do not share. Go's are right, with any contenders. */
export const areWrong = ({ flags }: Row, contenders: readonly Row[]) =>
  flags !== goFlags && (contenders.length === 0 || contenders.some((one) => one.flags !== flags));

/** The semaphore's client type by these. */
export const calledBy = (record: Row, contenders: readonly Row[]) =>
  record.flags === goFlags || areWrong(record, contenders) ? 'go-semaphore' : 'guide-list';
