import type { LaneNow } from '../../../src/api/now.ts'
import type { RunDetail, StoryLine } from '../../../src/api/runs.ts'
import { count } from '../../figures-text.ts'
import { href } from '../../router.ts'
import { ended } from '../../state-family.ts'
import { Running } from '../time.tsx'
import { LeftOut } from './left-out.tsx'
import { whyItWaits } from './why-it-waits.ts'

interface Props {
  readonly detail: RunDetail
  readonly lanes: readonly LaneNow[]
  readonly aheadMs: number
  readonly isLeftOut: boolean
}

/** The most idle stories that are listed; the board shows all of them. */
const mostWaiting = 4

/**
 * One line for each agent: its name, story, activity, duration, and the tokens of its conversation.
 */
export function NowLines({ detail, lanes, aheadMs, isLeftOut }: Props) {
  if (isLeftOut) return <LeftOut />
  const titles = new Map(detail.stories.map((story) => [story.id, story]))
  const heard = new Set(lanes.map(({ story }) => story))
  const open = detail.stories.filter(({ id, state }) => !ended.includes(state) && !heard.has(id))
  const seated = open.filter(({ slot }) => slot !== null)
  const waiting = open.filter(({ slot }) => slot === null)
  return (
    <ul className="now-lines">
      {lanes.toSorted(byPlace(titles)).map((lane) => (
        <AgentLine key={lane.id} run={detail.run} lane={lane} story={titles.get(lane.story ?? '')} aheadMs={aheadMs} />
      ))}
      {seated.map((story) => (
        <WaitingLine key={story.id} detail={detail} story={story} />
      ))}
      {waiting.slice(0, mostWaiting).map((story) => (
        <WaitingLine key={story.id} detail={detail} story={story} />
      ))}
      {waiting.length > mostWaiting && (
        <li className="now-line sub">and {waiting.length - mostWaiting} more stories wait</li>
      )}
      {lanes.length + open.length === 0 && <li className="now-line sub">Nobody is asked for anything.</li>}
    </ul>
  )
}

/** The architect first, then workspaces by number, so that lines keep their order. */
const byPlace = (stories: ReadonlyMap<string, StoryLine>) => (a: LaneNow, b: LaneNow) => {
  const placeOf = ({ agent, story, id }: LaneNow) =>
    `${agent === 'architect' ? 0 : 1} ${stories.get(story ?? '')?.slot ?? '~'} ${id}`
  return placeOf(a).localeCompare(placeOf(b))
}

interface LineProps extends Pick<Props, 'aheadMs'> {
  readonly run: string
  readonly lane: LaneNow
  readonly story: StoryLine | undefined
}

function AgentLine({ run, lane, story, aheadMs }: LineProps) {
  const { agent, asking, tools, said, context } = lane
  const since = tools[0]?.since ?? asking?.since ?? null
  const isAsking = tools.length === 0 && asking !== null
  return (
    <li className="now-line" data-agent={agent}>
      <strong className="capital">{agent}</strong>
      <span className="now-title">
        {story === undefined ? (
          'The run'
        ) : (
          <a href={href('runs', run, 'stories', story.id)} title={story.title} data-item>
            {story.title}
          </a>
        )}
      </span>
      <span className="now-activity">
        {tools.length > 0 ? (
          <span className="now-tools">
            {tools.length > 1 && `${tools.length} tools: `}
            <code>{tools[0]?.line}</code>
          </span>
        ) : (
          <span>{isAsking ? doing(asking) : 'between two steps'}</span>
        )}
        {said !== '' && (
          <span className={`now-words ${asking?.kind === 'thought' ? 'thought' : ''}`} title={said.slice(-600)}>
            {/* The end, which is the newest text. */}
            <span>{said.slice(-160).replaceAll(/\s+/g, ' ')}</span>
          </span>
        )}
      </span>
      <span className="now-since">{since !== null && <Running since={since} aheadMs={aheadMs} />}</span>
      <span className="now-tokens">
        {context !== null && context.window !== null && (
          <meter
            aria-label={`Context of ${lane.lane}`}
            min={0}
            max={context.window}
            value={Math.min(context.tokens, context.window)}
          />
        )}
        {context !== null && <span>{count(context.tokens)} tokens</span>}
      </span>
    </li>
  )
}

function doing({ kind, model, tool, chars }: NonNullable<LaneNow['asking']>): string {
  if (kind === 'call') return `writes a call of ${tool ?? 'a tool'}, ${count(chars)} characters`
  return { waiting: `waits for ${model}`, thought: 'thinks', text: 'writes' }[kind]
}

function WaitingLine({ detail, story }: { readonly detail: RunDetail; readonly story: StoryLine }) {
  return (
    <li className="now-line sub">
      <span className="mono">{story.slot?.replace('coder-', 'c-') ?? '–'}</span>
      <span className="now-title">
        <a href={href('runs', detail.run, 'stories', story.id)} title={story.title} data-item>
          {story.title}
        </a>
      </span>
      <span className="now-activity">{whyItWaits(detail, story)}</span>
      <span className="now-since" />
      <span className="now-tokens" />
    </li>
  )
}
