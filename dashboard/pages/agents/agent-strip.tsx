import type { ReactNode } from 'react'
import type { RunDetail, StoryLine } from '../../../src/api/runs.ts'
import { plural } from '../../figures-text.ts'
import { Pill } from '../../parts/pill.tsx'
import { href } from '../../router.ts'
import { badgeOf } from '../../state-family.ts'

interface Props {
  readonly detail: RunDetail
  /** Id of the current story; null for the architect. */
  readonly current: string | null
}

/**
 * The architect, and the editors with a workspace or waiting for one; stories that nobody works on
 * are listed separately.
 */
export function AgentStrip({ detail, current }: Props) {
  const sorted = detail.stories.toSorted(byActivity)
  const active = sorted.filter((story) => rank(story) < 2 || story.id === current)
  const others = sorted.filter((story) => !active.includes(story))
  return (
    <>
      <ul className="agent-strip">
        <li>
          <Architect detail={detail} current={current === null} />
        </li>
        {active.map((story) => (
          <li key={story.id}>
            <Editor run={detail.run} story={story} current={story.id === current} />
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <details open={active.length === 0 && others.length <= 12}>
          <summary>{plural(others.length, 'story', 'stories')} without an agent</summary>
          <ul className="agent-strip scrolling">
            {others.map((story) => (
              <li key={story.id}>
                <Editor run={detail.run} story={story} current={false} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

/** Working stories come first, ended ones last. */
export function byActivity(a: StoryLine, b: StoryLine): number {
  return rank(a) - rank(b)
}

function rank({ working, slot, escalation, state }: StoryLine): number {
  if (working) return 0
  if (slot !== null || escalation !== null) return 1
  return state === 'DONE' || state === 'CANCELLED' ? 3 : 2
}

function Architect({ detail, current }: { readonly detail: RunDetail; readonly current: boolean }) {
  const { run, architect } = detail
  const requests = architect?.requests ?? []
  return (
    <Pick to={href('runs', run, 'agents', 'architect')} current={current}>
      <span className="row">
        <strong>{architect ? 'Architect' : 'Run'}</strong>
        <Pill state={architect?.state ?? badgeOf(detail)} />
      </span>
      <span className="sub">
        {requests.length === 0
          ? architect
            ? 'no open request'
            : 'routes what its story does'
          : requests.map(({ kind, story }) => `${kind} of ${story}`).join(', ')}
      </span>
    </Pick>
  )
}

interface EditorProps {
  readonly run: string
  readonly story: StoryLine
  readonly current: boolean
}

function Editor({ run, story, current }: EditorProps) {
  const { id, slot, state, outcome, working, title } = story
  return (
    <Pick to={href('runs', run, 'agents', id)} current={current}>
      <span className="row">
        <strong>{slot ?? id}</strong>
        <Pill state={outcome ?? state} live={working !== null} />
      </span>
      <span className="sub">
        {title}
        {working && <> · {working.agent} at work</>}
      </span>
    </Pick>
  )
}

interface PickProps {
  readonly to: string
  readonly current: boolean
  readonly children: ReactNode
}

function Pick({ to, current, children }: PickProps) {
  return (
    <a className="pick" href={to} aria-current={current ? 'page' : undefined} data-item>
      {children}
    </a>
  )
}
