/** Heights of a drawn timeline in pixels, and places on it in percent, so that nothing is measured. */
import type { Span } from '@/lib/view/history/timeline';

export const laneHeight = 26;
export const barHeight = 20;
export const headHeight = 16;
export const stepsHeight = 28;
export const footHeight = 18;

export const percent = (share: number): string => `${(share * 100).toFixed(3)}%`;

/** A moment is a line that can be seen and touched. */
export const widthOf = ({ from, to }: Span): string => percent(Math.max(to - from, 0.002));
