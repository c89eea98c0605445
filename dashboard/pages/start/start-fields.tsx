import type { StartTask } from '../../../src/api/commands.ts'

export interface StartValues {
  readonly target: string
  readonly model: string
  readonly budget: string
}

interface Props {
  readonly values: StartValues
  readonly change: (values: StartValues) => void
}

/** What both kinds of work can be started with in place of what is configured. */
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
      </div>
    </details>
  )
}

/** As the API takes it: what is empty is left out. */
export function startOf({ target, model, budget }: StartValues): Pick<StartTask, 'target' | 'models' | 'budget_usd'> {
  return {
    ...(target.trim() !== '' && { target: target.trim() }),
    ...(model.trim() !== '' && { models: { default: model.trim() } }),
    ...(Number(budget) > 0 && { budget_usd: Number(budget) }),
  }
}

export function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
