/** Every situation, by what it is about: the order is that of the document. */
import { delays } from '@/test/truth/delays';
import { entries } from '@/test/truth/entries';
import { ghosts } from '@/test/truth/ghosts';
import { holders } from '@/test/truth/holders';
import { keys } from '@/test/truth/keys';
import { layouts } from '@/test/truth/layouts';
import { malformed } from '@/test/truth/malformed';
import { nodes } from '@/test/truth/nodes';
import { outages } from '@/test/truth/outages';
import { permissions } from '@/test/truth/permissions';
import { renewals } from '@/test/truth/renewals';
import { sessions } from '@/test/truth/sessions';
import { inWorld, type Situation } from '@/test/truth/situation';
import { traffic } from '@/test/truth/traffic';
import { waiting } from '@/test/truth/waiting';

export interface Chapter {
  readonly title: string;
  readonly situations: readonly Situation[];
}

export const chapters: readonly Chapter[] = [
  { title: 'Holders', situations: holders },
  { title: 'Renewals', situations: renewals },
  { title: 'Slots that leak', situations: ghosts },
  { title: 'Waiting', situations: waiting },
  { title: 'Herd, deadlock, flapping', situations: traffic },
  { title: 'Lock-delay, and free', situations: delays },
  { title: 'Sessions and time', situations: sessions },
  { title: 'Coordination entries that are malformed', situations: inWorld('stored', malformed) },
  { title: 'Coordination entries that work in part', situations: inWorld('stored', entries) },
  { title: 'Layouts of known programs', situations: inWorld('stored', layouts) },
  { title: 'Keys and values', situations: inWorld('stored', keys) },
  { title: 'Nodes', situations: nodes },
  { title: 'Permissions', situations: permissions },
  { title: 'Outages', situations: outages },
];

export const situations: readonly Situation[] = chapters.flatMap((chapter) => chapter.situations);
