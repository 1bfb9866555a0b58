/**
 * One viewer of a hub: the bytes for its outlet, and their times.
 *
 *   placed --begins--> following --more than `queueBytesMax` waits--> behind --has read it all--> following, by a snapshot
 *     A snapshot in flight does not count: changes wait behind it as patches.
 *     While a large event is compressed, nothing is sent; then come the steps since that event.
 *   any of them --it leaves, is behind for a minute, may not look on, or the hub closes--> left
 */

import type { Problem } from '@/lib/domain/problem';
import type { WorldStep } from '@/lib/domain/world/change';
import type { Hub, HubListener } from '@/lib/server/live/hub';
import type { InBoth } from './encoding';
import { againEvent, type Bytes, retryLine, signedOutEvent, tellingOf, type View } from './event';
import type { Outlet } from './stream-writer';

/** Bytes that may wait for one viewer. A viewer beyond that is slow, and gets a snapshot after catching up. */
export const queueBytesMax = 1024 * 1024;
/** Consecutive pings that found the viewer behind. Such a viewer never catches up, and its place goes to another. */
const beatsBehindMax = 30;

/**
 * Calls `onEnd` once when the viewer may not look any more; `null`: the viewer must ask again. The returned function
 * stops this.
 */
export type Follow = (onEnd: (problem: Problem | null) => void) => () => void;

interface Around {
  readonly hub: Hub;
  /** The viewer left, for any reason. */
  readonly onLeft: (viewer: Viewer) => void;
  readonly onBug: (error: unknown) => void;
  readonly now: () => number;
}

/** A class, as there are thousands of instances. */
export class Viewer implements HubListener {
  /** The viewer's version; `null` once it has missed a step and needs a snapshot. */
  private version: number | null = null;
  /**
   * Unread bytes of the last snapshot. A large world changes faster than it is read. Counted as slowness, each snapshot
   * would lead to the next.
   */
  private reading = 0;
  private compressing = false;
  private beatsBehind = 0;
  /** The number of times that the hub's world was replaced. */
  private turns = 0;
  private left = false;
  private leaveHub: (() => void) | null = null;
  private unfollow: (() => void) | null = null;

  constructor(
    private readonly around: Around,
    private readonly outlet: Outlet,
    private readonly view: View,
  ) {}

  /** `since`: the viewer's version on arrival. `ended`: the problem that ended all streams here. */
  begin({
    since,
    follow,
    ended,
  }: {
    readonly since: number | null;
    readonly follow: Follow | undefined;
    readonly ended: Problem | null;
  }): void {
    if (this.left) return;
    this.write(retryLine);
    if (ended !== null) {
      this.signOut(ended);
      return;
    }
    const { start, leave } = this.around.hub.subscribe(this, since);
    this.leaveHub = leave;
    // A bare end would look like an outage.
    const unfollow = follow?.((problem) =>
      this.endWith(problem === null ? againEvent : signedOutEvent(problem)),
    );
    if (this.left) {
      // The callback ran before `unfollow` existed.
      unfollow?.();
      return;
    }
    this.unfollow = unfollow ?? null;
    if (start.from === 'snapshot') this.sendSnapshot();
    else {
      this.version = since;
      this.sendSteps(start.steps);
    }
    this.sayTime();
  }

  step(step: WorldStep): void {
    // A missed step comes in a snapshot after the waiting bytes (`drained`).
    if (this.isBehind()) this.version = null;
    else this.sendSteps([step]);
  }

  /** The viewer's version is void. */
  turned(): void {
    this.turns += 1;
    if (this.isBehind() || this.compressing) this.version = null;
    else this.sendSnapshot();
  }

  /** The viewer has read all waiting bytes. */
  drained(): void {
    this.reading = 0;
    if (this.version === null && this.leaveHub !== null && !this.compressing) this.sendSnapshot();
  }

  beat(event: InBoth): void {
    if (this.leaveHub === null || this.compressing) return;
    if (!this.isFull()) {
      this.beatsBehind = 0;
      this.write(event);
      return;
    }
    this.beatsBehind += 1;
    if (this.beatsBehind < beatsBehindMax) return;
    this.leave();
    this.outlet.destroy();
  }

  signOut(problem: Problem): void {
    this.endWith(signedOutEvent(problem));
  }

  /** The hub closes, or the viewer has left. */
  closed(): void {
    if (this.left) return;
    this.leave();
    this.outlet.end();
  }

  leave(): void {
    if (this.left) return;
    this.left = true;
    this.leaveHub?.();
    this.leaveHub = null;
    this.unfollow?.();
    this.around.onLeft(this);
  }

  private endWith(event: InBoth): void {
    if (this.left) return;
    // First, because it gives back the place that a returning viewer needs.
    this.leave();
    this.write(event);
    this.outlet.end();
  }

  private isFull(): boolean {
    return this.outlet.waiting >= queueBytesMax;
  }

  private isBehind(): boolean {
    if (!this.isFull()) this.reading = 0;
    return this.outlet.waiting >= queueBytesMax + this.reading;
  }

  private write(event: InBoth): void {
    this.outlet.write(event[this.view.encoding]);
  }

  /** Confirms the viewer's data and the time. During compression the ping follows the event. */
  private sayTime(): void {
    const { hub, now } = this.around;
    if (!this.compressing) this.write(tellingOf(hub).pings.ping(now(), hub.contactMs));
  }

  private sendSnapshot(): void {
    const snapshot = this.around.hub.snapshot();
    const bytes = tellingOf(this.around.hub).events.snapshot(snapshot, this.view);
    this.send(bytes, snapshot.version, true);
  }

  /** Each step continues from the previous one. During compression steps wait for it (`sendAfter`). */
  private sendSteps(steps: readonly WorldStep[]): void {
    const { events } = tellingOf(this.around.hub);
    for (const step of steps) {
      if (this.version === null || this.compressing) return;
      const bytes = events.patch(step, this.view, this.version);
      if (bytes !== null) this.send(bytes, step.patch.to, false);
    }
  }

  /** `version`: the viewer's version with these bytes. `whole`: a snapshot, which takes long to read. */
  private send(bytes: Bytes, version: number, whole: boolean): void {
    if (bytes instanceof Promise) {
      this.sendAfter(bytes, version, whole);
      return;
    }
    this.version = version;
    this.outlet.write(bytes);
    if (whole) this.reading = bytes.length;
  }

  private sendAfter(pending: Promise<Uint8Array>, version: number, whole: boolean): void {
    this.compressing = true;
    const { turns } = this;
    const goOn = (bytes: Uint8Array) => {
      this.compressing = false;
      if (this.left) return;
      // The bytes belong to a world that was replaced.
      if (turns !== this.turns) return this.sendSnapshot();
      this.send(bytes, version, whole);
      // The changes during compression.
      const steps = this.around.hub.since(version);
      if (steps === null) this.sendSnapshot();
      else this.sendSteps(steps);
      if (whole) this.sayTime();
    };
    const giveUp = () => {
      this.leave();
      this.outlet.destroy();
    };
    // Compression fails without memory; the viewer reconnects.
    pending.then(goOn, giveUp).catch((bug: unknown) => {
      giveUp();
      this.around.onBug(bug);
    });
  }
}
