import { useState } from 'react'
import type { RunDetail } from '../../../src/api/runs.ts'
import type { Budget } from '../../../src/api/spending.ts'
import { useOperation } from '../../data/operation.ts'
import { count, money } from '../../figures-text.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { forOperators } from '../../parts/for-operators.tsx'
import { Problem } from '../../parts/notice.tsx'

type Amounts = NonNullable<RunDetail['pause']['budget']>['raise']

const nothing: Amounts = { run_usd: 0, story_usd: 0, run_tokens: 0 }

interface Props {
  readonly run: string
  readonly budget: Budget | null
  /** Amounts that are enough for everything that waits. */
  readonly enough?: Amounts
  readonly close: () => void
}

/** Raises the budget; work that was paused for it continues. */
export const RaiseBudget = forOperators(function RaiseBudget({ run, budget, enough = nothing, close }: Props) {
  const [raise, setRaise] = useState(enough)
  const command = useOperation('budget')
  const fields = [
    { key: 'run_usd', title: 'More dollars for the run', now: budget && money(budget.run_usd), step: 'any' },
    { key: 'story_usd', title: 'More dollars for each story', now: budget && money(budget.story_usd), step: 'any' },
    { key: 'run_tokens', title: 'More tokens for the run', now: budget && count(budget.run_tokens), step: '1' },
  ] as const
  const isNothing = Object.values(raise).every((amount) => !(amount > 0))
  return (
    <Dialog title="Raise the budget" close={close}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          command.mutate({ run, ...raise }, { onSuccess: close })
        }}
      >
        {fields.map(({ key, title, now, step }) => (
          <label key={key} className="field">
            <span>{title}</span>
            <input
              className="input"
              type="number"
              min={0}
              step={step}
              defaultValue={raise[key] || ''}
              onChange={({ target }) => setRaise({ ...raise, [key]: target.valueAsNumber || 0 })}
            />
            {now !== null && <small>now {now}</small>}
          </label>
        ))}
        {command.isError && <Problem error={command.error} />}
        <button type="submit" className="button primary" disabled={isNothing || command.isPending}>
          Raise
        </button>
      </form>
    </Dialog>
  )
})
