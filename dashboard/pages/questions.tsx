import { useState } from 'react'
import type { RunList } from '../../src/api/runs.ts'
import { Empty } from '../parts/notice.tsx'
import { Question } from '../parts/question.tsx'
import { canAsk } from '../shell/notify.ts'
import { QuestionsElsewhere } from './repositories/questions-elsewhere.tsx'

/** Everything that waits for a person, oldest first. */
export function Questions({ list }: { readonly list: RunList }) {
  const [ask, setAsk] = useState(canAsk())
  return (
    <div className="page narrow">
      <header className="page-head">
        <div>
          <h1>Questions</h1>
          <p className="sub">Work that waits for your answer, oldest first. Questions never time out.</p>
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
      {list.escalations.length === 0 ? (
        <Empty icon="bell" title="Nobody needs you">
          <p>When an agent reaches a limit, its question appears here, with a red badge on every page.</p>
        </Empty>
      ) : (
        list.escalations.map((asked) => <Question key={asked.id} asked={asked} />)
      )}
      <QuestionsElsewhere />
    </div>
  )
}
