import { useEffect, useState } from 'react'
import '../../styles/now.css'
import type { StoryDetail } from '../../../src/api/stories.ts'
import { useLanesNow } from '../../data/lanes-now.ts'
import { useRun } from '../../data/queries.ts'
import { ended } from '../../state-family.ts'
import { LaneView } from './lane-view.tsx'
import { LeftOut } from './left-out.tsx'
import { whyItWaits } from './why-it-waits.ts'

/** The current activity of a story's agents. */
export function StoryNow({ run, detail }: { readonly run: string; readonly detail: StoryDetail }) {
  const { data } = useRun(run)
  const isLive = data?.owned === true && !ended.includes(detail.state)
  const [wasLive, setLive] = useState(!ended.includes(detail.state))
  useEffect(() => {
    if (isLive) setLive(true)
  }, [isLive])
  const { lanes, aheadMs, isLeftOut } = useLanesNow(run, detail.id, isLive)
  if (!wasLive) return null
  return (
    <section className="card now-story" aria-label="Now">
      <div className="card-head">
        <h2>Now</h2>
      </div>
      <div className="card-body">
        {lanes.map((lane) => (
          <LaneView key={lane.id} lane={lane} aheadMs={aheadMs} />
        ))}
        {isLeftOut && <LeftOut />}
        {lanes.length === 0 && !isLeftOut && (
          <p className="sub">{(data && whyItWaits(data, detail)) ?? 'It has ended. Nobody works on it.'}</p>
        )}
      </div>
    </section>
  )
}
