import type { StartTask } from '../../../src/api/commands.ts'
import { useChoices } from '../../data/queries.ts'
import { BranchField, EditorField, ModelField, otherModel } from './choice-fields.tsx'
import './start.css'

type Priority = NonNullable<StartTask['priority']>

const priorities: readonly Priority[] = ['low', 'normal', 'high']

export interface StartValues {
  readonly target: string
  readonly model: string
  /** The name of a model that no list has. */
  readonly named: string
  readonly editor: string
  readonly budget: string
  readonly priority: Priority
}

export const asConfigured: StartValues = {
  target: '',
  model: '',
  named: '',
  editor: '',
  budget: '',
  priority: 'normal',
}

interface Props {
  readonly values: StartValues
  readonly change: (values: StartValues) => void
  /** The editor, with a crew or alone; none for a task that only answers. */
  readonly edits: 'crew' | 'alone' | 'nobody'
}

/** Choices for new work that replace the configured values. */
export function StartFields({ values, change, edits }: Props) {
  return (
    <>
      <ChoiceFields values={values} change={change} edits={edits} />
      <details>
        <summary>Budget and priority</summary>
        <div className="start-choices">
          <label className="field">
            <span>Budget in dollars</span>
            <input
              className="input"
              type="number"
              min={0}
              step="any"
              value={values.budget}
              onChange={({ target }) => change({ ...values, budget: target.value })}
            />
            <small>Empty: as configured.</small>
          </label>
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
    </>
  )
}

/** The fields for branch, model and editor. */
export function ChoiceFields({ values, change, edits }: Props) {
  const { data: choices } = useChoices()
  return (
    <div className="start-choices">
      <BranchField choices={choices} chosen={values.target} choose={(target) => change({ ...values, target })} />
      <div className="stack tight">
        <ModelField choices={choices} chosen={values.model} choose={(model) => change({ ...values, model })} />
        {values.model === otherModel && (
          <label className="field">
            <span>Name of the model</span>
            <input
              className="input"
              required
              placeholder="<provider>:<model>"
              value={values.named}
              onChange={({ target }) => change({ ...values, named: target.value })}
            />
          </label>
        )}
      </div>
      {edits !== 'nobody' && (
        <EditorField
          choices={choices}
          chosen={values.editor}
          choose={(editor) => change({ ...values, editor })}
          crew={edits === 'crew'}
        />
      )}
    </div>
  )
}

/** Values of a start in the API's form; empty values are left out. */
type StartChoices = Pick<StartTask, 'target' | 'models' | 'budget_usd' | 'priority'>

export function startOf({ target, model, named, editor, budget, priority }: StartValues): StartChoices {
  const name = model === otherModel ? named.trim() : model
  const models = { ...(name !== '' && { default: name }), ...(editor !== '' && { editor }) }
  return {
    ...(target !== '' && { target }),
    ...(Object.keys(models).length > 0 && { models }),
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
