import type { Progress } from '../../domain/progress.ts'

/** `Counting objects 45 %`, or `Enumerating objects 450` while no total is known. */
export function progressText({ step, done, total }: Progress): string {
  return total === null ? `${step} ${done}` : `${step} ${Math.floor((100 * done) / Math.max(total, 1))} %`
}
