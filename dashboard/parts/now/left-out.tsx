import { mostWatched } from '../../data/now-told.ts'

/** In the place of what agents do, where other windows show as much as one browser is told of. */
export function LeftOut() {
  return (
    <p className="sub" role="status">
      Other windows show {mostWatched} runs and stories already, which is the most for one browser. Close one of them,
      and this panel shows what its agents do.
    </p>
  )
}
