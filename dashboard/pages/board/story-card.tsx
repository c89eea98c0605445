import { memo } from 'react'
import type { StoryLine } from '../../../src/api/runs.ts'
import { AgainstPeers } from '../../parts/against-peers.tsx'
import { Pill } from '../../parts/pill.tsx'
import { Cost } from '../../parts/spending.tsx'
import { Age } from '../../parts/time.tsx'
import { href } from '../../router.ts'
import { ended, family } from '../../state-family.ts'

interface Props {
  readonly run: string
  readonly story: StoryLine
  /** The states of all stories by id, for the dependencies. */
  readonly states: ReadonlyMap<string, string>
  /** The card's target; by default the page of its story. */
  readonly to?: string
}

/** One story: its title, its state, its agent, and the stories it waits for. */
export const StoryCard = memo(
  function StoryCard({ run, story, states, to }: Props) {
    const { id, title, state, outcome, depends_on, attempt, last_status, working, slot } = story
    return (
      <a
        className={`story-card ${family(outcome ?? state)}`}
        href={to ?? href('runs', run, 'stories', id)}
        data-item
        data-story={id}
      >
        <span className="story-top">
          <Pill
            state={outcome ?? state}
            label={story.outcome_label}
            live={working !== null}
            {...(working && { title: `${working.agent} at work` })}
          />
          {slot !== null && (
            <span className="slot mono" title={working ? `${working.agent} works in ${slot}` : slot}>
              {slot.replace('coder-', 'c-')}
            </span>
          )}
        </span>
        <strong>{title}</strong>
        <span className="story-id mono">{id}</span>
        {depends_on.length > 0 && (
          <span className="depends">
            needs
            {depends_on.map((other) => (
              <span key={other} className={`depends-on ${family(states.get(other) ?? 'QUEUED')}`}>
                <span className="dot" aria-hidden="true" />
                {other}
                <span className="visually-hidden"> ({states.get(other)?.toLowerCase()})</span>
              </span>
            ))}
          </span>
        )}
        <span className="story-figures">
          {attempt !== null && state !== 'DONE' && (
            <span title={last_status ? `The last verification: ${last_status}` : undefined}>attempt {attempt}</span>
          )}
          {story.reviews > 0 && <span>{story.reviews === 1 ? '1 review' : `${story.reviews} reviews`}</span>}
          {story.findings > 0 && <span className="open-findings">{story.findings} open</span>}
          <AgainstPeers of={story.against_peers} />
          <span>
            <Cost of={story.spending} />
          </span>
          {story.since !== null && <Duration of={story} />}
        </span>
      </a>
    )
  },
  (before, after) =>
    before.run === after.run &&
    before.story === after.story &&
    before.to === after.to &&
    after.story.depends_on.every((id) => before.states.get(id) === after.states.get(id)),
)

/** The time in the current state, or the total time once it has ended. */
function Duration({ of: { since, created_at, state } }: { readonly of: StoryLine }) {
  const hasEnded = ended.includes(state)
  const from = hasEnded ? created_at : since
  if (from === null) return null
  return (
    <span className="spread" title={hasEnded ? 'It took this long.' : 'It has been in this state for this long.'}>
      <Age since={from} until={hasEnded ? since : null} />
    </span>
  )
}
