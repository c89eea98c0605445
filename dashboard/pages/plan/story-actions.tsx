import { useState } from 'react'
import { Dialog } from '../../parts/dialog.tsx'
import { type DraftStory, dependentsOf, drop, merge, move, split } from './edit-stories.ts'

interface Props {
  readonly story: DraftStory
  readonly stories: readonly DraftStory[]
  readonly change: (stories: readonly DraftStory[]) => void
}

/** The actions for a whole story. */
export function StoryActions({ story, stories, change }: Props) {
  const [asks, ask] = useState<'drop' | 'merge' | null>(null)
  const { key, id, title, depends_on } = story
  const place = stories.findIndex((each) => each.key === key)
  const needing = dependentsOf(stories, id)
  const name = title || id
  const dropped = () => change(drop(stories, key))
  return (
    <div className="row plan-actions">
      <button
        type="button"
        className="button quiet"
        aria-label={`Move ${name} up`}
        disabled={place === 0}
        onClick={() => change(move(stories, key, -1))}
      >
        ↑
      </button>
      <button
        type="button"
        className="button quiet"
        aria-label={`Move ${name} down`}
        disabled={place === stories.length - 1}
        onClick={() => change(move(stories, key, 1))}
      >
        ↓
      </button>
      <button type="button" className="button quiet" onClick={() => change(split(stories, key))}>
        Split
      </button>
      {stories.some((other) => other.key !== key && !other.begun) && (
        <button type="button" className="button quiet" onClick={() => ask('merge')}>
          Merge…
        </button>
      )}
      <button type="button" className="button quiet" onClick={() => (needing.length === 0 ? dropped() : ask('drop'))}>
        Drop
      </button>
      {asks === 'drop' && (
        <Dialog title={`Drop ${name}?`} close={() => ask(null)}>
          <p>
            {needing.join(', ')} {needing.length === 1 ? 'needs' : 'need'} it.{' '}
            {depends_on.length === 0
              ? 'Then nothing is needed in its place.'
              : `Then ${depends_on.join(', ')} ${depends_on.length === 1 ? 'is' : 'are'} needed in its place.`}
          </p>
          <div className="row">
            <button type="button" className="button danger" onClick={dropped}>
              Drop and relink
            </button>
            <button type="button" className="button" onClick={() => ask(null)}>
              Keep it
            </button>
          </div>
        </Dialog>
      )}
      {asks === 'merge' && (
        <Dialog title={`Merge into ${name}`} close={() => ask(null)}>
          <div className="stack tight">
            {stories
              .filter((other) => other.key !== key && !other.begun)
              .map((other) => (
                <button
                  key={other.key}
                  type="button"
                  className="button"
                  onClick={() => {
                    change(merge(stories, key, other.key))
                    ask(null)
                  }}
                >
                  {other.id}: {other.title}
                </button>
              ))}
          </div>
        </Dialog>
      )}
    </div>
  )
}
