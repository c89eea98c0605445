import type { StartTask } from '../../../src/api/commands.ts'

type Priority = NonNullable<StartTask['priority']>

const priorities: readonly Priority[] = ['low', 'normal', 'high']

export interface StartValues {
  readonly target: string
  readonly model: string
  readonly budget: string
  readonly priority: Priority
}

export const asConfigured: StartValues = { target: '', model: '', budget: '', priority: 'normal' }

interface Props {
  readonly values: StartValues
  readonly change: (values: StartValues) => void
}

/** Options for both kinds of work that override the configuration. */
export function StartFields({ values, change }: Props) {
  const fields = [
    { key: 'target', title: 'Branch to start from', hint: 'Empty: the branch that is checked out.', type: 'text' },
    { key: 'model', title: 'Model', hint: '<provider>:<model>. Empty: as configured.', type: 'text' },
    { key: 'budget', title: 'Budget in dollars', hint: 'Empty: as configured.', type: 'number' },
  ] as const
  return (
    <details>
      <summary>Options</summary>
      <div className="stack">
        {fields.map(({ key, title, hint, type }) => (
          <label key={key} className="field">
            <span>{title}</span>
            <input
              className="input"
              type={type}
              {...(type === 'number' && { min: 0, step: 'any' })}
              value={values[key]}
              onChange={({ target }) => change({ ...values, [key]: target.value })}
            />
            <small>{hint}</small>
          </label>
        ))}
        <label className="field">
          <span>Priority</span>
          <select
            className="input"
            value={values.priority}
            onChange={({ target }) => change({ ...values, priority: target.value as Priority })}
          >
            {priorities.map((priority) => (
              <option key={priority}>{priority}</option>
            ))}
          </select>
          <small>Its share of the slots while other runs need some, too.</small>
        </label>
      </div>
    </details>
  )
}

/** Converts to the API's form: empty values are left out. */
type StartChoices = Pick<StartTask, 'target' | 'models' | 'budget_usd' | 'priority'>

export function startOf({ target, model, budget, priority }: StartValues): StartChoices {
  return {
    ...(target.trim() !== '' && { target: target.trim() }),
    ...(model.trim() !== '' && { models: { default: model.trim() } }),
    ...(Number(budget) > 0 && { budget_usd: Number(budget) }),
    ...(priority !== 'normal' && { priority }),
  }
}

export function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
