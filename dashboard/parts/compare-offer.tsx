import { href } from '../router.ts'

interface Props {
  /** Up to two runs, in the order in which they were chosen. */
  readonly chosen: readonly string[]
  readonly close: () => void
}

/** Links to the comparison once two runs are chosen. */
export function CompareOffer({ chosen, close }: Props) {
  const left = 2 - chosen.length
  return (
    <section className="compare-offer" aria-label="Compare two runs">
      <span role="status">
        {left === 0 ? 'Two runs are chosen.' : left === 1 ? 'Choose one more run.' : 'Choose two runs.'}
      </span>
      {left === 0 && (
        <a className="button primary" href={href('compare', ...chosen)}>
          Compare them
        </a>
      )}
      <button type="button" className="button" onClick={close}>
        Close
      </button>
    </section>
  )
}
