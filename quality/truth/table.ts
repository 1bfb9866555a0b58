/** Every situation by subject, in the order of the document. */
import { delays } from '@/quality/truth/delays';
import { entries } from '@/quality/truth/entries';
import { ghosts } from '@/quality/truth/ghosts';
import { holders } from '@/quality/truth/holders';
import { keys } from '@/quality/truth/keys';
import { layouts } from '@/quality/truth/layouts';
import { malformed } from '@/quality/truth/malformed';
import { nodes } from '@/quality/truth/nodes';
import { outages } from '@/quality/truth/outages';
import { permissions } from '@/quality/truth/permissions';
import { redisCounts } from '@/quality/truth/redis-counts';
import { redisEnds } from '@/quality/truth/redis-ends';
import { redisLocks } from '@/quality/truth/redis-locks';
import { renewals } from '@/quality/truth/renewals';
import { sessions } from '@/quality/truth/sessions';
import { inWorld, type Situation } from '@/quality/truth/situation';
import { traffic } from '@/quality/truth/traffic';
import { waiting } from '@/quality/truth/waiting';
import { zookeeperCounts } from '@/quality/truth/zookeeper-counts';
import { zookeeperEnds, zookeeperKilled } from '@/quality/truth/zookeeper-ends';
import { zookeeperLocks } from '@/quality/truth/zookeeper-locks';
import { zookeeperOthers } from '@/quality/truth/zookeeper-others';

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
  { title: 'Redis: locks', situations: redisLocks },
  { title: 'Redis: what is counted, and queues', situations: redisCounts },
  { title: 'Redis: leases, and a server that is silent', situations: redisEnds },
  // The client's session lasts twenty seconds, which pass meanwhile.
  { title: 'ZooKeeper: a client that is killed', situations: zookeeperKilled },
  { title: 'ZooKeeper: locks', situations: zookeeperLocks },
  { title: 'ZooKeeper: semaphores', situations: zookeeperCounts },
  { title: 'ZooKeeper: nodes of other programs', situations: zookeeperOthers },
  { title: 'ZooKeeper: what is over, or may not be read', situations: zookeeperEnds },
];

export const situations: readonly Situation[] = chapters.flatMap((chapter) => chapter.situations);
