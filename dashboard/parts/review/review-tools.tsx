import { plural } from '../../figures-text.ts'
import type { PlacedTalk } from './talk.ts'
import { TalkSelect } from './talk-select.tsx'

export type View = 'unified' | 'split'

interface Props {
  readonly view: View
  readonly setView: (view: View) => void
  readonly hasTree: boolean
  readonly setTree: (hasTree: boolean) => void
  readonly files: number
  readonly viewed: number
  readonly placed: readonly PlacedTalk[]
  readonly go: (key: string) => void
  /** Begins a comment on the whole change; null if comments are impossible. */
  readonly say: (() => void) | null
}

/** Controls for the display of a diff, and for its comments. */
export function ReviewTools({ view, setView, hasTree, setTree, files, viewed, placed, go, say }: Props) {
  return (
    <div className="review-tools row">
      <button type="button" className="button quiet" aria-pressed={hasTree} onClick={() => setTree(!hasTree)}>
        Files
      </button>
      <fieldset className="segments wide-only">
        <legend className="visually-hidden">How lines are shown</legend>
        {(['unified', 'split'] as const).map((each) => (
          <label key={each}>
            <input type="radio" name="view" checked={view === each} onChange={() => setView(each)} />
            {each === 'unified' ? 'Unified' : 'Split'}
          </label>
        ))}
      </fieldset>
      <span className="sub">
        {viewed} of {plural(files, 'file')} viewed
      </span>
      <span className="row spread">
        {placed.length > 0 && <TalkSelect placed={placed} go={go} />}
        {say !== null && (
          <button type="button" className="button" onClick={say}>
            General comment
          </button>
        )}
      </span>
    </div>
  )
}
