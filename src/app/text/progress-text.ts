import type { Progress } from '../../domain/progress.ts'

/** Formats `Counting objects 45 %`, or `Enumerating objects 450` while the total is unknown. */
export function progressText({ step, done, total }: Progress): string {
  return total === null ? `${step} ${done}` : `${step} ${Math.floor((100 * done) / Math.max(total, 1))} %`
}
