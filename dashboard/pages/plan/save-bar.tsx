import type { CommandFate } from '../../../src/api/commands.ts'
import type { PlanProblem } from '../../../src/api/plan.ts'
import { plural } from '../../figures-text.ts'
import { type Difference, isNothing } from './edit-stories.ts'

interface Props {
  readonly difference: Difference
  readonly problems: readonly PlanProblem[]
  /** The result of the last edit; null if there is none. */
  readonly saved: CommandFate['handed'] | null
  readonly isBusy: boolean
  readonly canSave: boolean
  readonly save: () => void
  readonly discard: () => void
  /** Null if the plan has been built already. */
  readonly build: (() => void) | null
}

/** The differences, and the actions for them. */
export function SaveBar({ difference, problems, saved, isBusy, canSave, save, discard, build }: Props) {
  const isSame = isNothing(difference)
  const whole = problems.filter(({ story }) => story === null)
  return (
    <div className="plan-save">
      <p role="status">
        {problems.length > 0
          ? `Nothing was saved: ${plural(problems.length, 'problem')}. ${whole.map(({ message }) => `${message}.`).join(' ')}`
          : isSame
            ? saved === null
              ? 'Nothing is different.'
              : said[saved]
            : words(difference)}
      </p>
      <div className="row">
        <button type="button" className="button" disabled={isSame || isBusy} onClick={discard}>
          Discard
        </button>
        <button
          type="button"
          className={build === null || !isSame ? 'button primary' : 'button'}
          disabled={isSame || isBusy || !canSave}
          onClick={save}
        >
          Save the plan
        </button>
        {build !== null && (
          <button type="button" className="button primary" disabled={!isSame || isBusy} onClick={build}>
            Build these stories
          </button>
        )}
      </div>
    </div>
  )
}

const said: Readonly<Record<CommandFate['handed'], string>> = {
  applied: 'Saved.',
  waiting: 'Recorded. It has not been applied yet.',
  recorded: 'Recorded. The next process that works here applies it.',
}

function words({ added, changed, dropped, reordered }: Difference): string {
  const parts = [
    changed.length > 0 && `${changed.length} changed`,
    added.length > 0 && `${added.length} added`,
    dropped.length > 0 && `${dropped.length} dropped`,
    reordered && 'another order',
  ]
  return `Not saved: ${parts.filter((part) => part !== false).join(', ')}.`
}
