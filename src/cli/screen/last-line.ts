import type { Views } from '../../app/operations/views-of.ts'
import type { Output } from './output.ts'

/**
 * Prints the current result of each Run as the last line for programs, when following ends earlier
 * than the Run.
 */
export async function emitLastLine(
  output: Output,
  views: Pick<Views, 'results'>,
  runs: readonly string[],
): Promise<void> {
  if (!output.json) return
  const { results } = await views.results({ runs: runs.join(',') })
  runs.forEach((run, i) => {
    output.emit({ type: 'result', run, ...(results[i] ?? notStarted) })
  })
}

/** The result of a stored Run that no process has started. */
const notStarted = { status: 'WAITING', branch: null, base: null, stories: [], cost_usd: 0, tokens: 0 }
