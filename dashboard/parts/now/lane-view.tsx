import { memo } from 'react'
import type { LaneNow } from '../../../src/api/now.ts'
import type { Spending } from '../../../src/api/spending.ts'
import { count, money } from '../../figures-text.ts'
import { Cost } from '../spending.tsx'
import { Running } from '../time.tsx'

interface Props {
  readonly lane: LaneNow
  readonly aheadMs: number
  /** The usage of its story so far, if it is not shown elsewhere. */
  readonly spending?: Spending | undefined
}

/**
 * The activity of one conversation: the text as it streams, running tools, and the size of its
 * context.
 */
export const LaneView = memo(function LaneView({ lane, aheadMs, spending }: Props) {
  const { asking, tools, agent, said } = lane
  return (
    <div className="now-lane">
      <p className="now-doing">
        <strong>{agent}</strong> <Doing lane={lane} aheadMs={aheadMs} />
      </p>
      {tools.length > 0 && (
        <ul className="now-tools">
          {tools.map(({ line, since }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two calls can be the same
            <li key={`${since} ${i}`}>
              <code>{line}</code> <Running since={since} aheadMs={aheadMs} />
            </li>
          ))}
        </ul>
      )}
      <div className={`now-words ${asking?.kind === 'thought' ? 'thought' : ''}`} aria-live="off">
        <p>{said}</p>
      </div>
      <Sizes lane={lane} spending={spending} />
    </div>
  )
})

function Doing({ lane: { asking, tools }, aheadMs }: Omit<Props, 'spending'>) {
  if (tools.length > 0) return <>runs {tools.length === 1 ? 'a tool' : `${tools.length} tools`}</>
  if (asking === null) return <>is between two steps</>
  const words = {
    waiting: `waits for ${asking.model}`,
    thought: 'thinks',
    text: 'writes',
    call: `writes a call of ${asking.tool ?? 'a tool'}, ${count(asking.chars)} characters`,
  }
  return (
    <>
      {words[asking.kind]}, <Running since={asking.since} aheadMs={aheadMs} />
    </>
  )
}

function Sizes({ lane: { context, usd_per_minute: perMinute, lane }, spending }: Omit<Props, 'aheadMs'>) {
  const { tokens = 0, window = null } = context ?? {}
  return (
    <p className="now-sizes sub">
      {context !== null && window !== null && (
        <>
          <meter aria-label={`Context of ${lane}`} min={0} max={window} value={Math.min(tokens, window)} />
          <span>
            {count(tokens)} of {count(window)} tokens
          </span>
        </>
      )}
      {context !== null && window === null && <span>{count(tokens)} tokens</span>}
      {spending && <Cost of={spending} />}
      {perMinute !== null && <span>{money(perMinute)} a minute</span>}
    </p>
  )
}
