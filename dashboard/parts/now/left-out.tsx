import { mostWatched } from '../../data/now-told.ts'

/**
 * Shown in place of the agents' activity, if other windows use up the names of the shared stream.
 */
export function LeftOut() {
  return (
    <p className="sub" role="status">
      Other windows show {mostWatched} runs and stories already, which is the most for one browser. Close one of them,
      and this panel shows what its agents do.
    </p>
  )
}
