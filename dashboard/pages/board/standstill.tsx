import type { RunDetail } from '../../../src/api/runs.ts'
import { Time } from '../../parts/time.tsx'

const caps = {
  run_usd: 'the dollars of the run',
  story_usd: 'the dollars of a story',
  run_tokens: 'the tokens of the run',
} as const

/** Why nothing goes on, where that is nobody's question. */
export function Standstill({ detail: { error, pause } }: { readonly detail: RunDetail }) {
  const { budget, provider } = pause
  return (
    <>
      {error && (
        <div className="problem" role="alert">
          <strong>{error.message}</strong>
          <p>{error.todo}</p>
        </div>
      )}
      {budget && (
        <div className="problem" role="status">
          <strong>
            A budget is reached{budget.caps.length > 0 && <>: {budget.caps.map((cap) => caps[cap]).join(', ')}</>}
          </strong>
          <p>
            {budget.stories.length > 0 && `Paused: ${budget.stories.join(', ')}. `}Everything is kept. Raise the budget
            and it goes on where it stopped.
          </p>
        </div>
      )}
      {provider && (
        <div className="notice" role="status">
          <strong>Waiting for the model’s provider</strong>
          <p>
            {provider.reason} Tried again <Time at={provider.until} />.
          </p>
        </div>
      )}
    </>
  )
}
