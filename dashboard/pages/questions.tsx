import { useState } from 'react'
import type { RunList } from '../../src/api/runs.ts'
import { isAlone, may } from '../data/may.ts'
import { currentActor } from '../data/session.ts'
import { plural } from '../figures-text.ts'
import { FilterChoice } from '../filters/filter-bar.tsx'
import { useFilter } from '../filters/use-filter.ts'
import { Empty } from '../parts/notice.tsx'
import { Question } from '../parts/question.tsx'
import { canAsk } from '../shell/notify.ts'
import { QuestionsElsewhere } from './repositories/questions-elsewhere.tsx'

const filters = ['me', 'nobody'] as const

/** Everything that waits for a human, oldest first. */
export function Questions({ list }: { readonly list: RunList }) {
  const [ask, setAsk] = useState(canAsk())
  const [whose, choose] = useFilter('for', filters)
  const me = currentActor()?.name ?? null
  const shown = list.escalations.filter(
    ({ assigned_to: to }) => whose === null || (whose === 'me' ? to === me : to === null),
  )
  const left = list.escalations.length - shown.length
  return (
    <div className="page narrow">
      <header className="page-head">
        <div>
          <h1>Questions</h1>
          <p className="sub">
            Work that waits for {may('operator') ? 'your answer' : 'an operator'}, oldest first. Questions never time
            out.
          </p>
        </div>
        {ask && (
          <button
            type="button"
            className="button"
            onClick={() => void Notification.requestPermission().then(() => setAsk(false))}
          >
            Notify me of new questions
          </button>
        )}
      </header>
      {!isAlone() && list.escalations.length > 0 && (
        <div className="row">
          <FilterChoice
            label="Whose questions"
            all="Questions of everybody"
            options={[
              { value: 'me', title: 'Mine' },
              { value: 'nobody', title: 'Assigned to nobody' },
            ]}
            chosen={whose}
            choose={choose}
          />
          {left > 0 && <span className="sub">{plural(left, 'other question')}</span>}
        </div>
      )}
      {list.escalations.length === 0 ? (
        <Empty icon="bell" title={may('operator') ? 'Nobody needs you' : 'Nobody asks'}>
          <p>When an agent reaches a limit, its question appears here, with a red badge on every page.</p>
        </Empty>
      ) : (
        shown.map((asked) => <Question key={asked.id} asked={asked} />)
      )}
      <QuestionsElsewhere />
    </div>
  )
}
