/**
 * One viewer of a hub: what goes into its outlet, and when.
 *
 *   placed --begins--> following --more than `queueBytesMax` waits--> behind --has read it all--> following, by a snapshot
 *     A snapshot that it still reads does not count: what changes meanwhile waits behind it as patches.
 *     While a large event is compressed for it nothing is sent; then come the steps since that.
 *     any of them --it leaves, is behind for a minute, may not look on, or the hub closes--> left
 */

import type { Problem } from '@/lib/domain/problem';
import type { Step } from '@/lib/domain/world/change';
import type { Hub, HubListener } from '@/lib/server/live/hub';
import type { InBoth } from './encoding';
import { type Bytes, retryLine, signedOutEvent, tellingOf, type View } from './event';
import type { Outlet } from './outlet';

/** Bytes that may wait for one viewer; beyond it is slow, and gets a snapshot when it has caught up. */
export const queueBytesMax = 1024 * 1024;
/** Pings in a row that found a viewer behind: it reads nothing, or too little to ever catch up, and its place is for somebody who does. */
const beatsBehindMax = 30;

/** Calls `tell` once, when the viewer may not look on, or with `null` when they are to ask again. Returns what stops that. */
export type Follow = (tell: (problem: Problem | null) => void) => () => void;

interface Around {
  readonly hub: Hub;
  /** It left, whoever ended it. */
  readonly onLeft: (viewer: Viewer) => void;
  readonly onBug: (error: unknown) => void;
  readonly now: () => number;
}

/** One object, since there are thousands of them. */
export class Viewer implements HubListener {
  /** The version that this viewer has; `null` once it has missed one and needs a snapshot. */
  private version: number | null = null;
  /**
   * Bytes of the snapshot that it still reads. A large world is read for longer than it stays the same: were they taken for
   * slowness, the next change would bring another snapshot, and that one the next.
   */
  private reading = 0;
  private compressing = false;
  private beatsBehind = 0;
  /** How often what it follows has become something else. */
  private turns = 0;
  private left = false;
  private leaveHub: (() => void) | null = null;
  private unfollow: (() => void) | null = null;

  constructor(
    private readonly around: Around,
    private readonly outlet: Outlet,
    private readonly view: View,
  ) {}

  /** `since`: the version that it came with. `ended`: nobody may look on here any more. */
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
    this.say(retryLine);
    if (ended !== null) {
      this.signOut(ended);
      return;
    }
    const { start, leave } = this.around.hub.subscribe(this, since);
    this.leaveHub = leave;
    const unfollow = follow?.((problem) => (problem === null ? this.closed() : this.signOut(problem)));
    if (this.left) {
      // It was told at once, before there was anything to stop.
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

  step(step: Step): void {
    // What is missed now comes in one snapshot when the viewer has read what waits for it (`drained`).
    if (this.isBehind()) this.version = null;
    else this.sendSteps([step]);
  }

  /** What it has means nothing any more. */
  turned(): void {
    this.turns += 1;
    if (this.isBehind() || this.compressing) this.version = null;
    else this.sendSnapshot();
  }

  /** The viewer has read what waited for it. */
  drained(): void {
    this.reading = 0;
    if (this.version === null && this.leaveHub !== null && !this.compressing) this.sendSnapshot();
  }

  beat(event: InBoth): void {
    if (this.leaveHub === null || this.compressing) return;
    if (!this.isFull()) {
      this.beatsBehind = 0;
      this.say(event);
      return;
    }
    this.beatsBehind += 1;
    if (this.beatsBehind < beatsBehindMax) return;
    this.leave();
    this.outlet.destroy();
  }

  signOut(problem: Problem): void {
    if (this.left) return;
    this.leave();
    this.say(signedOutEvent(problem));
    this.outlet.end();
  }

  /** The hub closes, or the viewer is to come anew. */
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

  private isFull(): boolean {
    return this.outlet.waiting >= queueBytesMax;
  }

  private isBehind(): boolean {
    if (!this.isFull()) this.reading = 0;
    return this.outlet.waiting >= queueBytesMax + this.reading;
  }

  private say(event: InBoth): void {
    this.outlet.write(event[this.view.encoding]);
  }

  /** That what the viewer has is what there is, and what time it is. While something is compressed, it comes after that. */
  private sayTime(): void {
    const { hub, now } = this.around;
    if (!this.compressing) this.say(tellingOf(hub).pings.ping(now(), hub.contactMs));
  }

  private sendSnapshot(): void {
    const snapshot = this.around.hub.snapshot();
    const bytes = tellingOf(this.around.hub).events.snapshot(snapshot, this.view);
    this.send(bytes, snapshot.version, true);
  }

  /** Each begins where the one before ends. While something is compressed they wait for it (`sendAfter`). */
  private sendSteps(steps: readonly Step[]): void {
    const { events } = tellingOf(this.around.hub);
    for (const step of steps) {
      if (this.version === null || this.compressing) return;
      const bytes = events.patch(step, this.view, this.version);
      if (bytes !== null) this.send(bytes, step.patch.to, false);
    }
  }

  /** `version`: that the viewer has with these bytes. `whole`: it reads them for a while. */
  private send(bytes: Bytes, version: number, whole: boolean): void {
    if (bytes instanceof Promise) {
      this.sendAfter(bytes, version, whole);
      return;
    }
    this.version = version;
    this.outlet.write(bytes);
    if (whole) this.reading = bytes.length;
  }

  private sendAfter(coming: Promise<Uint8Array>, version: number, whole: boolean): void {
    this.compressing = true;
    const { turns } = this;
    const goOn = (bytes: Uint8Array) => {
      this.compressing = false;
      if (this.left) return;
      // It was made for what is not shown here any more.
      if (turns !== this.turns) return this.sendSnapshot();
      this.send(bytes, version, whole);
      // What changed meanwhile.
      const steps = this.around.hub.since(version);
      if (steps === null) this.sendSnapshot();
      else this.sendSteps(steps);
      if (whole) this.sayTime();
    };
    const giveUp = () => {
      this.leave();
      this.outlet.destroy();
    };
    // Where there was no memory for it, the viewer comes again.
    coming.then(goOn, giveUp).catch((bug: unknown) => {
      giveUp();
      this.around.onBug(bug);
    });
  }
}
