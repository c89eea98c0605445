import { memo } from 'react'
import type { StoryLine } from '../../../src/api/runs.ts'
import { AgainstPeers } from '../../parts/against-peers.tsx'
import { Pill } from '../../parts/pill.tsx'
import { Cost } from '../../parts/spending.tsx'
import { Age } from '../../parts/time.tsx'
import { href } from '../../router.ts'
import { family } from '../../state-family.ts'

interface Props {
  readonly run: string
  readonly story: StoryLine
  /** Of all stories by id, for those that it waits for. */
  readonly states: ReadonlyMap<string, string>
}

/** One story: what it is, where it stands, who works on it, and what it waits for. */
export const StoryCard = memo(
  function StoryCard({ run, story, states }: Props) {
    const { id, title, state, outcome, depends_on, attempt, most_attempts, last_status, working, slot } = story
    return (
      <a
        className={`story-card ${family(outcome ?? state)}`}
        href={href('runs', run, 'stories', id)}
        data-item
        data-story={id}
      >
        <span className="story-top">
          <Pill
            state={outcome ?? state}
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
            <span title={last_status ? `The last verification: ${last_status}` : undefined}>
              attempt {attempt}/{most_attempts}
            </span>
          )}
          {story.reviews > 0 && <span>{story.reviews === 1 ? '1 review' : `${story.reviews} reviews`}</span>}
          {story.findings > 0 && <span className="open-findings">{story.findings} open</span>}
          <AgainstPeers of={story.against_peers} />
          <span>
            <Cost of={story.spending} />
          </span>
          {story.since !== null && (
            <span className="spread">
              <Age since={story.since} />
            </span>
          )}
        </span>
      </a>
    )
  },
  (before, after) =>
    before.run === after.run &&
    before.story === after.story &&
    after.story.depends_on.every((id) => before.states.get(id) === after.states.get(id)),
)
